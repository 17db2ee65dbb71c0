package sim

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// checkPayments: a payment's money is applied, unapplied or refunded (PA3), and
// its unapplied part is its credit.
func (b *Books) checkPayments() error {
	used := b.creditUsed()
	for _, p := range b.Payments {
		applied, unapplied, refunds := int64(0), int64(0), int64(0)
		for _, a := range p.Allocations {
			paid := int64(a.Fee + a.Charge + a.Principal)
			applied += paid
			to := use{p.ID, a.Order}
			used[to] -= paid
			if o := b.Orders[a.Order]; o == nil || o.Company != p.Company || o.Captured == 0 || p.Order != "" && p.Order != a.Order && used[to] < 0 {
				return fmt.Errorf("PA4: payment %s of %s is allocated to %s", p.ID, p.Order, a.Order)
			}
		}
		for _, c := range b.Credits[p.Company] {
			if c.Source == p.ID {
				unapplied += int64(c.Amount)
			}
		}
		for _, r := range p.Refunds {
			if r.Status != credit.RefundCanceled {
				refunds += int64(r.Amount)
			}
		}
		if !Counts(p) {
			if applied != 0 || unapplied != 0 || p.Unapplied != 0 {
				return fmt.Errorf("PA1: payment %s is %s and has %d applied and %d unapplied", p.ID, p.Status, applied, unapplied)
			}
			continue
		}
		if refunds != int64(p.Refunded) || unapplied != int64(p.Unapplied) || applied+unapplied+refunds != int64(p.Amount) {
			return fmt.Errorf("PA3: payment %s of %s: %d applied, %d unapplied (record %s), %d refunded (record %s)",
				p.ID, p.Amount, applied, unapplied, p.Unapplied, refunds, p.Refunded)
		}
	}
	return b.checkAllocations()
}

// use is money of a source that paid an order with the company's consent.
type use struct{ source, order string }

// creditUsed sums what uses of credit have paid, by source and order: only this way may money of
// a payment for one order pay another (F36).
func (b *Books) creditUsed() map[use]int64 {
	used := map[use]int64{}
	for _, e := range b.Money {
		if e.Kind != schedule.EventCreditUse || e.Returned {
			continue
		}
		for _, x := range e.Posted {
			if x.Effect.Kind != schedule.EffectCreditApplied {
				continue
			}
			for _, part := range x.Effect.Parts {
				used[use{e.Payment, part.Order}] += int64(part.Amount)
			}
		}
	}
	return used
}

// checkAllocations: what payments say they paid on an order is what the order was paid, except
// what refunds and waivers paid, and what credit created by a refund paid on it with the
// company's consent (F36), less what of that went back after all: it belongs to no payment.
func (b *Books) checkAllocations() error {
	principal := map[string]int64{}
	for _, p := range b.Payments {
		for _, a := range p.Allocations {
			principal[a.Order] += int64(a.Principal)
		}
	}
	for _, e := range b.Money {
		if b.Payments[e.Payment] != nil {
			continue
		}
		for _, x := range e.Posted {
			for _, part := range x.Effect.Parts {
				switch {
				case part.Item != schedule.ItemPrincipal:
				case e.Kind == schedule.EventCreditUse:
					principal[part.Order] += int64(part.Amount)
				case e.Kind == schedule.EventPaymentRefund && x.Effect.Kind == schedule.EffectReopened:
					principal[part.Order] -= int64(part.Amount) // sent back although it had paid
				}
			}
		}
	}
	for key, l := range b.Loans {
		paid := int64(0)
		for _, r := range l.Rows {
			paid += int64(r.PaidPrincipal)
		}
		if paid != principal[key] {
			return fmt.Errorf("PA3: order %s has %d of principal paid, its payments say %d", key, paid, principal[key])
		}
	}
	return nil
}

// checkCompanies: the line is the sum of what counts against it (CL2, CL3, PA6), and money is
// conserved: what came in is with us, with merchants, or went back.
func (b *Books) checkCompanies() error {
	for id, c := range b.Companies {
		reserved, outstanding, credits := int64(0), int64(0), int64(0)
		for key, o := range b.Orders {
			if o.Company != id {
				continue
			}
			if o.Status == credit.OrderAuthorized {
				reserved += int64(o.Amount)
			}
			outstanding += b.Unpaid(key)
		}
		for _, x := range b.Credits[id] {
			credits += int64(x.Amount)
		}
		of := func(p ledger.Posting) bool { return p.Company == id }
		outstanding += b.Sum(ledger.OtherReceivable, of) // what was returned after it had been refunded takes the line (F41.7)
		switch {
		case reserved != int64(c.Reserved):
			return fmt.Errorf("CL3: company %d has %s reserved, its orders %d", id, c.Reserved, reserved)
		case outstanding != int64(c.Outstanding):
			return fmt.Errorf("CL3: company %d has %s outstanding, its loans %d", id, c.Outstanding, outstanding)
		case credits != int64(c.Credit) || credits != -b.Sum(ledger.BorrowerCredit, of):
			return fmt.Errorf("PA6: company %d has credit %s, open credits %d, 2100 %d", id, c.Credit, credits, b.Sum(ledger.BorrowerCredit, of))
		case int64(c.Available()) != int64(c.Limit)-reserved-outstanding-int64(c.OnHold):
			return fmt.Errorf("CL2: company %d has %s available", id, c.Available())
		}
		if err := b.checkCash(id); err != nil {
			return err
		}
	}
	return nil
}

