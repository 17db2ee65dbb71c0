package credit

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Company entry descriptions (F22).
const (
	entryPayment  = "LOAN PYMT"
	entryRetry    = "RETRY PYMT"
	entryRefund   = "REFUND"
	entryVerify   = "ACCTVERIFY"
	entryReversal = "REVERSAL"
)

// rail reports that a payment moves through a rail: it is debited, and its outcome is
// known later. What an externally managed order is paid never is (F33).
func (c RecordPayment) rail(o *Order) bool {
	return c.Method.Can().Debit && (o == nil || !o.External)
}

// method is the account that a payment through a rail debits, nil if there is none:
// the one given, else the account of autopay; of those that the caller may use (F36).
func (c RecordPayment) method(s *State, company int64, by Actor) *PaymentMethod {
	if m := c.account(s, company, by); m != nil && m.Usable() {
		return m
	}
	return nil
}

// account is the account that a payment through a rail names, whatever its status.
func (c RecordPayment) account(s *State, company int64, by Actor) *PaymentMethod {
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

// refuseDates answers the dates of a payment through a rail.
func (c RecordPayment) refuseDates(e Env) *Rejection {
	today := e.Today()
	switch {
	case c.EffectiveDate != calendar.None:
		return InvalidEffectiveDate.Because("A payment through a rail takes effect when it settles.")
	case c.ScheduledDate != calendar.None && c.ScheduledDate < today:
		return InvalidEffectiveDate.Because("scheduled_date lies in the past.")
	case c.ScheduledDate != calendar.None && c.ScheduledDate > today.AddDays(maxScheduled):
		return InvalidEffectiveDate.Because("A payment is scheduled at most a year ahead.")
	}
	return nil
}

// MaxOpenDebits is how many payments of an order may be SCHEDULED or PENDING (F41.10).
const MaxOpenDebits = 300

// TooManyOpen refuses one more payment through a rail of an order that has as many as may be
// open.
func TooManyOpen(o *Order) *Rejection {
	if o == nil || len(o.Servicing.Open) < MaxOpenDebits {
		return nil
	}
	return LimitExceeded.With(fmt.Sprintf("An order has at most %d payments that are SCHEDULED or PENDING.", MaxOpenDebits),
		map[string]any{"limit": "open_payments", "maximum": MaxOpenDebits})
}

// send records a payment that goes through a rail.
func (c RecordPayment) send(d *Draft, o *Order) *Payment {
	p := &Payment{
		Company: c.Company, Merchant: d.Env.Actor.Merchant, Amount: c.Amount, Method: c.Method, Reference: c.Reference, ExternalID: c.ExternalID,
		Memo: c.Memo, HoldExcess: c.HoldExcess, Attempt: 1,
	}
	if o != nil {
		p.Company, p.Order, p.Invoice = o.Company, o.Key, o.Invoice
	}
	p.MethodID = c.method(d.State, p.Company, d.Env.Actor).ID
	return d.collect(p, entryPayment, c.ScheduledDate)
}

// collect makes a payment with the transfer that collects it, to settle on the day
// wished or as soon as possible after it (None), and tells. It waits for its file as
// SCHEDULED if that is not today's.
func (d *Draft) collect(p *Payment, entry string, wished calendar.Date) *Payment {
	p.ID, p.Currency, p.Direction, p.EffectiveDate = d.IDs.Next(prefixPayment), money.USD, "IN", calendar.None
	p.CreatedAt, p.UpdatedAt, p.Version, p.Status = d.Env.Now, d.Env.Now, 1, PaymentPending
	t := d.transfer(&Transfer{
		Rail: p.Method, Kind: TransferPayment, Company: p.Company, Payment: p.ID, Method: p.MethodID, Amount: p.Amount, Entry: entry,
	}, wished)
	if today := d.Env.Today(); p.Autopay && p.Original == "" && t.Rail.Can().SameDay && today.IsBankingDay() && today == bankingDayBefore(wished) {
		d.dated(t, today, wished) // built at the cut-off, for the file of the same day
	}
	p.Transfer, p.ScheduledDate = t.ID, t.SettlesOn
	if t.SendOn > d.Env.Today() {
		p.Status = PaymentScheduled
	}
	d.Payments.Add(p.ID, p)
	if p.Status == PaymentScheduled {
		d.paymentEvent(PaymentScheduledEvent, p.ID)
	} else {
		d.paymentEvent(PaymentCreatedEvent, p.ID)
	}
	d.openDebit(p)
	return p
}

// transfer makes a transfer that waits for its file. A card is charged at once, or at
// the cut-off of the day wished.
func (d *Draft) transfer(t *Transfer, wished calendar.Date) *Transfer {
	t.ID, t.Status, t.ReleaseOn = d.IDs.Next(PrefixTransfer), TransferQueued, calendar.None
	t.CreatedAt, t.UpdatedAt, t.Version = d.Env.Now, d.Env.Now, 1
	sendOn, settlesOn := TransferDays(d.Env, wished)
	if t.Rail.Can().Answer {
		sendOn = max(d.Env.Today(), wished)
		settlesOn = sendOn
	}
	d.dated(t, sendOn, settlesOn)
	if t.Rail.Can().Answer && sendOn == d.Env.Today() {
		t.NextAt = d.Env.Now
	}
	return d.Transfers.Add(t.ID, t)
}

// dated gives a waiting transfer its days.
func (d *Draft) dated(t *Transfer, sendOn, settlesOn calendar.Date) {
	t.SendOn, t.SettlesOn, t.NextAt = sendOn, settlesOn, cutOff(d.Env.Zone, sendOn)
}

// effectiveOn is the date on which a debit that settles on a day counts as made: the
// due date of a row that is collected on that day and for which it was made in time,
// else the day itself (F5; finance, section 5).
func (d *Draft) effectiveOn(p *Payment, settles calendar.Date) calendar.Date {
	on, created := settles, d.Env.Zone.Date(p.CreatedAt)
	if p.Method.Can().OnDue {
		return on // by day of capture
	}
	for _, key := range d.paid(p) {
		l := d.LoanOf(key)
		for i := range l.Rows {
			r := &l.Rows[i]
			meant := p.Items == nil || slices.Contains(p.Items, schedule.Ref{Order: key, Installment: r.Number})
			if meant && r.Amount() > 0 && schedule.Collection(r.DueDate) == settles && created <= r.DueDate {
				on = min(on, r.DueDate)
			}
		}
	}
	return on
}

// paid lists the orders that a payment may pay: its own, or those that it reaches.
func (d *Draft) paid(p *Payment) []string {
	if p.Order != "" {
		return []string{p.Order}
	}
	return d.reach(p)
}

// openDebit notes on the orders that a debit will pay that it is on its way: what it
// pays is not collected again, and not late if it is in time (F10, F12). A debit of the
// company is shared out as the waterfall would today.
func (d *Draft) openDebit(p *Payment) {
	on := d.effectiveOn(p, d.Transfers.Peek(p.Transfer).SettlesOn)
	if p.Order != "" {
		d.noteDebit(p.Order, OpenDebit{Payment: p.ID, Items: p.Items, Amount: p.Amount, On: on})
		return
	}
	portfolio := d.portfolio(p.Company, d.paid(p))
	effects := portfolio.Apply(schedule.Event{Kind: schedule.EventPayment, ID: p.ID, Date: max(on, d.Env.Today()), Amount: p.Amount, Scope: d.reach(p)})
	for _, f := range effects {
		if f.Kind != schedule.EffectApplied {
			continue
		}
		for _, x := range byOrder(f.Parts) {
			d.noteDebit(x.order, OpenDebit{Payment: p.ID, Amount: schedule.Total(x.parts), On: on})
		}
	}
}

// noteDebit adds an open debit to an order.
func (d *Draft) noteDebit(key string, x OpenDebit) {
	o := d.Orders.Edit(key)
	o.Servicing.Open = append(slices.Clone(o.Servicing.Open), x)
}

// closeDebit notes that a debit has its outcome.
func (d *Draft) closeDebit(p *Payment) {
	for _, key := range d.scope(p) {
		if !slices.ContainsFunc(d.Orders.Peek(key).Servicing.Open, func(x OpenDebit) bool { return x.Payment == p.ID }) {
			continue
		}
		o := d.Orders.Edit(key)
		o.Servicing.Open = slices.DeleteFunc(slices.Clone(o.Servicing.Open), func(x OpenDebit) bool { return x.Payment == p.ID })
		if len(o.Servicing.Open) == 0 {
			o.Servicing.Open = nil
		}
	}
}
