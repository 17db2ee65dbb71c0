package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
)

// Variants of W7.
const (
	oneDead    = "one endpoint of three dead"
	allHealthy = "two endpoints, both healthy"
)

// healthyEndpoints is the number of endpoints that accept their events.
const healthyEndpoints = 2

// fan is a site whose events go to our own endpoints. Its server is a sandbox: a live one would
// refuse receivers on this machine.
type fan struct {
	*site
	variant   string
	receivers []*receiver
	dead      *abyss // nil if there is none
	perOrder  int    // events of an authorized order

	mu       sync.Mutex
	answered map[string]time.Time // when the response came, by order key
	spans    []span
}

// span is one round of a fan.
type span struct{ begin, end time.Time }

// fanOut is W7: every event of an order to three endpoints, one of which never responds; and the
// same without that one, for comparison.
func (r *runner) fanOut(ctx context.Context, kind string) (err error) {
	var fans []*fan
	var sites []*site
	defer func() {
		err = r.finish(ctx, err, sites...)
		for _, f := range fans {
			err = errors.Join(err, f.hangUp())
		}
	}()
	var steps []step
	for _, variant := range []string{oneDead, allHealthy} {
		f := &fan{variant: variant, answered: map[string]time.Time{}}
		fans = append(fans, f)
		if err := r.openFan(ctx, f, kind); err != nil {
			return err
		}
		sites = append(sites, f.site)
		steps = append(steps, step{fmt.Sprintf("%s %s, %d connections", W7, variant, usual), func(ctx context.Context) error { return r.fan(ctx, f) }})
	}
	if err := r.rounds(ctx, kind, steps); err != nil {
		return err
	}
	for _, f := range fans {
		if err := r.delivered(ctx, f); err != nil {
			return err
		}
	}
	row := func(variant string) []float64 { return r.report.row(kind, W7, variant, usual, "").Rounds }
	r.report.atLeast(kind, "w7.rate", "W7: deliveries to two healthy endpoints beside a dead one", 2000, "/s", row(oneDead))
	r.report.atLeast(kind, "w7.dead", "W7: deliveries to two healthy endpoints beside a dead one / without it", 0.9, "x", ratios(row(oneDead), row(allHealthy)))
	return nil
}

// openFan creates a database and its receivers, starts the server and registers the endpoints.
func (r *runner) openFan(ctx context.Context, f *fan, kind string) (err error) {
	d, err := r.fresh(ctx, kind)
	if err != nil {
		return err
	}
	f.site = &site{name: W7 + ", " + f.variant, database: d}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if err := r.populate(ctx, d, 0); err != nil {
		return err
	}
	if err := r.serveSandbox(ctx, f.site); err != nil {
		return err
	}
	for range healthyEndpoints {
		x, err := newReceiver()
		if err != nil {
			return err
		}
		f.receivers = append(f.receivers, x)
		if err := f.endpoint(x.url()); err != nil {
			return err
		}
	}
	if f.variant == oneDead {
		if f.dead, err = newAbyss(); err != nil {
			return err
		}
		if err := f.endpoint(f.dead.url()); err != nil {
			return err
		}
	}
	if err := r.warm(ctx, f.site, f.authorize); err != nil {
		return err
	}
	return f.count()
}

// serveSandbox marks a database as a sandbox's and starts the program on it.
func (r *runner) serveSandbox(ctx context.Context, s *site) error {
	b, err := r.cfg.Open(ctx, s.target)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	if err := errors.Join(b.PutSetting(ctx, "mode", []byte("sandbox")), b.Close()); err != nil {
		return fmt.Errorf("make a sandbox: %w", err)
	}
	log := filepath.Join(r.dir, fmt.Sprintf("server-%d.log", r.rng.next()))
	x, err := start(ctx, log, s.env, append([]string{r.cfg.Binary, "dev", "--json", "--empty", "--clock", "now"}, s.args...)...)
	if err != nil {
		return err
	}
	s.servers = append(s.servers, x)
	_, err = x.ready(ctx)
	return err
}

// hangUp closes the receivers.
func (f *fan) hangUp() error {
	var errs []error
	for _, x := range f.receivers {
		errs = append(errs, x.close())
	}
	if f.dead != nil {
		errs = append(errs, f.dead.close())
	}
	return errors.Join(errs...)
}

// isOrderEvent reports whether an event is about an order: W7 delivers those.
func isOrderEvent(t credit.EventType) bool { return strings.HasPrefix(string(t), "order.") }

// ask sends one request to the server.
func (f *fan) ask(q *request, want int) ([]byte, error) {
	callers, err := f.shop.dial(1, f.hosts()...)
	if err != nil {
		return nil, err
	}
	defer f.shop.leave(callers)
	a, err := callers[0].ask(q, want)
	return a.body, err
}

