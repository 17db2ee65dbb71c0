package memory_test

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/storetest"
)

func TestConform(t *testing.T) {
	storetest.Conform(t, func(*testing.T) store.Backend { return memory.New() })
}
