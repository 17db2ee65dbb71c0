package credit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// MoneyMayMove rejects moving money of a company that is suspended for compliance (F23, F26).
func MoneyMayMove(x *Company) *Rejection {
	if x.Servicing.Frozen != "" || x.Servicing.Screened.Stopped || x.Status == CompanySuspended && (x.StatusCode == ComplianceReview || x.StatusCode == SanctionsMatch) {
		return CompanyNotEligible.With("No money of a company under review can be moved.", map[string]any{"company_status": string(x.Status)})
	}
	return nil
}

// MoneyMayLeave is MoneyMayMove for money going out to a company. That also waits for the
// decision on a screening, and then for the comparison of a name that the company has taken in
// the meantime (F29).
func MoneyMayLeave(x *Company) *Rejection {
	if id := x.Servicing.Screened.Review; id != "" {
		return ScreeningWaits(id)
	}
	if x.Servicing.Screened.Unscreened && UnderSanctions(x) {
		return CompanyNotEligible.Because("The company's name has not been screened against the sanctions list yet.")
	}
	return MoneyMayMove(x)
}

// Sendable is the part of a credit that no merchant holds (F36).
func (d *Draft) Sendable(x Credit) money.Amount {
	if p := d.Payments.Peek(x.Source); p != nil {
		return x.Amount.Sub(min(x.Amount, p.HeldExcess()))
	}
	return x.Amount
}

// Payment is the payment that a credit came from, "" if none is known.
func (x Credit) Payment() string {
	if _, payment := schedule.SourceParts(x.Source); strings.HasPrefix(payment, PrefixPayment) {
		return payment
	}
	return ""
}

const (
	// creditDays is the banking day after a merchant's refund, or after the company's request,
	// on which its credit is sent. It is two before the last that F36 allows, because a file
	// can be rejected and a settlement takes a day.
	creditDays = 5
	// creditLastDay is the banking day by which it must have been sent (F36).
	creditLastDay = 7
	// creditMonths is the longest that credit stays if nobody asks for it (F36).
	creditMonths = 6
	// CreditLook is how many days later a waiting credit is checked again if what it waits for
	// has no date of its own.
	CreditLook = 7
)

// SendsAt is the instant from which a credit is to be sent back (F36): the start of a banking
// day, so that the day's file includes it. It derives from the event that created the credit,
// so a replay does not change it.
func (d *Draft) SendsAt(x Credit) time.Time {
	day := x.Date.AddBankingDays(creditDays)
	if strings.HasPrefix(x.Source, PrefixPayment) {
		day = x.Date.AddMonths(creditMonths).NextBankingDay()
		if asked := d.Companies.Peek(x.Company).Servicing.CreditAsked; !asked.IsZero() {
			day = min(day, d.Env.Zone.Date(asked).AddBankingDays(creditDays))
		}
	}
	return d.Env.Zone.Start(day)
}

// LastDay is the day by which a company's credit must be sent back (F36).
func (x Credit) LastDay(c *Company, zone calendar.Zone) calendar.Date {
	if !strings.HasPrefix(x.Source, PrefixPayment) {
		return x.Date.AddBankingDays(creditLastDay)
	}
	day := x.Date.AddMonths(creditMonths)
	if asked := c.Servicing.CreditAsked; !asked.IsZero() {
		day = min(day, zone.Date(asked).AddBankingDays(creditLastDay))
	}
	return day
}

