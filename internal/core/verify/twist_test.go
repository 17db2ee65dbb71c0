package verify

import (
	"context"

	"tenor/internal/core/store"
)

// cutView shows no balance except the first.
type cutView struct{ store.View }

func (v *cutView) Stored(s store.Schema, fn func([]store.Value) error) error {
	first := true
	return v.View.Stored(s, func(row []store.Value) error {
		if s.Name == store.Balances.Name && !first {
			return nil
		}
		first = false
		return fn(row)
	})
}

// twisted is a database with the first event from commit q on changed.
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

func (v *twistedView) Stored(s store.Schema, fn func([]store.Value) error) error {
	if s.Name != store.Events.Name {
		return v.View.Stored(s, fn)
	}
	done := false
	return store.Each(v.View, &store.Events, func(e store.EventRow) error {
		if !done && e.Q >= v.of.q {
			done = true
			v.of.change(&e)
		}
		return fn(store.Events.Encode(&e, nil))
	})
}
