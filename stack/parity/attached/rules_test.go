package attached

import (
	"errors"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

// reason is why something is not asked; empty when it is.
func reason(err error) string {
	var left *parity.NotAskedError
	if errors.As(err, &left) {
		return left.Reason
	}
	return ""
}

func TestRequestsThatChangeAllRowsAreKnownBySayingNoFilter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, path string
		all          bool
	}{
		{"PATCH", "/t", true},
		{"DELETE", "/t?select=id&order=id.desc&limit=2", true},
		{"PATCH", "/t?columns=a", true},
		{"PATCH", "/t?id=eq.1", false},
		{"DELETE", "/t?or=(a.eq.1,b.eq.2)&select=id", false},
		{"GET", "/t", false},
		{"POST", "/t", false},
		{"PUT", "/t?id=eq.1", false},
	} {
		assert.Equal(t, test.all, changesAll(&restreplay.Request{Method: test.method, Path: test.path}), "%s %s", test.method, test.path)
	}
	guarded := &restInstance{engine: &Engine{safeUpdate: true}}
	step := restreplay.Step{Request: &restreplay.Request{Method: "DELETE", Path: "/t"}}
	assert.Contains(t, reason(guarded.Passes(step)), "safeupdate")
	assert.NoError(t, (&restInstance{engine: &Engine{}}).Passes(step))
}

func TestTheGatewayKeepsAwayWhatItAnswersOrChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ header, value, want string }{
		"a browser's origin": {"Origin", "http://a.example", "the gateway answers requests of other origins by rules of its own"},
		"a key":              {"apikey", "k", "the gateway turns the key in apikey into a token"},
		"an opaque token":    {"authorization", "Bearer sb_publishable_x", "the gateway turns the key in Authorization into a token"},
		"somebody's token":   {"authorization", "Bearer ey.x.y", ""},
		"any other":          {"Prefer", "return=minimal", ""},
	} {
		header := http.Header{}
		header.Set(test.header, test.value)
		assert.Equal(t, test.want, reason(gatewayPasses(header)), name)
	}
}

func TestARunningAuthHasToHaveWhatARecordingWasMadeWith(t *testing.T) {
	t.Parallel()
	running := func(changes map[string]string) *attach.AuthStart {
		settings := authreplay.BaseEnv()
		maps.Copy(settings, changes)
		return &attach.AuthStart{Settings: attach.SettingsOf(settings)}
	}
	needed := authreplay.Start{Env: authreplay.BaseEnv(), FirstTokenIssued: true}
	asked := signed{cost: 10, alg: "HS256"}
	for name, test := range map[string]struct {
		known  signed
		start  *attach.AuthStart
		needed authreplay.Start
		want   string
	}{
		"all is the same":           {asked, running(nil), needed, ""},
		"nobody knows":              {asked, nil, needed, "what the running Auth was started with is not known"},
		"only its hooks":            {asked, &attach.AuthStart{}, needed, "what the running Auth was started with is not known"},
		"another value":             {asked, running(map[string]string{"GOTRUE_JWT_EXP": "60"}), needed, "needs GOTRUE_JWT_EXP=3600"},
		"another switch":            {asked, running(map[string]string{"GOTRUE_HOOK_SEND_SMS_ENABLED": "true"}), needed, "needs no GOTRUE_HOOK_SEND_SMS_ENABLED"},
		"another limit":             {asked, running(map[string]string{"GOTRUE_SESSIONS_TIMEBOX": "1h"}), needed, "needs no GOTRUE_SESSIONS_TIMEBOX"},
		"a switch that is off":      {asked, running(map[string]string{"GOTRUE_HOOK_SEND_SMS_ENABLED": "false"}), needed, ""},
		"how mails look":            {asked, running(map[string]string{"GOTRUE_MAILER_SUBJECTS_INVITE": "hi", "GOTRUE_SMTP_HOST": "h"}), needed, ""},
		"fewer administrators":      {asked, running(map[string]string{adminRoles: "service_role"}), needed, ""},
		"nobody can be let in":      {signed{}, running(nil), needed, "needs an Auth that lets people in who are made for it"},
		"asymmetric keys":           {signed{cost: 10, alg: "ES256"}, running(nil), needed, "needs tokens that are signed with the JWT secret, not with ES256"},
		"hashes that are looked at": {signed{cost: 4, alg: "HS256"}, running(nil), authreplay.Start{Env: needed.Env, FirstTokenIssued: true, BcryptCost: 10}, "needs hashes of cost 10, not 4"},
		"a fresh server":            {asked, running(nil), authreplay.Start{Env: needed.Env}, "needs a server that has signed no token yet"},
		"a secret":                  {asked, running(nil), authreplay.Start{Env: map[string]string{"GOTRUE_JWT_KEYS": "[1]"}, FirstTokenIssued: true}, "needs GOTRUE_JWT_KEYS=…"},
	} {
		assert.Equal(t, test.want, reason(test.known.suits(test.start, test.needed)), name)
	}
}
