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
	if err := waitTogether(12); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(postgrestest.Main(m))
}

// waitTogether lets n tests run at once, unless -parallel says otherwise. These tests wait: for
// PostgreSQL, for hooks that sleep, for times to pass. Fuzzing computes instead.
func waitTogether(n int) error {
	given := false
	flag.Visit(func(f *flag.Flag) {
		given = given || f.Name == "test.parallel" || f.Name == "test.fuzz" && f.Value.String() != ""
	})
	if given {
		return nil
	}
	return flag.Set("test.parallel", fmt.Sprint(n))
}
