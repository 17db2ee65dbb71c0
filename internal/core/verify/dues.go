package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

type dueTotalsBy map[store.DueTotalKey]store.DueTotalRow

func (m dueTotalsBy) add(x store.DueTotalRow) { m[x.DueTotalKey] = x.Plus(m[x.DueTotalKey]) }

// dueTotals compares the stored totals of due dates, of all days, with the loans (SC9).
func dueTotals(r *run) error {
	want, got := dueTotalsBy{}, dueTotalsBy{}
	if err := store.EachOrder(r.view, func(o *credit.Order, l *schedule.Loan) error {
		store.DueTotalsOf(o, l, want.add)
		return nil
	}); err != nil {
		return err
	}
	if err := store.Each(r.view, &store.DueTotals, func(x store.DueTotalRow) error {
		x.Date = 0
		got.add(x)
		return r.each(0)
	}); err != nil {
		return err
	}
	r.sameDues(got, want, "the schedules")
	return nil
}

// compareDues compares the totals of due dates, day by day, with those that the log produces. A
// migration has added up what was there before it as of one day, so the days up to the first one are
// compared as one.
func (r *run) compareDues(made store.View) error {
	first := calendar.None
	got, want := dueTotalsBy{}, dueTotalsBy{}
	if err := store.Each(r.view, &store.DueTotals, func(x store.DueTotalRow) error {
		if first == calendar.None { // in order of days
			first = x.Date
		}
		got.add(x)
		return nil
	}); err != nil {
		return err
	}
	if err := store.Each(made, &store.DueTotals, func(x store.DueTotalRow) error {
		if first != calendar.None {
			x.Date = max(x.Date, first)
		}
		want.add(x)
		return nil
	}); err != nil {
		return err
	}
	r.sameDues(got, want, "the log")
	return nil
}

// sameDues reports the totals that differ.
func (r *run) sameDues(got, want dueTotalsBy, source string) {
	keys := map[store.DueTotalKey]bool{}
	for _, m := range []dueTotalsBy{got, want} {
		for k := range m {
			keys[k] = true
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(keys), compareDueKeys) {
		a, b := got[k], want[k]
		a.DueTotalKey, b.DueTotalKey = k, k
		if a != b {
			r.broken("SC9", dueTotalName(k), "is %s scheduled, %s and %s unpaid of %d installments, %s of %d orders; %s: %s, %s and %s of %d, %s of %d",
				a.Scheduled, a.Principal, a.Charge, a.Installments, a.Exposure, a.Orders,
				source, b.Scheduled, b.Principal, b.Charge, b.Installments, b.Exposure, b.Orders)
		}
	}
}

func compareDueKeys(a, b store.DueTotalKey) int {
	return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Due, b.Due), cmp.Compare(a.HeldFrom, b.HeldFrom), cmp.Compare(a.HeldDays, b.HeldDays), cmp.Compare(a.Currency, b.Currency))
}

func dueTotalName(k store.DueTotalKey) string {
	name := fmt.Sprintf("total of what is due on %s in %s", k.Due, k.Currency)
	if k.HeldDays > 0 {
		name += fmt.Sprintf(", held for %d days from %s", k.HeldDays, calendar.Date(k.HeldFrom))
	}
	if k.Date != 0 {
		name += ", by the changes of " + k.Date.String()
	}
	return name
}
