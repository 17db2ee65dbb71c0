package sim

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// order is the state of an order.
type order struct {
	key, merchant, parent, number string
	company                       int64
	external                      bool
	status                        credit.OrderStatus
	reason                        string // of a cancel
	text                          string // merchant_status
	n                             int    // installments
	version                       int    // of the program, fixed at authorization
	term                          term
	amount                        int64
	authorized, reserved          int64
	captured                      int64
	expires, capturedAt           time.Time
	captureDay                    calendar.Date
	extended                      bool
	children                      int
	before                        int64 // captured in parts before its own capture
	refunds                       []refund
	settings                      *credit.Settings // of its program version
}

// refund is one refund by the merchant.
type refund struct {
	amount    int64
	reference string
	fact      int
}

func (o *order) refunded() int64 {
	sum := int64(0)
	for _, r := range o.refunds {
		sum += r.amount
	}
	return sum
}

// discount is the merchant discount of the capture and how much of it refunds gave back:
// cumulative shares of the refunds (F0, F13).
func (o *order) discount() (whole, back int64) {
	if o.captured == 0 {
		return 0, 0
	}
	whole = halfUp((o.before+o.captured)*o.term.discountRate, 1_000_000) - halfUp(o.before*o.term.discountRate, 1_000_000)
	return whole, halfUpBig(whole, o.refunded(), o.captured)
}

// order replays an order; nil if it does not exist.
func (m *Model) order(key string) *order {
	return recall(&m.orders, key, func() *order { return m.tellOrder(key) })
}

func (m *Model) tellOrder(key string) *order {
	var o *order
	for i, f := range m.facts {
		switch c := f.command.(type) {
		case lending.CreateOrder:
			if f.id == key {
				o = &order{
					key: key, merchant: f.actor.Merchant, company: c.Company, number: c.MerchantOrderID, amount: int64(c.Amount),
					n: c.Installments, external: c.External, status: credit.OrderCreated, text: c.MerchantStatus, captureDay: calendar.None,
				}
				if c.Authorize {
					m.authorized(o, i)
				}
			}
		case lending.UpdateOrder:
			if c.Order == key {
				m.updated(o, c, i)
			}
		case lending.CapturePart:
			if c.Order == key {
				o.reserved -= int64(c.Amount)
				o.amount -= int64(c.Amount)
				o.authorized = o.reserved
				o.children++
				o.before += int64(c.Amount)
			}
			if f.id == key {
				o = m.child(c, i)
			}
		case lending.ExtendOrder:
			if c.Order == key {
				o.extended = true
				o.expires = o.expires.Add(time.Duration(o.settings.ExtensionDays) * 24 * time.Hour)
			}
		case lending.RefundOrder:
			if c.Order == key {
				o.refundedBy(c, i)
			}
		case lending.ServiceOrder:
			if c.Order == key && o.status == credit.OrderAuthorized && !f.at.Before(o.expires) {
				o.canceled("authorization_expired")
			}
		}
	}
	return o
}

// authorized fixes the terms and reserves, as of a fact.
func (m *Model) authorized(o *order, at int) {
	f := m.facts[at]
	p := m.inForce(o.merchant, f.day)
	o.status, o.version, o.settings = credit.OrderAuthorized, p.version, &p.settings
	o.term, _ = termOf(&p.settings, o.n, m.company(o.company, at).tier, o.external)
	o.reserved, o.authorized = o.amount, o.amount
	o.expires = f.at.Add(time.Duration(p.settings.AuthorizationDays) * 24 * time.Hour)
}

// updated applies a PATCH: fields first, then the transition.
func (m *Model) updated(o *order, c lending.UpdateOrder, at int) {
	amount, n := o.amount, o.n
	if c.MerchantOrderID != nil {
		o.number = c.MerchantOrderID.Value
	}
	if c.MerchantStatus != nil {
		o.text = c.MerchantStatus.Value
	}
	if c.Amount != nil {
		o.amount = int64(*c.Amount)
	}
	if c.Installments != nil {
		o.n = c.Installments.Value
	}
	was := o.status
	if was == credit.OrderAuthorized && c.Status != credit.OrderCanceled && (amount != o.amount || n != o.n) {
		o.term, _ = termOf(o.settings, o.n, o.term.tier, o.external)
		if c.Status != credit.OrderCaptured || o.amount > o.reserved {
			o.reserved, o.authorized = o.amount, o.amount
		}
	}
	switch {
	case c.Status == was:
	case c.Status == credit.OrderAuthorized:
		m.authorized(o, at)
	case c.Status == credit.OrderCaptured:
		o.capturedWith(o.amount, m.facts[at])
	case c.Status == credit.OrderCanceled && was == credit.OrderAuthorized && !m.facts[at].at.Before(o.expires):
		o.canceled("authorization_expired")
	case c.Status == credit.OrderCanceled:
		o.canceled("merchant_canceled")
	}
}

