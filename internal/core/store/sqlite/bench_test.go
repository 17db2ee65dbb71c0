package sqlite

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

func BenchmarkAuthorize(b *testing.B) {
	storetest.BenchAuthorize(b, func(tb testing.TB) store.Backend { return open(tb) })
}

func BenchmarkRead(b *testing.B) {
	storetest.BenchRead(b, func(tb testing.TB) store.Backend { return open(tb) })
}
