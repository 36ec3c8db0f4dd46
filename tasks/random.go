package tasks

import (
	"math"
	"math/bits"
)

// pythonRandom is CPython's random.Random, as far as the split rule needs it: the
// Mersenne Twister MT19937 seeded by init_by_array (Matsumoto and Nishimura,
// "mt19937ar") and shuffle by rejection sampling (CPython, Lib/random.py).
type pythonRandom struct {
	state [mtSize]uint32
	next  int
}

// The parameters of MT19937.
const (
	mtSize  = 624
	mtShift = 397
)

// newPythonRandom is random.Random(seed) for a seed that is a whole number ≥ 0, which
// Python cuts into 32-bit words, the lowest first.
func newPythonRandom(seed uint64) *pythonRandom {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high != 0 {
		key = append(key, high)
	}
	r := &pythonRandom{next: mtSize}
	mt := &r.state
	mt[0] = 19650218
	for i := uint32(1); i < mtSize; i++ {
		mt[i] = 1812433253*(mt[i-1]^mt[i-1]>>30) + i
	}
	i, j := 1, 0
	for range max(mtSize, len(key)) {
		mt[i] = (mt[i] ^ (mt[i-1]^mt[i-1]>>30)*1664525) + key[j] + uint32(j)
		i, j = r.wrap(i+1), (j+1)%len(key)
	}
	for range mtSize - 1 {
		mt[i] = (mt[i] ^ (mt[i-1]^mt[i-1]>>30)*1566083941) - uint32(i)
		i = r.wrap(i + 1)
	}
	mt[0] = 1 << 31
	return r
}

// wrap is the seeding's way around the end: what is last goes first, and it goes on
// at 1.
func (r *pythonRandom) wrap(i int) int {
	if i < mtSize {
		return i
	}
	r.state[0] = r.state[mtSize-1]
	return 1
}

// uint32 is the next 32 bits.
func (r *pythonRandom) uint32() uint32 {
	if r.next >= mtSize {
		r.twist()
	}
	y := r.state[r.next]
	r.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (r *pythonRandom) twist() {
	for i := range mtSize {
		y := r.state[i]&0x80000000 | r.state[(i+1)%mtSize]&0x7fffffff
		r.state[i] = r.state[(i+mtShift)%mtSize] ^ y>>1 ^ (y&1)*0x9908b0df
	}
	r.next = 0
}

// below is a number in [0, n), by as many bits as n has, drawn again while too large.
func (r *pythonRandom) below(n int) int {
	width := bits.Len(uint(n))
	for {
		if k := int(r.uint32() >> (32 - width)); k < n {
			return k
		}
	}
}

// shuffle is random.shuffle: from the end, each with one at or before it.
func (r *pythonRandom) shuffle(list []string) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// pythonRound is Python's round(x): halves go to the even neighbour.
func pythonRound(x float64) int { return int(math.RoundToEven(x)) }