func (o *order) capturedWith(amount int64, f fact) {
	o.status, o.captured, o.amount, o.reserved = credit.OrderCaptured, amount, amount, 0
	o.capturedAt, o.captureDay = f.at, f.day
}

func (o *order) canceled(reason string) {
	o.status, o.reason, o.reserved = credit.OrderCanceled, reason, 0
}

// child is a part of its parent as the parent was before the fact.
func (m *Model) child(c lending.CapturePart, at int) *order {
	earlier := Model{location: m.location, facts: m.facts[:at]}
	o := earlier.tellOrder(c.Order)
	o.key, o.parent, o.number, o.text = m.facts[at].id, c.Order, c.MerchantOrderID, ""
	o.authorized, o.children, o.refunds = int64(c.Amount), 0, nil
	o.capturedWith(int64(c.Amount), m.facts[at])
	return o
}

// refundedBy adds a refund unless its reference is known.
func (o *order) refundedBy(c lending.RefundOrder, at int) {
	if c.Reference != "" {
		for _, r := range o.refunds {
			if r.reference == c.Reference {
				return
			}
		}
	}
	amount := o.captured - o.refunded()
	if c.Amount != nil {
		amount = int64(*c.Amount)
	}
	o.refunds = append(o.refunds, refund{amount, c.Reference, at})
	if o.refunded() == o.captured {
		o.status = credit.OrderReturned
	}
}

// payment is the state of a payment.
type payment struct {
	id, merchant, order string
	company             int64
	amount, refunded    int64
	day                 calendar.Date
	hold, returned      bool
	held                bool // by the merchant, who pays refunds itself
	refunds             int
	never               int64         // part of refunded that a merchant had only reported
	given               map[int]int64 // what each refund gave back of paid money, by its fact
}

// payment replays a payment; nil if it does not exist.
func (m *Model) payment(id string) *payment {
	return recall(&m.payments, id, func() *payment { return m.tellPayment(id) })
}

func (m *Model) tellPayment(id string) *payment {
	var p *payment
	for i, f := range m.facts {
		switch c := f.command.(type) {
		case payments.RecordPayment:
			if f.id == id {
				p = &payment{id: id, merchant: f.actor.Merchant, order: m.target(c), company: c.Company, amount: int64(c.Amount), day: dayOf(c, f.day), hold: c.HoldExcess, given: map[int]int64{}}
				if p.order != "" {
					p.company = m.order(p.order).company
				}
				p.held = p.merchant != "" || p.order != "" && m.order(p.order).external
			}
		case payments.RefundPayment:
			if c.Payment == id {
				amount := f.amount
				p.given[i] = amount - f.never
				p.refunded += amount
				p.never += f.never
				p.refunds++
			}
		case payments.ReturnPayment:
			if c.Payment == id {
				p.returned = true
				if !p.held { // its refunds are not paid yet: they are canceled
					p.refunded = 0
				}
			}
		}
	}
	return p
}

// status is the payment's status by its history.
func (p *payment) status() credit.PaymentStatus {
	switch {
	case p.returned:
		return credit.PaymentReturned
	case p.refunded == p.amount:
		return credit.PaymentRefunded
	case p.refunded > 0:
		return credit.PaymentPartiallyRefunded
	}
	return credit.PaymentSucceeded
}

// target is the order that a payment names, "" for a company's.
func (m *Model) target(c payments.RecordPayment) string {
	if c.Invoice != "" {
		return m.seen.OrderOfInvoice(c.Invoice)
	}
	return c.Order
}

func dayOf(c payments.RecordPayment, today calendar.Date) calendar.Date {
	if c.EffectiveDate == calendar.None {
		return today
	}
	return c.EffectiveDate
}