// checkCash: cash is what the operator recorded and was not returned; what the merchants hold of
// it is theirs to pay (F33, F35).
func (b *Books) checkCash(company int64) error {
	if b.onRails(company) {
		return nil // costs and money in transit are on these accounts too
	}
	cash := int64(0)
	for _, p := range b.Payments {
		if p.Company != company || p.FromMerchant {
			continue
		}
		if p.Status != credit.PaymentReturned {
			cash += int64(p.Amount)
		}
		for _, r := range p.Refunds { // paid manually
			if r.Status == credit.RefundSettled {
				cash -= int64(r.Amount)
			}
		}
	}
	for _, r := range b.Receipts { // whose money arrived before anybody knew
		if p := b.Payments[r.Payment]; p != nil && p.Company == company {
			cash -= int64(p.Amount)
		}
	}
	of := func(p ledger.Posting) bool { return p.Company == company }
	paid := func(p ledger.Posting) bool { return of(p) && p.Payment != "" } // what merchants remit is not a payment
	if got := b.Sum(ledger.Cash, paid); got != cash {
		return fmt.Errorf("LG5: company %d: cash is %d, its payments say %d", company, got, cash)
	}
	return nil
}

// checkClaims: each name belongs to exactly its owner (OR8).
func (b *Books) checkClaims() error {
	want := map[credit.Claim]string{}
	for _, o := range b.Orders {
		if o.MerchantOrderID == "" || o.Status == credit.OrderCanceled {
			continue
		}
		k := credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: o.Merchant, Name: o.MerchantOrderID}
		if other := want[k]; other != "" {
			return fmt.Errorf("OR8: orders %s and %s are both %s", o.Key, other, o.MerchantOrderID)
		}
		want[k] = o.Key
	}
	for _, p := range b.Payments {
		if p.ExternalID != "" {
			want[credit.Claim{Kind: credit.ClaimExternalID, Scope: p.Merchant, Name: p.ExternalID}] = p.ID
		}
	}
	for _, x := range b.Endpoints {
		if places := b.placesOf(x); x.DeletedAt.IsZero() != (len(places) == 1) || len(places) > 1 {
			return fmt.Errorf("EV6: endpoint %s has %d places", x.ID, len(places))
		} else if len(places) == 1 {
			want[places[0]] = x.ID
		}
	}
	b.claimsOfBuyers(want)
	for k, owner := range b.Claims {
		if k.Kind != credit.ClaimMerchantName && want[k] != owner {
			return fmt.Errorf("OR8: %s %q belongs to %q, want %q", k.Kind, k.Name, owner, want[k])
		}
		delete(want, k)
	}
	for k, owner := range want {
		return fmt.Errorf("OR8: nobody claims %s %q of %s", k.Kind, k.Name, owner)
	}
	return nil
}

// placesOf lists the places of its merchant that an endpoint takes.
func (b *Books) placesOf(x *credit.Endpoint) (places []credit.Claim) {
	for k, owner := range b.Claims {
		if k.Kind == credit.ClaimEndpointPlace && owner == x.ID && k.Scope == x.Merchant {
			places = append(places, k)
		}
	}
	return places
}

// checkEvents: the sequence of each object counts 1, 2, … and ends at the object's stored
// sequence (EV1); refused commands have no event (CL8).
func (b *Books) checkEvents() error {
	last := map[credit.ObjectRef]int64{}
	for _, e := range b.Events {
		if e.Sequence != last[e.Object]+1 {
			return fmt.Errorf("EV1: %s of %s %s has sequence %d after %d", e.Type, e.Object.Type, e.Object.ID, e.Sequence, last[e.Object])
		}
		last[e.Object] = e.Sequence
		if a := b.Audits[e.Q-1]; a.Result != "ok" {
			return fmt.Errorf("CL5: commit %d was refused with %s and tells %s", e.Q, a.Result, e.Type)
		}
	}
	for at, seq := range b.eventSeqs() {
		if last[at] != seq {
			return fmt.Errorf("EV1: %s %s is at %d, its events end at %d", at.Type, at.ID, seq, last[at])
		}
	}
	for _, e := range b.Entries {
		if a := b.Audits[e.Q-1]; a.Result != "ok" {
			return fmt.Errorf("CL5: commit %d was refused with %s and posts %s", e.Q, a.Result, e.Event)
		}
	}
	return nil
}

// eventSeqs returns the last event sequence stored in each object.
func (b *Books) eventSeqs() map[credit.ObjectRef]int64 {
	seqs := map[credit.ObjectRef]int64{}
	for key, o := range b.Orders {
		seqs[credit.ObjectRef{Type: "order", ID: key}] = o.EventSeq
	}
	for id, p := range b.Payments {
		seqs[credit.ObjectRef{Type: "payment", ID: id}] = p.EventSeq
	}
	for id, x := range b.Endpoints {
		seqs[credit.ObjectRef{Type: "webhook", ID: id}] = x.EventSeq
	}
	for id, x := range b.Companies {
		seqs[credit.ObjectRef{Type: "company", ID: store.CompanyKey(id)}] = x.EventSeq
	}
	for id, x := range b.Invoices {
		seqs[credit.ObjectRef{Type: "invoice", ID: id}] = x.EventSeq
	}
	for _, x := range b.Records {
		if h := x.Head(); h.EventSeq != 0 {
			seqs[credit.ObjectRef{Type: string(x.Noun()), ID: h.ID}] = h.EventSeq
		}
	}
	for _, x := range b.Payouts {
		seqs[credit.ObjectRef{Type: "payout", ID: x.ID}] = x.EventSeq
	}
	return seqs
}
