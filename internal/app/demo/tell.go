package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/calendar"
)

// of matches events of one object: an order or a checkout.
func of(id string) func(client.Event) bool {
	return func(e client.Event) bool { return e.Object.ID == id }
}

// anything matches every event.
func anything(client.Event) bool { return true }

// tell waits until the next event of a type has arrived as a webhook, and prints its line.
func (s *story) tell(ctx context.Context, kind string, fits func(client.Event) bool, text func(client.Event) string) error {
	e, err := s.inbox.await(ctx, kind, func(e client.Event) bool { return e.Type == kind && !s.told[e.ID] && fits(e) })
	if err != nil {
		return err
	}
	s.told[e.ID] = true
	return s.print(ctx, e, text(e))
}

// Line is a line of the story for programs.
type Line struct {
	Line  int    `json:"line"`
	Date  string `json:"date"`
	Event string `json:"event"`
	ID    string `json:"event_id"`
	Text  string `json:"text"`
}

func (s *story) print(ctx context.Context, e client.Event, text string) error {
	s.line++
	at := e.CreatedAt.In(s.zone.Location())
	if s.c.JSON {
		b, err := json.Marshal(Line{s.line, at.Format(time.DateOnly), e.Type, e.ID, text})
		if err != nil {
			return err
		}
		return terminal.Document(s.a.Out, b)
	}
	if _, err := fmt.Fprintf(s.a.Out, "%2d  %s %2d  %-20s%s\n", s.line, at.Format("Jan"), at.Day(), e.Type, text); err != nil || s.c.Fast {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(Pause):
		return nil
	}
}

// tellLine reports how much of the credit line the authorization uses.
func (s *story) tellLine(ctx context.Context) error {
	x, err := s.desk.Company(ctx, fmt.Sprint(s.alder))
	if err != nil {
		return err
	}
	return s.tell(ctx, "order.authorized", of(s.order), func(client.Event) string {
		l := x.CreditLine
		return fmt.Sprintf("line %s: %s reserved, %s available", plainly(l.Limit), plainly(l.Reserved), plainly(l.Available))
	})
}

// tellCapture reports what the merchant is owed for an order, from the books.
func (s *story) tellCapture(ctx context.Context, o *client.Order) error {
	books, err := s.desk.OrderLedger(ctx, o.Key)
	if err != nil {
		return err
	}
	var owed, discount client.Amount
	for _, e := range books.Data {
		for _, p := range e.Postings {
			switch {
			case e.Event == "ORDER_CAPTURED" && p.Account == 2000:
				owed = p.Credit
			case e.Event == "ORDER_CAPTURED" && p.Account == 4010:
				discount = p.Credit
			}
		}
	}
	return s.tell(ctx, "order.captured", of(o.Key), func(client.Event) string {
		return fmt.Sprintf("first due %s · %s is owed %s (discount %s)", terminal.Day(o.Terms.FirstDueDate), StoryMerchant, plainly(owed), plainly(discount))
	})
}

// tellPayment reports the order's next successful payment.
func (s *story) tellPayment(ctx context.Context) error {
	plan, err := s.desk.Schedule(ctx, s.order)
	if err != nil {
		return err
	}
	o, err := s.desk.Order(ctx, s.order)
	if err != nil {
		return err
	}
	return s.tell(ctx, "payment.succeeded", anything, func(e client.Event) string {
		var p client.Payment
		_ = json.Unmarshal(e.Data.Object, &p) // missing values show in the line
		text := plainly(p.Amount) + "  " + s.what(p, plan)
		if p.Method == "CARD" {
			text += ", by card"
		}
		if o.FinancingStatus == "PAID_OFF" {
			text += " · financing " + o.FinancingStatus
		}
		return text
	})
}

