package config

import (
	"fmt"
	"strings"
)

// SourceKind says which layer a value came from. A later layer beats an earlier one, in the order of the constants.
type SourceKind int

// The layers, weakest first.
const (
	SourceDefault     SourceKind = iota // what the CLI uses when nothing sets the key
	SourceDerived                       // computed from other settings, such as the JWT issuer
	SourceFile                          // config.toml
	SourceEnvironment                   // a SUPABASE_ variable, real or from a .env file
	SourceRemote                        // a [remotes.<name>] block of config.toml whose project_id is this project's
)

// Source says where a value came from. The zero Source is a default.
type Source struct {
	Kind   SourceKind
	File   string // config.toml's path in the workspace, for SourceFile and SourceRemote
	Line   int    // 1-based; 0 when there is none
	Column int    // 1-based, counted in bytes
	Remote string // name of the [remotes] block, for SourceRemote
	// Variable is the environment variable: the override itself for SourceEnvironment, otherwise the one that an env(NAME) in
	// the file named and that was set.
	Variable string
	EnvFile  string // the .env file that set Variable; empty when the real environment did
	EnvLine  int    // line in EnvFile
}

// String gives the source as people write it, "supabase/config.toml:12:1" for example.
func (s Source) String() string {
	var b strings.Builder
	switch s.Kind {
	case SourceFile:
		b.WriteString(s.position())
	case SourceRemote:
		fmt.Fprintf(&b, "%s in [remotes.%s]", s.position(), s.Remote)
	case SourceEnvironment:
		return s.variable()
	case SourceDerived:
		return "derived from other settings"
	default:
		b.WriteString("default")
	}
	if s.Variable != "" {
		b.WriteString(" through " + s.variable())
	}
	return b.String()
}

func (s Source) position() string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Column)
}

func (s Source) variable() string {
	if s.EnvFile != "" {
		return fmt.Sprintf("%s from %s:%d", s.Variable, s.EnvFile, s.EnvLine)
	}
	return "environment variable " + s.Variable
}

// Value is one setting in effect.
type Value struct {
	Any    any    // of the type of the field in Settings: bool, string, Secret, uint, uint16, Size, time.Duration, []string
	Source Source // where it came from
}
