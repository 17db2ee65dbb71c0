package payments

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// rail reports whether a payment moves through a rail: it is debited, and its outcome is known
// later. Payments of an externally managed order never do (F33).
func (c RecordPayment) rail(o *credit.Order) bool {
	return c.Method.Can().Debit && (o == nil || !o.External)
}

// method is the account that a payment through a rail debits, nil if there is none: the given
// one, else autopay's, if the caller may use it (F36).
func (c RecordPayment) method(s *credit.State, company int64, by credit.Actor) *credit.PaymentMethod {
	if m := c.account(s, company, by); m != nil && m.Usable() {
		return m
	}
	return nil
}

// account is the account that a payment through a rail names, regardless of its status.
func (c RecordPayment) account(s *credit.State, company int64, by credit.Actor) *credit.PaymentMethod {
	id := c.PaymentMethod
	if id == "" {
		id = s.Companies[company].AutopayOf(by.Merchant).Method
	}
	if m := s.Methods[id]; m != nil && m.Company == company && m.Type == c.Method && m.UsableBy(by) {
		return m
	}
	return nil
}

// maxScheduled is how many days ahead a payment may be scheduled.
const maxScheduled = 366

// refuseDates checks the dates of a payment through a rail.
func (c RecordPayment) refuseDates(e credit.Env) *credit.Rejection {
	today := e.Today()
	switch {
	case c.EffectiveDate != calendar.None:
		return credit.InvalidEffectiveDate.Because("A payment through a rail takes effect when it settles.")
	case c.ScheduledDate != calendar.None && c.ScheduledDate < today:
		return credit.InvalidEffectiveDate.Because("scheduled_date is in the past.")
	case c.ScheduledDate != calendar.None && c.ScheduledDate > today.AddDays(maxScheduled):
		return credit.InvalidEffectiveDate.Because("A payment can be scheduled at most one year ahead.")
	}
	return nil
}

// MaxOpenDebits is how many payments of an order may be SCHEDULED or PENDING (F41.10).
const MaxOpenDebits = 300

// TooManyOpen rejects another payment through a rail for an order that has the most open ones
// allowed.
func TooManyOpen(o *credit.Order) *credit.Rejection {
	if o == nil || len(o.Servicing.Open) < MaxOpenDebits {
		return nil
	}
	return credit.LimitExceeded.With(fmt.Sprintf("An order has at most %d payments that are SCHEDULED or PENDING.", MaxOpenDebits),
		map[string]any{"limit": "open_payments", "maximum": MaxOpenDebits})
}

// send creates a payment that goes through a rail.
func (c RecordPayment) send(d *credit.Draft, o *credit.Order) *credit.Payment {
	p := &credit.Payment{
		Company: c.Company, Merchant: d.Env.Actor.Merchant, Amount: c.Amount, Method: c.Method, Reference: c.Reference, ExternalID: c.ExternalID,
		Memo: c.Memo, HoldExcess: c.HoldExcess, Attempt: 1,
	}
	if o != nil {
		p.Company, p.Order, p.Invoice = o.Company, o.Key, o.Invoice
	}
	p.MethodID = c.method(d.State, p.Company, d.Env.Actor).ID
	return lending.Collect(d, p, lending.EntryPayment, c.ScheduledDate)
}
