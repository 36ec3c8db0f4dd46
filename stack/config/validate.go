package config

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// validator collects what is wrong with a typed configuration. The rules are those of Validate in the CLI's
// pkg/config/config.go; where the CLI stops at the first fault, all are collected here.
type validator struct {
	*Config
	files    fs.FS
	problems []*Problem
}

// validate reports what is wrong, and takes the few corrections that the CLI makes while it validates.
func (c *Config) validate(files fs.FS) []*Problem {
	v := &validator{Config: c, files: files}
	v.project()
	v.api()
	v.db()
	v.services()
	if c.Auth.Enabled {
		v.auth()
	}
	if n := len(c.Auth.JWTSecret); n < 16 {
		v.fail("auth.jwt_secret", "auth.jwt_secret has %d characters, but must have at least 16", n)
	}
	return v.problems
}

// fail reports a fault of the setting at key, at its place in the file or that of the section around it.
func (v *validator) fail(key, format string, args ...any) {
	at := v.layout.source(strings.Split(key, "."))
	if value, ok := v.values[key]; ok && value.Source.Line > 0 {
		at = value.Source
	}
	v.problems = append(v.problems, v.problemAt(at, key, fmt.Sprintf(format, args...), ""))
}

// require reports a setting without which the CLI does not start.
func (v *validator) require(present bool, key string) {
	if !present {
		v.fail(key, "%s is required, but missing or empty", key)
	}
}

var projectRef = regexp.MustCompile(`^[a-z]{20}$`)

// project checks the ids. Of a [remotes] block nothing else is checked: the CLI validates the merged result only, so a block of
// another project may hold what would be refused in its own.
func (v *validator) project() {
	v.require(v.ProjectID != "", "project_id")
	for _, name := range sortedKeys(v.remotes) {
		if !projectRef.MatchString(v.remotes[name].ProjectID) {
			v.fail("remotes."+name+".project_id",
				"remotes.%s.project_id must be a project ref of 20 lower-case letters, like abcdefghijklmnopqrst", name)
		}
	}
}

// api checks what the gateway needs. The CLI looks at none of it while the API is switched off.
func (v *validator) api() {
	if !v.API.Enabled {
		return
	}
	v.require(v.API.Port != 0, "api.port")
	tls := v.API.TLS
	if !tls.Enabled {
		return
	}
	v.require(tls.KeyPath != "" || tls.CertPath == "", "api.tls.key_path")
	v.require(tls.CertPath != "" || tls.KeyPath == "", "api.tls.cert_path")
	v.readable("api.tls.cert_path", "supabase", tls.CertPath)
	v.readable("api.tls.key_path", "supabase", tls.KeyPath)
}

// readable reports a file that the configuration names and that cannot be read. An empty name is no file.
func (v *validator) readable(key, base, name string) []byte {
	if name == "" {
		return nil
	}
	file, ok := within(base, name)
	if !ok {
		v.fail(key, "%s names %s, which is outside the workspace", key, name)
		return nil
	}
	text, err := readLimited(v.files, file)
	if err != nil {
		v.fail(key, "%s: %v", key, err)
	}
	return text
}

// db checks the database. The version has no bearing on the server that the stack starts, but a workspace with a wrong one does not
// start with the CLI.
func (v *validator) db() {
	v.require(v.DB.Port != 0, "db.port")
	switch v.DB.MajorVersion {
	case 13, 14, 15, 17:
	case 0:
		v.require(false, "db.major_version")
	case 12:
		v.fail("db.major_version", "db.major_version is 12, which the CLI no longer supports; it knows 13, 14, 15 and 17")
	default:
		v.fail("db.major_version", "db.major_version is %d, but must be 13, 14, 15 or 17", v.DB.MajorVersion)
	}
}

// The rules for names are those that Storage and the Edge Runtime have.
var (
	bucketName   = regexp.MustCompile(`^(\w|!|-|\.|\*|'|\(|\)| |&|\$|@|=|;|:|\+|,|\?)*$`)
	functionSlug = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// services checks what the stack does not provide: a workspace must not be graded as working when the CLI would refuse it.
func (v *validator) services() {
	for _, name := range sortedKeys(v.Storage.Buckets) {
		if !bucketName.MatchString(name) {
			v.fail("storage.buckets."+name, "the bucket name %q has characters that Storage does not allow", name)
		}
	}
	if v.Studio.Enabled {
		v.require(v.Studio.Port != 0, "studio.port")
		if _, err := url.Parse(v.Studio.APIURL); err != nil {
			v.fail("studio.api_url", "studio.api_url is not a URL")
		}
	}
	v.require(v.Inbucket.Port != 0 || !v.Inbucket.Enabled, "inbucket.port")
	for _, name := range sortedKeys(v.Functions) {
		if !functionSlug.MatchString(name) {
			v.fail("functions."+name,
				"the function name %q must start with a letter and have letters, digits, underscores and hyphens only", name)
		}
	}
	switch v.EdgeRuntime.DenoVersion {
	case 1, 2:
	case 0:
		v.require(false, "edge_runtime.deno_version")
	default:
		v.fail("edge_runtime.deno_version", "edge_runtime.deno_version is %d, but must be 1 or 2", v.EdgeRuntime.DenoVersion)
	}
	if v.Analytics.Enabled && v.Analytics.Backend == "bigquery" {
		v.require(v.Analytics.GCPProjectID != "", "analytics.gcp_project_id")
		v.require(v.Analytics.GCPProjectNumber != "", "analytics.gcp_project_number")
		v.require(v.Analytics.GCPJWTPath != "", "analytics.gcp_jwt_path")
	}
	v.experimental()
}

// experimental checks the sections that come and go between versions of the CLI.
func (v *validator) experimental() {
	if w := v.Experimental.Webhooks; w != nil && !w.Enabled {
		v.fail("experimental.webhooks.enabled", "experimental.webhooks.enabled may be true or left out, but not false")
	}
	if d := v.Experimental.PgDelta; d != nil && d.FormatOptions != "" && !json.Valid([]byte(d.FormatOptions)) {
		v.fail("experimental.pgdelta.format_options", "experimental.pgdelta.format_options must be JSON")
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
