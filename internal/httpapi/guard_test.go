package httpapi

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
	x := crowd{most: 2, at: map[string]int{}}
	for i := range 1000 {
		who := fmt.Sprint(i)
		first, second, third := x.enter(who), x.enter(who), x.enter(who)
		if !first || !second || third {
			t.Fatal("two may enter, and no third")
		}
		x.leave(who)
		x.leave(who)
	}
	if len(x.at) != 0 {
		t.Errorf("%d names of those who have left", len(x.at))
	}
}
