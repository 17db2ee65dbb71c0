package verify

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// side is the contents of one side of a match.
type side struct {
	ids []string
	sum money.Amount
}

type sides map[string]*side // by match

func (s sides) add(match, id string, amount money.Amount) {
	if s[match] == nil {
		s[match] = &side{}
	}
	s[match].ids, s[match].sum = append(s[match].ids, id), s[match].sum.Add(amount)
}

// reconciled compares matches with their lines and with their entries on 1000: both sides
// sum to the match's amount, and everything in a match refers to it (PO6).
func (r *run) reconciled() error {
	lines, entries, cash := sides{}, sides{}, map[string]bool{}
	if err := store.Each(r.view, &store.BankLineTable, func(l store.BankLine) error {
		if l.Match != "" {
			lines.add(l.Match, l.ID, l.Amount)
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	if err := r.view.EachCash(store.CashFilter{From: calendar.None, To: calendar.None}, func(c store.CashRow) error {
		if c.Match != "" {
			entries.add(c.Match, c.Entry, c.Amount)
			cash[c.Entry] = true
		}
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	if err := store.Each(r.view, &store.CashItems, func(x store.CashItem) error {
		if x.Match != "" && !cash[x.Entry] {
			r.broken("PO6", "match "+x.Match, "contains entry %s, which does not post to 1000", x.Entry)
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	if err := store.Each(r.view, &store.BankMatches, func(m store.BankMatch) error {
		r.checkMatch(m, lines[m.ID], entries[m.ID])
		delete(lines, m.ID)
		delete(entries, m.ID)
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, what := range []sides{lines, entries} {
		for _, id := range slices.Sorted(maps.Keys(what)) {
			r.broken("PO6", "match "+id, "does not exist, but contains %q", what[id].ids)
		}
	}
	return nil
}

// checkMatch checks that a match contains what it names, or nothing if it was undone.
func (r *run) checkMatch(m store.BankMatch, lines, entries *side) {
	object, amount := "match "+m.ID, m.Amount
	wantLines, wantEntries := slices.Clone(m.Lines), slices.Clone(m.Entries)
	if !m.UndoneAt.IsZero() {
		wantLines, wantEntries, amount = nil, nil, 0
	}
	for _, c := range []struct {
		what string
		want []string
		got  *side
	}{{"lines", wantLines, lines}, {"entries", wantEntries, entries}} {
		got := c.got
		if got == nil {
			got = &side{}
		}
		slices.Sort(c.want)
		slices.Sort(got.ids)
		if !slices.Equal(c.want, got.ids) {
			r.broken("PO6", object, "lists %s %q, but contains %q", c.what, c.want, got.ids)
			continue
		}
		r.equal("PO6", object, "its "+c.what, amount, got.sum)
	}
}
