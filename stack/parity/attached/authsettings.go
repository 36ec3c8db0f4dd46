package attached

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
)

// adminRoles is the setting that lists the roles of administrators.
const adminRoles = "GOTRUE_JWT_ADMIN_ROLES"

// suits says which setting of a recording the running Auth was not started with.
func (s signed) suits(start *attach.AuthStart, needed authreplay.Start) error {
	switch {
	case start == nil || start.Settings == nil:
		return &parity.NotAskedError{Reason: "what the running Auth was started with is not known"}
	case !needed.FirstTokenIssued:
		return &parity.NotAskedError{Reason: "needs a server that has signed no token yet"}
	}
	running := start.Settings
	for _, name := range slices.Sorted(maps.Keys(needed.Env)) {
		if want := needed.Env[name]; !unseen(name) && running[name] != want {
			if secret(name) {
				want = "…"
			}
			return &parity.NotAskedError{Reason: fmt.Sprintf("needs %s=%s", name, want)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(running)) {
		if _, known := needed.Env[name]; !known && tells(name, running[name]) {
			return &parity.NotAskedError{Reason: "needs no " + name}
		}
	}
	switch {
	case s.alg == "":
		return &parity.NotAskedError{Reason: "needs an Auth that lets people in who are made for it"}
	case s.alg != "HS256":
		return &parity.NotAskedError{Reason: "needs tokens that are signed with the JWT secret, not with " + s.alg}
	case needed.BcryptCost != 0 && needed.BcryptCost != s.cost:
		return &parity.NotAskedError{Reason: fmt.Sprintf("needs hashes of cost %d, not %d", needed.BcryptCost, s.cost)}
	}
	return nil
}

// unseen reports whether a setting that recordings have is not compared: it is about the
// database, the socket or the log, or it is seen otherwise (the JWT secret by a token that
// is let in, administrators step by step).
func unseen(name string) bool {
	switch name {
	case "DB_NAMESPACE", "GOTRUE_API_HOST", "GOTRUE_DB_DRIVER", "GOTRUE_LOG_LEVEL", "GOTRUE_JWT_SECRET", adminRoles:
		return true
	}
	return false
}

// secret reports whether a setting's value is not to be shown.
func secret(name string) bool {
	return strings.HasSuffix(name, "_SECRET") || strings.HasSuffix(name, "_SECRETS") || strings.HasSuffix(name, "_KEYS")
}

// tells reports whether a setting that a recording has not makes a server answer
// otherwise. How mails look and are sent, the limits by time, and what belongs to a way of
// signing in that is off, do not.
func tells(name, value string) bool {
	if on, err := strconv.ParseBool(value); value == "" || err == nil && !on {
		return false
	}
	if strings.HasSuffix(name, "_ENABLED") {
		return true
	}
	for _, family := range []string{
		"GOTRUE_RATE_LIMIT_", "GOTRUE_SMTP_", "GOTRUE_SMS_", "GOTRUE_MAILER_SUBJECTS_", "GOTRUE_MAILER_TEMPLATES_",
		"GOTRUE_MAILER_EXTERNAL_HOSTS", "GOTRUE_EXTERNAL_", "GOTRUE_HOOK_", "GOTRUE_DB_", "GOTRUE_API_", "GOTRUE_LOG_",
	} {
		if strings.HasPrefix(name, family) {
			return false
		}
	}
	return true
}
