package auth

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/supascore/supascore/stack/auth/apierr"
)

// maxPassword is the length in bytes that bcrypt hashes.
const maxPassword = 72

// checkPassword refuses a password that is too long, or weak by the settings. It returns an
// *apierr.WeakPasswordError for a weak one.
func (s *Server) checkPassword(password string) error {
	if len(password) > maxPassword {
		return apierr.BadRequest(apierr.ValidationFailed, "Password cannot be longer than %v characters", maxPassword)
	}
	if weak := s.weakness(password); weak != nil {
		return weak
	}
	return nil
}

// weakness tells why a password is weak, nil when it is not. Lengths are in bytes, as in the real
// server: three letters of another script can be long enough.
func (s *Server) weakness(password string) *apierr.WeakPasswordError {
	rules := s.cfg.Password
	var messages, reasons []string
	if len(password) < rules.MinLength {
		reasons = append(reasons, "length")
		messages = append(messages, fmt.Sprintf("Password should be at least %d characters.", rules.MinLength))
	}
	for _, set := range rules.RequiredCharacters {
		if !strings.ContainsAny(password, set) {
			reasons = append(reasons, "characters")
			// One missing set is as bad as all: the message names them all.
			messages = append(messages, fmt.Sprintf("Password should contain at least one character of each: %s.",
				strings.Join(rules.RequiredCharacters, ", ")))
			break
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	return &apierr.WeakPasswordError{Message: strings.Join(messages, " "), Reasons: reasons}
}

// hashPassword makes a bcrypt hash. It takes its time by design: call it outside of transactions.
func (s *Server) hashPassword(password string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), s.cfg.BcryptCost)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return string(hash), nil
}
