package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/ulid"
	"tenor/internal/edge/resource"
)

// forge creates batches with the real engine but without a database: commands go in, and the
// store.Batch values that would be committed come out. They fill databases faster than a server
// could, and they are the load of the ceiling.
//
// It is that engine's backend and keeps only what the next command needs to see: merchants,
// companies, and the orders that are not forgotten. So a million orders need no memory, and the
// output of a forge does not depend on a disk. Its correctness is checked where it is stored:
// verify decides every command again.
//
// A forge is used by one goroutine.
type forge struct {
	engine *engine.Engine
	rng    rng
	state  *credit.State
	head   store.Head
	sink   func(store.Batch) error // receives each batch
	keyed  bool                    // orders have an Idempotency-Key, and their responses are stored

	merchant string
	n        int // number of orders created
}

// client is the client of a forge's commands.
const client = "bench"

// newForge returns a forge whose batches follow the contents of an empty database.
func newForge(ctx context.Context, b store.Backend, zone calendar.Zone, seed rng, batch int) (*forge, error) {
	f := &forge{rng: seed, state: credit.NewState()}
	_, err := b.Update(ctx, func(tx store.Tx) (err error) {
		f.head, err = tx.Head()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	f.engine, err = engine.New(engine.Config{
		Backend: f, Zone: zone, Now: time.Now, Node: client, Batch: batch, Queue: 16 * batch,
		EncodeEvent: encodeEvent, Wire: resource.APIVersion,
		NewBatchID: func() store.BatchID { return f.rng.draw() },
	})
	return f, err
}

func encodeEvent(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
	return resource.EncodeEvent(e, at, by)
}

// requestID is an identifier of a request, as a server makes them.
func (f *forge) requestID() string {
	var apart [10]byte
	random := f.rng.draw()
	copy(apart[:], random[:])
	return ulid.New("req_", time.Now(), apart)
}

// decide decides one batch of commands and returns the results. A refusal is an error: a forge
// only creates valid commands.
func (f *forge) decide(ctx context.Context, commands []credit.Command) ([]any, error) {
	tickets := make([]*engine.Ticket, len(commands))
	made := make([]any, len(commands))
	for i, cmd := range commands {
		actor := credit.Actor{Client: client, Merchant: f.merchant, RequestID: f.requestID()}
		switch cmd.(type) {
		case merchants.CreateMerchant, lending.CreateCompany, merchants.SetMerchantAccount, payments.AddPaymentMethod, payments.SetAutopay,
			payments.RecordPayment: // what a merchant holds would need its credit lines, which a forge does not keep (F41.4)
			actor.Operator, actor.Merchant = true, ""
		case lending.CreateOrder:
			if f.keyed {
				actor.Key = fmt.Sprintf("key-%x", f.rng.next())
			}
		}
		t, err := f.engine.Enqueue(ctx, engine.Request{
			Command: cmd, Actor: actor, Address: "127.0.0.1:1", Seed: f.rng.draw(),
			Encode: func(c credit.Changes, r *credit.Rejection) engine.Response {
				made[i] = c.Result
				return respond(c, r)
			},
		})
		if err != nil {
			return nil, err
		}
		tickets[i] = t
	}
	for f.engine.Step(ctx) {
	}
	for i, t := range tickets {
		result, err := t.Result()
		if err == nil && result.Rejection != nil {
			err = result.Rejection
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", commands[i].Name(), err)
		}
	}
	return made, nil
}

// respond encodes the response as the API does, since it is stored.
func respond(c credit.Changes, r *credit.Rejection) engine.Response {
	if r != nil {
		return engine.Response{Status: r.Status}
	}
	o, ok := c.Result.(*credit.Order)
	if !ok {
		return engine.Response{Status: 200}
	}
	w := resource.NewOrder(o)
	body, err := resource.Encode(&w)
	if err != nil {
		panic(err) // the engine answers the command with an internal error
	}
	return engine.Response{Status: 201, Body: body, ContentType: "application/json", Location: "/v1/order/" + o.Key, ETag: fmt.Sprintf("%q", fmt.Sprint(o.Version))}
}

// found creates a merchant and its companies, with credit lines and limits on what the merchant
// may collect and still owe that no run exhausts (F41.6, F41.12).
func (f *forge) found(ctx context.Context, companies int) ([]int64, error) {
	f.n++
	made, err := f.decide(ctx, []credit.Command{merchants.CreateMerchant{
		Title: fmt.Sprintf("Harbor Supply %d", f.n), Settings: lending.DefaultSettings(),
		Limits: credit.Limits{Exposure: credit.Unlimited, Due: credit.Unlimited},
	}})
	if err != nil {
		return nil, err
	}
	f.merchant = made[0].(*credit.Merchant).ID
	var ids []int64
	for len(ids) < companies {
		commands := make([]credit.Command, min(companies-len(ids), engine.MaxBatch))
		for i := range commands {
			commands[i] = lending.CreateCompany{
				Title: fmt.Sprintf("Company %d", len(ids)+i+1), LegalName: "Example Company LLC", Status: credit.CompanyApproved,
				Email: emailOf(len(ids) + i), Tier: "A", Limit: money.Max * 1000, Merchants: []string{f.merchant},
				BillingAddress: credit.CompanyAddress{Street: "12 Canal St", City: "New York", State: "NY", PostalCode: "10013", Country: "US"},
			}
		}
		made, err := f.decide(ctx, commands)
		if err != nil {
			return nil, err
		}
		for _, c := range made {
			ids = append(ids, c.(*credit.Company).ID)
		}
	}
	return ids, nil
}

// order is the command of W1.
func (f *forge) order(company int64) lending.CreateOrder {
	f.n++
	return lending.CreateOrder{
		Company: company, Amount: orderAmount, MerchantOrderID: fmt.Sprintf("SEED-%d", f.n), Installments: installments, Cart: cart(), Authorize: true,
	}
}

// forget drops an order that no later command refers to.
func (f *forge) forget(order string) {
	if o := f.state.Orders[order]; o != nil {
		delete(f.state.Invoices, o.Invoice)
	}
	delete(f.state.Orders, order)
	delete(f.state.Loans, order)
}

// Update implements engine.Backend.
func (f *forge) Update(_ context.Context, fn func(store.Tx) error) (store.Commit, error) {
	t := &forgeTx{forge: f}
	if err := fn(t); err != nil || t.batch == nil {
		return store.Commit{}, err
	}
	first := f.head.Q + 1
	for i := range t.batch.Decided {
		f.remember(t.batch.Decided[i].Changes)
	}
	f.head.Q += int64(len(t.batch.Decided))
	f.head.At, f.head.BusinessDate = t.batch.At, t.batch.BusinessDate
	if err := f.sink(*t.batch); err != nil {
		return store.Commit{}, err
	}
	return store.Commit{Outcome: store.Committed, FirstQ: first}, nil
}

// remember keeps what later commands may need to see.
func (f *forge) remember(c credit.Changes) {
	f.state.Apply(c)
	clear(f.state.Claims)
	clear(f.state.Payments)
	clear(f.state.History)
}

// Resolve implements engine.Backend; a forge has no unknown outcomes.
func (*forge) Resolve(context.Context, store.BatchID) (store.Commit, error) {
	return store.Commit{Outcome: store.Unknown}, errors.New("bench: a forge has nothing to resolve")
}

// PutSetting implements engine.Backend; a forge is never full.
func (*forge) PutSetting(context.Context, string, []byte) error { return nil }

// forgeTx is a write transaction of a forge.
type forgeTx struct {
	forge *forge
	batch *store.Batch
}

// Head implements store.Tx.
func (t *forgeTx) Head() (store.Head, error) { return t.forge.head, nil }

// Load implements store.Tx. It reports what it does not keep as missing, which is true for names,
// idempotency keys and anything that did not exist. It refuses to load a history.
func (t *forgeTx) Load(s *credit.State, k credit.Keys, _ []store.KeyID) (map[store.KeyID]store.Answer, error) {
	if len(k.History)+len(k.Accounts)+len(k.Payments) > 0 {
		return nil, errors.New("bench: a forge keeps no history")
	}
	from := t.forge.state
	copyKeys(s.Merchants, from.Merchants, k.Merchants)
	copyKeys(s.Companies, from.Companies, k.Companies)
	copyKeys(s.Credits, from.Credits, k.Companies)
	copyKeys(s.Orders, from.Orders, k.Orders)
	copyKeys(s.Loans, from.Loans, k.Orders)
	copyKeys(s.Claims, nil, k.Claims)
	copyKeys(s.Invoices, from.Invoices, k.Invoices)
	return nil, nil
}

// copyKeys copies the keyed values that are not loaded yet.
func copyKeys[K comparable, V any](to, from map[K]V, keys []K) {
	for _, k := range keys {
		if _, loaded := to[k]; !loaded {
			to[k] = from[k]
		}
	}
}

// Apply implements store.Tx.
func (t *forgeTx) Apply(b store.Batch) error {
	t.batch = &b
	return nil
}
