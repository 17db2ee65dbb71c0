package sim

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// observer knows what a request is about before it is decided, so that its outcome can be
// counted.
type observer struct {
	request   Request
	at        int // facts before
	available int64
	order     *order
	owed      int64 // of the order, or of the payment's
	payment   *payment
}

// observe looks at the world before a request.
func (r *Run) observe(q Request) observer {
	o := observer{request: q, at: len(r.Model.facts)}
	switch c := q.Command.(type) {
	case lending.CreateOrder:
		if r.Model.company(c.Company, o.at) != nil {
			o.available = r.Model.available(c.Company)
		}
	case payments.RefundPayment:
		o.payment = r.Model.payment(c.Payment)
	case payments.ReturnPayment:
		o.payment = r.Model.payment(c.Payment)
	default:
		if key := OrderOf(c); key != "" {
			o.order = r.Model.order(key)
		}
	}
	if o.payment != nil && o.payment.order != "" {
		o.order = r.Model.order(o.payment.order)
	}
	if o.order != nil {
		o.available = r.Model.available(o.order.company)
		o.owed = r.Books.Owed(o.order.key)
	}
	return o
}

// after counts the situations that an answer shows.
func (o observer) after(r *Run, a Answer) {
	reached := func(yes bool, s Situation) {
		if yes {
			r.Situations.Reached(s)
		}
	}
	switch c := o.request.Command.(type) {
	case lending.CreateOrder:
		o.line(reached, a, c.Authorize, int64(c.Amount), 0)
	case lending.UpdateOrder:
		o.updated(r, reached, a, c)
	case lending.ServiceOrder:
		reached(a.Code == "" && o.order.status == credit.OrderAuthorized && r.Model.order(c.Order).status == credit.OrderCanceled, ExpiredByService)
	case lending.RefundOrder:
		o.refunded(reached, a, c)
	case payments.RecordPayment:
		if a.Code == "" {
			o.paid(r, reached, r.Books.Payments[a.ID], c)
		}
	case payments.RefundPayment:
		reached(a.Code == "" && o.order != nil && r.Books.Owed(o.order.key) > o.owed, PaymentRefunded)
	case payments.ReturnPayment:
		again := o.payment == nil || o.payment.returned
		reached(a.Code == "" && !again && o.order != nil && o.owed == 0, ReturnAfterPayoff)
		reached(a.Code == "" && !again && o.payment != nil && o.payment.refunded > 0, ReturnAfterRefund)
	case lending.UpdateCompany:
		x := r.Books.Companies[c.Company]
		reached(a.Code == "" && c.Limit != nil && *c.Limit < x.Reserved+x.Outstanding, LimitBelowUse)
	}
}

// line counts what a reservation of an amount did to the line.
func (o observer) line(reached func(bool, Situation), a Answer, reserves bool, amount, own int64) {
	reached(a.Code == "insufficient_credit" && amount == o.available+own+1, DeclinedByOneCent)
	reached(a.Code == "" && reserves && amount == o.available+own, LineFilledExactly)
}

func (o observer) updated(r *Run, reached func(bool, Situation), a Answer, c lending.UpdateOrder) {
	if o.order == nil {
		return
	}
	amount := o.order.amount
	if c.Amount != nil {
		amount = int64(*c.Amount)
	}
	captures := c.Status == credit.OrderCaptured && o.order.status == credit.OrderAuthorized
	o.line(reached, a, c.Status == credit.OrderAuthorized && o.order.status == credit.OrderCreated || amount > o.order.reserved && o.order.reserved > 0, amount, o.order.reserved)
	_, _, day := r.Today().Civil()
	reached(a.Code == "" && captures && amount < o.order.reserved, CaptureBelow)
	reached(a.Code == "" && captures && amount > o.order.reserved, CaptureAbove)
	reached(a.Code == "" && captures && day == 31, CaptureOn31st)
	reached(a.Code == "" && captures && o.order.term.unfunded, UnfundedOrder)
	reached(a.Code == "authorization_expired" && r.World.Clock.Now().Equal(o.order.expires), CaptureAtExpiry)
	reached(a.Code == "company_not_eligible" && amount > o.order.amount, RaisedWhileSuspended)
	reached(a.Code == "" && c.Status == credit.OrderCanceled && o.order.status == credit.OrderAuthorized && o.order.children > 0, PartialThenCancel)
}

func (o observer) refunded(reached func(bool, Situation), a Answer, c lending.RefundOrder) {
	if a.Code != "" {
		return
	}
	for _, x := range o.order.refunds {
		if x.reference == c.Reference && c.Reference != "" {
			reached(true, RefundRepeated)
			return
		}
	}
	reached(c.Amount == nil || int64(*c.Amount) == o.order.captured-o.order.refunded(), RefundOfRest)
	reached(o.owed == 0, RefundAfterPayoff)
}

func (o observer) paid(r *Run, reached func(bool, Situation), p *credit.Payment, c payments.RecordPayment) {
	reached(p.Unapplied > 0 && !c.HoldExcess, Overpayment)
	reached(p.Unapplied > 0 && c.HoldExcess && p.Order != "", HeldExcess)
	reached(p.EffectiveDate < r.Today(), BackDated)
	orders := map[string]money.Amount{}
	for _, x := range p.Allocations {
		orders[x.Order] += x.Principal
	}
	reached(len(orders) > 1, CompanyLevel)
	if o.order == nil {
		return
	}
	for _, x := range o.order.refunds {
		reached(r.Model.facts[x.fact].day > p.EffectiveDate, BackDatedOverRefund)
	}
}
