package payments

import (
	"fmt"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// longPayout is a snapshot in which a payout has lines.
type longPayout struct {
	store.View
	lines []*credit.PayoutLine
}

func (v longPayout) List(q store.Query, fn func(row any) error) error {
	from := slices.IndexFunc(v.lines, func(l *credit.PayoutLine) bool { return l.ID == q.Behind }) + 1
	for _, l := range v.lines[from:min(len(v.lines), from+q.Limit)] {
		row := store.PayoutLineNoun.Row(l, 1)
		if err := fn(&row); err != nil {
			return err
		}
	}
	return nil
}

// A payout is shown with all of its lines: up to MaxLines captures, and as many clawbacks
// and payments collected by the merchant.
func TestAllLinesOfAPayout(t *testing.T) {
	for _, n := range []int{0, 1, credit.MaxLines, credit.MaxLines + 1, 3 * credit.MaxLines} {
		v := longPayout{}
		for i := range n {
			v.lines = append(v.lines, &credit.PayoutLine{ID: fmt.Sprintf("pol_%05d", i)})
		}
		if got, err := linesOf(v, "po_1"); err != nil || !slices.Equal(got, v.lines) {
			t.Errorf("%d of %d lines, %v", len(got), n, err)
		}
	}
}
