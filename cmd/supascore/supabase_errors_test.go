package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/standin/extension"
)

// The scripts see this only on machines that lack the packages.
func TestAMissingExtensionIsToldWithItsPackage(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	a := &app{stderr: &stderr, out: newPrinter(&bytes.Buffer{}, &stderr, false)}
	err := fmt.Errorf("test: %w", &extension.MissingError{Extension: extension.PgTAP(), Major: 17})
	assert.Equal(t, 1, a.standinFailure(err))
	assert.Equal(t, `test: this PostgreSQL 17 installation has no extension pgtap
install it: Debian and Ubuntu have it as postgresql-17-pgtap, Homebrew as pgtap; source: https://pgtap.org
the stack has to run on the installation with it: SUPASCORE_POSTGRES_BIN names its bin folder
`, stderr.String())
}
