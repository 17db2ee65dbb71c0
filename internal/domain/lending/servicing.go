package lending

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// serveDay brings an order with a loan to the end of step 8 of one business date's daily run:
// suspension, late fees, nonaccrual, the proposal to charge off (F10, F17, F18, F26, F37).
// What falls due by that date has already been posted, and the statuses are those of that
// date. A day that has been served changes nothing.
func serveDay(d *credit.Draft, key string, day calendar.Date) {
	o, l := d.Standing(key)
	if l.ChargedOff {
		return
	}
	settings, dpd := d.OrderSettings(key), o.DPD(l, day)
	if dpd > 0 && dpd >= settings.SuspendDPD && !d.Graced(o, day) && o.Suspends() {
		Suspend(d, o.Company, credit.SuspendedPastDue, fmt.Sprintf("An order is %d days past due.", dpd))
	}
	if dpd >= credit.DeepDPD && o.Suspends() {
		deepen(d, o.Company)
	}
	lateFees(d, key, day)
	if slices.ContainsFunc(o.Servicing.Holds, func(h credit.Hold) bool { return h.To == day }) && !o.Held(day) {
		CollectRest(d, key) // what fell due during the hold
	}
	switch {
	case o.Servicing.Nonaccrual:
		resume(d, key, day)
	case dpd > 0 && settings.Nonaccrual(dpd) && !o.Terms.Unfunded:
		stopAccrual(d, key)
	}
	o, l = d.Standing(key)
	propose(d, o, l, day, dpd)
}

// Suspend makes an APPROVED company SUSPENDED by rule, with its notice if F28 requires one:
// not for delinquency on the account itself. A company already suspended keeps its first
// reason, unless its money may no longer move from now on (F23), or unless time would have
// ended the suspension and returned debits must not let it (F26). A company that staff put on
// hold is suspended too, and only a person ends that.
func Suspend(d *credit.Draft, company int64, code, message string) {
	c := d.Companies.Peek(company)
	review := c.Status == credit.CompanySuspended && (code == credit.ComplianceReview && credit.MoneyMayMove(c) == nil || code == credit.ReturnedPayments && c.StatusCode == credit.SuspendedPastDue && !c.Servicing.ManualRelease)
	if c.Status != credit.CompanyApproved && c.Status != credit.CompanyOnHold && !review {
		return
	}
	byHand := c.Status == credit.CompanyOnHold || c.Servicing.ManualRelease && review
	c = d.Companies.Edit(company)
	c.Status, c.StatusCode, c.StatusMessage = credit.CompanySuspended, code, message
	c.Servicing.ManualRelease = byHand
	d.GiveNotice(credit.NoticeSuspension, company, code)
}

// deepen keeps a suspension until a person ends it.
func deepen(d *credit.Draft, company int64) {
	if c := d.Companies.Peek(company); c.Status == credit.CompanySuspended && !c.Servicing.ManualRelease {
		d.Companies.Edit(company).Servicing.ManualRelease = true
	}
}
