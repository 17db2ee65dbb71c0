package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/edge/resource"
)

// Sizes of W8.
const (
	perMinute     = 200 // checkouts
	checkoutsFor  = 15 * time.Second
	shopOrigin    = "https://shop.example" // a name that nothing resolves
	openedAtOnce  = 256                    // connections of the open loop
	besideVariant = "half of W1, checkouts beside it"
	aloneVariant  = "half of W1 alone"
)

// checkouts is W8: buyers go through 200 hosted checkouts a minute, from the first page to the
// merchant's completion, while an open loop authorizes at half of W1's rate. The target is how
// much longer an authorization takes than without the buyers.
func (r *runner) checkouts(ctx context.Context, kind string) (err error) {
	mail, err := openMailbox()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mail.close()) }()
	s, err := r.hosted(ctx, kind, mail)
	if err != nil {
		return err
	}
	defer func() { err = r.finish(ctx, err, s) }()
	if err := r.warm(ctx, s, authorize); err != nil {
		return err
	}
	lasts := max(checkoutsFor, r.cfg.Duration)
	if r.cfg.Quick {
		lasts = time.Second
	}
	half := 0.0
	m := measurement{site: s, workload: W8, variant: "W1", connections: usual, do: authorize}
	most := r.closed(m)
	open := func(variant string) step {
		m := measurement{site: s, workload: W8, variant: variant, connections: openedAtOnce, do: authorize}
		return step{variant, func(ctx context.Context) error {
			return r.load(m, func(callers []*caller) *result { return openLoop(ctx, callers, max(half, 1), lasts, authorize) })
		}}
	}
	beside := open(besideVariant)
	b := &buyers{runner: r, site: s, mail: mail, lasts: lasts}
	err = r.rounds(ctx, kind, []step{
		{most.name, func(ctx context.Context) error {
			err := most.run(ctx)
			if rounds := m.row(r).Rounds; len(rounds) > 0 {
				half = rounds[len(rounds)-1] / 2
			}
			return err
		}},
		open(aloneVariant),
		{beside.name, func(ctx context.Context) error { return b.beside(ctx, beside) }},
	})
	if err != nil {
		return err
	}
	row := func(variant string) *Row { return r.report.row(kind, W8, variant, openedAtOnce, "") }
	r.report.atMost(kind, "w8.tail", "W8: p99 of authorizations with checkouts / without", 2, "x", ratios(row(besideVariant).p99, row(aloneVariant).p99))
	r.report.atLeast(kind, "w8.rate", "W8: checkouts completed a minute", 0.95*perMinute, "a minute", r.report.row(kind, W8, "checkouts", 0, "").Rounds)
	return nil
}

