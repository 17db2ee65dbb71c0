package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// accrualMonths is how long an order must be current in a row until its charge counts
// as income again (F18).
const accrualMonths = 6

// stopAccrual puts an order into nonaccrual: charge that is earned and unpaid leaves
// income, and from here on charge is income when it is paid (F18). The borrower's
// figures do not change.
func (d *Draft) stopAccrual(key string) {
	o := d.Orders.Edit(key)
	o.Servicing.Nonaccrual, o.Servicing.CurrentSince = true, 0
	d.mixed[key] = true // also if the same command ends it
	d.rebook("NONACCRUAL_BEGUN", o, d.LoanOf(key), +1)
}

// resume ends nonaccrual once the order is paid off or has been current for six
// months in a row; then the memo is booked again.
func (d *Draft) resume(key string, day calendar.Date) {
	o, l := d.standing(key)
	current := o.Servicing.CurrentSince != 0 && day >= o.Servicing.CurrentSince.AddMonths(accrualMonths)
	if !o.Servicing.Nonaccrual || l.ChargedOff || !current && owes(l) {
		return
	}
	o = d.Orders.Edit(key)
	d.rebook("NONACCRUAL_ENDED", o, l, -1)
	o.Servicing.Nonaccrual, o.Servicing.CurrentSince = false, 0
}

// current notes since when an order in nonaccrual has not been late, and ends that of
// one that is paid off.
func (d *Draft) current(key string) {
	o, l := d.standing(key)
	if !o.Servicing.Nonaccrual {
		return
	}
	today := d.day(l)
	late := o.DPD(l, today) > 0
	switch s := &d.Orders.Edit(key).Servicing; {
	case late:
		s.CurrentSince = 0
	case s.CurrentSince == 0:
		s.CurrentSince = today
	}
	d.resume(key, today)
}

// rebook moves what is earned and unpaid between income and where it stands in
// nonaccrual: memo, or for a flat fee what is unearned.
func (d *Draft) rebook(event string, o *Order, l *schedule.Loan, sign money.Amount) {
	dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
	line := func(a ledger.Account, amount money.Amount) ledger.Posting {
		return ledger.Posting{Account: a, Amount: sign * amount, Dimensions: dim}
	}
	is := owed(l)
	if l.Terms.Plan == schedule.FlatFee {
		earned := is.Charge.Sub(is.Unearned)
		d.Entry(event, o.Key, d.on, line(ledger.ChargeIncome, earned), line(ledger.UnearnedCharge, -earned))
	} else {
		d.Entry(event, o.Key, d.on, line(ledger.ChargeIncome, is.Charge), line(ledger.ChargeReceivable, -is.Charge),
			line(ledger.NonaccrualCharge, is.Charge), line(ledger.NonaccrualContra, -is.Charge))
	}
}

// sweep keeps the books of orders whole that are, or have been, in nonaccrual: what a
// replay has reversed was posted as it was right then, what it has posted anew as it is
// right now. What that leaves on 1110, 2200 and in memo is moved to where it belongs.
func (d *Draft) sweep() {
	for _, key := range d.chargePosted() {
		l, o, was := d.LoanOf(key), d.Orders.Peek(key), d.State.Orders[key]
		if !o.Servicing.Nonaccrual && !d.mixed[l.Key] && (was == nil || !was.Servicing.Nonaccrual) {
			continue
		}
		rest := StandingOf(o, l).Less(StandingOf(was, d.State.Loans[l.Key])).Less(d.postedCharge(l.Key))
		dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
		line := func(a ledger.Account, amount money.Amount) ledger.Posting {
			return ledger.Posting{Account: a, Amount: amount, Dimensions: dim}
		}
		d.Entry("NONACCRUAL_ADJUSTED", o.Key, d.on, line(ledger.ChargeReceivable, rest.Charge), line(ledger.UnearnedCharge, -rest.Unearned),
			line(ledger.ChargeIncome, rest.Unearned.Sub(rest.Charge)), line(ledger.NonaccrualCharge, rest.Memo), line(ledger.NonaccrualContra, -rest.Memo))
	}
}

// chargePosted lists the orders on whose charge the command has posted.
func (d *Draft) chargePosted() []string {
	var keys []string
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			charge := p.Account == ledger.ChargeReceivable || p.Account == ledger.UnearnedCharge || p.Account == ledger.NonaccrualCharge
			if charge && p.Order != "" && !slices.Contains(keys, p.Order) {
				keys = append(keys, p.Order)
			}
		}
	}
	return keys
}

// postedCharge is what the command has posted on the accounts of an order's charge.
func (d *Draft) postedCharge(key string) Receivable {
	var r Receivable
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			switch {
			case p.Order != key:
			case p.Account == ledger.ChargeReceivable:
				r.Charge = r.Charge.Add(p.Amount)
			case p.Account == ledger.UnearnedCharge:
				r.Unearned = r.Unearned.Sub(p.Amount)
			case p.Account == ledger.NonaccrualCharge:
				r.Memo = r.Memo.Add(p.Amount)
			}
		}
	}
	return r
}
