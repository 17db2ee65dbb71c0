package pagetest

import (
	"testing"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

func TestMain(m *testing.M) {
	devtest.Main(func() int {
		defer browsertest.Shared()()
		return m.Run()
	})
}
