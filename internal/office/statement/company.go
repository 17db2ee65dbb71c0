// Package statement makes the papers that companies and merchants get: statements, payout
// advices and invoices, as data, as a page and as PDF.
//
// A statement is computed from the ledger, whose entries never change: whenever it is
// requested, a past month gives the same figures (F38). None of it is stored.
package statement

import (
	"cmp"
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Kind is the kind of a line in a company's statement.
type Kind string

// The kinds of lines. Closing = opening + their sum.
const (
	Purchase   Kind = "PURCHASE" // a capture
	Charge     Kind = "FINANCE_CHARGE"
	Fee        Kind = "FEE"
	Payment    Kind = "PAYMENT"
	Refund     Kind = "REFUND"   // by a merchant
	Reversal   Kind = "REVERSAL" // a payment that was returned or refunded
	Adjustment Kind = "ADJUSTMENT"
)

// Kinds lists the kinds in the order of the summary.
func Kinds() []Kind {
	return []Kind{Purchase, Charge, Fee, Payment, Refund, Reversal, Adjustment}
}

// Company is a company's statement of a month (F38): what it owes, by book date. The
// company's unapplied money is separate, as Unapplied.
type Company struct {
	Company  *credit.Company // as of the end
	From, To calendar.Date   // first and last day
	Opening  money.Amount
	Closing  money.Amount
	Totals   map[Kind]money.Amount
	Lines    []Line  // of the month, in order of posting
	Orders   []Order // with a balance at either end or a line between, in order of capture
	// Unapplied is the company's credit at the end, UnappliedOpening at the beginning;
	// Credits are the movements in between, in order of posting.
	Unapplied, UnappliedOpening money.Amount
	Credits                     []CreditLine
	Due                         []Due    // installments due in the DueDays after the end, by date
	PastDue                     []Bucket // what is past due at the end, by days; all buckets
	// YearCharge and YearFees are the amounts charged since January 1.
	YearCharge, YearFees money.Amount
}

// Line is the effect of one entry on what the company owes.
type Line struct {
	Date, Value calendar.Date
	Kind        Kind
	Order       string
	Payment     string
	Method      credit.Method // of the payment, "" if there is none
	State       State         // of the payment, as of the end of the month
	Entry       string
	Amount      money.Amount // + owed more, − owed less
	Balance     money.Amount // owed on the order after it
}

// State is the state of a payment, as known at the month's end.
type State string

// States of payments on a statement. A return in a later month is shown there.
const (
	Made   State = "SUCCEEDED"
	Undone State = "RETURNED" // returned or refunded before the month's end
)

// DueDays is how many days a statement looks ahead (F38).
const DueDays = 30

// Due is an installment that is due soon.
type Due struct {
	Order       string
	Installment int
	Date        calendar.Date
	Amount      money.Amount // its unpaid amount, with its fees
}

// Bucket is the amount past due by a range of days (F18).
type Bucket struct {
	Name     string
	From, To int // days past due, both included; To 0: open
	Amount   money.Amount
}

// buckets returns those of F18, without the current one.
func buckets() (out []Bucket) {
	for _, b := range credit.Buckets()[1:] {
		from, to := lending.BucketDays(b)
		out = append(out, Bucket{string(b), from, max(to, 0), 0})
	}
	return out
}

// Order is an order on a statement.
type Order struct {
	Order            *credit.Order // as of the end
	Merchant         string        // its name
	Opening, Closing money.Amount
}

// Moment is when a statement is made for: the month's end once it is over, else now.
type Moment struct {
	Q   int64 // last commit included
	Day calendar.Date
	// Loans returns a company's loans as of then; nil omits what is due.
	Loans func(company *credit.Company) (map[string]*schedule.Loan, error)
}

// owed reports whether a company owes the balance of an account. What left the balance
// sheet, because it no longer earns charge or was charged off, is still owed.
func owed(a ledger.Account) bool {
	switch a {
	case ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.FeesReceivable, ledger.OtherReceivable,
		ledger.NonaccrualCharge, ledger.ChargedOff, ledger.UnfundedExternal:
		return true
	}
	return false
}

// kindOf maps an event to a line's kind. Credit that is sent back and reopens an item, and
// a lost dispute that is won later, belong to the returned payment.
func kindOf(event string) Kind {
	switch event {
	case "ORDER_CAPTURED":
		return Purchase
	case "FINANCE_CHARGE_ACCRUED", "FINANCE_CHARGE_ADJUSTED", "FLAT_FEE_BOOKED", "FLAT_FEE_REBATED", "CHARGE_WAIVED":
		return Charge
	case "LATE_FEE_ASSESSED", "NSF_FEE_ASSESSED", "FEE_WAIVED":
		return Fee
	case "PAYMENT_APPLIED", "CREDIT_APPLIED":
		return Payment
	case "ORDER_REFUNDED":
		return Refund
	case "PAYMENT_RETURNED", "ACH_RETURNED", "ACH_REVERSED", "CARD_CHARGEBACK", "CARD_DISPUTE_WON", "PAYMENT_REFUNDED", "CREDIT_SENT":
		return Reversal
	}
	return Adjustment
}

// OfCompany makes the statement of the month that contains a day.
func OfCompany(v store.View, company int64, month calendar.Date, at Moment) (*Company, error) {
	q := at.Q
	x := &Company{From: month.EndOfMonth().AddMonths(-1).EndOfMonth() + 1, To: month.EndOfMonth(), Totals: map[Kind]money.Amount{}}
	var err error
	if x.Company, err = store.At(v, store.CompanyNoun, company, q); err != nil || x.Company == nil {
		return nil, err
	}
	orders := map[string]*Order{}
	year := firstOfYear(x.To)
	if err := store.EachEntryOf(v, store.BookFilter{From: calendar.None, To: x.To, Company: company}, func(e store.EntryRow) error {
		x.add(e, orders, year)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("statement of %d: %w", company, err)
	}
	for key, o := range orders {
		if key == "" || o.Opening == 0 && o.Closing == 0 && !slices.ContainsFunc(x.Lines, func(l Line) bool { return l.Order == key }) {
			continue
		}
		if o.Order, err = store.At(v, store.OrderNoun, key, q); err != nil {
			return nil, fmt.Errorf("statement of %d: %w", company, err)
		}
		if o.Order != nil {
			x.Orders = append(x.Orders, *o)
		}
	}
	slices.SortFunc(x.Orders, func(a, b Order) int {
		return cmp.Or(a.Order.CapturedAt.Compare(b.Order.CapturedAt), cmp.Compare(a.Order.Key, b.Order.Key))
	})
	if err := x.name(v); err != nil {
		return nil, fmt.Errorf("statement of %d: %w", company, err)
	}
	if at.Loans != nil {
		if err := x.lookAhead(v, at); err != nil {
			return nil, fmt.Errorf("statement of %d: %w", company, err)
		}
	}
	return x, nil
}

// name fills in the merchants of orders, and the method and state of payments.
func (x *Company) name(v store.View) error {
	s := credit.NewState()
	var k credit.Keys
	back := map[string]bool{}
	for _, o := range x.Orders {
		k.Merchants = append(k.Merchants, o.Order.Merchant)
	}
	for _, l := range x.Lines {
		if l.Payment != "" {
			k.Payments = append(k.Payments, l.Payment)
		}
		back[l.Payment] = back[l.Payment] || l.Kind == Reversal
	}
	if err := v.Load(s, k); err != nil {
		return err
	}
	for i, o := range x.Orders {
		if m := s.Merchants[o.Order.Merchant]; m != nil {
			x.Orders[i].Merchant = m.Name
		}
	}
	for i, l := range x.Lines {
		if p := s.Payments[l.Payment]; p != nil && (l.Kind == Payment || l.Kind == Reversal) {
			if x.Lines[i].Method, x.Lines[i].State = p.Method, Made; back[l.Payment] {
				x.Lines[i].State = Undone
			}
		}
	}
	return nil
}

// lookAhead collects what is due soon and what is past due. A row's fees are due with it.
func (x *Company) lookAhead(v store.View, at Moment) error {
	loans, err := at.Loans(x.Company)
	if err != nil {
		return err
	}
	x.PastDue = buckets()
	for key, l := range loans { // unordered: sums, and what is sorted below
		o, err := store.At(v, store.OrderNoun, key, at.Q)
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		for _, r := range o.View(l, at.Day).Rows {
			switch {
			case r.Outstanding == 0:
			case r.DPD > 0:
				for i, b := range x.PastDue {
					if r.DPD >= b.From && (b.To == 0 || r.DPD <= b.To) {
						x.PastDue[i].Amount = b.Amount.Add(r.Outstanding)
					}
				}
			case r.DueDate <= at.Day.AddDays(DueDays):
				x.Due = append(x.Due, Due{key, r.Number, r.DueDate, r.Outstanding})
			}
		}
	}
	slices.SortFunc(x.Due, func(a, b Due) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment))
	})
	return nil
}

