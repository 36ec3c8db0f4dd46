package store_test

import (
	"os"
	"testing"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
