package onrails

import (
	"testing"

	"tenor/internal/proof/pgtest"
)

// TestMain stops the PostgreSQL server that tests have started.
func TestMain(m *testing.M) { pgtest.Main(m) }
