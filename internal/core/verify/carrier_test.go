package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// sealed and opened stand for a deployment's key.
func sealed(body []byte, about string) []byte {
	return append([]byte("sealed for "+about+": "), body...)
}

func opened(sealed []byte, about string) ([]byte, error) {
	body, ok := bytes.CutPrefix(sealed, []byte("sealed for "+about+": "))
	if !ok {
		return nil, errors.New("another key")
	}
	return body, nil
}

// carrier creates deliveries of events as a webhook sender does, and finishes them one way
// or another, without a network.
type carrier struct {
	made    int
	wall    time.Time // a day later each round
	pending []store.Delivery
}

func hashOf(secret string) string {
	h := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(h[:])
}

// subscribe creates clients, a token and endpoints.
func (b *book) subscribe(s *story) {
	b.t.Helper()
	client := access.CreateClient{Merchant: b.shops[0].Merchant, Title: "backend", SecretHash: hashOf("one"), At: b.now}
	s.client = b.must(operator, client).(*credit.Client).ID
	b.must(operator, access.RollClient{Client: s.client, SecretHash: hashOf("two"), At: b.now, OldUntil: b.now.Add(time.Hour)})
	old := b.must(operator, access.CreateClient{Title: "old", SecretHash: hashOf("x"), At: b.now}).(*credit.Client)
	b.must(operator, access.RevokeClient{Client: old.ID, At: b.now})
	desk := credit.Actor{Client: access.Console, Operator: true}
	b.must(desk, access.CreateClient{ID: "cli_bare", Title: "by hand", Scopes: []string{"operator:read"}, PerMinute: 1, Burst: 1, At: b.now})
	b.must(desk, access.LimitClient{Client: "cli_bare", PerMinute: 2, Burst: 2, At: b.now})
	b.must(desk, access.IssueToken{Hash: hashOf("token"), Client: s.client, Scopes: []string{"orders:read"}, ExpiresAt: b.now.Add(time.Hour), At: b.now})
	b.must(desk, access.IssueToken{Hash: hashOf("ended"), Client: "cli_bare", Scopes: []string{"operator:read"}, ExpiresAt: b.now.Add(time.Hour), At: b.now})
	b.must(desk, access.RevokeToken{Hash: hashOf("ended"), At: b.now})
	endpoint := func(shop int, types ...credit.EventType) string {
		return b.must(b.shops[shop], access.CreateEndpoint{
			Merchant: b.shops[shop].Merchant, URL: "https://shop.example/", EventTypes: types, Enabled: true, Sealed: []byte("sealed"),
		}).(*credit.Endpoint).ID
	}
	s.endpoint = endpoint(0)
	b.endpoints = []string{s.endpoint, endpoint(0, credit.OrderCapturedEvent), endpoint(1, credit.CreditLineChangedEvent, credit.OrderCapturedEvent)}
	b.must(b.shops[0], access.RotateEndpoint{Endpoint: s.endpoint, Sealed: []byte("sealed too"), At: b.now})
	b.must(b.shops[0], access.TestEndpoint{Endpoint: b.endpoints[1]})
	b.must(operator, lending.UpdateCompany{Company: b.companies[2], Unlink: []string{b.shops[1].Merchant}})
	b.must(operator, lending.UpdateCompany{Company: b.companies[2], Link: []string{b.shops[1].Merchant}})
	b.deliver()
}

// unsubscribe changes and deletes endpoints, and requests events again.
func (b *book) unsubscribe(s story) {
	b.t.Helper()
	b.deliver()
	b.now = b.now.Add(time.Hour)
	b.must(b.shops[0], access.ResendEvents{Endpoint: s.endpoint, From: b.now.Add(-24 * time.Hour), To: b.now})
	b.must(b.shops[0], access.ResendEvents{Endpoint: s.endpoint, Event: b.anyEvent()})
	b.must(operator, access.UpdateEndpoint{Endpoint: b.endpoints[1], Gone: true})
	b.must(b.shops[1], access.DeleteEndpoint{Endpoint: b.endpoints[2]})
	b.must(operator, payment(s.overdue, "1.00"))
	b.deliver()
	b.must(operator, payment(s.overdue, "2.00"))
	b.must(operator, payment(s.amortized, "2.00"))
	b.deliver()
	b.must(operator, payment(s.amortized, "3.00")) // not delivered yet
}

