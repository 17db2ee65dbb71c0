package credit_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// report writes what a command has changed: records, entries, events.
func (s *story) report(ch credit.Changes, before map[string]credit.OrderStatus) {
	if ch.Empty() {
		s.say("nothing changes")
		return
	}
	for _, m := range ch.Merchants {
		for _, p := range ch.Programs {
			s.say("merchant %s: version %d of its program from %s", s.short(m.ID), p.Version, p.From)
		}
	}
	for _, o := range ch.Orders {
		s.reportOrder(o, before[o.Key])
	}
	for _, p := range ch.Payments {
		s.reportPayment(p)
	}
	for _, i := range ch.Invoices {
		s.say("invoice of %s: %s, due %s, paid %s", s.short(i.Order), i.Status, i.AmountDue, i.Paid)
	}
	for _, c := range ch.Companies {
		s.reportCompany(c)
	}
	s.reportAccess(ch)
	s.reportLender(ch)
	s.reportScreenings(ch)
	s.reportReceipts(ch)
	s.reportRails(ch)
	s.reportRecords(ch)
	for _, e := range ch.Entries {
		s.say("%s", s.entry(e))
	}
	s.reportEvents(ch.Events)
}

func (s *story) reportOrder(o *credit.Order, was credit.OrderStatus) {
	status := string(o.Status)
	if was != o.Status && was != "" {
		status = string(was) + " → " + status
	}
	text := fmt.Sprintf("order %s: %s", s.short(o.Key), status)
	if o.Captured == 0 {
		text += fmt.Sprintf(", amount %s, reserved %s", o.Amount, o.Reserved)
	} else {
		text += fmt.Sprintf(", %s, captured %s, refunded %s", o.Financing, o.Captured, o.Refunded)
	}
	if o.Status == credit.OrderAuthorized {
		text += ", expires " + o.ExpiresAt.Format("2006-01-02T15:04Z")
	}
	if o.CancelReason != "" {
		text += ", " + o.CancelReason
	}
	s.say("%s, version %d", text, o.Version)
}

func (s *story) reportPayment(p *credit.Payment) {
	text := fmt.Sprintf("payment %s: %s, %s", s.short(p.ID), p.Status, p.Amount)
	if p.Direction == "OUT" {
		text += " out"
	}
	if p.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", p.Attempt)
	}
	if f := p.Failure; f != nil && f.ReturnCode != "" {
		text += ", " + f.ReturnCode + " " + f.Code
	}
	if p.OnHold != 0 {
		text += fmt.Sprintf(", on hold %s", p.OnHold)
	}
	for _, a := range p.Allocations {
		text += fmt.Sprintf(", %s/%d", s.short(a.Order), a.Installment)
		for _, part := range []struct {
			name   string
			amount money.Amount
		}{{"fee", a.Fee}, {"charge", a.Charge}, {"principal", a.Principal}} {
			if part.amount != 0 {
				text += fmt.Sprintf(" %s %s", part.name, part.amount)
			}
		}
	}
	if p.Unapplied != 0 {
		text += fmt.Sprintf(", unapplied %s", p.Unapplied)
	}
	if p.Refunded != 0 {
		text += fmt.Sprintf(", refunded %s", p.Refunded)
	}
	s.say("%s", text)
}

func (s *story) reportCompany(c *credit.Company) {
	text := fmt.Sprintf("company %s: %s, available %s of %s, reserved %s, outstanding %s",
		s.short(strconv.FormatInt(c.ID, 10)), c.Status, c.Available(), c.Limit, c.Reserved, c.Outstanding)
	if c.Credit != 0 {
		text += fmt.Sprintf(", credit %s", c.Credit)
	}
	s.say("%s", text)
}

// entry is one line: value date, debits, credits.
func (s *story) entry(e ledger.Entry) string {
	var debit, credit []string
	for _, p := range e.Postings {
		row := ""
		if p.Installment != 0 {
			row = fmt.Sprintf("/%d", p.Installment)
		}
		if p.Amount > 0 {
			debit = append(debit, fmt.Sprintf("%d%s %s", p.Account, row, p.Amount))
		} else {
			credit = append(credit, fmt.Sprintf("%d%s %s", p.Account, row, -p.Amount))
		}
	}
	kind := e.Event
	if e.Reverses != "" {
		kind += " reversed"
	}
	return fmt.Sprintf("%s %-22s D %s  C %s", e.ValueDate, kind, strings.Join(debit, " + "), strings.Join(credit, " + "))
}

