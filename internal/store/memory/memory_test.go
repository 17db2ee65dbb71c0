package memory_test

import (
	"testing"

	"tenor/internal/store"
	"tenor/internal/store/memory"
	"tenor/internal/store/storetest"
)

func TestConform(t *testing.T) {
	storetest.Conform(t, func(*testing.T) store.Backend { return memory.New() })
}
