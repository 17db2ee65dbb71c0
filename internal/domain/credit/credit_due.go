package credit

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// ServiceCredit sends a company's credit back when time says so (F36): the excess of a
// merchant's refund, credit that the company has asked for, and all credit after six
// months. Credit that cannot be sent says why and is looked at again on a later day. It
// does nothing twice. Result is the *Company.
type ServiceCredit struct {
	Company int64 `json:"company_id"`
}

func (ServiceCredit) Name() string { return "credit.service" }

// Keys asks for what sending credit needs.
func (c ServiceCredit) Keys(s *State, _ Env) Keys { return creditKeys(s, c.Company) }

func (c ServiceCredit) Admit(s *State, e Env) *Rejection { return admitAccount(s, e, c.Company) }

func (c ServiceCredit) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	if d.sharesCredit(c.Company) {
		d.serveAccount(c.Company)
	}
	var due []string
	for _, x := range d.credits(c.Company) {
		switch {
		case x.NextAt.IsZero() || e.Now.Before(x.NextAt):
		case e.Now.Before(d.sendsAt(x)): // it was looked at too early, or nobody had said when
			x.NextAt, x.Waits = d.sendsAt(x), ""
			d.putCredit(x)
		default:
			due = append(due, x.Source)
		}
	}
	if len(due) > 0 {
		d.sendDue(c.Company, due)
	}
	if len(d.Changes.Credits) == 0 && len(d.Changes.Orders) == 0 && len(d.Changes.Companies) == 0 {
		return Changes{Result: s.Companies[c.Company]}, nil
	}
	return d.Done(d.Companies.Peek(c.Company), false), nil
}

// sendDue sends what is due of a company's credit, oldest first, or notes why not.
func (d *Draft) sendDue(company int64, due []string) {
	if MoneyMayLeave(d.Companies.Peek(company)) != nil {
		for _, x := range d.credits(company) {
			if slices.Contains(due, x.Source) {
				d.lookAgain(x, CreditUnderReview)
			}
		}
		return
	}
	for _, key := range d.active(company, d.State.Accounts[company]) {
		d.serve(key)
	}
	for _, x := range d.credits(company) {
		if !slices.Contains(due, x.Source) {
			continue
		}
		if wait := d.creditWait(x, false); wait != "" {
			d.lookAgain(x, wait)
		} else if d.sendCredit(x, d.sendable(x), "") == nil {
			d.lookAgain(x, CreditNoAccount)
		} else {
			d.finishRecallable() // the next one is asked with this one gone
		}
	}
}

const (
	// creditDays is on which banking day after a merchant's refund, or after the
	// company's request, its credit goes out: two before the last that F36 allows, since
	// a file can be refused and a settlement takes a day.
	creditDays = 5
	// creditLastDay is on which banking day it is to have gone out (F36).
	creditLastDay = 7
	// creditMonths is how long credit stays at most that nobody asks for (F36).
	creditMonths = 6
	// creditLook is how many days later credit is looked at again whose cause to wait
	// has no day of its own.
	creditLook = 7
)

// sendsAt is the instant from which a credit is to be sent back (F36). Its banking day
// begins then, and the file of that day takes it along. The event that made the credit
// says when it was made, so a replay changes nothing about it.
func (d *Draft) sendsAt(x Credit) time.Time {
	day := x.Date.AddBankingDays(creditDays)
	if strings.HasPrefix(x.Source, prefixPayment) {
		day = x.Date.AddMonths(creditMonths).NextBankingDay()
		if asked := d.Companies.Peek(x.Company).Servicing.CreditAsked; !asked.IsZero() {
			day = min(day, d.Env.Zone.Date(asked).AddBankingDays(creditDays))
		}
	}
	return d.Env.Zone.Start(day)
}

// LastDay is the day by which a credit of a company is to be sent back (F36).
func (x Credit) LastDay(c *Company, zone calendar.Zone) calendar.Date {
	if !strings.HasPrefix(x.Source, prefixPayment) {
		return x.Date.AddBankingDays(creditLastDay)
	}
	day := x.Date.AddMonths(creditMonths)
	if asked := c.Servicing.CreditAsked; !asked.IsZero() {
		day = min(day, zone.Date(asked).AddBankingDays(creditLastDay))
	}
	return day
}

