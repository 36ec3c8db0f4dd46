package auth_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// These tests wait: for PostgreSQL, for hooks that sleep, for times to pass. They can do so together.
	if err := flag.Set("test.parallel", "12"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(postgrestest.Main(m))
}
