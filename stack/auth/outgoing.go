package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"time"

	"github.com/gobwas/glob"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/mailbox"
)

// outgoing is what mails and text messages need besides the database.
type outgoing struct {
	box *mailbox.Box
	// allow are the addresses that links may lead to besides the site's own.
	allow          []glob.Glob
	mails, numbers *limiter
}

func newOutgoing(cfg Config) (*outgoing, error) {
	o := &outgoing{
		box:     cfg.Mailbox,
		mails:   newLimiter(cfg.Limits.EmailSent, cfg.Now),
		numbers: newLimiter(cfg.Limits.SMSSent, cfg.Now),
	}
	if o.box == nil {
		o.box = mailbox.New(mailbox.Config{Now: cfg.Now})
	}
	for _, pattern := range cfg.URIAllowList {
		// A star ends at a dot or a slash, two stars do not: upstream's separators.
		compiled, err := glob.Compile(pattern, '.', '/')
		if err != nil {
			return nil, fmt.Errorf("%w: GOTRUE_URI_ALLOW_LIST: pattern %q: %w", ErrConfig, pattern, err)
		}
		o.allow = append(o.allow, compiled)
	}
	return o, nil
}

// Mailbox has the mails that no hook has taken. It is Config.Mailbox, when that is set.
func (s *Server) Mailbox() *mailbox.Box { return s.outgoing.box }

// newCode makes a one-time code of a number of digits.
func (s *Server) newCode(digits int) (string, error) {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	n, err := rand.Int(s.cfg.Rand, limit)
	if err != nil {
		return "", fmt.Errorf("make a one-time code: %w", err)
	}
	return fmt.Sprintf("%0*s", digits, n.String()), nil
}

// hashCode is the token hash of a code that goes to an address or number. The code alone would be too
// short to keep: with the address in it, equal codes of two users have different hashes.
func hashCode(to, code string) string {
	return fmt.Sprintf("%x", sha256.Sum224([]byte(to+code)))
}

// newPassword makes a password that satisfies the settings, for users that did not choose one.
func (s *Server) newPassword() (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	sets := append([]string{}, s.cfg.Password.RequiredCharacters...)
	for len(sets) < 64 {
		sets = append(sets, letters)
	}
	password := make([]byte, 0, len(sets))
	for _, set := range sets {
		if set == "" {
			continue
		}
		i, err := rand.Int(s.cfg.Rand, big.NewInt(int64(len(set))))
		if err != nil {
			return "", fmt.Errorf("make a password: %w", err)
		}
		password = append(password, set[i.Int64()])
	}
	return string(password), nil
}

// tooSoon refuses a second mail or message within the least time between two.
func (s *Server) tooSoon(code apierr.Code, sentAt *time.Time, every time.Duration) error {
	now := s.cfg.Now()
	if sentAt == nil || !sentAt.Add(every).After(now) {
		return nil
	}
	left := sentAt.Add(every).Sub(now) / time.Second
	return apierr.TooManyRequests(code, "For security purposes, you can only request this after %d seconds.", left)
}

// usable tells whether a code's time has not run out. A user that SQL has made may have a token and no
// time; that one never was usable.
func (s *Server) usable(sentAt *time.Time, seconds int) bool {
	return sentAt != nil && !s.cfg.Now().After(sentAt.Add(time.Duration(seconds)*time.Second))
}

// validCode compares the hash of a code with the stored one, in either flow.
func (s *Server) validCode(hash, stored string, sentAt *time.Time, seconds int) bool {
	return stored != "" && s.usable(sentAt, seconds) && (hash == stored || flowPKCE.hash(hash) == stored)
}

// actionLink is the address in a mail: one of the configured paths with the token in its query.
func (s *Server) actionLink(path, tokenHash, kind, redirectTo string) (string, error) {
	base, err := url.Parse(s.cfg.ExternalURL)
	if err != nil {
		return "", fmt.Errorf("API_EXTERNAL_URL: %w", err)
	}
	target, err := url.Parse(path)
	if err != nil {
		return "", fmt.Errorf("path of a mail's link: %w", err)
	}
	// An address with a query of its own would end at its first ampersand. Others go as they are.
	if strings.ContainsAny(redirectTo, "&=#") {
		redirectTo = url.QueryEscape(redirectTo)
	}
	target.RawQuery = "token=" + url.QueryEscape(tokenHash) + "&type=" + url.QueryEscape(kind) + "&redirect_to=" + redirectTo
	return base.ResolveReference(target).String(), nil
}
