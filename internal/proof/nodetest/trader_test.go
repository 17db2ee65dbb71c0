//go:build linux

package nodetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tenor/internal/domain/money"
	"tenor/internal/proof/faultproxy"
)

// act is one request of a shop, in terms that any server understands: orders and companies by
// their number in the shop.
type act struct {
	what    string // create, amount, capture, cancel, pay or refund
	key     string
	order   int
	company int
	amount  money.Amount
	match   string // entity tag that the order must have
}

// names are one server's names for the orders and companies of a shop.
type names struct {
	shop      string
	companies []string
	orders    []string
}

// request converts an act for a server.
func (n *names) request(a act) request {
	r := request{}
	switch a.what {
	case "create":
		return authorize(a.key, n.companies[a.company], a.amount, n.number(a))
	case "amount":
		r = patch(a.key, n.orders[a.order], fmt.Sprintf(`{"amount":%q}`, a.amount))
	case "capture":
		r = capture(a.key, n.orders[a.order])
	case "cancel":
		r = cancel(a.key, n.orders[a.order])
	case "pay":
		r = pay(a.key, n.orders[a.order], a.amount)
	case "refund":
		r = refund(a.key, n.orders[a.order], a.amount)
	}
	r.Match = a.match
	return r
}

// number returns the merchant's own number of an order.
func (n *names) number(a act) string { return fmt.Sprintf("no-%s-%d", n.shop, a.order) }

// learn records the name of a created order.
func (n *names) learn(a act, answer answer) error {
	if a.what != "create" {
		return nil
	}
	var o order
	err := answer.read(&o)
	n.orders = append(n.orders, o.Key)
	return err
}

// deed is an act with its response.
type deed struct {
	act
	answer answer
}

// trader is a shop behind a network that loses, repeats, delays and reorders what it sends. It
// retries every request, under its key, until it has a definite response, and only then sends the
// next one.
type trader struct {
	t      *testing.T
	random *rand.Rand
	names
	links  []*faultproxy.Proxy // one to each server
	client *client             // through the links
	tally  *tally

	deck     []mischief
	sent     int
	deeds    []deed   // in the order in which they took effect
	tags     []string // of the orders in their last response
	sales    []*sale  // the orders by our own arithmetic
	waiting  []*straggler
	recorded [][]byte // requests as transmitted
}

// newTrader opens a shop with its own links to the servers.
func newTrader(t *testing.T, ctx context.Context, h *house, name string, random *rand.Rand, count *tally) *trader {
	t.Helper()
	x := &trader{t: t, random: random, names: names{shop: name, companies: h.Companies}, tally: count}
	var bases []string
	for _, s := range h.servers {
		p, err := faultproxy.New(s.URL[len("http://"):])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		p.Record(true)
		x.links = append(x.links, p)
		bases = append(bases, "http://"+p.Addr())
	}
	x.client = newFrugalClient(ctx, h.Token, bases...)
	t.Cleanup(x.client.close)
	return x
}

// trade completes a number of orders, and releases what the network still holds.
func (x *trader) trade(orders int) error {
	for range orders {
		if err := x.deal(); err != nil {
			return err
		}
	}
	for len(x.waiting) > 0 {
		if err := x.arrive(); err != nil {
			return err
		}
	}
	return x.repeatAll()
}

