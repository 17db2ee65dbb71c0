package rest

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// No flood of tokens or callers grows the tables without bound.
func TestGuardIsBounded(t *testing.T) {
	p := proven{hashes: map[[sha256.Size]byte]bool{}}
	var last [sha256.Size]byte
	for i := range maxRememberedTokens + 100 {
		last = sha256.Sum256([]byte(fmt.Sprint(i)))
		p.add(last)
	}
	if len(p.hashes) != maxRememberedTokens || !p.has(last) {
		t.Errorf("%d tokens are remembered, the last one: %v", len(p.hashes), p.has(last))
	}
	p.forget(last)
	if p.has(last) {
		t.Error("a token that was forgotten is remembered")
	}
}
