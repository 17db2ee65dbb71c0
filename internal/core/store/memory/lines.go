package memory

import (
	"cmp"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// loadLines adds the payout lines that keys lead to, and merchants' positions.
func (d *data) loadLines(s *credit.State, k credit.Keys, q int64) {
	for _, id := range k.Positions {
		if _, ok := s.Positions[id]; ok {
			continue
		}
		s.Positions[id] = nil
		if row := d.positions.get(id, q); row != nil {
			s.Positions[id] = row.Position
		}
	}
	for _, of := range k.Lines {
		if _, ok := s.OrderLines[of]; !ok {
			s.OrderLines[of] = keepLines(s, d.linesAt(d.linesOf[of], q))
		}
	}
	for _, merchant := range k.Waiting {
		if _, ok := s.Waiting[merchant]; !ok {
			s.Waiting[merchant] = keepLines(s, lending.FirstLines(d.waiting(merchant, q)))
		}
	}
	for _, by := range k.Ended {
		if _, ok := s.Ended[by]; !ok {
			s.Ended[by] = keepLines(s, d.ended(by, q))
		}
	}
}

// keepLines adds lines to the state, unless another list has already added them, and
// returns their ids.
func keepLines(s *credit.State, lines []*credit.PayoutLine) []string {
	var ids []string
	for _, l := range lines {
		ids = append(ids, l.ID)
		if _, ok := s.Lines[l.ID]; !ok {
			s.Lines[l.ID] = l
		}
	}
	return ids
}

// linesAt returns lines as they stood after commit q, by (Due, ID).
func (d *data) linesAt(ids []string, q int64) []*credit.PayoutLine {
	var out []*credit.PayoutLine
	for _, id := range ids {
		if row := d.lines.get(id, q); row != nil {
			out = append(out, row.PayoutLine)
		}
	}
	slices.SortFunc(out, func(a, b *credit.PayoutLine) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ID, b.ID)) })
	return out
}

// waiting returns the lines that wait for a merchant.
func (d *data) waiting(merchant string, q int64) []*credit.PayoutLine {
	return slices.DeleteFunc(d.linesAt(d.linesFor[merchant], q), func(l *credit.PayoutLine) bool { return l.Payout != "" })
}

// ended returns the lines that a payout or a transfer has ended.
func (d *data) ended(by string, q int64) []*credit.PayoutLine {
	var ids []string
	for _, row := range d.lines.all(q) {
		if row.Payout == by {
			ids = append(ids, row.ID)
		}
	}
	return d.linesAt(ids, q)
}
