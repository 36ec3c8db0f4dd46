package config_test

import (
	"testing"

	"github.com/supascore/supascore/stack/config"
)

func BenchmarkLoad(b *testing.B) {
	p := canonicalHook().setenv("SUPABASE_AUTH_SITE_URL", "http://127.0.0.1:4000")
	b.ReportAllocs()
	for b.Loop() {
		c := p.mustLoad(b)
		c.AuthEnv(config.RenderInput{})
	}
}
