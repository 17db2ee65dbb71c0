package credit

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// withdraw takes back the report of money that a merchant said it had and still holds: this
// part was never paid (F41.5). The loans are replayed from the payment's day without it, so
// that charges and days past due are those of the true due dates. Late fee and suspension
// wait the days of grace from today, but not if the report is corrected on its own day.
func (d *Draft) withdraw(p *Payment, amount money.Amount, reason string) {
	r := PaymentRefund{
		ID: d.IDs.Next(prefixRefund), Amount: amount, Reason: reason, Withdrawn: true, Status: RefundSettled, CreatedAt: d.Env.Now, SettledAt: d.Env.Now,
	}
	p.Refunds, p.Refunded = append(slices.Clone(p.Refunds), r), p.Refunded.Add(amount)
	if p.Status = PaymentPartiallyRefunded; p.Refunded == p.Amount {
		p.Status = PaymentRefunded
	}
	d.paymentEvent(PaymentRefundedEvent, p.ID)
	was := d.paidBy(p)
	d.play(p.Company, d.scope(p), schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: r.ID, Date: d.Env.Today(), Seq: d.nextSeq(p.Company), Order: d.debtor(p), Payment: p.ID, Amount: amount, Withdrawn: true,
	}, nil)
	if !d.corrects(p) {
		d.reopened(was, false)
	}
	d.settlePayment(p)
}

// withdrawn is what of a payment was only reported and never paid (F41.5).
func (p *Payment) withdrawn() money.Amount {
	sum := money.Amount(0)
	for _, r := range p.Refunds {
		if r.Withdrawn {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}

// corrects reports that a payment was recorded today: taking it back corrects an error (F41.5).
func (d *Draft) corrects(p *Payment) bool { return d.Env.Zone.Date(p.CreatedAt) == d.Env.Today() }

// WithdrawalDays is for how long a report that was taken back counts against its order, and
// is told to the lender (F41.5).
const WithdrawalDays = 30

// A merchant takes back so many reports a month, or this share of what it has recorded in
// that month, if that is more (F41.5).
const (
	maxWithdrawn     = 3
	withdrawnPercent = 2
)

// WithdrawnReport is a report of money that a merchant's token has taken back.
type WithdrawnReport struct {
	On      calendar.Date `json:"on"`
	Payment string        `json:"payment"`
	Amount  money.Amount  `json:"amount"`
}

// WithdrawnSince lists the reports that a merchant has taken back since a day.
func (a *MerchantAccount) WithdrawnSince(day calendar.Date) []WithdrawnReport {
	i := slices.IndexFunc(a.Withdrawn, func(x WithdrawnReport) bool { return x.On >= day })
	if i < 0 {
		return nil
	}
	return a.Withdrawn[i:]
}

// RecordsThatCount is how many records of a month a merchant needs for one more report to be
// taken back in it, 0 if it needs none: more of them need not be counted.
func (m *Merchant) RecordsThatCount(today calendar.Date) int {
	if n := len(m.Account.WithdrawnSince(today.AddMonths(-1).EndOfMonth() + 1)); n >= maxWithdrawn {
		return (n + 1) * 100 / withdrawnPercent
	}
	return 0
}

// countWithdrawn asks that a merchant's token has not taken back too many reports this month,
// and counts this one.
func (d *Draft) countWithdrawn(p *Payment, amount money.Amount, records int) *Rejection {
	if d.Env.Actor.Operator || d.corrects(p) {
		return nil
	}
	m := d.Merchants.Edit(d.Env.Actor.Merchant)
	if records < m.RecordsThatCount(d.Env.Today()) {
		return NotAllowed.Because(fmt.Sprintf("A merchant can withdraw at most %d reported payments a month, or %d%% of those it recorded in the month. The lender can withdraw more.", maxWithdrawn, withdrawnPercent))
	}
	m.Account.Withdrawn = append(slices.Clone(m.Account.WithdrawnSince(d.Env.Today().AddDays(1-WithdrawalDays))), WithdrawnReport{d.Env.Today(), p.ID, amount})
	return nil
}

// mayWithdraw asks that a merchant's token has not taken back too many reports: one an order
// in thirty days, without corrections of the same day (F41.5). Staff are not bound.
func (d *Draft) mayWithdraw(p *Payment) *Rejection {
	if d.Env.Actor.Operator || d.corrects(p) {
		return nil
	}
	since := d.Env.Today().AddDays(-WithdrawalDays)
	for _, key := range d.ownOrders(p) {
		recent := slices.DeleteFunc(slices.Clone(d.Orders.Peek(key).Servicing.Withdrawn), func(day calendar.Date) bool { return day <= since })
		if len(recent) > 0 {
			return NotAllowed.Because(fmt.Sprintf("A merchant can withdraw one reported payment per order in %d days. The lender can withdraw more.", WithdrawalDays))
		}
		d.Orders.Edit(key).Servicing.Withdrawn = append(recent, d.Env.Today())
	}
	return nil
}

// tookBack reports whether a merchant has taken a report back of an order, or of one of its
// orders of a company, that is not long ago. Money that is reported again would hide for
// ever that nothing was paid (F41.5).
func (s *State) tookBack(o *Order, company int64, e Env) bool {
	recent := func(o *Order) bool {
		return slices.ContainsFunc(o.Servicing.Withdrawn, func(day calendar.Date) bool { return day > e.Today().AddDays(-WithdrawalDays) })
	}
	if o != nil {
		return recent(o)
	}
	return slices.ContainsFunc(s.Accounts[company], func(key string) bool {
		o := s.Orders[key]
		return o != nil && o.Merchant == e.Actor.Merchant && recent(o)
	})
}

// ownOrders are the orders of who takes a payment back that it is for or had paid. On
// another merchant's order nothing is counted.
func (d *Draft) ownOrders(p *Payment) (keys []string) {
	for _, key := range append([]string{p.Order}, allocated(p)...) {
		if o := d.Orders.Peek(key); o != nil && o.Merchant == d.Env.Actor.Merchant && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// allocated are the orders that a payment has paid, with doubles.
func allocated(p *Payment) (keys []string) {
	for _, a := range p.Allocations {
		keys = append(keys, a.Order)
	}
	return keys
}

// postWithdrawn books money that was never paid: what had been booked as received is no
// longer due from the merchant. On an externally managed order the application itself had
// booked it, and is replayed.
func (d *Draft) postWithdrawn(company int64, e schedule.Event) Posted {
	pay := d.Payments.Peek(e.Payment)
	posted := Posted{Effect: schedule.Effect{Date: e.Date}}
	if o := d.Orders.Peek(pay.Order); o != nil && o.External {
		return posted
	}
	p := &poster{d: d, company: company, event: e, payment: pay.ID, on: e.Date}
	lines := append([]ledger.Posting{{Account: ledger.PaymentsPending, Amount: e.Amount, Dimensions: d.pendingDims(pay)}}, p.toMerchant(e.Amount, pay.Order, pay.Merchant)...)
	if id := d.Entry("PAYMENT_WITHDRAWN", e.ID, pay.EffectiveDate, lines...); id != "" {
		posted.Entries = append(posted.Entries, id)
	}
	posted.Due = p.due
	return posted
}
