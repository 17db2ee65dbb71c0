package webhook

import (
	"cmp"
	"fmt"
	"slices"

	"tenor/internal/core/store"
)

const (
	// resendRows is how many resend requests are read at a time.
	resendRows = 100
	// resendChunk is the maximum number of a span's events read at a time.
	resendChunk = chunk / 2
	// resendLeaves is the room in a round that resends leave for new events, however much
	// there is to resend.
	resendLeaves = maxCreate / 4
)

// readResends queues resend requests for their endpoints.
func (c *streams) readResends(v store.View) error {
	for len(c.byID) > 0 && c.resends < c.seq {
		rows, err := store.ListResends(v, c.resends, resendRows)
		if err != nil {
			return fmt.Errorf("resends: %w", err)
		}
		for _, r := range rows {
			if r.Q > c.seq {
				return nil // the endpoints' state at that commit is not known yet
			}
			c.resends = r.Q
			if st := c.byID[r.Endpoint]; st != nil && r.Q > st.queuedTo {
				st.queue = append(st.queue, &resending{ResendRow: r})
				st.queuedTo = r.Q
			}
		}
		if len(rows) < resendRows {
			c.resends = c.seq
		}
	}
	return nil
}

// resend turns requested events into deliveries, one chunk per endpoint in turn, and leaves
// room for new events. A resend includes only events that the endpoint was subscribed to
// (EV6). Its span ended before the request: nothing new falls into it.
func (c *streams) resend(v store.View, b *batch) error {
	list := c.resending()
	for len(list) > 0 && b.room >= resendLeaves+2*minChunk {
		st, r := list[0], list[0].queue[0]
		sendAgain := st.resendSpan
		if r.Event != "" {
			sendAgain = st.resendOne
		}
		if err := sendAgain(v, r, b); err != nil {
			return fmt.Errorf("resend %s: %w", r.ID, err)
		}
		if r.done {
			st.queue = st.queue[1:]
			st.resend, st.touched = r.Q, true
		}
		c.resent, list = st.id, list[1:]
		if len(st.queue) > 0 {
			list = append(list, st)
		}
	}
	b.more = b.more || len(list) > 0
	return nil
}

// resending lists the endpoints with resends, starting with the one whose turn it is.
func (c *streams) resending() (list []*stream) {
	for _, st := range c.byID {
		if len(st.queue) > 0 {
			list = append(list, st)
		}
	}
	slices.SortFunc(list, func(a, b *stream) int { return cmp.Compare(a.id, b.id) })
	next, _ := slices.BinarySearchFunc(list, c.resent+"\x00", func(a *stream, id string) int { return cmp.Compare(a.id, id) })
	return slices.Concat(list[next:], list[:next])
}

func (st *stream) resendOne(v store.View, r *resending, b *batch) error {
	e, may, err := store.EventOf(v, r.Event, st.merchant)
	if err != nil {
		return err
	}
	r.done = true
	if e != nil && may && st.versions.wants(*e) {
		return st.create(*e, r.ID, st.versions.closedAfter(r.Q), b)
	}
	return nil
}

func (st *stream) resendSpan(v store.View, r *resending, b *batch) error {
	limit := min(resendChunk, (b.room-resendLeaves)/2) // each is read, and may become a delivery
	rows, err := v.Events(store.EventFilter{Merchant: st.merchant, From: r.From, To: r.To, After: r.after, Limit: limit})
	if err != nil {
		return err
	}
	b.room -= len(rows)
	r.done = len(rows) < limit
	for _, e := range rows {
		r.after = store.Place{Q: e.Q, N: e.N}
		if st.versions.wants(e) {
			if err := st.create(e, r.ID, st.versions.closedAfter(r.Q), b); err != nil {
				return err
			}
		}
	}
	return nil
}
