package webhook

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

const (
	// maxCreate is how many deliveries one round creates, and about how many events it
	// reads.
	maxCreate = 1500
	// chunk is how many events of a merchant are read at a time, fewer if each becomes
	// several deliveries.
	chunk    = 600
	minChunk = 50
	// Up to fewMerchants are all checked for news. With more, the common stream shows which
	// have some; up to tailRows of it are read.
	fewMerchants = 16
	tailRows     = 1000
	// sweepEvery is how often all are checked anyway: a merchant linked to a company when
	// an event happened may not be when it is read.
	sweepEvery = 5 * time.Second
	// passedRows is after how many events not meant for it an endpoint's cursor is written,
	// so that a restart does not read all of them again.
	passedRows = 1000
	// readCost bounds the reading of all endpoints to one part of the time.
	readCost = 10
)

// stream is an endpoint's state regarding its events.
type stream struct {
	id, merchant string
	duty         string
	versions     history
	place        store.Place // events up to it have been turned into deliveries
	resend       int64       // resends up to this commit too
	queue        []*resending
	queuedTo     int64 // commit of the last resend in the queue, or of the last finished one
	passed       int   // events not meant for it since the cursor was written
	touched      bool  // its cursor must be written
}

// resending is a resend in progress.
type resending struct {
	store.ResendRow
	after store.Place // events of the span up to it have been turned into deliveries
	done  bool
}

// streams is the clerk's state of endpoints.
type streams struct {
	seq        int64 // the endpoints are as of this commit
	readAt     time.Time
	readTook   time.Duration
	duties     map[string]store.Lease
	byID       map[string]*stream
	byMerchant map[string][]*stream
	resent     string // endpoint that last got a resend
	resends    int64  // commit up to which resend requests have been read; the maximum if none are wanted

	behind  []string // merchants that may have news, in turn
	queued  map[string]bool
	tail    store.Place // of the common stream
	marked  int64       // commit up to which news has been searched
	swept   int64       // commit up to which all have been checked
	sweepAt time.Time   // next check of all
}

func newStreams() streams {
	return streams{
		seq: -1, resends: math.MaxInt64, duties: map[string]store.Lease{}, byID: map[string]*stream{},
		byMerchant: map[string][]*stream{}, queued: map[string]bool{},
	}
}

// batch is what a round creates.
type batch struct {
	calls   caller
	now     time.Time
	room    int // how many more deliveries and events
	created []created
	more    bool
}

// update determines which duties are ours and the state of their endpoints.
func (c *streams) update(v store.View, duties map[string]store.Lease, o *outcome) error {
	fresh := map[string]bool{}
	for name, l := range duties {
		if old, had := c.duties[name]; !had || old.Token != l.Token {
			fresh[name] = true
		}
	}
	for id, st := range c.byID {
		if l, ours := duties[st.duty]; !ours || fresh[l.Name] {
			c.forget(id)
		}
	}
	c.duties = duties
	if len(fresh) == 0 && (v.Seq() == c.seq || time.Since(c.readAt) < readCost*c.readTook) {
		return nil
	}
	start := time.Now()
	if err := c.read(v, fresh, o); err != nil {
		return err
	}
	c.seq, c.readAt, c.readTook = v.Seq(), time.Now(), time.Since(start)
	return nil
}

func (c *streams) forget(id string) {
	st := c.byID[id]
	delete(c.byID, id)
	list := slices.DeleteFunc(c.byMerchant[st.merchant], func(x *stream) bool { return x == st })
	if c.byMerchant[st.merchant] = list; len(list) == 0 {
		delete(c.byMerchant, st.merchant)
	}
}