func firstOfYear(day calendar.Date) calendar.Date {
	year, _, _ := day.Civil()
	return calendar.Of(year, 1, 1)
}

// add adds one entry.
func (x *Company) add(e store.EntryRow, orders map[string]*Order, year calendar.Date) {
	type part struct {
		kind           Kind
		order, payment string
	}
	var parts []part
	sums := map[part]money.Amount{}
	credit, payment := money.Amount(0), ""
	for _, p := range e.Postings {
		if p.Account == ledger.BorrowerCredit && p.Company == x.Company.ID {
			credit, payment = credit.Sub(p.Amount), p.Payment
		}
		if !owed(p.Account) || p.Company != x.Company.ID {
			continue
		}
		k := part{kindOf(e.Event), p.Order, p.Payment}
		if _, seen := sums[k]; !seen {
			parts = append(parts, k)
		}
		sums[k] = sums[k].Add(p.Amount)
	}
	x.addCredit(e, credit, payment)
	for _, k := range parts {
		x.count(e, Line{Date: e.BookDate, Value: e.ValueDate, Kind: k.kind, Order: k.order, Payment: k.payment, Entry: e.ID, Amount: sums[k]}, orders, year)
	}
}

func (x *Company) count(e store.EntryRow, l Line, orders map[string]*Order, year calendar.Date) {
	if l.Amount == 0 {
		return // moved between accounts, and still owed
	}
	o := orders[l.Order]
	if o == nil {
		o = &Order{}
		orders[l.Order] = o
	}
	o.Closing = o.Closing.Add(l.Amount)
	x.Closing = x.Closing.Add(l.Amount)
	if e.BookDate >= year {
		switch l.Kind {
		case Charge:
			x.YearCharge = x.YearCharge.Add(l.Amount)
		case Fee:
			x.YearFees = x.YearFees.Add(l.Amount)
		}
	}
	if e.BookDate < x.From {
		o.Opening = o.Opening.Add(l.Amount)
		x.Opening = x.Opening.Add(l.Amount)
		return
	}
	l.Balance = o.Closing
	x.Totals[l.Kind] = x.Totals[l.Kind].Add(l.Amount)
	x.Lines = append(x.Lines, l)
}