// deal is the life of one order.
func (x *trader) deal() error {
	if err := x.do(x.act("create", money.Amount(200_00+x.random.IntN(700_00)))); err != nil {
		return err
	}
	for range x.random.IntN(3) {
		if err := x.change(); err != nil {
			return err
		}
	}
	ends := []act{x.act("capture", 0), x.act("cancel", 0)}
	d := x.sales[len(x.sales)-1]
	var err error
	switch x.random.IntN(5) {
	case 0:
		err = x.do(ends[1])
	case 1:
		x.random.Shuffle(2, func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
		err = x.overtake(ends[0], ends[1], "invalid_transition")
	default:
		err = x.do(ends[0])
	}
	if err != nil || d.status == "CANCELED" {
		return err
	}
	moves := []act{x.act("pay", x.upTo(d.amount/2)), x.act("refund", x.upTo(d.amount*2/5))}
	if x.random.IntN(3) == 0 {
		return x.overtake(moves[0], moves[1], "")
	}
	return errors.Join(x.do(moves[0]), x.do(moves[1]))
}

// change sets the amount of an order that nobody else has changed. Half the time two changes are
// made to the same version, and the later one overtakes the other.
func (x *trader) change() error {
	n := len(x.orders) - 1
	a := x.act("amount", money.Amount(200_00+x.random.IntN(700_00)))
	a.match = x.tags[n]
	if x.random.IntN(2) == 0 {
		return x.do(a)
	}
	b := x.act("amount", a.amount+1)
	b.match = x.tags[n]
	return x.overtake(a, b, "precondition_failed")
}

func (x *trader) upTo(most money.Amount) money.Amount {
	return 1 + money.Amount(x.random.Int64N(int64(most)))
}

// act returns the next act: for a new order, or for the newest one.
func (x *trader) act(what string, amount money.Amount) act {
	x.sent++
	a := act{what: what, key: fmt.Sprintf("%s-%d", x.shop, x.sent), order: len(x.orders) - 1, amount: amount}
	if what == "create" {
		a.order, a.company = len(x.orders), x.random.IntN(len(x.companies))
	}
	return a
}

// do performs an act over a network that does one of its mischiefs. Then it releases whatever was
// held back long enough.
func (x *trader) do(a act) error {
	if len(x.deck) == 0 {
		x.deck = slices.Clone(mischiefs)
		x.random.Shuffle(len(x.deck), func(i, j int) { x.deck[i], x.deck[j] = x.deck[j], x.deck[i] })
	}
	m := x.deck[0]
	x.deck = x.deck[1:]
	x.tally.add(m.name, 1)
	got, err := m.run(x, x.request(a))
	if err == nil {
		err = x.learn(a, got, "")
	}
	if err == nil {
		err = x.arrive()
	}
	if err != nil {
		return fmt.Errorf("%s with %s: %w", a.key, m.name, err)
	}
	return nil
}

// learn records a deed, which must be refused with a code, or accepted if that is "". One that
// took effect later has a later sequence.
func (x *trader) learn(a act, got answer, code string) error {
	if got.code() != code || got.accepted() != (code == "") {
		return fmt.Errorf("%s of %s: expected %q, got %d %s", a.what, a.key, code, got.Status, got.Body)
	}
	if n := len(x.deeds); got.seq() == 0 || n > 0 && got.seq() <= x.deeds[n-1].answer.seq() {
		return fmt.Errorf("%s of %s: its sequence is %q, of a later one than the %q before", a.what, a.key, got.Seq, x.deeds[max(n-1, 0)].answer.Seq)
	}
	x.deeds = append(x.deeds, deed{a, got})
	if !got.accepted() {
		return nil
	}
	if a.what == "create" {
		x.tags = append(x.tags, got.ETag)
		x.sales = append(x.sales, &sale{
			number: x.number(a), company: x.companies[a.company], status: "AUTHORIZED", amount: a.amount,
		})
		return x.names.learn(a, got)
	}
	x.sales[a.order].account(a)
	if a.what == "amount" {
		x.tags[a.order] = got.ETag
	}
	return nil
}

// account applies an accepted act to an order.
func (d *sale) account(a act) {
	switch a.what {
	case "amount":
		d.amount = a.amount
	case "capture":
		d.status, d.captured = "CAPTURED", d.amount
	case "cancel":
		d.status = "CANCELED"
	case "pay":
		d.paid += a.amount
	case "refund":
		d.refunded += a.amount
	}
}
