//go:build linux

package nodetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"tenor/internal/domain/money"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/suite"
)

// pairsOfClaims is how many pairs race for each kind of claim.
func pairsOfClaims() int { return suite.By(6, 24) }

// TestClaims makes two nodes claim, for two companies and so without a common lock, one
// merchant_order_id, or one Idempotency-Key: exactly one gets it (EN8).
func TestClaims(t *testing.T) {
	s := openSite(t, pgtest.Database(t), 2)
	c, g := s.client(), newGate(t, s.url)
	wins, claims := [2]int{}, pairsOfClaims()
	for _, x := range []struct {
		name, code string
		request    func(n, side int) request
	}{
		{"a merchant_order_id", "duplicate_merchant_order_id", func(n, side int) request {
			return authorize(fmt.Sprintf("claim-%d-%d", n, side), s.Companies[side], 100_00, fmt.Sprintf("PO-%d", n))
		}},
		{"a key", "idempotency_key_reused", func(n, side int) request {
			return authorize(fmt.Sprintf("claimed-%d", n), s.Companies[side], 100_00, "")
		}},
	} {
		answers, errs := make([]answer, 2*claims), make([]error, 2*claims)
		for n := range claims { // one pair after the other: two nodes, two batches
			g.shut()
			var pair sync.WaitGroup
			for side := range s.nodes {
				pair.Go(func() { answers[2*n+side], errs[2*n+side] = c.at(side, x.request(n, side)) })
			}
			g.await(len(s.nodes), 0)
			g.open()
			pair.Wait()
		}
		for n := range claims {
			pair := answers[2*n : 2*n+2]
			if err := errors.Join(errs[2*n], errs[2*n+1], oneOf(x.code)(pair[0], pair[1])); err != nil {
				t.Errorf("%s, pair %d: %v", x.name, n, err)
			}
			for side, a := range pair {
				if a.accepted() {
					wins[side]++
				}
			}
		}
	}
	for side, company := range s.Companies {
		l, err := c.line(company)
		if want := money.Amount(wins[side]) * 100_00; err != nil || l.Reserved != want {
			t.Errorf("company %s has %s reserved, expected %s: %v", company, l.Reserved, want, err)
		}
	}
	s.finish()
	t.Logf("claims: pairs %d / won by node 1: %d, by node 2: %d", 2*claims, wins[0], wins[1])
}
