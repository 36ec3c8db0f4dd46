package attach_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/keys"
)

// names resolves what it knows.
type names map[string][]string

func (n names) LookupHost(_ context.Context, host string) ([]string, error) {
	if found, ok := n[host]; ok {
		return found, nil
	}
	return nil, errors.New("no such host")
}

func resolver() names {
	return names{
		"localhost": {"::1", "127.0.0.1"}, "here.test": {"127.0.0.53"}, "far.test": {"198.51.100.9"},
		// The first address is this machine's, another one is not.
		"both.test": {"127.0.0.1", "198.51.100.9"},
	}
}

func TestOnlyLoopbackIsThisMachine(t *testing.T) {
	t.Parallel()
	const (
		nearAPI = "http://127.0.0.1:54321"
		nearDB  = "postgres://postgres:postgres@127.0.0.1:54322/postgres"
	)
	for name, test := range map[string]struct {
		api, db string
		want    []string
	}{
		"127/8":                            {"http://127.9.8.7:1", nearDB, nil},
		"IPv6":                             {"http://[::1]:54321", nearDB, nil},
		"IPv4 in IPv6":                     {"http://[::ffff:127.0.0.1]:54321", nearDB, nil},
		"localhost":                        {"http://localhost:54321", nearDB, nil},
		"a name for loopback":              {"http://here.test", nearDB, nil},
		"an address":                       {"http://192.168.1.5:54321", nearDB, []string{"192.168.1.5"}},
		"every interface":                  {"http://0.0.0.0:54321", nearDB, []string{"0.0.0.0"}},
		"another name":                     {"https://far.test", nearDB, []string{"far.test (198.51.100.9)"}},
		"a name with one remote address":   {"http://both.test", nearDB, []string{"both.test (198.51.100.9)"}},
		"IPv4 in IPv6 of another machine":  {"http://[::ffff:10.0.0.1]", nearDB, []string{"::ffff:10.0.0.1"}},
		"the database alone":               {nearAPI, "postgresql://p:p@far.test:5432/postgres", []string{"far.test (198.51.100.9)"}},
		"one of several hosts":             {nearAPI, "postgres://p@127.0.0.1:1,10.0.0.1:2/postgres", []string{"10.0.0.1"}},
		"a host parameter":                 {nearAPI, "postgres:///postgres?host=10.0.0.1", []string{"10.0.0.1"}},
		"a host parameter over the host":   {nearAPI, "postgres://127.0.0.1/postgres?host=10.0.0.1", []string{"10.0.0.1"}},
		"a socket":                         {nearAPI, "postgres:///postgres?host=/var/run/postgresql", nil},
		"a socket and a remote fallback":   {nearAPI, "postgres:///postgres?host=/var/run/postgresql,10.0.0.1", []string{"10.0.0.1"}},
		"with TLS, whose fallback is none": {nearAPI, "postgres://p@localhost/postgres?sslmode=prefer", nil},
		"both":                             {"http://10.0.0.1", "postgres://p@10.0.0.2/postgres", []string{"10.0.0.1", "10.0.0.2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hosts, err := attach.Place{APIURL: test.api, DBURL: test.db}.Remote(t.Context(), resolver())
			require.NoError(t, err)
			assert.Equal(t, test.want, hosts)
		})
	}
}

func TestANameThatCannotBeResolvedIsNotLetThrough(t *testing.T) {
	t.Parallel()
	for _, place := range []attach.Place{
		{APIURL: "http://gone.test", DBURL: "postgres://127.0.0.1/x"},
		{APIURL: "http://127.0.0.1", DBURL: "postgres://gone.test/x"},
	} {
		_, err := place.Remote(t.Context(), resolver())
		assert.ErrorContains(t, err, `the host "gone.test" cannot be resolved, so nobody can tell whether it is this machine`)
	}
}

func TestAPlaceThatIsNoStackIsRefusedWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	const db = "postgres://postgres:hunter2@127.0.0.1:54322/postgres"
	for name, test := range map[string]struct {
		place attach.Place
		want  string
	}{
		"no key":            {attach.Place{APIURL: "http://127.0.0.1", DBURL: db}, "the publishable key is missing"},
		"no API":            {attach.Place{DBURL: db, Keys: keys.Set{Publishable: "k"}}, "the API URL is missing"},
		"no database":       {attach.Place{APIURL: "http://127.0.0.1", Keys: keys.Set{Publishable: "k"}}, "the DB URL is missing"},
		"an API of no kind": {attach.Place{APIURL: "127.0.0.1:54321", DBURL: db, Keys: keys.Set{Publishable: "k"}}, "the API URL cannot be read"},
		"an API with a password": {
			attach.Place{APIURL: "http://u:hunter2@127.0.0.1", DBURL: db, Keys: keys.Set{Publishable: "k"}},
			`the API URL "http://u:xxxxx@127.0.0.1" has more than a host, a port and a path`,
		},
		"another scheme":     {attach.Place{APIURL: "ftp://127.0.0.1", DBURL: db, Keys: keys.Set{Publishable: "k"}}, `the API URL "ftp://127.0.0.1" is not written as`},
		"key=value":          {attach.Place{APIURL: "http://127.0.0.1", DBURL: "host=127.0.0.1 password=hunter2", Keys: keys.Set{Publishable: "k"}}, "the DB URL is not written as postgres://"},
		"a port of no kind":  {attach.Place{APIURL: "http://127.0.0.1", DBURL: "postgres://p:hunter2@127.0.0.1:x/y", Keys: keys.Set{Publishable: "k"}}, "the DB URL cannot be read"},
		"an unfinished host": {attach.Place{APIURL: "http://127.0.0.1", DBURL: "postgres://p:hunter2@[::1/y", Keys: keys.Set{Publishable: "k"}}, "the DB URL cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.place.Complete()
			var refused *attach.PlaceError
			require.ErrorAs(t, err, &refused)
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func FuzzRemote(f *testing.F) {
	f.Add("http://127.0.0.1:54321", "postgres://p:p@127.0.0.1:1,localhost:2/postgres?host=/tmp")
	f.Add("https://far.test/x", "postgresql://far.test")
	f.Fuzz(func(t *testing.T, api, db string) {
		place, err := attach.Place{APIURL: api, DBURL: db, Keys: keys.Set{Publishable: "k"}}.Complete()
		if err != nil {
			return
		}
		_, err = place.Remote(t.Context(), resolver())
		_ = err // whatever it says, it must not panic
	})
}
