package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// clockSkew is how far the wall clocks of nodes may differ.
const clockSkew = time.Minute

// deliveries follows the stream of events and compares the deliveries with it: each is for
// an event that its merchant may read, to an endpoint of that merchant that was subscribed
// to it, once; and none is missing up to the endpoint's cursor (EV2, EV4, EV6).
//
// Finished deliveries are deleted after a while, the earliest finished first. So an absent
// delivery is missing only if it was created after the oldest remaining finish time: it
// cannot have finished before that.
func deliveries(r *run) error {
	if len(r.endpoints) == 0 {
		return store.Each(r.view, &store.Deliveries, func(d store.Delivery) error {
			r.broken("EV6", "delivery "+d.ID, "is for endpoint %s, which does not exist", d.Endpoint)
			return r.each(0)
		})
	}
	c := &courier{
		run: r, cursors: map[string]store.Cursor{}, resends: map[string][]store.ResendRow{}, byMerchant: map[string][]string{},
		made: map[string]time.Time{}, calls: map[string]string{},
	}
	for _, read := range []func() error{c.readCalls, c.readCursors, c.readResends, c.readDeliveries, c.readAttempts} {
		if err := read(); err != nil {
			return err
		}
	}
	if err := store.Each(r.view, &store.Events, c.event); err != nil {
		return err
	}
	for _, d := range c.all {
		c.broken("EV4", "delivery "+d.ID, "is for event %d of commit %d, which does not exist", d.Place.N, d.Place.Q)
	}
	if c.gone > 0 {
		r.note("%d deliveries are missing; they may have been removed after their retention", c.gone)
	}
	return nil
}

// courier holds what was read, and how far the stream has been followed.
type courier struct {
	*run
	cursors    map[string]store.Cursor
	resends    map[string][]store.ResendRow // by endpoint
	byMerchant map[string][]string          // endpoints, including deleted ones
	all        []store.Delivery             // remaining, in order of event, endpoint and resend
	horizon    time.Time                    // the oldest finish time that remains; zero: nothing has finished
	made       map[string]time.Time         // by endpoint and resend: when the last passed delivery was created
	calls      map[string]string            // of checkouts that have one: the order_complete_url, without placeholders
	gone       int                          // deliveries that were apparently deleted
}

// readCursors reads how far endpoints are, and checks that none is ahead of the book.
func (c *courier) readCursors() error {
	for _, id := range slices.Sorted(maps.Keys(c.endpoints)) {
		m := c.endpoints[id].now().Merchant
		c.byMerchant[m] = append(c.byMerchant[m], id)
	}
	list, err := store.AllCursors(c.view)
	if err != nil {
		return err
	}
	for _, x := range list {
		c.cursors[x.Endpoint] = x
		if x.Place.Q > c.report.Seq || x.Resend > c.report.Seq || c.endpoints[x.Endpoint] == nil {
			c.broken("EV2", "cursor of endpoint "+x.Endpoint, "is at commit %d and resend %d, the last commit is %d", x.Place.Q, x.Resend, c.report.Seq)
		}
	}
	return nil
}

// resendRows is how many resends are read at a time.
const resendRows = 500

func (c *courier) readResends() error {
	for after := int64(0); ; {
		rows, err := store.ListResends(c.view, after, resendRows)
		if err != nil {
			return err
		}
		for _, x := range rows {
			c.resends[x.Endpoint] = append(c.resends[x.Endpoint], x)
			if h := c.endpoints[x.Endpoint]; h == nil || h.now().Merchant != x.Merchant {
				c.broken("EV6", "resend "+x.ID, "is for endpoint %s, which does not belong to merchant %q", x.Endpoint, x.Merchant)
			}
			after = x.Q
		}
		if len(rows) < resendRows {
			return nil
		}
	}
}

