package lending

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Withdraw takes back the report of money that a merchant said it had and still holds: this
// part was never paid (F41.5). The loans are replayed without it from the payment's day, so
// that charges and days past due follow the true due dates. Late fee and suspension wait for
// the grace days from today, unless the report is corrected on its own day.
func Withdraw(d *credit.Draft, p *credit.Payment, amount money.Amount, reason string) {
	r := credit.PaymentRefund{
		ID: d.IDs.Next(credit.PrefixRefund), Amount: amount, Reason: reason, Withdrawn: true, Status: credit.RefundSettled, CreatedAt: d.Env.Now, SettledAt: d.Env.Now,
	}
	p.Refunds, p.Refunded = append(slices.Clone(p.Refunds), r), p.Refunded.Add(amount)
	if p.Status = credit.PaymentPartiallyRefunded; p.Refunded == p.Amount {
		p.Status = credit.PaymentRefunded
	}
	d.PaymentEvent(credit.PaymentRefundedEvent, p.ID)
	was := PaidBy(d, p)
	Play(d, p.Company, ScopeOf(d, p), schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: r.ID, Date: d.Env.Today(), Seq: NextSeq(d, p.Company), Order: Debtor(d, p), Payment: p.ID, Amount: amount, Withdrawn: true,
	}, nil)
	if !corrects(d, p) {
		Reopened(d, was, false)
	}
	SettlePayment(d, p)
}

// ReportWithdrawn is the part of a payment that was only reported and never paid (F41.5).
func ReportWithdrawn(p *credit.Payment) money.Amount {
	sum := money.Amount(0)
	for _, r := range p.Refunds {
		if r.Withdrawn {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}

// corrects reports whether a payment was recorded today: taking it back corrects an error
// (F41.5).
func corrects(d *credit.Draft, p *credit.Payment) bool {
	return d.Env.Zone.Date(p.CreatedAt) == d.Env.Today()
}

// WithdrawalDays is how long a report that was taken back counts against its order and is
// shown to the lender (F41.5).
const WithdrawalDays = 30

// CountWithdrawn requires that a merchant's token has not taken back too many reports this
// month, and counts this one.
func CountWithdrawn(d *credit.Draft, p *credit.Payment, amount money.Amount, records int) *credit.Rejection {
	if d.Env.Actor.Operator || corrects(d, p) {
		return nil
	}
	m := d.Merchants.Edit(d.Env.Actor.Merchant)
	if records < m.RecordsThatCount(d.Env.Today()) {
		return credit.NotAllowed.Because(fmt.Sprintf("A merchant can withdraw at most %d reported payments a month, or %d%% of those it recorded in the month. The lender can withdraw more.", credit.MaxWithdrawn, credit.WithdrawnPercent))
	}
	m.Account.Withdrawn = append(slices.Clone(m.Account.WithdrawnSince(d.Env.Today().AddDays(1-WithdrawalDays))), credit.WithdrawnReport{On: d.Env.Today(), Payment: p.ID, Amount: amount})
	return nil
}

// MayWithdraw requires that a merchant's token has not taken back too many reports: one per
// order in thirty days, not counting same-day corrections (F41.5). Staff are not limited.
func MayWithdraw(d *credit.Draft, p *credit.Payment) *credit.Rejection {
	if d.Env.Actor.Operator || corrects(d, p) {
		return nil
	}
	since := d.Env.Today().AddDays(-WithdrawalDays)
	for _, key := range ownOrders(d, p) {
		recent := slices.DeleteFunc(slices.Clone(d.Orders.Peek(key).Servicing.Withdrawn), func(day calendar.Date) bool { return day <= since })
		if len(recent) > 0 {
			return credit.NotAllowed.Because(fmt.Sprintf("A merchant can withdraw one reported payment per order in %d days. The lender can withdraw more.", WithdrawalDays))
		}
		d.Orders.Edit(key).Servicing.Withdrawn = append(recent, d.Env.Today())
	}
	return nil
}

// TookBack reports whether a merchant has recently taken back a report of an order, or of one
// of its orders of a company. Money that is reported again could hide forever that nothing was
// paid (F41.5).
func TookBack(s *credit.State, o *credit.Order, company int64, e credit.Env) bool {
	recent := func(o *credit.Order) bool {
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

// ownOrders are the caller's orders that a payment being taken back is for or had paid.
// Nothing is counted on another merchant's order.
func ownOrders(d *credit.Draft, p *credit.Payment) (keys []string) {
	for _, key := range append([]string{p.Order}, allocated(p)...) {
		if o := d.Orders.Peek(key); o != nil && o.Merchant == d.Env.Actor.Merchant && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// allocated are the orders that a payment has paid, with duplicates.
func allocated(p *credit.Payment) (keys []string) {
	for _, a := range p.Allocations {
		keys = append(keys, a.Order)
	}
	return keys
}

// postWithdrawn books money that was never paid: what had been booked as received is no longer
// due from the merchant. On an externally managed order the application itself had booked it,
// and is replayed.
func postWithdrawn(d *credit.Draft, company int64, e schedule.Event) credit.Posted {
	pay := d.Payments.Peek(e.Payment)
	posted := credit.Posted{Effect: schedule.Effect{Date: e.Date}}
	if o := d.Orders.Peek(pay.Order); o != nil && o.External {
		return posted
	}
	p := &Poster{D: d, Company: company, Event: e, Payment: pay.ID, On: e.Date}
	lines := append([]ledger.Posting{{Account: ledger.PaymentsPending, Amount: e.Amount, Dimensions: PendingDims(d, pay)}}, p.toMerchant(e.Amount, pay.Order, pay.Merchant)...)
	if id := d.Entry("PAYMENT_WITHDRAWN", e.ID, pay.EffectiveDate, lines...); id != "" {
		posted.Entries = append(posted.Entries, id)
	}
	posted.Due = p.due
	return posted
}
