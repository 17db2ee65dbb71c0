//go:build linux

package nodetest

import (
	"errors"
	"fmt"

	"tenor/internal/domain/money"
)

// pair is two requests on one object, sent concurrently to one node each.
type pair struct {
	name    string
	prepare func(r *racing, key string) (first, second request, err error)
	// check says what is wrong with the responses.
	check func(a, b answer) error
}

// pairsOf is how often each pair races in a round.
const pairsOf = 6

// pairs are the races for one object: one wins, or both give the same result.
var pairs = []pair{
	{"two refunds of 60 on an order of 100 (RF1)",
		func(r *racing, key string) (first, second request, err error) {
			o, err := r.captured(key, 100_00)
			return refund(key+"-1", o.Key, 60_00), refund(key+"-2", o.Key, 60_00), err
		}, oneOf("refund_exceeds_captured")},
	{"two refunds of 60 on a payment of 100 (RF2)",
		func(r *racing, key string) (first, second request, err error) {
			p, err := r.paid(key)
			return payBack(key+"-1", p.ID, 60_00), payBack(key+"-2", p.ID, 60_00), err
		}, oneOf("refund_exceeds_payment")},
	{"a capture and a cancel (OR1)",
		func(r *racing, key string) (first, second request, err error) {
			o, err := r.authorized(key, 100_00)
			return capture(key+"-1", o.Key), cancel(key+"-2", o.Key), err
		}, oneOf("invalid_transition")},
	{"two captures (OR5)",
		func(r *racing, key string) (first, second request, err error) {
			o, err := r.authorized(key, 100_00)
			return capture(key+"-1", o.Key), capture(key+"-2", o.Key), err
		}, func(a, b answer) error {
			var x, y order
			err := errors.Join(a.read(&x), b.read(&y))
			if err == nil && (x.Captured != 100_00 || y.Captured != 100_00 || a.ETag != b.ETag) {
				err = fmt.Errorf("captured %s as %s and %s as %s", x.Captured, a.ETag, y.Captured, b.ETag)
			}
			return err
		}},
	{"a part and the whole (OR10)",
		func(r *racing, key string) (first, second request, err error) {
			o, err := r.authorized(key, 100_00)
			part := post(key+"-1", "/v1/order/"+o.Key+"/partial", `{"amount":"60.00"}`)
			return part, capture(key+"-2", o.Key), err
		}, func(a, b answer) error {
			var part, whole order
			err := b.read(&whole)
			if a.accepted() {
				err = errors.Join(err, a.read(&part))
			}
			if err == nil && part.Captured+whole.Captured != 100_00 {
				err = fmt.Errorf("captured %s of 100.00: %d %s, then %d %s", part.Captured+whole.Captured, a.Status, a.Body, b.Status, b.Body)
			}
			return err
		}},
}

// oneOf requires that one is accepted and the other refused with a code.
func oneOf(code string) func(a, b answer) error {
	return func(a, b answer) error {
		if a.accepted() && b.code() == code || b.accepted() && a.code() == code {
			return nil
		}
		return fmt.Errorf("expected one 2xx and one %s: %d %s, %d %s", code, a.Status, a.Body, b.Status, b.Body)
	}
}

// pairs runs all pairs of a round at one barrier.
func (r *racing) pairs() {
	r.t.Helper()
	n := len(pairs) * pairsOf
	requests, errs := make([]request, 2*n), make([]error, n)
	prefix := r.key()
	together(n, func(i int) {
		first, second, err := pairs[i/pairsOf].prepare(r, fmt.Sprintf("%s-%d", prefix, i))
		requests[2*i], requests[2*i+1], errs[i] = first, second, err
	})
	r.no(errs...)
	answers := r.race(requests)
	for i := range n {
		if err := pairs[i/pairsOf].check(answers[2*i], answers[2*i+1]); err != nil {
			r.t.Errorf("%s: %v", pairs[i/pairsOf].name, err)
		}
	}
}

// authorized creates an order of the company with ample credit.
func (r *racing) authorized(key string, amount money.Amount) (o order, err error) {
	err = r.client.must(authorize(key, r.rich, amount, ""), &o)
	return o, err
}

func (r *racing) captured(key string, amount money.Amount) (order, error) {
	o, err := r.authorized(key, amount)
	if err == nil {
		err = r.client.must(capture(key+"-c", o.Key), &o)
	}
	return o, err
}

// paid is a payment of 100 on an order of 200.
func (r *racing) paid(key string) (p payment, err error) {
	o, err := r.captured(key, 200_00)
	if err == nil {
		err = r.client.must(pay(key+"-p", o.Key, 100_00), &p)
	}
	return p, err
}
