package verify

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
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

// compareTokens leaves out those that were deleted when they had ended.
func (w *judge) compareTokens() error {
	return store.Each(w.view, &store.Tokens, func(t store.TokenRow) error {
		var want *store.TokenRow
		if x := w.state.Tokens[t.Key()]; x != nil {
			want = &store.TokenRow{Token: x}
		}
		compareRecord(w, fmt.Sprintf("token %x", t.Hash[:4]), &store.Tokens, store.TokenRow{Token: t.Token}, want)
		return w.ctx.Err()
	})
}

// compareClients leaves out what earlier programs have made without a command.
func (w *judge) compareClients() error {
	seen := map[string]bool{}
	err := store.Each(w.view, &store.Clients, func(row store.ClientRow) error {
		c := row.Client
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
		rows, err := store.ListResends(w.view, after, resendRows)
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

// sharedEvent is an event of a company with those who may read it.
type sharedEvent struct {
	company int64
	at      store.Place
	readers []string
}

// read keeps who may read an event.
func (w *judge) read(e credit.Event, at store.Place) {
	for _, m := range e.ReadBy() {
		w.readers[m] = append(w.readers[m], at)
	}
	if e.Merchant == "" {
		w.shared = append(w.shared, sharedEvent{e.Company, at, e.Readers})
	}
}

// endOfBatch notes where a later command of a batch has changed the links of a company.
// A database that is older than its streams knows the links of each batch only: its
// migration has given an event to those who were linked when the batch ended.
func (w *judge) endOfBatch() {
	for _, x := range w.shared {
		if c := w.state.Companies[x.company]; c != nil && !slices.Equal(c.Linked, x.readers) {
			w.atEnd[x.at] = c.Linked
		}
	}
	w.shared = nil
}

// readerDifference is how the stored readers of an event differ.
type readerDifference struct{ missing, extra []string }

// compareReaders compares who may read an event with the links as the command left
// them (EV6, AU2).
func (w *judge) compareReaders() error {
	found := map[store.Place]*readerDifference{}
	at := func(p store.Place) *readerDifference {
		if found[p] == nil {
			found[p] = &readerDifference{}
		}
		return found[p]
	}
	if err := store.Each(w.view, &store.EventReaders, func(x store.ReaderRow) error {
		mine := w.readers[x.Merchant]
		for len(mine) > 0 && comparePlaces(mine[0], x.Place) < 0 {
			at(mine[0]).missing = append(at(mine[0]).missing, x.Merchant)
			mine = mine[1:]
		}
		if len(mine) > 0 && mine[0] == x.Place {
			mine = mine[1:]
		} else {
			at(x.Place).extra = append(at(x.Place).extra, x.Merchant)
		}
		w.readers[x.Merchant] = mine
		return w.ctx.Err()
	}); err != nil {
		return err
	}
	for _, m := range slices.Sorted(maps.Keys(w.readers)) {
		for _, p := range w.readers[m] {
			at(p).missing = append(at(p).missing, m)
		}
	}
	w.judgeReaders(found)
	return nil
}

func (w *judge) judgeReaders(found map[store.Place]*readerDifference) {
	older := 0
	for _, p := range slices.SortedFunc(maps.Keys(found), comparePlaces) {
		d := found[p]
		if end, changed := w.atEnd[p]; changed && d.explains(end) {
			older++
			continue
		}
		for _, m := range d.missing {
			w.broken("AU2", "merchant "+m, "does not find event %d of commit %d, which is for it", p.N, p.Q)
		}
		for _, m := range d.extra {
			w.broken("EV6", "merchant "+m, "may read event %d of commit %d, which is not for it", p.N, p.Q)
		}
	}
	if older > 0 {
		w.note("%d events of companies are read by those who were linked when their batch ended", older)
	}
}

// explains reports that an event is read by those who were linked at the end of its
// batch: all that it has too much are among them, and none that it lacks.
func (d *readerDifference) explains(end []string) bool {
	return !slices.ContainsFunc(d.extra, func(m string) bool { return !slices.Contains(end, m) }) &&
		!slices.ContainsFunc(d.missing, func(m string) bool { return slices.Contains(end, m) })
}

// told compares what an audit row tells of its command with what came of it. A row that
// holds the command alone may be that of a program which told nothing.
func (w *judge) told(object string, told journal.Told, c credit.Changes) {
	if told.Empty() {
		return
	}
	if want, err := journal.Tell(w.state, told.Reason, c); err != nil || !want.Equal(told) {
		w.broken("AU4", object, "its audit row does not tell what its command has changed")
	}
}
