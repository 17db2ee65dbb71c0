package sim

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/credit"
)

// buyers checks the invariants across all records: every sealed value exists and has an owner,
// and a checkout agrees with its order (RC2, RC3).
func (b *Books) buyers() error {
	held := map[string]bool{}
	for _, m := range b.Merchants {
		held[m.Shop.Logo.Content] = m.Shop.Logo.Content != ""
	}
	for _, r := range b.Records {
		if why := credit.RecordFlaw(r); why != "" {
			return fmt.Errorf("RC2: %s %s: %s", r.Noun(), r.Head().ID, why)
		}
		for _, id := range r.Secrets() {
			if held[id] = true; !slices.Contains(b.Sealed, id) {
				return fmt.Errorf("RC3: %s %s says that %q is sealed", r.Noun(), r.Head().ID, id)
			}
		}
		if c, ok := r.(*credit.Checkout); ok {
			if err := b.accepted(c); err != nil {
				return err
			}
		}
	}
	if err := b.places(); err != nil {
		return err
	}
	for _, id := range b.Sealed {
		if !held[id] {
			return fmt.Errorf("RC3: %q is sealed, and is nobody's", id)
		}
	}
	return nil
}

// places checks that exactly the waiting cases take places of their company.
func (b *Books) places() error {
	waiting := map[int64]int{}
	for _, r := range b.Records {
		x, ok := r.(*credit.Case)
		if !ok || x.Status == credit.CaseResolved {
			continue
		}
		waiting[x.Company]++
		if !slices.Contains(b.Companies[x.Company].Servicing.Cases.Open, credit.OpenPlace{ID: x.ID, Kind: x.Kind, Merchant: x.Merchant}) {
			return fmt.Errorf("RC2: case %s waits and has no place", x.ID)
		}
	}
	for id, c := range b.Companies { // unordered: each by itself
		if len(c.Servicing.Cases.Open) != waiting[id] {
			return fmt.Errorf("RC2: company %d has %d cases that wait, and the places of %d", id, waiting[id], len(c.Servicing.Cases.Open))
		}
	}
	return nil
}

// accepted checks that the order of a checkout is what was accepted in it.
func (b *Books) accepted(c *credit.Checkout) error {
	o, a := b.Orders[c.Of], c.Accepted
	switch {
	case a == nil && (c.Direct || o == nil):
		return nil
	case a == nil || o == nil:
		return fmt.Errorf("RC2: checkout %s is %s, its order %v", c.ID, c.Status, o)
	case c.Status == credit.CheckoutCompleted && (o.Status == credit.OrderCreated || o.Captured > a.Amount || o.Installments != a.Installments):
		return fmt.Errorf("RC2: %s in %d payments was accepted in checkout %s, and its order is %+v", a.Amount, a.Installments, c.ID, o)
	case c.Status == credit.CheckoutAccepted && o.Status != credit.OrderCreated:
		return fmt.Errorf("RC2: checkout %s is ACCEPTED, and its order %s", c.ID, o.Status)
	case c.Ended() && c.Status != credit.CheckoutCompleted && !c.Direct && o.Status != credit.OrderCanceled:
		return fmt.Errorf("RC2: checkout %s is %s, and its order %s", c.ID, c.Status, o.Status)
	case c.Status == credit.CheckoutCompleted && c.CompletedAt.Sub(a.At) > 24*time.Hour:
		return fmt.Errorf("RC2: checkout %s was accepted at %s and completed at %s", c.ID, a.At, c.CompletedAt)
	}
	return nil
}

// claimsOfBuyers adds the names that records claim: a person's e-mail, a checkout's token, the
// key by which a shop finds its last checkout, and a tax number, which belongs to the application
// until it is decided and to the resulting company from then on.
func (b *Books) claimsOfBuyers(want map[credit.Claim]string) {
	followed := map[string]bool{}
	for _, r := range b.Records {
		if c, ok := r.(*credit.Checkout); ok {
			followed[c.Before] = true
		}
	}
	for _, r := range b.Records {
		for _, k := range r.Claims() {
			if k.Kind != credit.ClaimRemoteID || !followed[r.Head().ID] {
				want[k] = r.Head().ID
			}
		}
	}
	for k, owner := range b.Claims { // unordered: each by itself
		if k.Kind != credit.ClaimBusiness {
			continue
		}
		id, _ := strconv.ParseInt(owner, 10, 64)
		open := slices.ContainsFunc(b.Records, func(r credit.Record) bool {
			a, ok := r.(*credit.Application)
			return ok && a.Business.EIN == k.Name && (a.ID == owner && !a.Decided() || id != 0 && a.Company == id)
		})
		if open {
			want[k] = owner
		}
	}
}