// read reads all endpoints with their histories, and for duties new to us the state of
// their deliveries.
func (c *streams) read(v store.View, fresh map[string]bool, o *outcome) error {
	cursors, backlog := map[string]store.Cursor{}, map[string]int{}
	if len(fresh) > 0 {
		list, err := store.AllCursors(v)
		if err != nil {
			return fmt.Errorf("cursors: %w", err)
		}
		for _, x := range list {
			cursors[x.Endpoint] = x
		}
		if backlog, err = store.Backlog(v); err != nil {
			return fmt.Errorf("backlog: %w", err)
		}
	}
	var h history
	take := func() {
		if len(h) == 0 {
			return
		}
		id := h.now().ID
		if l, ours := c.duties[dutyOf(id)]; ours {
			c.take(h, l, cursors[id], fresh[l.Name] && backlog[id] > 0, o)
		}
		h = nil
	}
	err := store.EachEndpointVersion(v, func(x store.EndpointVersion) error {
		if len(h) > 0 && h[0].Endpoint.ID != x.Endpoint.ID {
			take()
		}
		h = append(h, x)
		return nil
	})
	if err != nil {
		return fmt.Errorf("endpoints: %w", err)
	}
	take()
	return nil
}

// take processes the current state of an endpoint. A deleted one gets nothing more; the
// desk cancels what was waiting.
func (c *streams) take(h history, l store.Lease, at store.Cursor, backlog bool, o *outcome) {
	x := h.now()
	st := c.byID[x.ID]
	news := endpointNews{x.ID, l, h, backlog}
	switch {
	case !x.DeletedAt.IsZero():
		if st != nil {
			c.forget(x.ID)
		}
		if st != nil || backlog {
			o.endpoints = append(o.endpoints, news)
		}
		return
	case st != nil && len(st.versions) == len(h):
		return
	case st == nil:
		st = &stream{id: x.ID, merchant: x.Merchant, duty: l.Name, place: h.begin(), resend: h[0].Q}
		if at.Endpoint != "" {
			st.place, st.resend = at.Place, at.Resend
		}
		st.queuedTo = st.resend
		c.resends = min(c.resends, st.resend)
		c.byID[x.ID] = st
		c.byMerchant[x.Merchant] = append(c.byMerchant[x.Merchant], st)
		c.enqueue(x.Merchant)
	default:
		c.enqueue(x.Merchant) // it may have been enabled, with later events
	}
	st.versions = h
	o.endpoints = append(o.endpoints, news)
}

func (c *streams) enqueue(merchant string) {
	if !c.queued[merchant] && len(c.byMerchant[merchant]) > 0 {
		c.queued[merchant] = true
		c.behind = append(c.behind, merchant)
	}
}

// mark determines which merchants may have news.
func (c *streams) mark(v store.View) error {
	sweep := !time.Now().Before(c.sweepAt) && c.swept != c.seq
	if c.marked == c.seq && !sweep {
		return nil
	}
	all := sweep || len(c.byMerchant) <= fewMerchants
	if !all {
		rows, err := store.Stream(v, "", c.tail, tailRows)
		if err != nil {
			return fmt.Errorf("common stream: %w", err)
		}
		if all = len(rows) == tailRows; !all {
			if err := c.hint(v, rows); err != nil {
				return err
			}
		}
	}
	if all {
		for _, m := range slices.Sorted(maps.Keys(c.byMerchant)) {
			c.enqueue(m)
		}
		c.swept, c.sweepAt = c.seq, time.Now().Add(sweepEvery)
	}
	c.marked, c.tail = c.seq, store.Place{Q: c.seq, N: math.MaxInt32}
	return nil
}

// hint marks the merchants that events are for. Those of a company are for all that it is
// linked to, which may have changed since: the sweep covers that.
func (c *streams) hint(v store.View, rows []store.EventRow) error {
	var companies []int64
	for _, e := range rows {
		if e.Merchant != "" {
			c.enqueue(e.Merchant)
		} else {
			companies = append(companies, e.Company)
		}
	}
	if len(companies) == 0 {
		return nil
	}
	slices.Sort(companies)
	companies = slices.Compact(companies)
	s := credit.NewState()
	if err := v.Load(s, credit.Keys{Companies: companies}); err != nil {
		return fmt.Errorf("readers of events: %w", err)
	}
	for _, id := range companies {
		if x := s.Companies[id]; x != nil {
			for _, m := range x.Linked {
				c.enqueue(m)
			}
		}
	}
	return nil
}