func (c *courier) readDeliveries() error {
	if err := store.Each(c.view, &store.Deliveries, func(d store.Delivery) error {
		c.all = append(c.all, d)
		if end := d.FinishedAt; !end.IsZero() && (c.horizon.IsZero() || end.Before(c.horizon)) {
			c.horizon = end
		}
		c.checkState(d)
		return c.each(0)
	}); err != nil {
		return err
	}
	slices.SortFunc(c.all, func(a, b store.Delivery) int {
		return cmp.Or(comparePlaces(a.Place, b.Place), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(a.Resend, b.Resend), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// checkState checks that a delivery is delivered, parked, canceled or pending (EV2).
func (c *courier) checkState(d store.Delivery) {
	pending := d.State == store.DeliveryPending
	known := pending || d.State == store.DeliverySucceeded || d.State == store.DeliveryParked || d.State == store.DeliveryCanceled
	if !known || pending == d.NextAt.IsZero() || pending != d.FinishedAt.IsZero() || d.Attempts < 0 || d.CreatedAt.IsZero() {
		c.broken("EV2", "delivery "+d.ID, "is %s, next at %v, finished at %v, after %d attempts", d.State, d.NextAt, d.FinishedAt, d.Attempts)
	}
}

// readAttempts checks that a delivery's attempts are numbered without a gap, and that only
// a 2xx answer made one succeed (EV2, EV6).
func (c *courier) readAttempts() error {
	byID := map[string]*store.Delivery{}
	for i := range c.all {
		byID[c.all[i].ID] = &c.all[i]
	}
	counts := map[string]int{}
	if err := store.Each(c.view, &store.Attempts, func(a store.Attempt) error {
		object := fmt.Sprintf("attempt %d of delivery %s", a.N, a.Delivery)
		d := byID[a.Delivery]
		if counts[a.Delivery]++; d == nil || a.N != counts[a.Delivery] {
			c.broken("EV2", object, "has no delivery, or earlier attempts are missing")
			return c.each(0)
		}
		ok := a.Error == "" && a.Status >= 200 && a.Status < 300
		if last := a.N == d.Attempts; ok && !(last && d.State == store.DeliverySucceeded) || last && !ok && d.State == store.DeliverySucceeded {
			c.broken("EV6", object, "was answered with %d (%s), but the delivery is %s after %d attempts", a.Status, a.Error, d.State, d.Attempts)
		}
		return c.each(0)
	}); err != nil {
		return err
	}
	for _, d := range c.all {
		if counts[d.ID] != d.Attempts {
			c.broken("EV2", "delivery "+d.ID, "records %d attempts, but has %d", d.Attempts, counts[d.ID])
		}
	}
	return nil
}

// event compares the deliveries of one event with those that must exist.
func (c *courier) event(e store.EventRow) error {
	at := store.Place{Q: e.Q, N: e.N}
	for len(c.all) > 0 && comparePlaces(c.all[0].Place, at) < 0 {
		c.broken("EV4", "delivery "+c.all[0].ID, "is for event %d of commit %d, which does not exist", c.all[0].Place.N, c.all[0].Place.Q)
		c.all = c.all[1:]
	}
	n := 0
	for n < len(c.all) && c.all[n].Place == at {
		n++
	}
	here := c.all[:n]
	c.all = c.all[n:]
	for i := range here {
		c.check(&here[i], &e, e.Readers)
		if i > 0 && here[i].Endpoint == here[i-1].Endpoint && here[i].Resend == here[i-1].Resend {
			c.broken("EV2", "delivery "+here[i].ID, "duplicates for endpoint %s the delivery %s", here[i].Endpoint, here[i-1].ID)
		}
	}
	for _, m := range e.Readers {
		for _, id := range c.byMerchant[m] {
			c.expect(id, &e, here)
		}
	}
	for i := range here {
		if key := here[i].Endpoint + "/" + here[i].Resend; here[i].CreatedAt.After(c.made[key]) {
			c.made[key] = here[i].CreatedAt
		}
	}
	return c.each(e.Q)
}

// check checks that a delivery is for this event, and is permitted.
func (c *courier) check(d *store.Delivery, e *store.EventRow, merchants []string) {
	object := "delivery " + d.ID
	if d.Event != e.ID || d.Type != e.Type || d.Object != e.Object || d.Sequence != e.Sequence {
		c.broken("EV4", object, "is for event %s (%s %d), but commit %d has %s (%s %d) there", d.Event, d.Type, d.Sequence, e.Q, e.ID, e.Type, e.Sequence)
	}
	h := c.endpoints[d.Endpoint]
	switch {
	case h == nil || h.now().Merchant != d.Merchant:
		c.broken("EV6", object, "is for endpoint %s, which does not belong to merchant %q", d.Endpoint, d.Merchant)
	case !slices.Contains(merchants, d.Merchant):
		c.broken("EV6", object, "sends merchant %s an event that it may not read", d.Merchant)
	case !c.wants(h, e):
		c.broken("EV6", object, "is for endpoint %s, which was not subscribed to %s", d.Endpoint, e.Type)
	case d.URL != c.callOf(h, e):
		c.broken("EV6", object, "has the URL %q, must be %q", d.URL, c.callOf(h, e))
	}
	if d.Resend == "" {
		if at, found := c.cursors[d.Endpoint]; !found || comparePlaces(at.Place, d.Place) < 0 {
			c.broken("EV2", object, "is ahead of the cursor of endpoint %s", d.Endpoint)
		}
		return
	}
	i := slices.IndexFunc(c.resends[d.Endpoint], func(x store.ResendRow) bool { return x.ID == d.Resend })
	if i < 0 || !asked(&c.resends[d.Endpoint][i].Resend, e) || c.resends[d.Endpoint][i].Q < e.Q {
		c.broken("EV2", object, "was not requested by resend %s", d.Resend)
	}
}

// asked reports whether a resend requests an event.
func asked(x *credit.Resend, e *store.EventRow) bool {
	if x.Event != "" {
		return x.Event == e.ID
	}
	return !e.At.Before(x.From) && e.At.Before(x.To)
}

// expect checks for the deliveries of an event that an endpoint must have by now.
func (c *courier) expect(id string, e *store.EventRow, here []store.Delivery) {
	at, started := c.cursors[id]
	if !started || !c.wants(c.endpoints[id], e) {
		return
	}
	if comparePlaces(store.Place{Q: e.Q, N: e.N}, at.Place) <= 0 {
		c.mustHave(id, "", e, here)
	}
	for i := range c.resends[id] {
		if x := &c.resends[id][i]; x.Q <= at.Resend && e.Q <= x.Q && asked(&x.Resend, e) {
			c.mustHave(id, x.ID, e, here)
		}
	}
}

// mustHave reports a missing delivery, unless it may have finished and been deleted: the
// one before it was created after the oldest remaining finish time.
func (c *courier) mustHave(id, resend string, e *store.EventRow, here []store.Delivery) {
	if slices.ContainsFunc(here, func(d store.Delivery) bool { return d.Endpoint == id && d.Resend == resend }) {
		return
	}
	if before := c.made[id+"/"+resend]; before.IsZero() || c.horizon.IsZero() || before.Before(c.horizon.Add(clockSkew)) {
		c.gone++
		return
	}
	c.broken("EV2", "endpoint "+id, "has no delivery of event %s (%s of commit %d), but its cursor is past it", e.ID, e.Type, e.Q)
}