// endpoint registers an address for order events.
func (f *fan) endpoint(url string) error {
	var types []string
	for _, x := range outcome.EventTypes() {
		if isOrderEvent(x) {
			types = append(types, string(x))
		}
	}
	body, err := json.Marshal(map[string]any{"url": url, "event_types": types})
	if err != nil {
		return err
	}
	_, err = f.ask(&request{method: "POST", path: "/v1/webhooks", key: url, body: body}, 201)
	return err
}

// count learns from one order how many events each one has.
func (f *fan) count() error {
	body, err := f.ask(&request{method: "GET", path: "/v1/order/" + f.shop.acked.created[0] + "/events?limit=100"}, 200)
	if err != nil {
		return err
	}
	var list struct {
		Data []struct{ Type credit.EventType }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("events of an order: %w", err)
	}
	for _, e := range list.Data {
		if isOrderEvent(e.Type) {
			f.perOrder++
		}
	}
	if f.perOrder == 0 {
		return errors.New("an order has no events")
	}
	return nil
}

// authorize is W1, and records when the response came.
func (f *fan) authorize(c *caller) error {
	if err := authorize(c); err != nil {
		return err
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answered[c.acked.created[len(c.acked.created)-1]] = now
	return nil
}

// fan is one round: orders for some time, and then the wait until the healthy endpoints have all
// their events.
func (r *runner) fan(ctx context.Context, f *fan) error {
	if err := r.caughtUp(ctx, f); err != nil { // with the events of the warm-up
		return err
	}
	callers, err := r.dial(f.site, usual)
	if err != nil {
		return err
	}
	begin := time.Now()
	res := closedLoop(ctx, callers, r.cfg.Duration, f.authorize)
	f.shop.leave(callers)
	if err := r.autopsy(f.site, res); err != nil {
		return err
	}
	if res.errors > 0 {
		r.invalid("%s: %s %s: %d of %d requests failed: %v", f.kind, W7, f.variant, res.errors, res.requests, res.first)
	}
	if err := r.caughtUp(ctx, f); err != nil {
		return err
	}
	f.spans = append(f.spans, span{begin, time.Now()})
	return nil
}

// catchUp is how long the healthy endpoints may take to receive their remaining events, and
// catchUpTimes how many times as long as the orders took.
const (
	catchUp      = 60 * time.Second
	catchUpTimes = 20
)

// caughtUp waits until the healthy endpoints have every event. If they do not get there, that is
// found and reported at the end.
func (r *runner) caughtUp(ctx context.Context, f *fan) error {
	want := f.perOrder * len(f.shop.acked.created)
	for end := time.Now().Add(catchUp + catchUpTimes*r.cfg.Duration); time.Now().Before(end); time.Sleep(pollEvery) {
		least := want
		for _, x := range f.receivers {
			least = min(least, x.count())
		}
		if least >= want || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// delivered stops the server, compares what the receivers got with what happened, and records the
// figures of all rounds.
func (r *runner) delivered(ctx context.Context, f *fan) (err error) {
	if f.dead != nil { // or the server would give its attempts time to finish
		if err := f.dead.close(); err != nil {
			return err
		}
		f.dead = nil
	}
	if err := f.halt(); err != nil {
		return err
	}
	b, err := r.cfg.Open(ctx, f.target)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	var events []store.EventRow
	err = b.View(ctx, func(v store.View) error {
		for after := (store.Place{}); ; {
			rows, err := store.Stream(v, f.shop.merchant, after, 10_000)
			if err != nil || len(rows) == 0 {
				return err
			}
			after = store.Place{Q: rows[len(rows)-1].Q, N: rows[len(rows)-1].N}
			for _, e := range rows {
				if e.Payload = nil; isOrderEvent(e.Type) {
					events = append(events, e)
				}
			}
		}
	})
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	for i, x := range f.receivers {
		for _, wrong := range x.wrong(events) {
			r.invalid("%s: %s %s: healthy endpoint %d: %s", f.kind, W7, f.variant, i+1, wrong)
		}
	}
	row := r.report.row(f.kind, W7, f.variant, usual, "deliveries/s")
	for _, s := range f.spans {
		row.add(f.figures(s, events))
	}
	return nil
}

// figures summarizes one round: deliveries from the first order to the last of them, and for each
// order and endpoint the time from its response to its last event.
func (f *fan) figures(s span, events []store.EventRow) *result {
	res := &result{}
	ends := map[string]string{} // last event of each order of the round
	for _, e := range events {
		if at, known := f.answered[e.Object.ID]; known && !at.Before(s.begin) && !at.After(s.end) {
			ends[e.Object.ID] = e.ID
		}
	}
	last := s.begin
	for _, x := range f.receivers {
		for _, at := range x.first {
			if at.Before(s.begin) || at.After(s.end) {
				continue
			}
			res.requests++
			if at.After(last) {
				last = at
			}
		}
		for order, event := range ends {
			if at, came := x.first[event]; came {
				res.latency.add(at.Sub(f.answered[order]))
			}
		}
	}
	res.elapsed = last.Sub(s.begin)
	return res
}
