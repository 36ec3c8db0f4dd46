package config_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/supascore/supascore/stack/config"
)

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "[auth.hook.custom_access_token]\nenabled = true\nuri = \"" + hookURI + "\"\n",
		"[remotes.p]\nproject_id = \"abcdefghijklmnopqrst\"\nauth.site_url = 'x'\n", "a = [[[[{b = [1]}]]]]\n",
		"[[experimental.inspect.rules]]\nquery = \"\"\"\nx\n\"\"\"\n", "\"auth.hook\" = {x = \"env(Y)\"}\n", "\xef\xbb\xbf", "[api]\nport=-9223372036854775808\n",
		"auth = 1\n[\"\".\"\"]\n", "[auth]\njwt_expiry = nan\nsite_url = inf\nmax_rows = 1e400\n", "[functions]\na = 1\nb = {}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		files := fstest.MapFS{"supabase/config.toml": {Data: text}}
		c, err := config.Load(t.Context(), config.Options{Dir: "/w", FS: files, ProjectRef: "abcdefghijklmnopqrst"})
		if err != nil {
			c = config.Partial(err)
			var loadErr *config.LoadError
			if !errors.As(err, &loadErr) {
				t.Fatalf("error is %T", err)
			}
			lines := strings.Count(string(text), "\n") + 1
			for _, p := range loadErr.Problems {
				if p.Line > lines || p.Line < 0 || p.Message == "" {
					t.Fatalf("no such place or no message: %+v", p)
				}
			}
		}
		for _, name := range config.HookNames() {
			if config.DiagnoseHook(c, name).Cause == "" {
				t.Fatalf("no cause for %s", name)
			}
		}
		if c != nil {
			c.AuthEnv(config.RenderInput{})
			c.RESTEnv(config.RenderInput{})
		}
	})
}

func FuzzEnvFile(f *testing.F) {
	for _, seed := range []string{"A=b\n", "export A='x'\nB=${A}\n", "A=\"x\ny\"\n", "=\n", "A", "A=\"\\", "\x00=", "#\n\r\nA: b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		files := fstest.MapFS{
			"supabase/config.toml": {Data: []byte("[auth]\nsite_url = \"env(A)\"\n")},
			"supabase/.env":        {Data: text},
		}
		c, err := config.Load(t.Context(), config.Options{Dir: "/w", FS: files})
		if err != nil {
			return
		}
		v, ok := c.Lookup("auth.site_url")
		if !ok || (v.Source.EnvFile != "" && v.Source.EnvLine > strings.Count(string(text), "\n")+1) {
			t.Fatalf("%v %+v", ok, v)
		}
	})
}

func FuzzEnvReference(f *testing.F) {
	for _, seed := range []string{"env(A)", "env()", "env(A)b", "env(env(A))", "env(A\n)", " env(A)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "'\x00\r\n") || strings.ToValidUTF8(text, "") != text || strings.ContainsFunc(text, isControl) {
			t.Skip("not a literal TOML string")
		}
		c := toml("[auth]\nsite_url = '"+text+"'\n").setenv("A", "value").mustLoadOrSkip(t)
		want := text
		if text == "env(A)" {
			want = "value"
		}
		if c.Auth.SiteURL != want {
			t.Fatalf("%q became %q", text, c.Auth.SiteURL)
		}
	})
}

func isControl(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }

func (p project) mustLoadOrSkip(t *testing.T) *config.Config {
	c, err := p.load(t)
	if err != nil {
		t.Skip("refused")
	}
	return c
}