// lastDelivery returns the newest finished first delivery to an endpoint.
func (b *book) lastDelivery(endpoint string) (id string) {
	b.t.Helper()
	b.read(func(v store.View) error {
		return store.Each(v, &store.Deliveries, func(d store.Delivery) error {
			if d.Endpoint == endpoint && d.Resend == "" && d.State == store.DeliverySucceeded {
				id = d.ID
			}
			return nil
		})
	})
	return id
}

// anyEvent returns an event that the first shop may read.
func (b *book) anyEvent() (id string) {
	b.t.Helper()
	b.read(func(v store.View) error {
		rows, err := store.Stream(v, b.shops[0].Merchant, store.Place{}, 3)
		id = rows[len(rows)-1].ID
		return err
	})
	return id
}

func (b *book) read(fn func(store.View) error) {
	b.t.Helper()
	if err := b.db.View(context.Background(), fn); err != nil {
		b.t.Fatal(err)
	}
}

// deliver creates and finishes deliveries up to now, a day later than the last time.
func (b *book) deliver() {
	b.t.Helper()
	b.settle()
	c := &b.carrier
	if c.wall.IsZero() {
		c.wall = time.Date(2031, 5, 1, 0, 0, 0, 0, time.UTC)
	}
	c.wall = c.wall.Add(24 * time.Hour)
	var w store.Work
	for _, d := range c.pending {
		w.Deliveries = append(w.Deliveries, c.finish(d, store.DeliverySucceeded))
		w.Attempts = append(w.Attempts, store.Attempt{Delivery: d.ID, N: d.Attempts + 1, At: c.wall, Took: time.Second, Status: 200, Answer: "ok"})
	}
	c.pending = nil
	b.read(func(v store.View) error {
		at := map[string]store.Cursor{}
		list, err := store.AllCursors(v)
		for _, x := range list {
			at[x.Endpoint] = x
		}
		if err != nil {
			return err
		}
		versions := map[string][]store.EndpointVersion{}
		if err := store.EachEndpointVersion(v, func(x store.EndpointVersion) error {
			versions[x.Endpoint.ID] = append(versions[x.Endpoint.ID], x)
			return nil
		}); err != nil {
			return err
		}
		for _, id := range b.endpoints {
			if err := c.endpoint(v, id, versions[id], at[id], &w); err != nil {
				return err
			}
		}
		return nil
	})
	if err := b.db.Record(context.Background(), w); err != nil {
		b.t.Fatal(err)
	}
}

func (c *carrier) endpoint(v store.View, id string, h []store.EndpointVersion, at store.Cursor, w *store.Work) error {
	merchant := h[0].Endpoint.Merchant
	events, err := store.Stream(v, merchant, at.Place, 10_000)
	if err != nil {
		return err
	}
	at.Endpoint = id
	for _, e := range events {
		at.Place = store.Place{Q: e.Q, N: e.N}
		c.send(id, merchant, "", e, h, w)
	}
	resends, err := store.ListResends(v, at.Resend, 100)
	if err != nil {
		return err
	}
	for _, x := range resends {
		if x.Endpoint != id {
			continue
		}
		all, err := store.Stream(v, merchant, store.Place{}, 10_000)
		if err != nil {
			return err
		}
		for _, e := range all {
			if e.Q < x.Q && (x.Event == e.ID || x.Event == "" && !e.At.Before(x.From) && e.At.Before(x.To)) {
				c.send(id, merchant, x.ID, e, h, w)
			}
		}
	}
	at.Resend = v.Seq()
	w.Cursors = append(w.Cursors, at)
	return nil
}

