package memory_test

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/storetest"
)

func TestConform(t *testing.T) {
	storetest.Conform(t, func(*testing.T) store.Backend { return memory.New() })
}

// A digest is another after each write, and the same again without one.
func TestDigest(t *testing.T) {
	db, ctx := memory.New(), context.Background()
	digest := func() [32]byte {
		t.Helper()
		sum, err := db.Digest(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	seen := map[[32]byte]bool{digest(): true}
	for _, value := range []string{"1", "2", "3"} {
		if err := db.PutSetting(ctx, "name", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if sum := digest(); seen[sum] || sum != digest() {
			t.Errorf("after %s: seen before, or not the same twice", value)
		}
		seen[digest()] = true
	}
	if err := db.PutSetting(ctx, "name", []byte("1")); err != nil || len(seen) != 4 || !seen[digest()] {
		t.Errorf("what was there before has another digest: %v", err)
	}
}
