package verify

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// applyAccess keeps the versions of endpoints and what is to be sent again. Of what
// changed several times within a batch only the last version is stored.
func (w *judge) applyAccess(q int64, c credit.Changes) {
	for _, x := range c.Endpoints {
		h := w.made[x.ID]
		if n := len(h); n > 0 && h[n-1].Q >= w.firstQ {
			h = h[:n-1]
		}
		if n := len(h); n > 0 {
			h[n-1].UntilQ = q
		}
		w.made[x.ID] = append(h, store.EndpointVersion{Endpoint: x, Q: q})
	}
	for _, x := range c.Resends {
		w.resends = append(w.resends, store.ResendRow{Resend: x, Q: q})
	}
}

// compareClients leaves out what was made beside the engine: no command made it.
func (w *judge) compareClients() error {
	seen := map[string]bool{}
	err := w.view.EachClient(func(c *credit.Client) error {
		seen[c.ID] = true
		if c.Version == 0 && w.state.Clients[c.ID] == nil {
			return w.ctx.Err()
		}
		var want *store.ClientRow
		if x := w.state.Clients[c.ID]; x != nil {
			want = &store.ClientRow{Client: x}
		}
		compareRecord(w, "client "+c.ID, &store.Clients, store.ClientRow{Client: c}, want)
		return w.ctx.Err()
	})
	missing(w, "client", w.state.Clients, seen)
	return err
}

func (w *judge) compareEndpoints() error {
	for _, id := range slices.Sorted(maps.Keys(w.endpoints)) {
		stored, want := w.endpoints[id], w.made[id]
		delete(w.made, id)
		if len(stored) != len(want) {
			w.broken("AU7", "endpoint "+id, "has %d versions, must have %d", len(stored), len(want))
			continue
		}
		for i := range want {
			object, table := fmt.Sprintf("endpoint %s from commit %d", id, want[i].Q), "endpoint_history"
			if i == len(want)-1 {
				table = "endpoints"
			}
			if stored[i].Q != want[i].Q || stored[i].UntilQ != want[i].UntilQ {
				w.broken("AU7", object, "stood from commit %d to %d, must have to %d", stored[i].Q, stored[i].UntilQ, want[i].UntilQ)
			}
			w.columns("AU7", object, table, differences(&store.Endpoints, store.EndpointRow{Endpoint: stored[i].Endpoint}, store.EndpointRow{Endpoint: want[i].Endpoint}))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.made)) {
		w.broken("AU7", "endpoint "+id, "is missing")
	}
	return nil
}

func (w *judge) compareResends() error {
	want := w.resends
	for after := int64(0); ; {
		rows, err := w.view.Resends(after, resendRows)
		if err != nil {
			return err
		}
		for _, x := range rows {
			for len(want) > 0 && want[0].Q < x.Q {
				w.broken("AU7", "resend "+want[0].ID, "of commit %d is missing", want[0].Q)
				want = want[1:]
			}
			object := "resend " + x.ID
			if len(want) == 0 || want[0].Q > x.Q {
				w.broken("AU7", object, "was made by no command")
			} else {
				w.columns("AU7", object, "resends", differences(&store.Resends, x, want[0]))
				want = want[1:]
			}
			after = x.Q
		}
		if len(rows) < resendRows {
			break
		}
	}
	for _, x := range want {
		w.broken("AU7", "resend "+x.ID, "of commit %d is missing", x.Q)
	}
	return nil
}

// compareReaders compares who may read an event with the links as the command left
// them (EV6, AU2).
func (w *judge) compareReaders() error {
	if err := w.view.EachReader(func(x store.ReaderRow) error {
		mine := w.readers[x.Merchant]
		for len(mine) > 0 && comparePlaces(mine[0], x.Place) < 0 {
			w.broken("AU2", "merchant "+x.Merchant, "does not find event %d of commit %d, which is for it", mine[0].N, mine[0].Q)
			mine = mine[1:]
		}
		if len(mine) > 0 && mine[0] == x.Place {
			mine = mine[1:]
		} else {
			w.broken("EV6", "merchant "+x.Merchant, "may read event %d of commit %d, which is not for it", x.N, x.Q)
		}
		w.readers[x.Merchant] = mine
		return w.ctx.Err()
	}); err != nil {
		return err
	}
	for _, m := range slices.Sorted(maps.Keys(w.readers)) {
		for _, at := range w.readers[m] {
			w.broken("AU2", "merchant "+m, "does not find event %d of commit %d, which is for it", at.N, at.Q)
		}
	}
	return nil
}
