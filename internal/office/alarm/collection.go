package alarm

import (
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// paused lists the companies whose cards were stopped by disputes, and those whose autopay
// was paused by returned debits: a person reviews (F23), and only the lender resumes it.
// Where autopay is off, two returns for insufficient funds are covered by the suspension. A
// bankruptcy has its own end, and its orders their own proposals.
func (l *lister) paused() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListPausedCompanies(l.v, p)
		for _, c := range list {
			if c.Servicing.Cards.Paused != "" && c.Status != credit.CompanyClosed { // a closed one cannot be released
				l.add(Alarm{
					Kind: CardsStopped, Subject: store.CompanyKey(c.ID), Since: calendar.None, Due: calendar.None,
					Detail: fmt.Sprintf("Three card charges of company %d were disputed in 30 days: its cards are blocked.", c.ID),
					Next:   "Find out why from the company, then release it to unblock its cards.",
				})
			}
			if s := c.Servicing.Autopay; c.AutopayWaits() {
				a := Alarm{
					Kind: AutopayPaused, Subject: store.CompanyKey(c.ID), Since: calendar.None, Due: calendar.None,
					Detail: fmt.Sprintf("Debits of company %d were returned (%s), and its autopay is paused.", c.ID, s.Paused),
					Next:   "Find out why from the company, then restart autopay with an account it has authorized, or turn it off.",
				}
				if !s.Enabled {
					a.Detail = fmt.Sprintf("A debit of company %d was returned (%s); its autopay is off, and stays paused if somebody else turns it on.", c.ID, s.Paused)
					a.Next = "Find out why from the company, then turn its autopay off yourself to confirm, or on with an account it has authorized."
				}
				l.add(a)
			}
			p.AfterAt, p.AfterID = c.CreatedAt, store.CompanyKey(c.ID)
		}
		return len(list), p, err
	})
}

// orders lists those with items that autopay leaves for review (F12, F23). They may be late
// or not: the last installment is left before its due date, and what a refund reopens on
// its day.
func (l *lister) orders() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListStoppedOrders(l.v, p)
		for _, o := range list {
			what, feesOnly := stopped(o)
			a := Alarm{
				Kind: CollectionStopped, Subject: o.Key, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf("Autopay has stopped collecting %s of the order of company %d.", what, o.Company),
				Next:   "Ask the buyer for another account or a new authorization, then resume collection.",
			}
			if feesOnly {
				a.Next = "Have it paid, or waive it: after the last installment autopay collects no fees. If installments are unpaid, resume collection."
			}
			l.add(a)
			p.AfterAt, p.AfterID = o.CreatedAt, o.Key
		}
		return len(list), p, err
	})
}

// stopped returns how many installments, and how many fees, of an order are left, and
// whether these are all.
func stopped(o *credit.Order) (text string, feesOnly bool) {
	var words []string
	fees := 0
	for _, x := range o.Servicing.Stopped {
		if x.Fee != "" {
			fees++
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{{len(o.Servicing.Stopped) - fees, "installment"}, {fees, "fee"}} {
		switch {
		case c.n == 1:
			words = append(words, "1 "+c.what)
		case c.n > 1:
			words = append(words, fmt.Sprintf("%d %ss", c.n, c.what))
		}
	}
	return strings.Join(words, " and "), fees == len(o.Servicing.Stopped)
}
