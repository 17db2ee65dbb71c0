//go:build linux

package crashtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"tenor/internal/domain/money"
)

// deal is the expected state of one order, by the harness's own arithmetic. Everything happens on
// one day, so no charge is earned and every cent paid is principal.
type deal struct {
	number, company, key, status string
	amount, captured             money.Amount
	payment                      string // ID
	paid, givenBack, refunded    money.Amount
	steps                        int
}

func (d *deal) reserved() money.Amount {
	if d.status == "AUTHORIZED" {
		return d.amount
	}
	return 0
}

func (d *deal) outstanding() money.Amount { return d.captured - d.paid + d.givenBack - d.refunded }

// onHold returns the principal paid with money that the merchant still has (F41.4).
func (d *deal) onHold() money.Amount { return d.paid - d.givenBack }

// shop is one client: it creates orders and completes each of them, one request after the other.
type shop struct {
	name      string // unique over all cycles
	companies []string
	random    *rand.Rand
	sent      int
	deals     []*deal
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
	if a.Status/100 != 2 {
		return fmt.Errorf("key %s: %d %s", key, a.Status, a.Body)
	}
	return f(a)
}

// next returns the next request.
func (s *shop) next() request {
	s.sent++
	key := fmt.Sprintf("%s-%d", s.name, s.sent)
	var d *deal
	if n := len(s.deals); n > 0 {
		d = s.deals[n-1]
	}
	switch {
	case d == nil || d.status == "CANCELED" || d.steps > 3:
		return s.create(key)
	case d.status == "AUTHORIZED":
		return s.finish(key, d)
	case d.steps == 1:
		return s.pay(key, d)
	case d.steps == 2:
		return s.giveBack(key, d)
	}
	return s.refund(key, d)
}

func (s *shop) create(key string) request {
	d := &deal{
		number: "no-" + key, company: s.companies[s.random.IntN(len(s.companies))], amount: money.Amount(10_000 + s.random.IntN(80_000)),
	}
	s.deals = append(s.deals, d)
	s.settle[key] = func(a answer) error {
		var o order
		if err := json.Unmarshal([]byte(a.Body), &o); err != nil {
			return err
		}
		d.key, d.status = o.Key, "AUTHORIZED"
		return nil
	}
	return request{key, http.MethodPost, "/order", fmt.Sprintf(
		`{"company_id":%q,"amount":%q,"installments":%d,"status":"AUTHORIZED","merchant_order_id":%q}`,
		d.company, d.amount, 3, d.number)}
}

// finish captures an order, or cancels one in six.
func (s *shop) finish(key string, d *deal) request {
	status, captured := "CAPTURED", d.amount
	if s.random.IntN(6) == 0 {
		status, captured = "CANCELED", 0
	}
	s.settle[key] = func(answer) error {
		d.status, d.captured, d.steps = status, captured, 1
		return nil
	}
	return request{key, http.MethodPatch, "/v1/order/" + d.key, fmt.Sprintf(`{"status":%q}`, status)}
}

// upTo returns a random amount of at most a share of the order, so that nothing is ever overpaid.
func (s *shop) upTo(d *deal, percent int64) money.Amount {
	return money.Amount(1 + s.random.Int64N(int64(d.amount)*percent/100))
}

func (s *shop) pay(key string, d *deal) request {
	amount := s.upTo(d, 50)
	s.settle[key] = func(a answer) error {
		var p struct{ ID string }
		if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
			return err
		}
		d.payment, d.paid, d.steps = p.ID, amount, 2
		return nil
	}
	return request{key, http.MethodPost, "/payment", fmt.Sprintf(
		`{"order_key":%q,"amount":%q,"method":"WIRE","external_id":%q}`, d.key, amount, "x-"+key)}
}

func (s *shop) giveBack(key string, d *deal) request {
	amount := money.Amount(1 + s.random.Int64N(int64(d.paid)))
	s.settle[key] = func(answer) error {
		d.givenBack, d.steps = amount, 3
		return nil
	}
	return request{key, http.MethodPost, "/payment/" + d.payment + "/refund", fmt.Sprintf(`{"amount":%q}`, amount)}
}

func (s *shop) refund(key string, d *deal) request {
	amount := s.upTo(d, 40)
	s.settle[key] = func(answer) error {
		d.refunded, d.steps = amount, 4
		return nil
	}
	return request{key, http.MethodPatch, "/v1/order/" + d.key + "/refund", fmt.Sprintf(`{"amount":%q}`, amount)}
}

// check compares every deal with the one order that must correspond to it.
func (s *shop) check(c *client) (problems []string) {
	for _, d := range s.deals {
		found, err := c.ordersNumbered(d.number)
		switch {
		case err != nil:
			problems = append(problems, err.Error())
		case len(found) != 1:
			problems = append(problems, fmt.Sprintf("%s: %d orders", d.number, len(found)))
		case found[0].Status != d.status || found[0].Captured != d.captured || found[0].Refunded != d.refunded:
			problems = append(problems, fmt.Sprintf("%s: expected %+v, found %+v", d.number, *d, found[0]))
		}
	}
	return problems
}

// checkLines compares the companies' credit lines with the sum of all deals.
func checkLines(c *client, companies []string, deals []*deal) (problems []string) {
	for _, id := range companies {
		var reserved, outstanding, onHold money.Amount
		for _, d := range deals {
			if d.company == id {
				reserved += d.reserved()
				outstanding += d.outstanding()
				onHold += d.onHold()
			}
		}
		l, err := c.line(id)
		want := line{Limit: l.Limit, Available: l.Limit - reserved - outstanding - onHold, Reserved: reserved, Outstanding: outstanding, OnHold: onHold}
		if err != nil || l != want {
			problems = append(problems, fmt.Sprintf("company %s: line %+v, expected %+v, %v", id, l, want, err))
		}
	}
	return problems
}
