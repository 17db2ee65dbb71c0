package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/resource"
)

// database is created for a measurement, and contains a shop.
type database struct {
	kind   string
	target string   // directory or URL, for Config.Open
	args   []string // server arguments that name it
	env    []string // the same as environment, where it may include a password
	drop   func(context.Context) error
	shop   *shop
}

// fresh creates an empty database.
func (r *runner) fresh(ctx context.Context, kind string) (*database, error) {
	if kind == Postgres {
		url, drop, err := r.cfg.Fresh(ctx, r.cfg.PostgresURL)
		if err != nil {
			return nil, fmt.Errorf("make database: %w", err)
		}
		key := filepath.Join(r.dir, "tenor.key")
		if err := os.WriteFile(key, seal.NewKeyFile(), 0o600); err != nil {
			return nil, errors.Join(err, drop(ctx))
		}
		return &database{kind: kind, target: url, env: []string{"TENOR_DATABASE=" + url, "TENOR_KEY_FILE=" + key}, drop: drop}, nil
	}
	dir, err := os.MkdirTemp(r.dir, "data-")
	if err != nil {
		return nil, err
	}
	return &database{
		kind: kind, target: dir, args: []string{"--data", dir},
		drop: func(context.Context) error { return os.RemoveAll(dir) },
	}, nil
}

// remove drops the database, even after an interruption.
func (d *database) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return d.drop(ctx)
}

// apply commits one batch of a forge.
func apply(ctx context.Context, b store.Backend, batch store.Batch) error {
	commit, err := b.Update(ctx, func(tx store.Tx) error { return tx.Apply(batch) })
	if err == nil && commit.Outcome != store.Committed {
		err = errors.New("not committed")
	}
	if err != nil {
		return fmt.Errorf("apply batch: %w", err)
	}
	return nil
}

// filler commits batches while the forge decides the next ones.
type filler struct {
	batches chan store.Batch
	done    chan struct{}
	err     error // valid once done is closed
}

func newFiller(ctx context.Context, b store.Backend) *filler {
	f := &filler{batches: make(chan store.Batch, 4), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		for batch := range f.batches {
			if f.err = apply(ctx, b, batch); f.err != nil {
				return
			}
		}
	}()
	return f
}

func (f *filler) put(b store.Batch) error {
	select {
	case f.batches <- b:
		return nil
	case <-f.done:
		return f.err
	}
}

// close waits until everything is committed.
func (f *filler) close() error {
	close(f.batches)
	<-f.done
	return f.err
}

// populate adds a shop with its companies and orders to an empty database, and creates a token
// for it.
func (r *runner) populate(ctx context.Context, d *database, orders int) (err error) {
	b, err := r.cfg.Open(ctx, d.target)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	f, err := newForge(ctx, b, r.cfg.Zone, r.rng.fork(), engine.MaxBatch)
	if err != nil {
		return err
	}
	into := newFiller(ctx, b)
	f.sink = into.put
	d.shop = &shop{rng: r.rng.fork()}
	err = r.stock(ctx, d, f, orders)
	if err := errors.Join(err, into.close()); err != nil {
		return fmt.Errorf("fill database: %w", err)
	}
	d.shop.token, err = tokenAlone(ctx, b, r.cfg.Zone, f.merchant)
	return err
}

// tokenAlone is token for a database that is not being served yet.
func tokenAlone(ctx context.Context, b store.Backend, zone calendar.Zone, merchant string) (string, error) {
	e, err := engine.New(engine.Config{Backend: b, Zone: zone, Now: time.Now, Node: client, EncodeEvent: encodeEvent, Wire: resource.APIVersion})
	if err != nil {
		return "", err
	}
	return token(ctx, b, engine.Alone{Engine: e}, merchant)
}

