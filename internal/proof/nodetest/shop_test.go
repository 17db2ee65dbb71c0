//go:build linux

package nodetest

import (
	"fmt"
	"math/rand/v2"

	"tenor/internal/domain/money"
)

// sale is the expected state of one order, by the harness's own arithmetic.
type sale struct {
	number, company, key, status string
	amount                       money.Amount
	captured, paid, refunded     money.Amount
	left                         bool // its client got no response and continued with another one
}

func (d *sale) reserved() money.Amount {
	if d.status == "AUTHORIZED" {
		return d.amount
	}
	return 0
}

func (d *sale) outstanding() money.Amount { return d.captured - d.paid - d.refunded }

// shop is one client: it creates orders and completes each of them, one request after the other.
type shop struct {
	name      string // unique over all cycles
	companies []string
	random    *rand.Rand
	sent      int
	sales     []*sale
	settle    map[string]func(answer) error // by key, until the response is known
}

func newShop(name string, companies []string, random *rand.Rand) *shop {
	return &shop{name: name, companies: companies, random: random, settle: map[string]func(answer) error{}}
}

// apply applies the response of a request to the harness's arithmetic, once.
func (s *shop) apply(key string, a answer) error {
	f := s.settle[key]
	if f == nil {
		return fmt.Errorf("key %s is settled already", key)
	}
	delete(s.settle, key)
	if !a.accepted() {
		return fmt.Errorf("key %s: %d %s", key, a.Status, a.Body)
	}
	return f(a)
}

// leave gives up the current sale, whose last request is unanswered.
func (s *shop) leave() { s.sales[len(s.sales)-1].left = true }

// next returns the next request.
func (s *shop) next() request {
	s.sent++
	key := fmt.Sprintf("%s-%d", s.name, s.sent)
	var d *sale
	if n := len(s.sales); n > 0 {
		d = s.sales[n-1]
	}
	switch {
	case d == nil || d.left || d.status == "CANCELED" || d.refunded > 0:
		return s.create(key)
	case d.status == "AUTHORIZED":
		return s.finish(key, d)
	case d.paid == 0:
		amount := s.upTo(d, 50)
		s.settle[key] = func(answer) error { d.paid = amount; return nil }
		return pay(key, d.key, amount)
	}
	amount := s.upTo(d, 40)
	s.settle[key] = func(answer) error { d.refunded = amount; return nil }
	return refund(key, d.key, amount)
}

func (s *shop) create(key string) request {
	d := &sale{
		number: "no-" + key, company: s.companies[s.random.IntN(len(s.companies))], amount: money.Amount(100_00 + s.random.IntN(800_00)),
	}
	s.sales = append(s.sales, d)
	s.settle[key] = func(a answer) error {
		var o order
		err := a.read(&o)
		d.key, d.status = o.Key, "AUTHORIZED"
		return err
	}
	return authorize(key, d.company, d.amount, d.number)
}

// finish captures an order, or cancels one in six.
func (s *shop) finish(key string, d *sale) request {
	if s.random.IntN(6) == 0 {
		s.settle[key] = func(answer) error { d.status = "CANCELED"; return nil }
		return cancel(key, d.key)
	}
	s.settle[key] = func(answer) error { d.status, d.captured = "CAPTURED", d.amount; return nil }
	return capture(key, d.key)
}

// upTo returns a random amount of at most a share of the order, so that nothing is ever overpaid.
func (s *shop) upTo(d *sale, percent int64) money.Amount {
	return money.Amount(1 + s.random.Int64N(int64(d.amount)*percent/100))
}

// checkSales compares every sale with the one order that must correspond to it, and finds unknown
// orders.
func checkSales(c *client, sales []*sale) (problems []string, err error) {
	found, err := walk[order](c, "/v1/orders?")
	if err != nil {
		return nil, err
	}
	byNumber := map[string][]order{}
	for _, o := range found {
		byNumber[o.Number] = append(byNumber[o.Number], o)
	}
	if len(found) != len(sales) {
		problems = append(problems, fmt.Sprintf("%d orders, %d were made", len(found), len(sales)))
	}
	for _, d := range sales {
		list := byNumber[d.number]
		switch {
		case len(list) != 1:
			problems = append(problems, fmt.Sprintf("%s: %d orders", d.number, len(list)))
		case list[0].Status != d.status || list[0].Captured != d.captured || list[0].Refunded != d.refunded:
			problems = append(problems, fmt.Sprintf("%s: expected %+v, found %+v", d.number, *d, list[0]))
		}
	}
	return problems, nil
}

// checkLines compares the companies' credit lines with the sum of all sales.
func checkLines(c *client, companies []string, sales []*sale) (problems []string) {
	for _, id := range companies {
		var want line
		for _, d := range sales {
			if d.company == id {
				want.Reserved += d.reserved()
				want.Outstanding += d.outstanding()
				want.OnHold += d.paid // with money that the merchant still has (F41.4)
			}
		}
		l, err := c.line(id)
		want.Limit, want.Available = l.Limit, l.Limit-want.Reserved-want.Outstanding-want.OnHold
		if err != nil || l != want {
			problems = append(problems, fmt.Sprintf("company %s: line %+v, expected %+v, %v", id, l, want, err))
		}
	}
	return problems
}
