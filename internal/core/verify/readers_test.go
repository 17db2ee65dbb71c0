package verify

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// otherReaders is a database in which other merchants may read one event.
type otherReaders struct {
	store.Backend
	at      store.Place
	readers []string
}

func (x *otherReaders) View(ctx context.Context, fn func(store.View) error) error {
	return x.Backend.View(ctx, func(v store.View) error { return fn(&otherReadersView{v, x}) })
}

type otherReadersView struct {
	store.View
	of *otherReaders
}

func (v *otherReadersView) Stored(s store.Schema, fn func([]store.Value) error) error {
	switch s.Name {
	case store.Events.Name:
		return store.Each(v.View, &store.Events, func(e store.EventRow) error {
			if e.Q == v.of.at.Q && e.N == v.of.at.N {
				e.Readers = v.of.readers
			}
			return fn(store.Events.Encode(&e, nil))
		})
	case store.EventReaders.Name:
		return v.found(fn)
	}
	return v.View.Stored(s, fn)
}

// found lists what finds the events, as they are.
func (v *otherReadersView) found(fn func([]store.Value) error) error {
	rows := map[store.ReaderRow]bool{}
	if err := store.Each(v, &store.Events, func(e store.EventRow) error {
		for _, m := range e.Readers {
			rows[store.ReaderRow{Merchant: m, Q: e.Q}] = true
		}
		return nil
	}); err != nil {
		return err
	}
	for _, r := range slices.SortedFunc(maps.Keys(rows), func(a, b store.ReaderRow) int {
		return cmp.Or(cmp.Compare(a.Merchant, b.Merchant), cmp.Compare(a.Q, b.Q))
	}) {
		if err := fn(store.EventReaders.Encode(&r, nil)); err != nil {
			return err
		}
	}
	return nil
}

// The readers of a company's event are those linked when its command was decided, whatever
// a later command of the same batch did to the links.
func TestReadersAreThoseOfTheCommand(t *testing.T) {
	b := newBook(t, memory.New())
	shop, other := b.shops[0].Merchant, b.shops[1].Merchant
	limit := money.MustParse("60000.00")
	b.put(operator, lending.UpdateCompany{Company: b.companies[0], Limit: &limit})
	b.put(operator, lending.UpdateCompany{Company: b.companies[0], Unlink: []string{other}})
	b.settle()
	var at store.Place
	b.read(func(v store.View) error {
		return store.Each(v, &store.Events, func(e store.EventRow) error {
			if e.Type == credit.CreditLineChangedEvent {
				at = store.Place{Q: e.Q, N: e.N}
			}
			return nil
		})
	})
	for name, x := range map[string]struct {
		readers []string
		want    string
	}{
		"as the command left it": {[]string{shop, other}, ""},
		"as the batch ended":     {[]string{shop}, "AU2"},
		"nobody":                 {nil, "AU2"},
		"the other alone":        {[]string{other}, "AU2"},
	} {
		r := verifyBook(t, &otherReaders{b.db, at, x.readers})
		if x.want == "" && !r.Clean() || x.want != "" && !found(r, x.want) {
			t.Errorf("%s: want %q, found %v", name, x.want, r.Violations)
		}
	}
}