// what describes what a payment paid for.
func (s *story) what(p client.Payment, plan *client.Schedule) string {
	var fee int64
	var parts []string
	for _, x := range p.Allocations {
		cents, _ := x.Fee.Cents()
		fee += cents
		principal, _ := x.Principal.Cents()
		charge, _ := x.FinanceCharge.Cents()
		if principal+charge == 0 {
			continue
		}
		part := fmt.Sprintf("installment %d", x.Installment)
		for _, row := range plan.Installments {
			if row.Number == x.Installment && p.Attempt == 1 && p.Method == "ACH" {
				part += moved(row)
			}
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ", ")
	if fee > 0 {
		text += fmt.Sprintf(" and the %s fee", plainly(client.OfCents(fee)))
	}
	if p.Attempt == 2 {
		text += ", second try"
	}
	return text
}

// moved explains why an installment is collected on a later day than a weekend alone would cause.
func moved(row client.Installment) string {
	due, err := calendar.Parse(row.DueDate)
	if err != nil {
		return ""
	}
	if due.IsBankingDay() || due.Weekday() != time.Sunday || (due + 1).IsBankingDay() {
		return ""
	}
	return " (due on a Sunday, then a bank holiday)"
}

// tellReturn reports the returned debit: its fee and its retry.
func (s *story) tellReturn(ctx context.Context) error {
	plan, err := s.desk.Schedule(ctx, s.order)
	if err != nil {
		return err
	}
	all, err := s.desk.ListPayments(ctx, client.PaymentFilter{OrderKey: s.order}, client.Paging{Limit: terminal.MaxPage})
	if err != nil {
		return err
	}
	next := "none"
	for _, p := range all.Data {
		if p.Attempt == 2 {
			next = terminal.Day(p.ScheduledDate)
		}
	}
	var fees int64
	for _, row := range plan.Installments {
		cents, _ := row.Fees.Cents()
		fees += cents
	}
	return s.tell(ctx, "payment.returned", anything, func(e client.Event) string {
		var p client.Payment
		_ = json.Unmarshal(e.Data.Object, &p)
		why := "no reason"
		if p.Failure != nil {
			why = p.Failure.ReturnCode + " " + strings.ToLower(strings.TrimSuffix(p.Failure.Message, "."))
		}
		return fmt.Sprintf("%s  %s · fee %s · next try %s", plainly(p.Amount), why, plainly(client.OfCents(fees)), next)
	})
}

// netOf reads the payout of an event.
func netOf(e client.Event) (p client.Payout) {
	_ = json.Unmarshal(e.Data.Object, &p) // missing values show in the line
	return p
}

// paymentsShown formats the amounts that the buyer was shown: 5 x 207.06, 1 x 207.05.
func paymentsShown(shown *client.Disclosure) string {
	var out []string
	for i := 0; i < len(shown.Payments); {
		n := 1
		for i+n < len(shown.Payments) && shown.Payments[i+n].Amount == shown.Payments[i].Amount {
			n++
		}
		out = append(out, fmt.Sprintf("%d x %s", n, plainly(shown.Payments[i].Amount)))
		i += n
	}
	return strings.Join(out, ", ")
}

// lastRows says which installment is the last with an amount, and which are gone.
func lastRows(plan *client.Schedule) string {
	last, gone := "", ""
	for _, row := range plan.Installments {
		if cents, _ := row.Amount.Cents(); cents > 0 {
			last = fmt.Sprintf("installment %d now %s", row.Number, plainly(row.Amount))
		} else {
			gone += fmt.Sprintf(", %d gone", row.Number)
		}
	}
	return last + gone
}

// plainly formats an amount without a currency sign: 1,200.00.
func plainly(a client.Amount) string { return strings.Replace(terminal.Dollars(a), "$", "", 1) }

// minus subtracts two amounts.
func minus(a, b client.Amount) client.Amount {
	x, _ := a.Cents()
	y, _ := b.Cents()
	return client.OfCents(x - y)
}

// check compares the books with the worked example, adds up what the buyer has paid, and checks
// that every event has arrived.
func (s *story) check(ctx context.Context) (Sum, error) {
	all, err := s.desk.Entries(ctx, "", "")
	if err != nil {
		return Sum{}, err
	}
	merchant := s.merchant
	if s.node != nil { // the books contain nothing else
		merchant = ""
	}
	got := StoryBooks(all.Data, merchant, s.alder, s.birch)
	want, err := WorkedExample()
	if err != nil {
		return Sum{}, err
	}
	if err := compareBooks(got, want); err != nil {
		return Sum{}, err
	}
	debits, credits := turnover(got)
	sum := Sum{Debits: client.OfCents(debits), Credits: client.OfCents(credits), Entries: len(got), Equal: true}
	if sum.Verified, err = s.verified(ctx); err != nil {
		return sum, err
	}
	if err := s.buyer(ctx, &sum); err != nil {
		return sum, err
	}
	sum.Webhooks, err = s.webhooks(ctx)
	return sum, err
}

// buyer adds up what the company has paid, and for what.
func (s *story) buyer(ctx context.Context, sum *Sum) error {
	var paid, principal, charge, fee int64
	add := func(to *int64, a client.Amount) { cents, _ := a.Cents(); *to += cents }
	for p, err := range s.desk.Payments(ctx, client.PaymentFilter{OrderKey: s.order, Status: "SUCCEEDED"}) {
		if err != nil {
			return err
		}
		add(&paid, p.Amount)
		for _, x := range p.Allocations {
			add(&principal, x.Principal)
			add(&charge, x.FinanceCharge)
			add(&fee, x.Fee)
		}
	}
	sum.Paid, sum.Principal, sum.Charge, sum.Fee = client.OfCents(paid), client.OfCents(principal), client.OfCents(charge), client.OfCents(fee)
	if paid != principal+charge+fee {
		return fmt.Errorf("the buyer paid %s, which does not match how its payments were applied", sum.Paid)
	}
	return nil
}

// webhooks waits until every event of the merchant has arrived, and checks their order.
func (s *story) webhooks(ctx context.Context) (int, error) {
	var missing []string
	for e, err := range s.shop.Events(ctx, client.EventFilter{}) {
		if err != nil {
			return 0, err
		}
		missing = append(missing, e.ID)
	}
	n := len(missing)
	for len(missing) > 0 {
		id := missing[0]
		if _, err := s.inbox.await(ctx, "event "+id, func(e client.Event) bool { return e.ID == id }); err != nil {
			return 0, err
		}
		missing = slices.DeleteFunc(missing, s.inbox.has)
	}
	return n, s.inbox.inOrder()
}
