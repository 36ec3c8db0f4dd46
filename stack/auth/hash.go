package auth

import (
	"errors"
	"fmt"

	"golang.org/x/crypto/bcrypt"
)

// matches tells whether a password belongs to a stored hash. It fails on a hash of an unknown kind.
func matches(hash, password string) (bool, error) {
	err := bcrypt.CompareHashAndPassword([]byte(hash), []byte(password))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, bcrypt.ErrMismatchedHashAndPassword), errors.Is(err, bcrypt.ErrPasswordTooLong):
		return false, nil
	}
	return false, fmt.Errorf("compare a password: %w", err)
}

// checkHash refuses a text that is no hash of a password.
func checkHash(hash string) error {
	if _, err := bcrypt.Cost([]byte(hash)); err != nil {
		return fmt.Errorf("read a password hash: %w", err)
	}
	return nil
}
