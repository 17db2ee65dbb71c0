package clockwork

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// A file's totals have twelve digits: the overflow goes into the next file, in order (F22).
func TestFileTotals(t *testing.T) {
	var list []*credit.Transfer
	for i := range 250 {
		kind := credit.TransferPayment
		if i%2 == 1 {
			kind = credit.TransferPayout
		}
		list = append(list, &credit.Transfer{ID: string(rune('a' + i)), Kind: kind, Amount: credit.MaxTransfer})
	}
	files, sum := 0, money.Amount(0)
	for turn := (&turn{}); len(list) > 0; files++ {
		f, ids := turn.built(list)
		if len(ids) == 0 || f.Debits > maxTotal || f.Credits > maxTotal || ids[0] != list[0].ID {
			t.Fatalf("%d entries of %d, %s and %s", len(ids), len(list), f.Debits, f.Credits)
		}
		sum, list = sum.Add(f.Debits).Add(f.Credits), list[len(ids):]
	}
	if want := 250 * credit.MaxTransfer; files != 2 || sum != want {
		t.Errorf("%d files of %s, not of %s", files, sum, want)
	}
}