// fanOut turns events into deliveries, one chunk per merchant in turn.
func (c *streams) fanOut(v store.View, b *batch) error {
	for len(c.behind) > 0 && b.room > 0 {
		m := c.behind[0]
		c.behind = c.behind[1:]
		delete(c.queued, m)
		more, err := c.fanOutMerchant(v, m, b)
		if err != nil {
			return err
		}
		if more {
			c.enqueue(m)
		}
	}
	b.more = b.more || len(c.behind) > 0
	return nil
}

// fanOutMerchant reads the next events of a merchant, once for all endpoints at the same
// place, and reports whether there may be more. It stops at events after the endpoints were
// read: their state at those commits is not known yet, and mark finds the events when it
// is.
func (c *streams) fanOutMerchant(v store.View, merchant string, b *batch) (more bool, err error) {
	at := map[store.Place][]*stream{}
	for _, st := range c.byMerchant[merchant] {
		if p, ok := st.versions.resume(st.place); ok {
			at[p] = append(at[p], st)
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(at), comparePlaces) {
		list := at[p]
		limit := max(chunk/len(list), minChunk)
		rows, err := store.Stream(v, merchant, p, limit)
		if err != nil {
			return false, fmt.Errorf("stream of %s: %w", merchant, err)
		}
		b.room -= len(rows)
		if i := slices.IndexFunc(rows, func(e store.EventRow) bool { return e.Q > c.seq }); i >= 0 {
			rows = rows[:i]
		}
		more = more || len(rows) == limit
		for _, e := range rows {
			for _, st := range list {
				if err := st.pass(e, b); err != nil {
					return false, err
				}
			}
		}
	}
	return more, nil
}

// pass moves a stream past an event.
func (st *stream) pass(e store.EventRow, b *batch) error {
	st.place = store.Place{Q: e.Q, N: e.N}
	if !st.versions.wants(e) {
		st.passed++
		return nil
	}
	return st.create(e, "", st.versions.closedAfter(e.Q), b)
}

// create creates the delivery of an event. If the endpoint has been closed since, the
// delivery exists for the merchant to see, and to request again. For a checkout that is not
// called there is none.
func (st *stream) create(e store.EventRow, resend string, closed bool, b *batch) error {
	var to call
	if st.versions.now().Kind == credit.EndpointCheckout {
		var err error
		if to, err = b.calls.of(e); err != nil {
			return err
		}
		if to.url == "" {
			st.passed++
			return nil
		}
	}
	p := store.Place{Q: e.Q, N: e.N}
	d := store.Delivery{
		ID: deliveryID(e.At, st.id, resend, p), Endpoint: st.id, Merchant: st.merchant, Resend: resend, Event: e.ID, Type: e.Type,
		Object: e.Object, Sequence: e.Sequence, Place: p, URL: to.url, State: store.DeliveryPending, NextAt: b.now, CreatedAt: b.now,
	}
	if closed || to.problem != "" {
		d.State, d.NextAt, d.FinishedAt, d.Error = store.DeliveryCanceled, time.Time{}, b.now, to.problem
		if closed {
			d.Error = canceledReason(st.versions.now())
		}
	}
	b.created = append(b.created, created{d, e.Payload})
	b.room--
	st.touched = true
	return nil
}

// cursors lists the cursors to write along with what was created.
func (c *streams) cursors() []store.Cursor {
	var out []store.Cursor
	for _, st := range c.byID {
		if st.touched || st.passed >= passedRows {
			if len(st.queue) == 0 {
				st.resend = max(st.resend, c.resends)
			}
			out = append(out, store.Cursor{Endpoint: st.id, Place: st.place, Resend: st.resend})
		}
	}
	return out
}

// recorded marks the cursors as written.
func (c *streams) recorded() {
	for _, st := range c.byID {
		if st.touched || st.passed >= passedRows {
			st.touched, st.passed = false, 0
		}
	}
}
