package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"tenor/internal/core/store"
)

// testHeads stores signed heads: one per number, for the book's current commit.
func testHeads(t *testing.T, b store.Backend) {
	ctx := context.Background()
	w := NewWorld(seed(t))
	commit(t, b, w.Batch(3))
	first := nextHead(t, b, store.SignedHead{})
	if err := b.PutHead(ctx, first); err != nil {
		t.Fatal(err)
	}
	commit(t, b, w.Batch(2))
	second := nextHead(t, b, first)
	second.OldSignature = make([]byte, 64)
	for what, bad := range map[string]func(h *store.SignedHead){
		"a gap":              func(h *store.SignedHead) { h.Number++ },
		"number 0":           func(h *store.SignedHead) { h.Number = 0 },
		"another epoch":      func(h *store.SignedHead) { h.Epoch++ },
		"a commit to come":   func(h *store.SignedHead) { h.Q++ },
		"another hash":       func(h *store.SignedHead) { h.Hash[3]++ },
		"another hash, late": func(h *store.SignedHead) { h.Number, h.Q = h.Number+5, h.Q-1 },
	} {
		h := second
		bad(&h)
		if err := b.PutHead(ctx, h); !errors.Is(err, store.ErrRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	again := second
	again.Number = first.Number
	if err := b.PutHead(ctx, again); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a number that is taken: %v", err)
	}
	if err := b.View(ctx, func(v store.View) error {
		_, _, early := store.LastHead(v)
		if err := errors.Join(early, b.PutHead(ctx, second)); err != nil { // with a snapshot open
			t.Error(err)
		}
		last, found, err := store.LastHead(v)
		equal(t, "the last head of a snapshot", first, last)
		if !found || err != nil {
			t.Errorf("found %v: %v", found, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	var walked []store.SignedHead
	if err := b.View(ctx, func(v store.View) error {
		last, _, err := store.LastHead(v)
		equal(t, "the last head", second, last)
		return errors.Join(err, store.Each(v, &store.SignedHeads, func(h store.SignedHead) error { walked = append(walked, h); return nil }))
	}); err != nil {
		t.Error(err)
	}
	equal(t, "heads", []store.SignedHead{first, second}, walked)
}

// nextHead is a head for the current state of the book, with invalid signatures.
func nextHead(t *testing.T, b store.Backend, last store.SignedHead) store.SignedHead {
	t.Helper()
	h := store.SignedHead{
		Number: last.Number + 1, Book: [16]byte{1, 2}, At: time.Date(2026, 3, 6, 17, 0, 0, 123000, time.UTC),
		Previous: [32]byte{3}, KeyID: "k1", PublicKey: [32]byte{4}, Signature: [64]byte{5},
	}
	if err := b.View(context.Background(), func(v store.View) error {
		head, err := v.Head()
		h.Epoch, h.Q, h.Hash = head.Epoch, head.Q, head.Hash
		_, found, again := store.LastHead(v)
		if found != (last.Number > 0) {
			t.Errorf("a head is there: %v", found)
		}
		return errors.Join(err, again)
	}); err != nil {
		t.Fatal(err)
	}
	return h
}
