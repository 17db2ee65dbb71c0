package pagetest

import (
	"testing"

	"tenor/internal/proof/devtest"
)

func TestMain(m *testing.M) { devtest.Main(m.Run) }