// send creates a delivery if the endpoint was subscribed to the event when it was
// committed.
func (c *carrier) send(id, merchant, resend string, e store.EventRow, h []store.EndpointVersion, w *store.Work) {
	subscribed := slices.ContainsFunc(h, func(v store.EndpointVersion) bool {
		x := v.Endpoint
		in := v.Q <= e.Q && (v.UntilQ == 0 || e.Q < v.UntilQ) && x.Enabled && x.DeletedAt.IsZero()
		if e.Type == credit.WebhookTestEvent {
			return in && e.Object.ID == id
		}
		return in && (len(x.EventTypes) == 0 || slices.Contains(x.EventTypes, e.Type))
	})
	if !subscribed {
		return
	}
	c.made++
	d := store.Delivery{
		ID: fmt.Sprintf("dlv_%08d", c.made), Endpoint: id, Merchant: merchant, Resend: resend, Event: e.ID, Type: e.Type, Object: e.Object,
		Sequence: e.Sequence, Place: store.Place{Q: e.Q, N: e.N}, State: store.DeliveryPending, NextAt: c.wall, CreatedAt: c.wall,
	}
	try := func(status int, why string) {
		d.Attempts, d.Status, d.Error = d.Attempts+1, status, why
		w.Attempts = append(w.Attempts, store.Attempt{Delivery: d.ID, N: d.Attempts, At: c.wall, Took: time.Second, Status: status, Error: why})
	}
	switch c.made % 5 {
	case 0:
		try(500, "the receiver answered 500")
		c.pending = append(c.pending, d)
	case 1:
		try(302, "the receiver answered 302")
		try(204, "")
		d = c.finish(d, store.DeliverySucceeded)
		d.Attempts--
	case 2:
		try(0, "no answer")
		d = c.finish(d, store.DeliveryParked)
		d.Attempts--
	case 3:
		d = c.finish(d, store.DeliveryCanceled)
		d.Attempts--
	default:
		try(200, "")
		d = c.finish(d, store.DeliverySucceeded)
		d.Attempts--
	}
	w.Deliveries = append(w.Deliveries, d)
}

// finish ends a delivery after one more attempt.
func (c *carrier) finish(d store.Delivery, state store.DeliveryState) store.Delivery {
	d.State, d.NextAt, d.FinishedAt, d.Attempts = state, time.Time{}, c.wall.Add(time.Hour), d.Attempts+1
	return d
}

// access does something random to clients and endpoints.
func (b *book) access(random *rand.Rand, who credit.Actor) {
	b.t.Helper()
	b.settle()
	id := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return list[random.IntN(len(list))]
	}
	on := random.IntN(2) == 0
	types := [][]credit.EventType{nil, {credit.OrderCapturedEvent}, {credit.CreditLineChangedEvent, credit.CompanyUpdatedEvent}}[random.IntN(3)]
	var c credit.Command
	switch random.IntN(12) {
	case 0:
		c = access.CreateClient{Merchant: []string{"", who.Merchant}[random.IntN(2)], Title: "client", SecretHash: hashOf("one"), At: b.now}
	case 1:
		c = access.RollClient{Client: id(b.clients), SecretHash: hashOf("two"), At: b.now, OldUntil: b.now.Add(time.Duration(random.IntN(2)) * time.Hour)}
	case 2:
		c = access.RevokeClient{Client: id(b.clients), At: b.now}
	case 3, 4, 5:
		c = access.CreateEndpoint{Merchant: who.Merchant, URL: "https://shop.example/", EventTypes: types, Enabled: random.IntN(4) > 0, Sealed: []byte("s")}
	case 6:
		c = access.UpdateEndpoint{Endpoint: id(b.endpoints), EventTypes: &lending.Patch[[]credit.EventType]{Value: types}, Enabled: &on}
	case 7:
		c = access.UpdateEndpoint{Endpoint: id(b.endpoints), Gone: true}
	case 8:
		c = access.RotateEndpoint{Endpoint: id(b.endpoints), Sealed: []byte("t"), At: b.now}
	case 9:
		c = access.DeleteEndpoint{Endpoint: id(b.endpoints)}
	case 10:
		c = access.TestEndpoint{Endpoint: id(b.endpoints)}
	case 11:
		c = access.ResendEvents{Endpoint: id(b.endpoints), From: b.now.Add(-9 * 24 * time.Hour), To: b.now}
	}
	links := lending.UpdateCompany{Company: b.companies[random.IntN(len(b.companies))], Link: []string{who.Merchant}}
	if on {
		links.Link, links.Unlink = nil, links.Link
	}
	b.put(operator, links)
	x := b.put(operator, c)
	b.settle()
	switch made := x.result.(type) {
	case *credit.Client:
		if !slices.Contains(b.clients, made.ID) {
			b.clients = append(b.clients, made.ID)
		}
	case *credit.Endpoint:
		if !slices.Contains(b.endpoints, made.ID) {
			b.endpoints = append(b.endpoints, made.ID)
		}
	}
	if random.IntN(2) == 0 {
		b.deliver()
	}
}