// hosted creates a site whose merchant may send buyers back to its shop, and whose server mails
// to the mailbox and learns its callers' addresses from a proxy.
func (r *runner) hosted(ctx context.Context, kind string, mail *mailbox) (s *site, err error) {
	d, err := r.fresh(ctx, kind)
	if err != nil {
		return nil, err
	}
	s = &site{name: "checkouts", database: d}
	file := filepath.Join(r.dir, fmt.Sprintf("rails-%d.json", r.rng.next()))
	err = r.populate(ctx, d, 0)
	if err == nil {
		err = r.openShop(ctx, d)
	}
	if err == nil {
		var text []byte
		text, err = json.Marshal(map[string]any{"mail": map[string]string{"url": mail.url(), "from": "Tenor <lender@example.test>"}})
		err = errors.Join(err, os.WriteFile(file, text, 0o600))
	}
	if err == nil {
		err = r.serve(ctx, s, 1, "--rails", file, "--trusted-proxies", "127.0.0.1/32")
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openShop sets where the merchant sells, before a server runs.
func (r *runner) openShop(ctx context.Context, d *database) (err error) {
	b, err := r.cfg.Open(ctx, d.target)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return setShop(ctx, b, r, d.shop.merchant)
}

func setShop(ctx context.Context, b store.Backend, r *runner, merchant string) error {
	e, err := engine.New(engine.Config{Backend: b, Zone: r.cfg.Zone, Now: time.Now, Node: client, EncodeEvent: encodeEvent, Wire: resource.APIVersion})
	if err != nil {
		return err
	}
	out, err := engine.Alone{Engine: e}.Submit(ctx, engine.Request{
		Command: merchants.SetMerchantShop{Merchant: merchant, Shop: credit.Shop{Origins: []string{shopOrigin}}, Reason: "bench"},
		Actor:   credit.Actor{Client: client, Operator: true}, Address: "127.0.0.1:1", Seed: r.rng.draw(),
		Encode: func(credit.Changes, *credit.Rejection) engine.Response { return engine.Response{Status: http.StatusOK} },
	})
	if err == nil && out.Rejection != nil {
		err = out.Rejection
	}
	return err
}

// buyers go through checkouts, each one of a different company.
type buyers struct {
	*runner
	site  *site
	mail  *mailbox
	lasts time.Duration
	n     int // started so far
}

// beside sends buyers at an even rate while a load is measured.
func (b *buyers) beside(ctx context.Context, load step) error {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	defer transport.CloseIdleConnections()
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		pages result
		done  atomic.Int64
	)
	begin := time.Now()
	come := newArrivals(begin, perMinute/60.0, b.lasts)
	for at, more := come.take(); more; at, more = come.take() {
		n := b.n
		if b.n++; n >= len(b.site.shop.companies) {
			return fmt.Errorf("more checkouts than the %d companies", n)
		}
		all.Go(func() {
			time.Sleep(time.Until(at))
			var own result
			err := b.through(ctx, n, transport, &own)
			mu.Lock()
			defer mu.Unlock()
			pages.merge(&own)
			if err == nil {
				done.Add(1)
			} else if pages.first == nil {
				pages.first = err
			}
		})
	}
	err := load.run(ctx)
	all.Wait()
	pages.elapsed = time.Since(begin)
	b.report.row(b.site.kind, W8, "pages of the checkouts", 0, "requests/s").add(&pages)
	// A buyer waits for a mail: what matters is that each one who came got through.
	b.report.row(b.site.kind, W8, "checkouts", 0, "a minute").put(float64(done.Load()) / float64(come.n) * perMinute)
	if missing := come.n - done.Load(); missing > 0 {
		b.invalid("%s: W8: %d of %d checkouts did not come to their end: %v", b.site.kind, missing, come.n, pages.first)
	}
	return err
}

// through is one checkout: the shop creates it, the buyer accepts, the shop completes it.
func (b *buyers) through(ctx context.Context, n int, transport http.RoundTripper, pages *result) error {
	s := b.site
	callers, err := b.dial(s, 1)
	if err != nil {
		return err
	}
	defer s.shop.leave(callers)
	c, email := callers[0], emailOf(n+1) // the first company is that of W2
	body := fmt.Sprintf(`{"amount":1200.00,"buyer":{"email":%q},"return_url":"%s/done?order=%%ORDER_KEY%%","cancel_url":"%s/cart"}`, email, shopOrigin, shopOrigin)
	a, err := c.ask(&request{method: "POST", path: "/v1/checkouts", key: c.name, body: []byte(body)}, http.StatusCreated)
	if err != nil {
		return err
	}
	var made struct {
		ID          string `json:"id"`
		CheckoutURL string `json:"checkout_url"`
	}
	if err := json.Unmarshal(a.body, &made); err != nil {
		return err
	}
	if err := newPatron(s.servers[0].host, transport, n, pages).walk(ctx, made.CheckoutURL, email, b.mail); err != nil {
		return err
	}
	if a, err = c.ask(&request{method: "POST", path: "/v1/checkouts/" + made.ID + "/complete", key: c.name + "-c", body: []byte("{}")}, http.StatusOK); err != nil {
		return err
	}
	order, err := member(a.body, "key")
	if err == nil {
		c.acked.created = append(c.acked.created, order)
	}
	return err
}

// emailOf is the email address of the n-th company created by a forge.
func emailOf(n int) string { return fmt.Sprintf("accounts-%d@example.test", n) }