// timedCredit is a credit as it is kept: with the instant at which time alone sends it
// back. One that is there already keeps its own.
func (d *Draft) timedCredit(company int64, c schedule.Credit) Credit {
	x := Credit{Company: company, Credit: c}
	for _, old := range d.credits(company) {
		if old.Source == c.Source {
			x.NextAt, x.Waits = old.NextAt, old.Waits
			return x
		}
	}
	if p := d.Payments.Peek(c.Source); p != nil && p.FromMerchant {
		x.Waits = CreditHeldByMerchant
		return x
	}
	x.NextAt = d.sendsAt(x)
	return x
}

// lookAgain notes why a credit stays, and when it is looked at again: money that is not
// good on the next banking day, anything else in a week. What a merchant holds is never
// ours to send.
func (d *Draft) lookAgain(x Credit, wait CreditWait) {
	day := d.Env.Today().AddDays(creditLook)
	if wait == CreditUnripe {
		day = d.Env.Today().AddBankingDays(1)
		if p := d.Payments.Peek(x.Payment()); p != nil && d.returnable(x) {
			day = returnableUntil(d.Transfers.Peek(p.Transfer), d.Methods.Peek(p.MethodID)).AddDays(1)
		}
		if d.withheld(x) {
			day = max(day, d.Companies.Peek(x.Company).recallable(x.Payment()).Until.AddDays(1))
		}
	}
	x.Waits, x.NextAt = wait, d.Env.Zone.Start(day)
	if wait == CreditHeldByMerchant {
		x.NextAt = time.Time{}
	}
	d.putCredit(x)
}

// cameBack leaves credit that a payment OUT did not deliver to a person: the same
// account would refuse it again.
func (d *Draft) cameBack(p *Payment) {
	source := ""
	for _, e := range d.recorded(p.Company, []string{p.Order}) {
		if e.ID == p.ID {
			source = e.Payment
		}
	}
	for _, x := range d.credits(p.Company) {
		if x.Source == source {
			x.Waits, x.NextAt = CreditCameBack, time.Time{}
			d.putCredit(x)
		}
	}
}

// creditsAgain lets a company's credit that waited for a cause which has gone be looked
// at now.
func (d *Draft) creditsAgain(company int64, gone ...CreditWait) {
	for _, x := range d.credits(company) {
		if x.Waits != "" && slices.Contains(gone, x.Waits) {
			x.NextAt = Later(d.sendsAt(x), d.Env.Now)
			x.Waits = ""
			d.putCredit(x)
		}
	}
}

// Later is the later of two instants.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// AskForCredit records that a company wants its credit back: it is sent within seven
// banking days (F36). The request stands until no credit is left. Asking again changes
// nothing, but for credit that came back: that is tried once more. Result is the
// *Company.
type AskForCredit struct {
	Company int64    `json:"company_id"`
	IfMatch []string `json:"if_match"`
}

func (AskForCredit) Name() string { return "credit.ask" }

// Keys asks for the company with its credit.
func (c AskForCredit) Keys(*State, Env) Keys { return Keys{Companies: []int64{c.Company}} }

func (c AskForCredit) Admit(s *State, e Env) *Rejection { return admitAccount(s, e, c.Company) }

func (c AskForCredit) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Credit == 0 {
		return Changes{}, CreditExceeded.With("The company has no credit.", map[string]any{"sendable_amount": old.Credit})
	}
	d := NewDraft(s, e)
	if old.Servicing.CreditAsked.IsZero() {
		d.Companies.Edit(c.Company).Servicing.CreditAsked = e.Now
	}
	d.creditsAgain(c.Company, CreditCameBack)
	for _, x := range d.credits(c.Company) {
		if at := d.sendsAt(x); x.Waits == "" && at.Before(x.NextAt) {
			x.NextAt = at
			d.putCredit(x)
		}
	}
	if len(d.Changes.Companies) == 0 && len(d.Changes.Credits) == 0 {
		return Changes{Result: old}, nil
	}
	return d.Done(d.Companies.Peek(c.Company), false), nil
}

// finishRequests ends a company's request for its credit when none is left, and lets
// credit go that waited for the end of a review.
func (d *Draft) finishRequests() {
	for _, c := range d.Changes.Companies {
		if c.Credit == 0 && !c.Servicing.CreditAsked.IsZero() {
			c.Servicing.CreditAsked = time.Time{}
		}
		if was := d.State.Companies[c.ID]; was != nil && MoneyMayLeave(was) != nil && MoneyMayLeave(c) == nil {
			d.creditsAgain(c.ID, CreditUnderReview)
		}
	}
}