// stock decides the initial content of the database, before a server sees it.
func (r *runner) stock(ctx context.Context, d *database, f *forge, orders int) error {
	ids, err := f.found(ctx, r.cfg.Companies+1)
	if err != nil {
		return err
	}
	s := d.shop
	s.merchant, s.hot, s.companies = f.merchant, ids[0], ids[1:]
	what := fmt.Sprintf("%s: fill with %d orders", d.kind, orders)
	var waiting []string // to be captured and paid
	for len(s.orders) < orders {
		r.cfg.Progress(what, len(s.orders), orders)
		commands := make([]credit.Command, min(engine.MaxBatch, orders-len(s.orders)))
		for i := range commands {
			commands[i] = f.order(s.companies[f.rng.below(len(s.companies))])
		}
		made, err := f.decide(ctx, commands)
		if err != nil {
			return err
		}
		for _, x := range made {
			key := x.(*credit.Order).Key
			if s.orders = append(s.orders, key); len(s.orders)%paidEvery == 0 {
				waiting = append(waiting, key)
			} else {
				f.forget(key)
			}
		}
		if len(waiting) < engine.MaxBatch && len(s.orders) < orders {
			continue
		}
		if err := s.settle(ctx, f, waiting); err != nil {
			return err
		}
		waiting = nil
	}
	return nil
}

// paidEvery selects which of the initial orders are captured and partly paid: enough that every
// company has payments and schedules to show, few enough that filling the database does not take
// longer than measuring.
const paidEvery = 50

// settle captures orders and records their first payments.
func (s *shop) settle(ctx context.Context, f *forge, keys []string) error {
	for len(keys) > 0 {
		some := keys[:min(len(keys), engine.MaxBatch)]
		keys = keys[len(some):]
		capture, pay := make([]credit.Command, len(some)), make([]credit.Command, len(some))
		for i, key := range some {
			capture[i] = lending.UpdateOrder{Order: key, Status: credit.OrderCaptured}
			pay[i] = wirePayment(key, firstInstallment)
		}
		if _, err := f.decide(ctx, capture); err != nil {
			return err
		}
		if _, err := f.decide(ctx, pay); err != nil {
			return err
		}
		for _, key := range some {
			f.forget(key)
		}
		s.paid = append(s.paid, some...)
	}
	return nil
}

// wirePayment is a payment received by wire.
func wirePayment(order string, amount money.Amount) payments.RecordPayment {
	return payments.RecordPayment{Order: order, Amount: amount, Method: "WIRE", ScheduledDate: calendar.None, EffectiveDate: calendar.None}
}

// unlimited is a rate limit that no generator reaches: the limit is not being measured.
const unlimited = 1_000_000_000

// token creates a client of the shop and a token that outlives the run.
func token(ctx context.Context, b store.Backend, submit engine.Submitter, merchant string) (string, error) {
	issuer := auth.Issuer{Store: b, Submit: submit, Now: time.Now}
	c, err := issuer.Create(ctx, access.CreateClient{Merchant: merchant, Title: client, PerMinute: unlimited})
	if err != nil {
		return "", err
	}
	secret, _, err := issuer.NewToken(ctx, c, nil, 24*time.Hour)
	return secret, err
}

// site is a populated database with the servers on it.
type site struct {
	name string // for people
	*database
	servers []*server
}

// build creates a database with orders and starts servers on it.
func (r *runner) build(ctx context.Context, name, kind string, orders, nodes int, args ...string) (s *site, err error) {
	d, err := r.fresh(ctx, kind)
	if err != nil {
		return nil, err
	}
	s = &site{name: name, database: d}
	if err = r.populate(ctx, d, orders); err == nil {
		err = r.serve(ctx, s, nodes, args...)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// serve starts servers on the database of a site.
func (r *runner) serve(ctx context.Context, s *site, nodes int, args ...string) error {
	for range nodes {
		log := filepath.Join(r.dir, fmt.Sprintf("server-%d.log", r.rng.next()))
		argv := append([]string{r.cfg.Binary, "serve", "--addr", "127.0.0.1:0", "--drain", "0s"}, s.args...)
		x, err := start(ctx, log, s.env, append(argv, args...)...)
		if err != nil {
			return err
		}
		s.servers = append(s.servers, x)
	}
	return nil
}

// hosts returns the servers' addresses.
func (s *site) hosts() []string {
	var out []string
	for _, x := range s.servers {
		out = append(out, x.host)
	}
	return out
}

// halt shuts down the servers.
func (s *site) halt() error {
	var errs []error
	for _, x := range s.servers {
		errs = append(errs, x.stop())
	}
	s.servers = nil
	return errors.Join(errs...)
}

// close stops everything and removes the database.
func (s *site) close() error { return errors.Join(s.halt(), s.remove()) }
