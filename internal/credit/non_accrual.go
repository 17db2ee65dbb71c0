package credit

import (
	"tenor/internal/calendar"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// accrualMonths is how long an order must be current in a row until its charge counts
// as income again (F18).
const accrualMonths = 6

// stopAccrual puts an order into non-accrual: charge that is earned and unpaid leaves
// income, and from here on charge is income when it is paid (F18). The borrower's
// figures do not change.
func (d *draft) stopAccrual(key string) {
	d.sweep()
	o := d.orders.edit(key)
	o.Servicing.NonAccrual, o.Servicing.CurrentSince = true, 0
	d.rebook("NON_ACCRUAL_BEGUN", o, d.loanOf(key), +1)
}

// resume ends non-accrual once the order is paid off or has been current for six
// months in a row; then the memo is booked again.
func (d *draft) resume(key string, day calendar.Date) {
	o, l := d.standing(key)
	current := o.Servicing.CurrentSince != 0 && day >= o.Servicing.CurrentSince.AddMonths(accrualMonths)
	if !o.Servicing.NonAccrual || l.ChargedOff || !current && owes(l) {
		return
	}
	d.sweep()
	o = d.orders.edit(key)
	d.rebook("NON_ACCRUAL_ENDED", o, l, -1)
	o.Servicing.NonAccrual, o.Servicing.CurrentSince = false, 0
}

// current notes since when an order in non-accrual has not been late, and ends that of
// one that is paid off.
func (d *draft) current(key string) {
	o, l := d.standing(key)
	if !o.Servicing.NonAccrual {
		return
	}
	on := d.day(l)
	late := o.DPD(l, on) > 0
	switch s := &d.orders.edit(key).Servicing; {
	case late:
		s.CurrentSince = 0
	case s.CurrentSince == 0:
		s.CurrentSince = on
	}
	d.resume(key, on)
}

// rebook moves what is earned and unpaid between income and where it stands in
// non-accrual: memo, or for a flat fee what is unearned.
func (d *draft) rebook(event string, o *Order, l *schedule.Loan, sign money.Amount) {
	dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
	line := func(a ledger.Account, amount money.Amount) ledger.Posting {
		return ledger.Posting{Account: a, Amount: sign * amount, Dimensions: dim}
	}
	is := owed(l)
	if l.Terms.Plan == schedule.FlatFee {
		earned := is.charge.Sub(is.unearned)
		d.entry(event, o.Key, d.on, line(ledger.ChargeIncome, earned), line(ledger.UnearnedCharge, -earned))
	} else {
		d.entry(event, o.Key, d.on, line(ledger.ChargeIncome, is.charge), line(ledger.ChargeReceivable, -is.charge),
			line(ledger.NonAccrualCharge, is.charge), line(ledger.NonAccrualContra, -is.charge))
	}
	d.swept = len(d.c.Entries)
}

// sweep keeps the books of orders in non-accrual whole after a replay: what it has
// reversed was posted before non-accrual began, what it has posted anew was not. No
// charge may be left on 1110; for a flat fee, what is unpaid is unearned.
func (d *draft) sweep() {
	entries := d.c.Entries[d.swept:]
	var keys []string
	off := map[string]money.Amount{}
	for _, e := range entries {
		for _, p := range e.Postings {
			if p.Order == "" || p.Account != ledger.ChargeReceivable && p.Account != ledger.UnearnedCharge {
				continue
			}
			if _, ok := off[p.Order]; !ok {
				keys = append(keys, p.Order)
			}
			off[p.Order] = off[p.Order].Add(p.Amount)
		}
	}
	for _, key := range keys {
		o, rest := d.orders.peek(key), off[key]
		if !o.Servicing.NonAccrual || rest == 0 {
			continue
		}
		dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: key}
		line := func(a ledger.Account, amount money.Amount) ledger.Posting {
			return ledger.Posting{Account: a, Amount: amount, Dimensions: dim}
		}
		if o.Terms.Plan == schedule.FlatFee {
			d.entry("NON_ACCRUAL_ADJUSTED", key, d.on, line(ledger.ChargeIncome, rest), line(ledger.UnearnedCharge, -rest))
			continue
		}
		d.entry("NON_ACCRUAL_ADJUSTED", key, d.on, line(ledger.ChargeIncome, rest), line(ledger.ChargeReceivable, -rest),
			line(ledger.NonAccrualCharge, rest), line(ledger.NonAccrualContra, -rest))
	}
	d.swept = len(d.c.Entries)
}
