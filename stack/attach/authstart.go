package attach

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// AuthStart is what Auth was started with: what it does until it is started again,
// whatever the file says by now.
type AuthStart struct {
	// Hooks maps each hook that was on, by its name in config.toml, to its settings.
	Hooks map[string]Hook `json:"hooks"`
	// Hash stands for all settings but secrets and addresses; empty when it is not known.
	// Equal settings have equal hashes.
	Hash string `json:"hash,omitempty"`
	// Settings are the variables that Auth was started with, but for secrets and addresses
	// of one start; nil when they are not known.
	Settings map[string]string `json:"settings,omitempty"`
	// From says in a few words how this is known: "docker inspect supabase_auth_forum".
	From string `json:"from,omitempty"`
	// Container is the container that Auth runs in; empty when it runs in none that is
	// known.
	Container string `json:"-"`
}

// Hook is one hook that was on.
type Hook struct {
	// URI is what Auth calls.
	URI string `json:"uri"`
}

// The variables that switch a hook on and say what it calls, as Auth reads them
// (internal/conf/configuration.go there).
const (
	hookPrefix  = "GOTRUE_HOOK_"
	hookEnabled = "_ENABLED"
	hookURI     = "_URI"
)

// AuthStartOf takes from Auth's environment what can be known of its start.
func AuthStartOf(env map[string]string) *AuthStart {
	start := &AuthStart{Hooks: map[string]Hook{}}
	for variable, value := range env {
		name, isHook := strings.CutPrefix(variable, hookPrefix)
		name, isSwitch := strings.CutSuffix(name, hookEnabled)
		if on, err := strconv.ParseBool(value); !isHook || !isSwitch || err != nil || !on {
			continue
		}
		start.Hooks[strings.ToLower(name)] = Hook{URI: env[hookPrefix+name+hookURI]}
	}
	return start
}

// HashOf is the hash of an environment of Auth without what is secret, and without
// what differs from one start to the next.
func HashOf(env map[string]string) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !private(name) {
			// Names have no "=", and a value's length keeps two of them apart.
			fmt.Fprintf(hash, "%s=%d:%s\n", name, len(env[name]), env[name])
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// SettingsOf is what Auth reads of its environment, without what is secret and without
// the database's address.
func SettingsOf(env map[string]string) map[string]string {
	settings := maps.Clone(env)
	maps.DeleteFunc(settings, func(name, _ string) bool {
		ours := strings.HasPrefix(name, "GOTRUE_") || name == "API_EXTERNAL_URL"
		return !ours || private(name) || name == "GOTRUE_SMS_TEST_OTP"
	})
	return settings
}

// private reports whether a variable holds a secret or an address of one start.
func private(name string) bool {
	for _, end := range []string{
		"_SECRET", "_SECRETS", "_PASS", "_KEY", "_KEYS", "_AUTH_TOKEN", "_DATABASE_URL", "_API_HOST", "_API_PORT",
	} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
