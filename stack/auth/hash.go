package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/scrypt"
)

// matches tells whether a password belongs to a stored hash: bcrypt, or one of the two kinds that
// administrators may bring from other systems. It fails on a hash of an unknown kind.
func matches(hash, password string) (bool, error) {
	foreign, err := parseForeignHash(hash)
	if err != nil {
		return false, fmt.Errorf("compare a password: %w", err)
	}
	if foreign != nil {
		return subtle.ConstantTimeCompare(foreign.derive(password), foreign.want) == 1, nil
	}
	// A hash of pgcrypto's crypt(…, gen_salt('bf')), which seed scripts use, is one of bcrypt.
	err = bcrypt.CompareHashAndPassword([]byte(hash), []byte(password))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword):
		return false, nil
	}
	return false, fmt.Errorf("compare a password: %w", err)
}

// checkHash refuses a text that is no hash of a password.
func checkHash(hash string) error {
	foreign, err := parseForeignHash(hash)
	if err == nil && foreign == nil {
		_, err = bcrypt.Cost([]byte(hash))
	}
	if err != nil {
		return fmt.Errorf("read a password hash: %w", err)
	}
	return nil
}

// foreignHash is a password hash that is not bcrypt's: how to derive it from a password, and what the
// right one derives to.
type foreignHash struct {
	derive func(password string) []byte
	want   []byte
}

// errHash refuses a hash that begins like one of a known kind.
var errHash = errors.New("malformed hash")

// parseForeignHash reads a hash of Argon2 in the PHC string format, or of Firebase's scrypt. It
// returns nil for every other text.
func parseForeignHash(hash string) (*foreignHash, error) {
	sections := strings.Split(hash, "$")
	switch {
	case strings.HasPrefix(hash, "$argon2"):
		return parseArgon2(sections)
	case strings.HasPrefix(hash, "$fbscrypt"):
		return parseFirebase(sections)
	}
	return nil, nil
}

// parseArgon2 reads $argon2id$v=19$m=32,t=3,p=2$salt$hash, with limits on what a comparison may cost.
func parseArgon2(sections []string) (*foreignHash, error) {
	if len(sections) != 6 || sections[2] != "v=19" {
		return nil, fmt.Errorf("%w: not version 19 of argon2", errHash)
	}
	derive := argon2.IDKey
	switch sections[1] {
	case "argon2id":
	case "argon2i":
		derive = argon2.Key
	default:
		return nil, fmt.Errorf("%w: algorithm %q", errHash, sections[1])
	}
	// The limits are the real server's for Argon2: 1 GiB of memory, 20 rounds, 16 threads.
	costs, err := readCosts(sections[3], map[string]uint64{"m": 1 << 20, "t": 20, "p": 16})
	if err != nil {
		return nil, err
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(sections[4])
	want, wantErr := base64.RawStdEncoding.DecodeString(sections[5])
	if err := errors.Join(saltErr, wantErr); err != nil || len(salt) == 0 || len(want) == 0 {
		return nil, fmt.Errorf("%w: salt or hash is empty or not base64", errHash)
	}
	return &foreignHash{want: want, derive: func(password string) []byte {
		return derive([]byte(password), salt, uint32(costs["t"]), uint32(costs["m"]), uint8(costs["p"]), uint32(len(want)))
	}}, nil
}

// parseFirebase reads $fbscrypt$v=1,n=14,r=8,p=1,ss=…,sk=…$salt$hash: the memory cost is a power of
// two, ss is appended to the salt, and sk is encrypted with the derived key.
func parseFirebase(sections []string) (*foreignHash, error) {
	if len(sections) != 5 {
		return nil, fmt.Errorf("%w: not a Firebase scrypt hash", errHash)
	}
	var numbers []string
	keys := map[string][]byte{}
	for part := range strings.SplitSeq(sections[2], ",") {
		name, value, _ := strings.Cut(part, "=")
		if name != "ss" && name != "sk" {
			numbers = append(numbers, part)
			continue
		}
		key, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errHash, name, err)
		}
		keys[name] = key
	}
	// Upstream has no limits here; 1 GiB for n=20 with r=8 is as much as anybody may want of a test.
	costs, err := readCosts(strings.Join(numbers, ","), map[string]uint64{"v": 1, "n": 20, "r": 64, "p": 16})
	if err != nil {
		return nil, err
	}
	salt, saltErr := base64.StdEncoding.DecodeString(sections[3])
	want, wantErr := base64.StdEncoding.DecodeString(sections[4])
	if err := errors.Join(saltErr, wantErr); err != nil {
		return nil, fmt.Errorf("%w: salt or hash is not base64", errHash)
	}
	salt = append(salt, keys["ss"]...)
	return &foreignHash{want: want, derive: func(password string) []byte {
		return firebaseKey([]byte(password), salt, keys["sk"], costs)
	}}, nil
}

// firebaseKey encrypts the signer key with AES-256 in counter mode under the key that scrypt derives.
func firebaseKey(password, salt, signerKey []byte, costs map[string]uint64) []byte {
	derived, err := scrypt.Key(password, salt, 1<<costs["n"], int(costs["r"]), int(costs["p"]), 32)
	if err != nil {
		return nil // the costs are refused by scrypt: no password matches
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil
	}
	out := make([]byte, len(signerKey))
	cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(out, signerKey)
	return out
}

// readCosts reads "m=32,t=3" into numbers from 1 to their limits; every name must be there.
func readCosts(text string, limits map[string]uint64) (map[string]uint64, error) {
	costs := map[string]uint64{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.ParseUint(value, 10, 32)
		if limit, known := limits[name]; err != nil || !known || n == 0 || n > limit {
			return nil, fmt.Errorf("%w: parameter %q", errHash, part)
		}
		costs[name] = n
	}
	if len(costs) != len(limits) {
		return nil, fmt.Errorf("%w: parameters %q", errHash, text)
	}
	return costs, nil
}
