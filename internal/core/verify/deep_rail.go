package verify

import (
	"cmp"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// loadLines has the lists of lines of whatever a command makes loaded, as an engine
// would have them whole before it decides on them.
func (w *judge) loadLines(c credit.Changes) {
	whole := func(key string) {
		if _, ok := w.state.OrderLines[key]; !ok {
			w.state.OrderLines[key] = nil
		}
	}
	for _, x := range c.Companies {
		whole(store.CompanyKey(x.ID))
	}
	for _, o := range c.Orders {
		whole(o.Key)
	}
	for _, l := range c.Lines {
		whole(l.Of())
	}
}

// loadPositions has the positions of the merchants that a command posts for loaded.
func (w *judge) loadPositions(c credit.Changes) {
	for _, e := range c.Entries {
		for _, x := range credit.Moved(e) {
			if _, ok := w.state.Positions[x.Merchant]; !ok {
				w.state.Positions[x.Merchant] = nil
			}
		}
	}
}

// loadWaiting loads what waits for merchants as an engine does: the first of each side
// as the batch has found them, then what the batch has written since.
func (w *judge) loadWaiting(merchants []string) {
	for _, m := range merchants {
		if _, ok := w.state.Waiting[m]; ok {
			continue
		}
		ids := slices.SortedFunc(maps.Keys(w.waiting[m]), func(a, b string) int {
			return cmp.Or(cmp.Compare(w.state.Lines[a].Due, w.state.Lines[b].Due), cmp.Compare(a, b))
		})
		lines := make([]*credit.PayoutLine, len(ids))
		for i, id := range ids {
			lines[i] = w.state.Lines[id]
		}
		w.state.Waiting[m] = ids[:0]
		for _, l := range credit.FirstLines(lines) {
			w.state.Waiting[m] = append(w.state.Waiting[m], l.ID)
		}
		for _, l := range w.lines {
			if l.Merchant == m {
				w.state.Apply(credit.Changes{Lines: []*credit.PayoutLine{w.state.Lines[l.ID]}})
			}
		}
	}
}

// loadEnded loads the lines that debits of merchants have ended. It looks through all, for
// few debits come back.
func (w *judge) loadEnded(debits []string) {
	for _, t := range debits {
		if _, ok := w.state.Ended[t]; ok {
			continue
		}
		w.state.Ended[t] = nil
		for _, l := range w.state.Lines {
			if l.Payout == t {
				w.state.Apply(credit.Changes{Lines: []*credit.PayoutLine{l}})
			}
		}
	}
}

// unloadWaiting ends a batch: the next one finds what is stored then.
func (w *judge) unloadWaiting() {
	for _, l := range w.lines {
		if w.waiting[l.Merchant] == nil {
			w.waiting[l.Merchant] = map[string]bool{}
		}
		if w.state.Lines[l.ID].Payout == "" {
			w.waiting[l.Merchant][l.ID] = true
		} else {
			delete(w.waiting[l.Merchant], l.ID)
		}
	}
	w.lines = nil
	clear(w.state.Waiting)
	clear(w.state.Ended)
}

// apart are the nouns that have comparisons of their own: with their past, or with what
// belongs to them; what may be missing, or may be there without a command.
var apart = []store.Noun{store.MerchantNoun, store.OrderNoun, store.EndpointNoun, store.TokenNoun, store.ClientNoun}

// compareNouns compares the records of all other nouns with those that the audit log
// makes. What belongs to no command (Traits.Aside) is left out.
func (w *judge) compareNouns() error {
	for _, n := range store.Nouns {
		if slices.Contains(apart, n) {
			continue
		}
		if err := w.compareNoun(n); err != nil {
			return err
		}
	}
	return nil
}

func (w *judge) compareNoun(n store.Noun) error {
	s, made := n.Schema(), n.Held(w.state)
	err := w.view.Stored(s, func(values []store.Value) error {
		stored, err := n.Decode(values)
		if err != nil {
			return err
		}
		object := n.Label(stored)
		want, found := made[object]
		delete(made, object)
		if !found {
			w.broken("AU7", object, "was made by no command")
			return w.ctx.Err()
		}
		w.columns("AU7", object, s.Name, differing(s, n.Encode(n.Bare(stored), nil), n.Encode(want, nil)))
		return w.ctx.Err()
	})
	for _, object := range slices.Sorted(maps.Keys(made)) {
		w.broken("AU7", object, "is missing")
	}
	return err
}
