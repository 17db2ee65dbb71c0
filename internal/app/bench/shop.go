package bench

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// The order that everybody places: 1,200.00 in six installments, the first of them 207.06 at tier
// A's 12 %. 120.00 may be refunded.
const (
	orderAmount      = money.Amount(120_000)
	firstInstallment = money.Amount(20_706)
	refundAmount     = money.Amount(12_000)
	installments     = 6
	refundEvery      = 10
)

// cart returns the cart of every order.
func cart() []credit.CartItem {
	return []credit.CartItem{
		{MerchantID: "sku-100", Name: "Steel shelf", Price: 40_000, SKU: "S-1", Quantity: 2},
		{MerchantID: "sku-200", Name: "Bracket", Price: 500, SKU: "B-2", Quantity: 80},
	}
}

// cartJSON is the same cart as the API takes it.
const cartJSON = `[{"merchant_id":"sku-100","name":"Steel shelf","price":"400.00","sku":"S-1","quantity":2},` +
	`{"merchant_id":"sku-200","name":"Bracket","price":"5.00","sku":"B-2","quantity":80}]`

// shop is a merchant that sends requests: its buyers, its orders, and what was acknowledged.
type shop struct {
	merchant  string
	token     string
	companies []int64
	hot       int64    // company of W2
	orders    []string // existing before the server started
	paid      []string // of these, captured and partly paid
	filled    int      // their number, if orders does not contain them all

	mu     sync.Mutex // guards everything below
	rng    rng
	series int
	acked  acks
}

// acks is what was acknowledged and therefore must be in the database.
type acks struct {
	created, captured, refunded []string // order keys
	payments                    []string // payment IDs
}

func (a *acks) add(o *acks) {
	a.created = append(a.created, o.created...)
	a.captured = append(a.captured, o.captured...)
	a.refunded = append(a.refunded, o.refunded...)
	a.payments = append(a.payments, o.payments...)
}

// writes counts them: each capture and each refund is a write.
func (a *acks) writes() int {
	return len(a.created) + len(a.captured) + len(a.refunded) + len(a.payments)
}

// dial connects n callers, spread evenly over the servers.
func (s *shop) dial(n int, hosts ...string) ([]*caller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.series++
	callers := make([]*caller, 0, n)
	for i := range n {
		c, err := dial(hosts[i%len(hosts)], s.token)
		if err != nil {
			hangUp(callers)
			return nil, err
		}
		callers = append(callers, &caller{conn: c, shop: s, rng: s.rng.fork(), name: fmt.Sprintf("%d-%d", s.series, i)})
	}
	return callers, nil
}

// leave disconnects callers and keeps what was acknowledged to them.
func (s *shop) leave(callers []*caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hangUp(callers)
	for _, c := range callers {
		s.acked.add(&c.acked)
	}
}

func hangUp(callers []*caller) {
	for _, c := range callers {
		c.close()
	}
}

// ask sends a request and requires a status.
func (c *caller) ask(r *request, want int) (answer, error) {
	a, err := c.do(r)
	if err != nil {
		return a, &lostError{err}
	}
	if a.status != want {
		return a, fmt.Errorf("%s %s: %d instead of %d: %s", r.method, r.path, a.status, want, a.body[:min(len(a.body), 300)])
	}
	return a, nil
}

// authorize is W1: an order by any company.
func authorize(c *caller) error {
	_, err := c.create(c.shop.companies[c.rng.below(len(c.shop.companies))])
	return err
}

// authorizeHot is W2: an order by the one company.
func authorizeHot(c *caller) error {
	_, err := c.create(c.shop.hot)
	return err
}

// create places and authorizes an order and returns its key.
func (c *caller) create(company int64) (string, error) {
	c.n++
	key := c.name + "-" + strconv.Itoa(c.n)
	b := append(c.text[:0], `{"company_id":`...)
	b = strconv.AppendInt(b, company, 10)
	b = append(b, `,"amount":"1200.00","installments":6,"status":"AUTHORIZED","merchant_order_id":"PO-`...)
	b = append(b, key...)
	b = append(b, `","cart_items":`+cartJSON+`}`...)
	c.text = b
	a, err := c.ask(&request{method: "POST", path: "/order", key: key, body: b}, 201)
	if err != nil {
		return "", err
	}
	order, err := member(a.body, "key")
	if err != nil {
		return "", err
	}
	c.acked.created = append(c.acked.created, order)
	return order, nil
}

// life is a caller's progress with its order.
type life struct {
	order string // "" before the first step
	step  int    // next step: 1 capture, 2 payment, 3 refund
}

// live is W3: the next step in the life of an order.
func live(c *caller) (err error) {
	l := &c.life
	if l.order == "" {
		if l.order, err = c.create(c.shop.companies[c.rng.below(len(c.shop.companies))]); err == nil {
			l.step = 1
		}
		return err
	}
	switch l.step {
	case 1:
		err = c.capture(l.order)
	case 2:
		err = c.pay(l.order)
	case 3:
		err = c.refund(l.order)
	}
	if l.step++; err != nil || l.step > 3 || l.step == 3 && c.n%refundEvery != 0 {
		*l = life{}
	}
	return err
}

func (c *caller) capture(order string) error {
	_, err := c.ask(&request{method: "PATCH", path: "/v1/order/" + order, key: order + "-c", body: []byte(`{"status":"CAPTURED"}`)}, 200)
	if err == nil {
		c.acked.captured = append(c.acked.captured, order)
	}
	return err
}

func (c *caller) pay(order string) error {
	b := append(c.text[:0], `{"amount":"207.06","method":"WIRE","order_key":"`...)
	b = append(append(b, order...), `"}`...)
	c.text = b
	a, err := c.ask(&request{method: "POST", path: "/payment", key: order + "-p", body: b}, 201)
	if err != nil {
		return err
	}
	id, err := member(a.body, "id")
	if err == nil {
		c.acked.payments = append(c.acked.payments, id)
	}
	return err
}

func (c *caller) refund(order string) error {
	_, err := c.ask(&request{method: "PATCH", path: "/v1/order/" + order + "/refund", key: order + "-r", body: []byte(`{"amount":"120.00"}`)}, 200)
	if err == nil {
		c.acked.refunded = append(c.acked.refunded, order)
	}
	return err
}

// read is W4: of ten reads, five request an order, three a schedule, and two the payments of a
// company.
func read(c *caller) error {
	_, err := c.ask(&request{method: "GET", path: c.shop.readPath(&c.rng)}, 200)
	return err
}

// readPath chooses at random what to read.
func (s *shop) readPath(r *rng) string {
	switch x := r.below(10); {
	case x < 5:
		return "/v1/order/" + s.orders[r.below(len(s.orders))]
	case x < 8:
		return "/payments/schedule/" + s.paid[r.below(len(s.paid))]
	}
	return "/payments?company_id=" + strconv.FormatInt(s.companies[r.below(len(s.companies))], 10)
}

// mix is W5: one step of a life per four reads.
func mix(c *caller) error {
	if c.wrote = c.rng.below(5) == 0; c.wrote {
		return live(c)
	}
	return read(c)
}

// member reads a string member from a JSON object as the server writes it, without the cost of
// decoding the rest. It returns the first member with the name.
func member(body []byte, name string) (string, error) {
	_, rest, found := bytes.Cut(body, []byte(`"`+name+`":"`))
	value, _, ended := bytes.Cut(rest, []byte(`"`))
	if !found || !ended || len(value) == 0 {
		return "", fmt.Errorf("no member %s in %s", name, body[:min(len(body), 300)])
	}
	return string(value), nil
}
