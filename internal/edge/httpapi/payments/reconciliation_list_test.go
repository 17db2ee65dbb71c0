package payments

import (
	"fmt"
	"testing"

	"tenor/internal/domain/money"
)

// A list finds what was put into it, even after growing many times.
func TestOwnList(t *testing.T) {
	l := newOwnList()
	const n = 20_000
	for i := range n {
		l.add(fmt.Sprintf("PO-%d", i), money.Amount(i), uint8(i%5))
		if i%3 == 0 {
			l.add(fmt.Sprintf("PO-%d", i/2), 7, 1)
		}
	}
	seen, duplicates := map[string]bool{}, 0
	for i := range l.count {
		number := string(l.number(i))
		if l.row(i).duplicate != seen[number] {
			t.Fatalf("row %d, %s: duplicate %t", i, number, l.row(i).duplicate)
		}
		if seen[number] {
			duplicates++
		} else if want := fmt.Sprintf("PO-%d", int64(l.row(i).amount)); number != want {
			t.Fatalf("row %d: %s, want %s", i, number, want)
		}
		seen[number] = true
	}
	if duplicates != (n+2)/3 || len(seen) != n {
		t.Errorf("%d duplicates and %d numbers", duplicates, len(seen))
	}
	for number, there := range map[string]bool{"PO-0": true, "PO-19999": true, "PO-20000": false, "": false, "po-1": false} {
		if l.has(number) != there {
			t.Errorf("%q: %t", number, !there)
		}
	}
}
