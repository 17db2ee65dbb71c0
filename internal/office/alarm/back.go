package alarm

import (
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// refunds lists the refunds that only a person can pay: the bank has not delivered them, or
// the payment came outside of a rail (F35).
func (l *lister) refunds() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListOwedPayments(l.v, p)
		for _, x := range list {
			l.refundsOf(x)
			p.AfterAt, p.AfterID = x.OwedSince, x.ID
		}
		return len(list), p, err
	})
}

func (l *lister) refundsOf(p *credit.Payment) {
	a := Alarm{
		Kind: RefundOwed, Subject: p.ID, Since: calendar.None, Due: calendar.None,
		Next: "Send it to an account of the company, or pay it by check or wire and record it.",
	}
	sum, why := money.Amount(0), []string(nil)
	for _, r := range p.Refunds { // oldest first
		if !r.ByHand() {
			continue
		}
		if a.Since == calendar.None {
			a.Since = l.zone.Date(r.CreatedAt)
		}
		sum = sum.Add(r.Amount)
		switch {
		case r.Failure != nil:
			why = append(why, fmt.Sprintf("%s was returned (%s)", r.ID, strings.TrimSpace(r.Failure.ReturnCode+" "+r.Failure.Message)))
		default:
			why = append(why, fmt.Sprintf("%s refunds money received by %s", r.ID, p.Method))
		}
	}
	if sum > 0 {
		a.Detail = fmt.Sprintf("Refunds of %s to company %d need attention: %s.", sum, p.Company, strings.Join(why, ", "))
		l.add(a)
	}
}

// heldMonths is after how many months credit becomes an alarm if a merchant still holds its
// money (F36).
const heldMonths = 6

// credits lists the credits that should be sent back to their companies and cannot be:
// there is no account, or the account has rejected them, or a merchant has held their money
// for half a year. One alarm per company, due on the last day of F36.
func (l *lister) credits() error {
	waiting, order := map[int64][]credit.Credit{}, []int64(nil)
	if err := store.EachCredit(l.v, func(x credit.Credit) error {
		held := x.Waits == credit.CreditHeldByMerchant && x.Date.AddMonths(heldMonths) <= l.today
		if x.Waits != credit.CreditNoAccount && x.Waits != credit.CreditCameBack && !held {
			return nil
		}
		if waiting[x.Company] == nil {
			order = append(order, x.Company)
		}
		waiting[x.Company] = append(waiting[x.Company], x)
		return nil
	}); err != nil {
		return err
	}
	state := credit.NewState()
	if err := l.v.Load(state, credit.Keys{Companies: order}); err != nil {
		return err
	}
	for _, id := range order {
		l.credit(waiting[id], state.Companies[id])
	}
	return nil
}

func (l *lister) credit(list []credit.Credit, c *credit.Company) {
	a := Alarm{
		Kind: CreditWaiting, Subject: store.CompanyKey(c.ID), Since: list[0].Date, Due: calendar.None,
		Next: "Ask the company for a bank account and add it, then send the credit there, or set it as the autopay account; autopay can stay off.",
	}
	sum, why := money.Amount(0), "there is no account to send it to"
	for _, x := range list {
		sum, a.Since = sum.Add(x.Amount), min(a.Since, x.Date)
		if day := x.LastDay(c, l.zone); a.Due == calendar.None || day < a.Due {
			a.Due = day
		}
		switch x.Waits {
		case credit.CreditCameBack:
			why = "the bank returned it"
		case credit.CreditHeldByMerchant:
			why = "a merchant has held the money for six months"
			a.Next = "Have the merchant remit it, or net it from a payout; it is then sent to the company automatically."
		}
	}
	a.Detail = fmt.Sprintf("Credit of %s of company %d must be sent back by %s, but %s.", sum, c.ID, a.Due, why)
	l.add(a)
}
