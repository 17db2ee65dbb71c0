package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Day is exactly 24 hours, regardless of clock changes in the business zone.
const Day = 24 * time.Hour

// Reserve sets an order's reservation and posts the memo entry for the difference.
func (d *Draft) Reserve(o *Order, amount money.Amount) {
	delta := amount.Sub(o.Reserved)
	if delta == 0 {
		return
	}
	c := d.Companies.Edit(o.Company)
	c.Reserved = c.Reserved.Add(delta)
	o.Reserved = amount
	if amount > 0 {
		o.Authorized = amount
	}
	event := "ORDER_AUTHORIZED"
	if delta < 0 {
		event = "RESERVATION_RELEASED"
	}
	dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
	d.Entry(event, o.Key, d.Env.Today(),
		ledger.Posting{Account: ledger.Reserved, Amount: delta, Dimensions: dim},
		ledger.Posting{Account: ledger.ReservedContra, Amount: -delta, Dimensions: dim})
}

// DiscountOf is the merchant discount of a capture: what it adds to the discount of everything
// captured under one authorization, so that splitting into parts never avoids any of it
// (F41.10, F0).
func (o *Order) DiscountOf(captured money.Amount) money.Amount {
	before := o.Servicing.CapturedBefore
	return o.Terms.DiscountRate.Of(before.Add(captured)).Sub(o.Terms.DiscountRate.Of(before))
}

// Same reports whether two optional values are equal or both absent.
func Same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Latest is a date that sorts after all others.
const Latest calendar.Date = 1<<31 - 1

// expiryWarning is how long before an authorization expires its merchant is warned (F14).
const expiryWarning = 5 * Day

// WarnAt is when the merchant of an authorized order is warned that it will expire.
func WarnAt(o *Order) time.Time { return o.ExpiresAt.Add(-expiryWarning) }

// due reports whether a captured order has something to be served.
func (o *Order) due(now time.Time) bool {
	return o != nil && o.Captured > 0 && !o.NextAt.IsZero() && !o.NextAt.After(now)
}

// NextDate is the first business date after the given one on which something falls due on a
// loan or its daily run has something to do; None if there is none.
func (d *Draft) NextDate(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	next := d.servesNext(o, l, after)
	if !alive(l) {
		return next
	}
	for i := range l.Rows {
		if due := l.Rows[i].DueDate; due > after {
			if next == calendar.None || due < next {
				next = due
			}
			break
		}
	}
	return next
}

// alive reports whether passing due dates can still change a loan.
func alive(l *schedule.Loan) bool {
	return Owed(l) != Receivable{} || l.Carried != 0 || len(l.Prepaid) > 0 || Owes(l)
}

// Timed records the date up to which an order is served, and when time alone next changes it.
func (d *Draft) Timed(o *Order) {
	if d.Served[o.Key] {
		o.Servicing.ServedTo = d.Env.Today()
	}
	o.NextAt = d.nextAt(o)
}

// nextAt is when time alone next changes an order (zero: never): the warning and the expiry of
// its authorization; after capture the next date on which something falls due or the daily run
// has something to do, the cut-off at which autopay is built, and the day on which the owners
// are notified of what is due or late. The cut-off counts whether or not autopay is on,
// because that is the company's setting.
func (d *Draft) nextAt(o *Order) time.Time {
	switch {
	case o.Status == OrderAuthorized && o.WarnedFor.Equal(o.ExpiresAt):
		return o.ExpiresAt
	case o.Status == OrderAuthorized:
		return WarnAt(o)
	case o.Captured == 0:
		return time.Time{}
	}
	l := d.LoanOf(o.Key)
	if l == nil {
		return o.NextAt // a change unrelated to its loan
	}
	var next time.Time
	if date := d.NextDate(o, l, max(o.Servicing.ServedTo, o.CaptureDate)); date != calendar.None {
		next = d.Env.Zone.Start(date)
	}
	if collection := NextCollection(o, l); collection != calendar.None {
		if at := CutOff(d.Env.Zone, BankingDayBefore(collection)); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if at := d.remindsAt(o, l); !at.IsZero() && (next.IsZero() || at.Before(next)) {
		next = at
	}
	return next
}

// Graced reports whether an order is late only because money that a merchant had reported was
// taken back, and its grace days are still running (F41.5).
func (d *Draft) Graced(o *Order, day calendar.Date) bool {
	grace := d.OrderSettings(o.Key).LateFeeGraceDays
	return slices.ContainsFunc(o.Servicing.Withdrawn, func(on calendar.Date) bool { return day <= on.AddDays(grace) })
}

// DeepDPD is the number of days past due from which only a person ends a suspension (F26).
const DeepDPD = 60

// servesNext is the first business date after the given one on which serveDay has something to
// do if nothing else happens, None if there is none.
func (d *Draft) servesNext(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	if l.ChargedOff || o.Program == 0 {
		return calendar.None
	}
	if d.waiting(o, l, after) {
		return after + 1
	}
	settings := d.OrderSettings(o.Key)
	next := l.NextLate(after, o.Relief(l), 1, settings.LateFeeGraceDays+1, max(1, settings.SuspendDPD), DeepDPD, max(1, settings.NonaccrualDPD),
		max(1, settings.ChargeOffDPD))
	if day := d.proposedNext(o, l, after); day != calendar.None {
		next = Sooner(next, day)
	}
	if since := o.Servicing.CurrentSince; o.Servicing.Nonaccrual && since != 0 {
		next = Sooner(next, max(after+1, since.AddMonths(AccrualMonths)))
	}
	for _, r := range o.Servicing.Reopened {
		if day := r.On.AddDays(settings.LateFeeGraceDays + 1); day > after {
			next = Sooner(next, day)
		}
	}
	for _, on := range o.Servicing.Withdrawn {
		if day := on.AddDays(settings.LateFeeGraceDays + 1); day > after && Owes(l) {
			next = Sooner(next, day)
		}
	}
	for _, h := range o.Servicing.Holds {
		if h.To > after && Owes(l) {
			next = Sooner(next, h.To) // what the hold postponed comes then
		}
	}
	return next
}

// Sooner is the earlier of two dates, one of which may be None.
func Sooner(a, b calendar.Date) calendar.Date {
	if a == calendar.None || b < a {
		return b
	}
	return a
}

// waiting reports whether the daily run of the next date has something to do because an order
// became late by more than a day at once, as after a returned debit.
func (d *Draft) waiting(o *Order, l *schedule.Loan, day calendar.Date) bool {
	settings, relief, dpd := d.OrderSettings(o.Key), o.Relief(l), o.DPD(l, day)
	if dpd == 0 {
		return false
	}
	c := d.Companies.Peek(o.Company)
	switch {
	case c.Status == CompanyApproved && dpd >= settings.SuspendDPD && !d.Graced(o, day+1) && o.Suspends(),
		c.Status == CompanySuspended && dpd >= DeepDPD && !c.Servicing.ManualRelease && o.Suspends(),
		!o.Servicing.Nonaccrual && settings.Nonaccrual(dpd) && !o.Terms.Unfunded,
		!o.Servicing.Proposed && settings.ChargeOffDue(dpd) && !o.Terms.Unfunded:
		return true
	}
	for _, row := range l.Rows {
		if d.LateFee(o, l, row, relief, day+1) > 0 {
			return true
		}
	}
	return false
}

// Reasons for a suspension by rule (F26). Others are return codes or the codes of the rule
// that triggered it.
const (
	SuspendedPastDue    = "past_due"
	SuspendedChargedOff = "charged_off"
)
