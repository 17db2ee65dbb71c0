package verify

import (
	"context"

	"tenor/internal/ledger"
	"tenor/internal/store"
)

// cutView shows no balance but the first.
type cutView struct{ store.View }

func (v *cutView) EachBalance(fn func(ledger.BalanceKey, int64) error) error {
	first := true
	return store.EachBalance(v.View, func(k ledger.BalanceKey, amount int64) error {
		if !first {
			return nil
		}
		first = false
		return fn(k, amount)
	})
}

// twisted is a database in which the first event from commit q on was changed.
type twisted struct {
	store.Backend
	q      int64
	change func(*store.EventRow)
}

func (x *twisted) View(ctx context.Context, fn func(store.View) error) error {
	return x.Backend.View(ctx, func(v store.View) error { return fn(&twistedView{v, x}) })
}

type twistedView struct {
	store.View
	of *twisted
}

func (v *twistedView) EachEvent(fn func(store.EventRow) error) error {
	done := false
	return store.Each(v.View, &store.Events, func(e store.EventRow) error {
		if !done && e.Q >= v.of.q {
			done = true
			v.of.change(&e)
		}
		return fn(e)
	})
}
