package lending

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Company entry descriptions (F22).
const (
	EntryPayment  = "LOAN PYMT"
	EntryRetry    = "RETRY PYMT"
	EntryRefund   = "REFUND"
	EntryVerify   = "ACCTVERIFY"
	EntryReversal = "REVERSAL"
)

// Collect creates a payment with the transfer that collects it, to settle on the day wished or
// as soon as possible (None), and emits events. It is SCHEDULED if its file is not today's.
func Collect(d *credit.Draft, p *credit.Payment, entry string, wished calendar.Date) *credit.Payment {
	p.ID, p.Currency, p.Direction, p.EffectiveDate = d.IDs.Next(credit.PrefixPayment), money.USD, "IN", calendar.None
	p.CreatedAt, p.UpdatedAt, p.Version, p.Status = d.Env.Now, d.Env.Now, 1, credit.PaymentPending
	t := NewTransfer(d, &credit.Transfer{
		Rail: p.Method, Kind: credit.TransferPayment, Company: p.Company, Payment: p.ID, Method: p.MethodID, Amount: p.Amount, Entry: entry,
	}, wished)
	if today := d.Env.Today(); p.Autopay && p.Original == "" && t.Rail.Can().SameDay && today.IsBankingDay() && today == credit.BankingDayBefore(wished) {
		Dated(d, t, today, wished) // built at the cut-off, for the file of the same day
	}
	p.Transfer, p.ScheduledDate = t.ID, t.SettlesOn
	if t.SendOn > d.Env.Today() {
		p.Status = credit.PaymentScheduled
	}
	d.Payments.Add(p.ID, p)
	if p.Status == credit.PaymentScheduled {
		d.PaymentEvent(credit.PaymentScheduledEvent, p.ID)
	} else {
		d.PaymentEvent(credit.PaymentCreatedEvent, p.ID)
	}
	OpenDebit(d, p)
	return p
}

// NewTransfer creates a transfer that waits for its file. A card is charged at once, or at the
// cut-off of the day wished.
func NewTransfer(d *credit.Draft, t *credit.Transfer, wished calendar.Date) *credit.Transfer {
	t.ID, t.Status, t.ReleaseOn = d.IDs.Next(credit.PrefixTransfer), credit.TransferQueued, calendar.None
	t.CreatedAt, t.UpdatedAt, t.Version = d.Env.Now, d.Env.Now, 1
	sendOn, settlesOn := TransferDays(d.Env, wished)
	if t.Rail.Can().Answer {
		sendOn = max(d.Env.Today(), wished)
		settlesOn = sendOn
	}
	Dated(d, t, sendOn, settlesOn)
	if t.Rail.Can().Answer && sendOn == d.Env.Today() {
		t.NextAt = d.Env.Now
	}
	return d.Transfers.Add(t.ID, t)
}

// Dated sets the days of a waiting transfer.
func Dated(d *credit.Draft, t *credit.Transfer, sendOn, settlesOn calendar.Date) {
	t.SendOn, t.SettlesOn, t.NextAt = sendOn, settlesOn, credit.CutOff(d.Env.Zone, sendOn)
}

// EffectiveOn is the date on which a debit that settles on a day counts as made: the due date
// of a row that is collected on that day and that the debit was made in time for, else the day
// itself (F5; finance, section 5).
func EffectiveOn(d *credit.Draft, p *credit.Payment, settles calendar.Date) calendar.Date {
	on, created := settles, d.Env.Zone.Date(p.CreatedAt)
	if p.Method.Can().OnDue {
		return on // by day of capture
	}
	for _, key := range NotePaid(d, p) {
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

// NotePaid lists the orders that a payment may pay: its own, or those that it reaches.
func NotePaid(d *credit.Draft, p *credit.Payment) []string {
	if p.Order != "" {
		return []string{p.Order}
	}
	return Reach(d, p)
}

// OpenDebit marks a debit as pending on the orders that it will pay: what it pays is not
// collected again, and is not late if the debit is in time (F10, F12). A company-level debit
// is allocated as the waterfall would today.
func OpenDebit(d *credit.Draft, p *credit.Payment) {
	on := EffectiveOn(d, p, d.Transfers.Peek(p.Transfer).SettlesOn)
	if p.Order != "" {
		noteDebit(d, p.Order, credit.OpenDebit{Payment: p.ID, Items: p.Items, Amount: p.Amount, On: on})
		return
	}
	portfolio := portfolio(d, p.Company, NotePaid(d, p))
	effects := portfolio.Apply(schedule.Event{Kind: schedule.EventPayment, ID: p.ID, Date: max(on, d.Env.Today()), Amount: p.Amount, Scope: Reach(d, p)})
	for _, f := range effects {
		if f.Kind != schedule.EffectApplied {
			continue
		}
		for _, x := range byOrder(f.Parts) {
			noteDebit(d, x.order, credit.OpenDebit{Payment: p.ID, Amount: schedule.Total(x.parts), On: on})
		}
	}
}

// noteDebit adds an open debit to an order.
func noteDebit(d *credit.Draft, key string, x credit.OpenDebit) {
	o := d.Orders.Edit(key)
	o.Servicing.Open = append(slices.Clone(o.Servicing.Open), x)
}

// CloseDebit records that a debit has its outcome.
func CloseDebit(d *credit.Draft, p *credit.Payment) {
	for _, key := range ScopeOf(d, p) {
		if !slices.ContainsFunc(d.Orders.Peek(key).Servicing.Open, func(x credit.OpenDebit) bool { return x.Payment == p.ID }) {
			continue
		}
		o := d.Orders.Edit(key)
		o.Servicing.Open = slices.DeleteFunc(slices.Clone(o.Servicing.Open), func(x credit.OpenDebit) bool { return x.Payment == p.ID })
		if len(o.Servicing.Open) == 0 {
			o.Servicing.Open = nil
		}
	}
}
