package main

import (
	"bytes"
	"tenor/internal/core/store"
	"testing"

	"tenor/internal/app/node"
)

// Equal accounts have equal fingerprints after a restart, different ones have different
// fingerprints, and the key is stored sealed.
func TestFingerprints(t *testing.T) {
	dir := t.TempDir()
	n := openTestNode(t, dir)
	first, other := n.Fingerprint("990000000", "100000000"), n.Fingerprint("990000000", "100000001")
	if first == other || len(first) != 64 {
		t.Errorf("%s and %s", first, other)
	}
	if n.Fingerprint("99000000", "0100000000") == first {
		t.Error("routing and account number run into each other")
	}
	sealed, found, err := store.Setting(t.Context(), n.DB, node.SettingFingerprintKey)
	if err != nil || !found {
		t.Fatalf("no key is kept: %v", err)
	}
	if key, err := n.Ring.Open(sealed, node.AboutFingerprintKey); err != nil || bytes.Contains(sealed, key) {
		t.Errorf("the key is not sealed: %v", err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	again := openTestNode(t, dir)
	defer again.Close()
	if got := again.Fingerprint("990000000", "100000000"); got != first {
		t.Errorf("after a restart %s, before %s", got, first)
	}
	fresh := openTestNode(t, t.TempDir())
	defer fresh.Close()
	if fresh.Fingerprint("990000000", "100000000") == first {
		t.Error("two databases have the same fingerprints")
	}
}
