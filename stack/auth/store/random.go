package store

import (
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
)

// alphanumeric is a random string of small letters and digits.
func alphanumeric(random io.Reader, length int) (string, error) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	out := make([]byte, length)
	for i := range out {
		n, err := rand.Int(random, big.NewInt(int64(len(alphabet))))
		if err != nil {
			return "", fmt.Errorf("make a random token: %w", err)
		}
		out[i] = alphabet[n.Int64()]
	}
	return string(out), nil
}
