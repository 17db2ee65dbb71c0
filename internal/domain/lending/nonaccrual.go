package lending

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// stopAccrual puts an order into nonaccrual: charge earned and unpaid leaves income, and from
// then on charge is income when paid (F18). The borrower's figures do not change.
func stopAccrual(d *credit.Draft, key string) {
	o := d.Orders.Edit(key)
	o.Servicing.Nonaccrual, o.Servicing.CurrentSince = true, 0
	d.Mixed[key] = true // even if the same command ends it
	rebook(d, "NONACCRUAL_BEGUN", o, d.LoanOf(key), +1)
}

// resume ends nonaccrual once the order is paid off or has been current for six months in a
// row; the memo is then booked back.
func resume(d *credit.Draft, key string, day calendar.Date) {
	o, l := d.Standing(key)
	current := o.Servicing.CurrentSince != 0 && day >= o.Servicing.CurrentSince.AddMonths(credit.AccrualMonths)
	if !o.Servicing.Nonaccrual || l.ChargedOff || !current && credit.Owes(l) {
		return
	}
	o = d.Orders.Edit(key)
	rebook(d, "NONACCRUAL_ENDED", o, l, -1)
	o.Servicing.Nonaccrual, o.Servicing.CurrentSince = false, 0
}

// currentLoan records since when an order in nonaccrual has not been late, and ends the
// nonaccrual of a paid-off order.
func currentLoan(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if !o.Servicing.Nonaccrual {
		return
	}
	today := serveTheDay(d, l)
	late := o.DPD(l, today) > 0
	switch s := &d.Orders.Edit(key).Servicing; {
	case late:
		s.CurrentSince = 0
	case s.CurrentSince == 0:
		s.CurrentSince = today
	}
	resume(d, key, today)
}

// rebook moves what is earned and unpaid between income and its account in nonaccrual: memo,
// or unearned charge for a flat fee.
func rebook(d *credit.Draft, event string, o *credit.Order, l *schedule.Loan, sign money.Amount) {
	dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
	line := func(a ledger.Account, amount money.Amount) ledger.Posting {
		return ledger.Posting{Account: a, Amount: sign * amount, Dimensions: dim}
	}
	is := credit.Owed(l)
	if l.Terms.Plan == schedule.FlatFee {
		earned := is.Charge.Sub(is.Unearned)
		d.Entry(event, o.Key, d.On, line(ledger.ChargeIncome, earned), line(ledger.UnearnedCharge, -earned))
	} else {
		d.Entry(event, o.Key, d.On, line(ledger.ChargeIncome, is.Charge), line(ledger.ChargeReceivable, -is.Charge),
			line(ledger.NonaccrualCharge, is.Charge), line(ledger.NonaccrualContra, -is.Charge))
	}
}