// CreditsAgain makes a company's credits due now if they waited for one of the causes that are
// gone.
func (d *Draft) CreditsAgain(company int64, gone ...CreditWait) {
	for _, x := range d.Credits(company) {
		if x.Waits != "" && slices.Contains(gone, x.Waits) {
			x.NextAt = Later(d.SendsAt(x), d.Env.Now)
			x.Waits = ""
			d.PutCredit(x)
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

// finishRequests ends a company's request for its credit when none is left, and releases
// credit that waited for the end of a review.
func (d *Draft) finishRequests() {
	for _, c := range d.Changes.Companies {
		if c.Credit == 0 && !c.Servicing.CreditAsked.IsZero() {
			c.Servicing.CreditAsked = time.Time{}
		}
		if was := d.State.Companies[c.ID]; was != nil && MoneyMayLeave(was) != nil && MoneyMayLeave(c) == nil {
			d.CreditsAgain(c.ID, CreditUnderReview)
		}
	}
}

// CreditUse is a company's choice whether its credit pays what is due on any of its orders
// (F36), and who recorded it last.
type CreditUse struct {
	On bool      `json:"on"`
	By string    `json:"by"` // client that recorded it
	At time.Time `json:"at"`
}

// Pools reports whether a company has credit that, by its consent, pays what is due on any of
// its orders (F36). Its orders are then served and replayed together.
func (c *Company) Pools(open []Credit) bool { return c.Servicing.CreditUse.On && len(open) > 0 }

// SharesCredit reports whether a company pools its credit and the command sees all of its
// orders.
func (d *Draft) SharesCredit(company int64) bool {
	return d.Companies.Peek(company).Pools(d.Credits(company)) && d.SeesAccount(company)
}

// SeesAccount reports whether the command has asked for all orders of a company with their
// histories.
func (d *Draft) SeesAccount(company int64) bool {
	if d.Env.asked == nil || !slices.Contains(d.Env.asked.Accounts, company) {
		return false
	}
	asked := make(map[string]bool, len(d.Env.asked.History))
	for _, key := range d.Env.asked.History {
		asked[key] = true
	}
	return !slices.ContainsFunc(d.State.Accounts[company], func(key string) bool { return !asked[key] })
}

// Use is an amount of a credit that pays an item.
type Use struct {
	Source string
	Ref    schedule.Ref
	Amount money.Amount
}

// Uses allocates the company's credit to what is unpaid on its orders and due by the date that
// until returns for each: oldest credit first, items in waterfall order (F12). It skips items
// that a debit in progress will pay, orders that a merchant manages or that are charged off,
// and every order of a company whose money may not move.
func (d *Draft) Uses(company int64, until func(*Order) calendar.Date) []Use {
	x := d.Companies.Peek(company)
	open := d.Usable(company)
	if !x.Servicing.CreditUse.On || len(open) == 0 || MoneyMayMove(x) != nil {
		return nil
	}
	var items []OpenItem
	for _, key := range d.State.Accounts[company] {
		if o, l := d.Standing(key); !o.External && !l.ChargedOff {
			items = append(items, d.Uncovered(o, l, until(o), nil)...)
		}
	}
	slices.SortStableFunc(items, func(a, b OpenItem) int { return cmp.Compare(a.due, b.due) }) // orders are sorted by capture
	var uses []Use
	held := make([]money.Amount, len(open)) // per credit, what its merchant holds: it pays only that merchant's orders (F41.4)
	for i := range open {
		held[i] = open[i].Amount.Sub(d.Sendable(open[i]))
	}
	for _, it := range items {
		for i := range open {
			same := held[i] > 0 && d.Orders.Peek(it.Ref.Order).Merchant == d.HeldOwner(d.Payments.Peek(open[i].Source)).Merchant
			part := min(it.Unpaid, open[i].Amount)
			if !same {
				part = min(part, open[i].Amount.Sub(held[i]))
			}
			if part <= 0 {
				continue
			}
			uses = append(uses, Use{open[i].Source, it.Ref, part})
			it.Unpaid, open[i].Amount = it.Unpaid.Sub(part), open[i].Amount.Sub(part)
			if same {
				held[i] = held[i].Sub(min(held[i], part))
			}
		}
	}
	return uses
}

// Usable are a company's credits that may pay what is due on any order, oldest first. Credit
// held for an order that still owes is left out.
func (d *Draft) Usable(company int64) []Credit {
	list := slices.DeleteFunc(slices.Clone(d.Credits(company)), func(x Credit) bool {
		l := d.LoanOf(x.Order)
		return x.Hold && l != nil && Owes(l)
	})
	slices.SortStableFunc(list, func(a, b Credit) int { return cmp.Compare(a.Date, b.Date) })
	return list
}

// finishCreditUse makes pooled credit due for a check now if the command may have left some
// that can pay something: it created credit or opened items and did not see all orders.
func (d *Draft) finishCreditUse() {
	var touched []int64
	for _, c := range d.Changes.Credits {
		touched = append(touched, c.Company)
	}
	for _, l := range d.Changes.Loans {
		touched = append(touched, d.Orders.Peek(l.Key).Company)
	}
	for _, c := range d.Changes.Companies {
		if was := d.State.Companies[c.ID]; was != nil && (was.Servicing.CreditUse != c.Servicing.CreditUse || MoneyMayMove(was) != nil) {
			touched = append(touched, c.ID)
		}
	}
	slices.Sort(touched)
	for _, id := range slices.Compact(touched) {
		x := d.Companies.Peek(id)
		if !x.Pools(d.Credits(id)) || MoneyMayMove(x) != nil {
			continue
		}
		if d.SharesCredit(id) && len(d.Uses(id, func(*Order) calendar.Date { return d.Env.Today() })) == 0 {
			continue
		}
		d.lookNow(id)
	}
}

// lookNow makes the company's oldest credit that has an instant of its own, or that a merchant
// holds, due now for the scheduler. Credit that waits for a person has no instant and is
// skipped. Credit held for an order is included: whether that order owes is not checked here,
// because only a command that asked for all orders may depend on it, whatever else is loaded.
func (d *Draft) lookNow(company int64) {
	list := slices.Clone(d.Credits(company))
	slices.SortStableFunc(list, func(a, b Credit) int { return cmp.Compare(a.Date, b.Date) })
	for _, x := range list {
		if x.NextAt.IsZero() && x.Waits != CreditHeldByMerchant {
			continue
		}
		if x.NextAt.IsZero() || x.NextAt.After(d.Env.Now) {
			x.NextAt = d.Env.Now
			d.PutCredit(x)
		}
		return
	}
}
