package storetest

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// pay records a payment on an order, or on a company, that pays part of a row.
func (c *change) pay() string {
	w := c.w
	o := w.orderIn(credit.OrderCaptured)
	if o == nil {
		return c.newOrder()
	}
	p := &credit.Payment{
		ID: w.id("pay"), Company: o.Company, Merchant: pick(w, []string{"", o.Merchant}), Order: o.Key, Amount: 500, Currency: money.USD,
		Status: pick(w, []credit.PaymentStatus{credit.PaymentScheduled, credit.PaymentPending, credit.PaymentSucceeded}),
		Method: pick(w, []credit.Method{credit.ACH, credit.Wire}), Direction: "IN",
		ScheduledDate: calendar.None, EffectiveDate: w.today().AddDays(-w.rng.IntN(9)), CreatedAt: w.at, UpdatedAt: w.at,
		Version: 1, EventSeq: 1,
	}
	if m := w.methodOf(o.Company); m != nil && w.rng.IntN(2) == 0 {
		p.MethodID, p.Autopay, p.FeeAssessed, p.OnHold = m.ID, true, w.rng.IntN(2) == 0, money.Amount(w.rng.IntN(500))
		p.Items = []schedule.Ref{{Order: o.Key, Installment: 1 + w.rng.IntN(6)}}
	}
	touches := []string{o.Key}
	switch w.rng.IntN(4) {
	case 0: // of the company, over two orders
		p.Order = ""
		for _, key := range w.State.Accounts[o.Company] {
			if key != o.Key && len(touches) < 2 {
				touches = append(touches, key)
			}
		}
		slices.Sort(touches)
	case 1:
		p.Invoice, p.ScheduledDate, p.EffectiveDate = o.Invoice, p.EffectiveDate, calendar.None
	case 2:
		p.ExternalID = w.id("ext")
		c.Claims = map[credit.Claim]string{{Kind: credit.ClaimExternalID, Scope: o.Merchant, Name: p.ExternalID}: p.ID}
	}
	w.payments = append(w.payments, p.ID)
	c.payRow(o, p)
	entry := c.entry("PAYMENT_SUCCEEDED", p.Amount, dims(o))
	c.money(schedule.Event{Kind: schedule.EventPayment, ID: p.ID, Date: w.today(), Seq: w.q, Order: p.Order, Amount: p.Amount,
		Earmark: []schedule.Ref{{Order: o.Key, Installment: 1}}}, o.Company, entry, touches...)
	c.Payments = append(c.Payments, p)
	c.event(credit.PaymentCreatedEvent, "payment", p.ID, 1, p.Company, w.readerOf(p))
	return "payment.create"
}

// payRow pays as much as the payment can of the first open row.
func (c *change) payRow(o *credit.Order, p *credit.Payment) {
	l := c.loan(o.Key)
	for i := range l.Rows {
		r := &l.Rows[i]
		if open := r.Principal - r.PaidPrincipal; open > 0 {
			part := min(open, p.Amount)
			r.PaidPrincipal += part
			p.Allocations = []credit.Allocation{{Order: o.Key, Installment: r.Number, Principal: part}}
			break
		}
	}
	c.company(o.Company).Credit += 1
}

// editPayment moves a payment along an edge; a return changes its money event too.
func (c *change) editPayment() string {
	w := c.w
	if len(w.payments) == 0 {
		return c.newOrder()
	}
	p := *w.State.Payments[pick(w, w.payments)]
	next := map[credit.PaymentStatus][]credit.PaymentStatus{
		credit.PaymentScheduled: {credit.PaymentPending, credit.PaymentCanceled},
		credit.PaymentPending:   {credit.PaymentSucceeded, credit.PaymentFailed},
		credit.PaymentSucceeded: {credit.PaymentReturned, credit.PaymentRefunded},
	}[p.Status]
	if next == nil {
		return "nothing"
	}
	p.Status = pick(w, next)
	p.Version++
	p.EventSeq++
	p.UpdatedAt = w.at
	switch p.Status {
	case credit.PaymentReturned, credit.PaymentFailed:
		p.Failure = &credit.Failure{Code: "returned", ReturnCode: "R01", Retryable: true}
		c.returned(&p)
	case credit.PaymentRefunded:
		p.Refunded = p.Amount
		p.Refunds = []credit.PaymentRefund{{ID: w.id("prf"), Amount: p.Amount, Reason: "asked", CreatedAt: w.at}}
	}
	if p.OwedSince = (time.Time{}); w.rng.IntN(2) == 0 {
		p.OwedSince = w.at
	}
	c.Payments = append(c.Payments, &p)
	c.event(credit.PaymentReturnedEvent, "payment", p.ID, p.EventSeq, p.Company, w.readerOf(&p))
	return "payment.update"
}

// readerOf is the merchant that may read a payment's events.
func (w *World) readerOf(p *credit.Payment) string {
	switch {
	case p.Order != "":
		return w.State.Orders[p.Order].Merchant
	case p.Merchant != "":
		return p.Merchant
	}
	return credit.OperatorOnly
}

// returned marks the payment's event as a replay does, and records the return.
func (c *change) returned(p *credit.Payment) {
	for _, key := range c.w.orders {
		for _, e := range c.w.State.History[key] {
			if e.ID != p.ID {
				continue
			}
			e.Returned, e.Posted = true, nil
			c.Money = append(c.Money, e)
			c.money(schedule.Event{Kind: schedule.EventReturn, ID: c.w.id("ret"), Date: c.w.today(), Seq: c.w.q,
				Order: p.Order, Payment: p.ID, Amount: p.Amount}, p.Company, "", e.Touches...)
			return
		}
	}
}