func (s *story) reportEvents(events []credit.Event) {
	var out []string
	for _, e := range events {
		name := s.short(e.Object.ID)
		if e.Object.Type == "invoice" {
			name = s.short(e.Data.(*credit.Invoice).Order)
		}
		if f, ok := e.Data.(credit.InstallmentFact); ok {
			name += fmt.Sprintf("/%d", f.Number)
		}
		out = append(out, fmt.Sprintf("%s %s", e.Type, name))
	}
	if len(out) > 0 {
		s.say("events: %s", strings.Join(out, ", "))
	}
}

// show writes a record's current state.
func (s *story) show(a args) {
	what, name := a.words[1], ""
	if len(a.words) > 2 {
		name = s.id(a.words[2])
	}
	switch what {
	case "refunds":
		s.showRefunds(s.all.Payments[name])
	case "credits":
		s.showCredits(a.words[2])
	case "schedule":
		s.showSchedule(name)
	case "payoff":
		q := s.all.Loans[name].Payoff(calendar.MustParse(a.words[3]))
		s.say("payoff of %s on %s: principal %s, charge %s, prepaid %s, fees %s: %s; %s a day", a.words[2], q.Date, q.Principal, q.Charge,
			q.Prepaid, q.Fees, q.Total, q.PerDiem)
	case "line":
		s.reportCompany(s.all.Companies[s.company(a.words[2])])
	case "order":
		s.reportOrder(s.all.Orders[name], "")
	case "payment":
		s.reportPayment(s.all.Payments[name])
	case "invoice":
		i := s.all.Invoices[s.all.Orders[name].Invoice]
		for _, l := range i.Lines {
			s.say("%s %s %s", l.Date, l.Description, l.Amount)
		}
		s.say("%s: due %s, paid %s", i.Status, i.AmountDue, i.Paid)
	case "terms":
		t := s.all.Orders[name].Terms
		s.say("terms of %s: %s, %s a year, %s a month, %d installments, charge %s, total %s, APR %d.%02d", a.words[2], t.Plan, t.AnnualRate,
			t.MonthlyFeeRate, t.Installments, t.FinanceCharge, t.TotalOfPayments, t.APR/100, t.APR%100)
	case "explained":
		s.showExplained(name, a.words[3:])
	case "readers":
		s.showReaders(name)
	case "servicing":
		s.showServicing(name)
	case "lines":
		s.showLines(name)
	case "accounts":
		s.showAccounts(name)
	default:
		if !s.showBuyer(what, strings.Join(a.words[2:], " ")) {
			s.t.Fatalf("cannot show %s", what)
		}
	}
}

func (s *story) showSchedule(key string) {
	v := s.all.Loans[key].View(s.today())
	for _, r := range v.Rows {
		fees := ""
		if r.Fees != 0 {
			fees = fmt.Sprintf(", fees %s", r.Fees)
		}
		for _, f := range s.all.Loans[key].Fees {
			if f.Installment == r.Number && f.Waived != 0 {
				fees += fmt.Sprintf(", %s waived", f.Waived)
			}
		}
		late := ""
		if r.DPD != 0 {
			late = fmt.Sprintf(", %d days late", r.DPD)
		}
		s.say("%d  %s  %9s = %7s + %9s%s  open %9s  %s%s", r.Number, r.DueDate, r.Amount, r.Charge, r.Principal, fees, r.Outstanding, r.Status, late)
	}
	l := s.all.Loans[key]
	s.say("%s: total %s, paid %s, remaining %s, past due %s, carried charge %s", s.all.Orders[key].Financing, v.TotalAmount, v.TotalPaid,
		v.Remaining, v.PastDue, l.Carried)
}

// showAccounts sums the postings of an order, or of everything.
func (s *story) showAccounts(order string) {
	var kept []ledger.Entry
	for _, e := range s.entries {
		e.Postings = slices.DeleteFunc(slices.Clone(e.Postings), func(p ledger.Posting) bool { return order != "" && p.Order != order })
		kept = append(kept, e)
	}
	sum := money.Amount(0)
	for _, l := range ledger.TrialBalance(kept) {
		sum = sum.Add(l.Balance())
		if l.Balance() != 0 {
			s.say("%d %-42s %12s", l.Account, l.Account.Name(), l.Balance())
		}
	}
	s.say("sum %s", sum)
}
