package standin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/goccy/go-yaml"
	"github.com/joho/godotenv"
	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/standin"
)

func full() standin.Status {
	return standin.Status{
		APIURL: "http://127.0.0.1:1", RESTURL: "http://127.0.0.1:1/rest/v1", DBURL: "postgresql://postgres:postgres@127.0.0.1:2/postgres",
		PublishableKey: "sb_publishable_x", SecretKey: "sb_secret_x", AnonKey: "e.a.b", ServiceRoleKey: "e.c.d", JWTSecret: `quo"ted $HOME`,
	}
}

func TestStatusHasTheNamesThatScriptsKnow(t *testing.T) {
	t.Parallel()
	s := full()
	values, err := s.Values(nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"API_URL": s.APIURL, "REST_URL": s.RESTURL, "DB_URL": s.DBURL, "PUBLISHABLE_KEY": s.PublishableKey, "SECRET_KEY": s.SecretKey,
		"ANON_KEY": s.AnonKey, "SERVICE_ROLE_KEY": s.ServiceRoleKey, "JWT_SECRET": s.JWTSecret,
	}, values)
	values, err = standin.Status{DBURL: "x"}.Values(nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"DB_URL": "x"}, values, "what there is not is left out")
}

func TestStatusTakesOtherNames(t *testing.T) {
	t.Parallel()
	values, err := full().Values([]string{"api.url=URL", "auth.jwt_secret=A=B", "studio.url=STUDIO", "db.url="})
	require.NoError(t, err)
	assert.Equal(t, full().APIURL, values["URL"])
	assert.Equal(t, full().JWTSecret, values["A=B"])
	assert.Equal(t, full().DBURL, values["DB_URL"], "an empty name is none")
	assert.NotContains(t, values, "API_URL")
	assert.NotContains(t, values, "STUDIO")
	_, err = full().Values([]string{"api.url"})
	assert.ErrorContains(t, err, "key=value")
}

// Every format can be read back by somebody else's reader.
func TestStatusIsReadBackFromEveryFormat(t *testing.T) {
	t.Parallel()
	values, err := full().Values(nil)
	require.NoError(t, err)
	readers := map[string]func([]byte) (map[string]string, error){
		"env":  func(b []byte) (map[string]string, error) { return godotenv.UnmarshalBytes(b) },
		"json": func(b []byte) (m map[string]string, err error) { return m, json.Unmarshal(b, &m) },
		"yaml": func(b []byte) (m map[string]string, err error) { return m, yaml.Unmarshal(b, &m) },
		"toml": func(b []byte) (m map[string]string, err error) { return m, toml.Unmarshal(b, &m) },
	}
	for format, read := range readers {
		var out bytes.Buffer
		require.NoError(t, standin.Encode(&out, format, values), format)
		got, err := read(out.Bytes())
		require.NoError(t, err, "%s: %s", format, out.String())
		assert.Equal(t, values, got, format)
		assert.Less(t, strings.Index(out.String(), "ANON_KEY"), strings.Index(out.String(), "API_URL"), "%s is sorted", format)
		assert.Contains(t, standin.Formats(), format)
	}
	assert.Error(t, standin.Encode(&bytes.Buffer{}, "pretty", values))
}

func TestThePrettyStatusIsADrawing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, full().Pretty(&out))
	assert.Contains(t, out.String(), "│ Project URL │ http://127.0.0.1:1         │\n│ REST        │ http://127.0.0.1:1/rest/v1 │\n╰")
	assert.Contains(t, out.String(), "🔑 Authentication Keys")
	for block := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n\n") {
		lines := strings.Split(block, "\n")
		for _, line := range lines {
			assert.Equal(t, lipgloss.Width(lines[0]), lipgloss.Width(line), block)
		}
	}
	out.Reset()
	require.NoError(t, standin.Status{DBURL: "x"}.Pretty(&out))
	assert.Contains(t, out.String(), "│ URL │ x")
	assert.NotContains(t, out.String(), "APIs")
}

func TestADatabaseURLIsWrittenAsTheCLIDoes(t *testing.T) {
	t.Parallel()
	got, err := standin.DatabaseURL("postgres://postgres:p%40ss@127.0.0.1:5/postgres?sslmode=disable")
	require.NoError(t, err)
	assert.Equal(t, "postgresql://postgres:p%40ss@127.0.0.1:5/postgres", got)
	_, err = standin.DatabaseURL("postgres://%zz")
	assert.Error(t, err)
}

func TestServicesAreLeftOutByTheNamesOfTheirImages(t *testing.T) {
	t.Parallel()
	without, unknown := standin.Exclude([]string{"gotrue", "studio", "postgrest", "gotrue", "auth", ""})
	assert.Equal(t, []stack.Part{stack.PartAuth, stack.PartREST}, without)
	assert.Equal(t, []string{"auth", ""}, unknown)
	names := standin.Excludable()
	assert.Len(t, names, 13)
	assert.IsIncreasing(t, names)
}

func TestWhatDoesNotRunIsListedByContainer(t *testing.T) {
	t.Parallel()
	none := standin.Stopped("shop", func(stack.Part) bool { return false })
	assert.Equal(t, []string{"supabase_kong_shop", "supabase_auth_shop"}, none[:2])
	assert.Len(t, none, 13)
	all := standin.Stopped("shop", func(stack.Part) bool { return true })
	assert.Len(t, all, 10)
	assert.NotContains(t, all, "supabase_rest_shop")
}

func TestTheBranchIsThatOfTheRepository(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inner := filepath.Join(dir, "app", "supabase")
	require.NoError(t, os.MkdirAll(inner, 0o755))
	put := func(text string, elem ...string) {
		path := filepath.Join(append([]string{dir}, elem...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	put("ref: refs/heads/feature/x\n", ".git", "HEAD")
	assert.Equal(t, "feature/x", standin.Branch(inner))
	put("0123456789abcdef\n", ".git", "HEAD")
	assert.Equal(t, "main", standin.Branch(inner), "no branch is checked out")
	put("ref: refs/heads/tree\n", "trees", "one", "HEAD")
	put("gitdir: ../trees/one\n", "app", ".git")
	assert.Equal(t, "tree", standin.Branch(inner), "a worktree")
}
