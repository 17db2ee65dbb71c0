package verify

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// exchangedWith sums the money moved between the lender and a company.
type exchangedWith struct {
	sent     money.Amount // refunds and credit in transit or delivered, by a rail or manually
	received money.Amount // by debits and charges that stand, manually, by bank transfer
	covered  money.Amount // of merchants' reported payments, netted or remitted, less what they have paid back since
	owed     money.Amount // 1130: debits returned after their refund, whoever owes it now
}

// byCompany sums it by company.
type byCompany map[int64]*exchangedWith

func (b byCompany) at(company int64) *exchangedWith {
	if b[company] == nil {
		b[company] = &exchangedWith{}
	}
	return b[company]
}

// cash checks that no company was sent more than the lender has received from it or for it
// (CA1). A debit returned after its refund is on 1130, and counts as received.
func cash(r *run) error {
	of := byCompany{}
	for _, t := range r.transfers { // unordered: sums
		away := t.status == credit.TransferSent || t.status == credit.TransferSettled
		if away && (t.kind == credit.TransferRefund || t.kind == credit.TransferCredit) {
			of.at(t.company).sent = of.at(t.company).sent.Add(t.amount)
		}
	}
	for k, sum := range r.balances { // unordered: sums
		if k.Account == ledger.OtherReceivable && k.Order == "" {
			of.at(k.Company).owed = of.at(k.Company).owed.Add(sum)
		}
	}
	for _, walk := range []func(*run) error{of.payments, of.lines, of.loans} {
		if err := walk(r); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		x := of[id]
		if came := money.Sum(x.received, x.covered, x.owed); id != 0 && x.sent > max(0, came) {
			r.broken("CA1", "company "+store.CompanyKey(id), "was sent %s, more than was received: %s from or for it, %s from merchants, and %s owed for returned debits",
				x.sent, x.received, x.covered, x.owed)
		}
	}
	return nil
}

// payments adds what was received, and what was manually sent back. A merchant that took
// money for 1130 and has not handed it over owes it in the company's place.
func (b byCompany) payments(r *run) error {
	return store.EachOf(r.view, store.PaymentNoun, func(p *credit.Payment) error {
		x := b.at(p.Company)
		if p.Direction == "IN" && !p.FromMerchant && r.hasCome(p) {
			x.received = x.received.Add(p.Amount)
		}
		other := money.Amount(0)
		for _, a := range p.Allocations {
			other = other.Add(a.Other)
		}
		x.owed = x.owed.Add(min(other, p.Held.Sub(p.HeldExcess())))
		for _, f := range p.Refunds {
			if f.Method != "" && f.Status == credit.RefundSettled {
				x.sent = x.sent.Add(f.Amount)
			}
		}
		return r.each(0)
	})
}

// lines adds what merchants reported and the lender received, less what they paid back.
func (b byCompany) lines(r *run) error {
	return store.EachOf(r.view, store.PayoutLineNoun, func(l *credit.PayoutLine) error {
		switch x := b.at(l.Company); l.Kind {
		case credit.LineCollected:
			x.covered = x.covered.Add(l.Netted)
		case credit.LineRepaid:
			x.covered = x.covered.Sub(l.Amount)
		}
		return r.each(0)
	})
}

// loans adds what is owed for returned debits.
func (b byCompany) loans(r *run) error {
	return store.EachOrder(r.view, func(o *credit.Order, l *schedule.Loan) error {
		if l == nil {
			return r.each(0)
		}
		for _, f := range l.Fees {
			if f.Kind == schedule.OtherReceivable {
				b.at(o.Company).owed = money.Sum(b.at(o.Company).owed, f.Unpaid(), f.Waived)
			}
		}
		return r.each(0)
	})
}

// hasCome reports whether the lender has a payment's money, or had it and reversed the
// payment itself.
func (r *run) hasCome(p *credit.Payment) bool {
	switch p.Status {
	case credit.PaymentSucceeded, credit.PaymentPartiallyRefunded, credit.PaymentRefunded:
		return true
	case credit.PaymentReturned:
		t := r.transfers[p.Transfer]
		return p.Reversed() && t != nil && t.status == credit.TransferSettled
	}
	return false
}
