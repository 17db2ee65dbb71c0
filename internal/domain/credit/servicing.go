package credit

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// serveDay brings an order with a loan to the end of step 8 of the daily run of one
// business date: suspension, late fees, nonaccrual, the proposal to charge off (F10,
// F17, F18, F26, F37). What falls due by that date has been posted, and the statuses
// are those of that date. A day that has been served changes nothing.
func (d *Draft) serveDay(key string, day calendar.Date) {
	o, l := d.standing(key)
	if l.ChargedOff {
		return
	}
	settings, dpd := d.orderSettings(key), o.DPD(l, day)
	if dpd > 0 && dpd >= settings.SuspendDPD && !d.graced(o, day) && o.suspends() {
		d.suspend(o.Company, SuspendedPastDue, fmt.Sprintf("An order is %d days past due.", dpd))
	}
	if dpd >= deepDPD && o.suspends() {
		d.deepen(o.Company)
	}
	d.lateFees(key, day)
	if slices.ContainsFunc(o.Servicing.Holds, func(h Hold) bool { return h.To == day }) && !o.Held(day) {
		d.collectRest(key) // what came due during the hold
	}
	switch {
	case o.Servicing.Nonaccrual:
		d.resume(key, day)
	case dpd > 0 && settings.Nonaccrual(dpd) && !o.Terms.Unfunded:
		d.stopAccrual(key)
	}
	o, l = d.standing(key)
	d.propose(o, l, day, dpd)
}

// graced reports that an order is late only since money that a merchant had reported was
// taken back, and that its days of grace last (F41.5).
func (d *Draft) graced(o *Order, day calendar.Date) bool {
	grace := d.orderSettings(o.Key).LateFeeGraceDays
	return slices.ContainsFunc(o.Servicing.Withdrawn, func(on calendar.Date) bool { return day <= on.AddDays(grace) })
}

// deepDPD is from how many days past due on a suspension ends only by a person (F26).
const deepDPD = 60

// servesNext is the first business date after one on which serveDay will have
// something to do if nothing else happens, None if there is none.
func (d *Draft) servesNext(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	if l.ChargedOff || o.Program == 0 {
		return calendar.None
	}
	if d.waiting(o, l, after) {
		return after + 1
	}
	settings := d.orderSettings(o.Key)
	next := l.NextLate(after, o.Relief(l), 1, settings.LateFeeGraceDays+1, max(1, settings.SuspendDPD), deepDPD, max(1, settings.NonaccrualDPD),
		max(1, settings.ChargeOffDPD))
	if day := d.proposedNext(o, l, after); day != calendar.None {
		next = sooner(next, day)
	}
	if since := o.Servicing.CurrentSince; o.Servicing.Nonaccrual && since != 0 {
		next = sooner(next, max(after+1, since.AddMonths(accrualMonths)))
	}
	for _, r := range o.Servicing.Reopened {
		if day := r.On.AddDays(settings.LateFeeGraceDays + 1); day > after {
			next = sooner(next, day)
		}
	}
	for _, on := range o.Servicing.Withdrawn {
		if day := on.AddDays(settings.LateFeeGraceDays + 1); day > after && owes(l) {
			next = sooner(next, day)
		}
	}
	for _, h := range o.Servicing.Holds {
		if h.To > after && owes(l) {
			next = sooner(next, h.To) // what would have come during the hold comes then
		}
	}
	return next
}

func sooner(a, b calendar.Date) calendar.Date {
	if a == calendar.None || b < a {
		return b
	}
	return a
}

// waiting reports that the daily run of the next date has something to do: an order
// has become late by more than a day at once, as after a returned debit.
func (d *Draft) waiting(o *Order, l *schedule.Loan, day calendar.Date) bool {
	settings, relief, dpd := d.orderSettings(o.Key), o.Relief(l), o.DPD(l, day)
	if dpd == 0 {
		return false
	}
	c := d.Companies.Peek(o.Company)
	switch {
	case c.Status == CompanyApproved && dpd >= settings.SuspendDPD && !d.graced(o, day+1) && o.suspends(),
		c.Status == CompanySuspended && dpd >= deepDPD && !c.Servicing.ManualRelease && o.suspends(),
		!o.Servicing.Nonaccrual && settings.Nonaccrual(dpd) && !o.Terms.Unfunded,
		!o.Servicing.Proposed && settings.ChargeOffDue(dpd) && !o.Terms.Unfunded:
		return true
	}
	for _, row := range l.Rows {
		if d.lateFee(o, l, row, relief, day+1) > 0 {
			return true
		}
	}
	return false
}

// Why a company is suspended by rule (F26). Other reasons are codes of returns, or
// those of the rule that has found them.
const (
	SuspendedPastDue    = "past_due"
	SuspendedChargedOff = "charged_off"
)

// suspend makes an APPROVED company SUSPENDED by rule, with its notice where F28 wants
// one: not for delinquency on the account itself. One that is suspended already keeps
// its first reason, unless no money of it may move from now on (F23), or unless time would
// have ended it and debits that came back do not (F26); one that staff hold is suspended
// too, and only a person ends that.
func (d *Draft) suspend(company int64, code, message string) {
	c := d.Companies.Peek(company)
	review := c.Status == CompanySuspended && (code == complianceReview && moneyMayMove(c) == nil || code == returnedPayments && c.StatusCode == SuspendedPastDue && !c.Servicing.ManualRelease)
	if c.Status != CompanyApproved && c.Status != CompanyOnHold && !review {
		return
	}
	byHand := c.Status == CompanyOnHold || c.Servicing.ManualRelease && review
	c = d.Companies.Edit(company)
	c.Status, c.StatusCode, c.StatusMessage = CompanySuspended, code, message
	c.Servicing.ManualRelease = byHand
	d.GiveNotice(NoticeSuspension, company, code)
}

// deepen keeps a suspension until a person ends it.
func (d *Draft) deepen(company int64) {
	if c := d.Companies.Peek(company); c.Status == CompanySuspended && !c.Servicing.ManualRelease {
		d.Companies.Edit(company).Servicing.ManualRelease = true
	}
}
