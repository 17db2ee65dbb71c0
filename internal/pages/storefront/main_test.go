package storefront

import (
	"testing"

	"tenor/internal/proof/browsertest"
)

func TestMain(m *testing.M) {
	defer browsertest.Shared()()
	m.Run()
}
