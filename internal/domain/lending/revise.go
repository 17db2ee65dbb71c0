package lending

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// MostMovedDays is the most days by which a reschedule moves an installment (F4): a quarter.
// Longer relief needs another decision when the time comes.
const MostMovedDays = 92

// ReviseSchedule is a change by staff of an order's schedule: a reschedule, which moves the
// due date of an installment and of all after it (F4), or a reamortization, which spreads what
// is unpaid over the installments left: lower payments over the same time (F9). Exactly one of
// them is requested. Result is the *Order, with the next revision.
type ReviseSchedule struct {
	Order       string        `json:"order"`
	IfMatch     []string      `json:"if_match,omitzero"`
	Installment int           `json:"installment,omitzero"` // reschedule: the first that moves; 0: none
	Due         calendar.Date `json:"due_date"`             // its new due date
	Reamortize  bool          `json:"reamortize,omitzero"`
	Reason      string        `json:"reason"`
}

func (ReviseSchedule) Name() string { return "order.revise" }

// Prefixes of the money events of a revision.
const (
	prefixReschedule = "rsc_"
	prefixReamortize = "ram_"
)

// Keys requests the order with its loan, then its pending debits, and finally their transfers.
func (c ReviseSchedule) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventReschedule, Date: e.Today()})
	o := s.Orders[c.Order]
	if o == nil {
		return k
	}
	for _, open := range o.Servicing.Open {
		k.Payments = append(k.Payments, open.Payment)
		if p := s.Payments[open.Payment]; p != nil && p.Transfer != "" {
			k.Transfers = append(k.Transfers, p.Transfer)
		}
	}
	return k
}

func (c ReviseSchedule) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such order.")
	}
	return AdmitOrder(s, e, c.Order)
}

func (c ReviseSchedule) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	o := s.Orders[c.Order]
	if r := credit.MatchVersion(c.IfMatch, o.Version); r != nil {
		return credit.Changes{}, r
	}
	if r := c.revisable(o, s.Loans[c.Order]); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	Serve(d, c.Order)
	l := d.LoanOf(c.Order).Standing(nil, e.Today())
	revise := c.reschedule
	if c.Reamortize {
		revise = c.reamortize
	}
	event, concerned, r := revise(d, l)
	if r != nil {
		return credit.Changes{}, r
	}
	if r := clearOf(d, d.Orders.Peek(c.Order), l, concerned); r != nil {
		return credit.Changes{}, r
	}
	event.Order, event.Date, event.Seq = c.Order, e.Today(), NextSeq(d, o.Company)
	Play(d, o.Company, []string{c.Order}, event, nil)
	dropRetries(d, c.Order)
	return d.Done(d.Orders.Edit(c.Order), false), nil
}

// revisable requires that the order has a schedule under which something is owed to the
// lender.
func (c ReviseSchedule) revisable(o *credit.Order, l *schedule.Loan) *credit.Rejection {
	switch {
	case o.Captured == 0:
		return credit.OrderNotCaptured.With("Only a captured order has a schedule that can be changed.", map[string]any{"order_status": string(o.Status)})
	case l.ChargedOff:
		return chargedOff("The order is charged off: all of it is due.")
	case o.Terms.Unfunded:
		return credit.InvalidTransition.Because("The lender has not funded the order.")
	case o.Financing == credit.FinancingPaidOff:
		return credit.InvalidTransition.With("Nothing is owed on the order.", map[string]any{"financing_status": string(o.Financing)})
	case c.Reamortize == (c.Installment != 0), c.Reamortize && c.Due != calendar.None:
		return credit.ValidationFailed.Because("Give either an installment with its new due date, or reamortize.")
	}
	return nil
}

// reschedule is the money event of a reschedule, with the rows it concerns.
func (c ReviseSchedule) reschedule(d *credit.Draft, l *schedule.Loan) (schedule.Event, func(row int) bool, *credit.Rejection) {
	none := schedule.Event{}
	if c.Installment < 1 || c.Installment > len(l.Rows) {
		return none, nil, credit.ValidationFailed.With(fmt.Sprintf("The schedule has %d installments.", len(l.Rows)), map[string]any{"maximum": len(l.Rows)})
	}
	row, today := l.Rows[c.Installment-1], d.Env.Today()
	switch {
	case row.Unpaid() == 0:
		return none, nil, credit.InvalidTransition.Because(fmt.Sprintf("Installment %d has no unpaid amount.", row.Number))
	case row.DueDate <= today:
		return none, nil, credit.InvalidTransition.With(fmt.Sprintf("Installment %d is due already. A re-amortizing spreads what is overdue.", row.Number),
			map[string]any{"due_date": row.DueDate.String()})
	}
	earliest, latest := earliestDue(d, l.Before(row.Number)), row.DueDate.AddDays(MostMovedDays)
	if c.Due == row.DueDate || c.Due < earliest || c.Due > latest {
		return none, nil, credit.ValidationFailed.With(fmt.Sprintf("Installment %d is due on %s. It can move to another date from %s to %s.", row.Number, row.DueDate, earliest, latest),
			map[string]any{"earliest": earliest.String(), "latest": latest.String()})
	}
	return schedule.Event{Kind: schedule.EventReschedule, ID: d.IDs.Next(prefixReschedule), Installment: c.Installment, Due: c.Due},
		func(row int) bool { return row >= c.Installment }, nil
}

// earliestDue is the first date after the given one, and after today, for whose collection no
// file has been built yet (F22).
func earliestDue(d *credit.Draft, after calendar.Date) calendar.Date {
	due := max(after, d.Env.Today()) + 1
	for !d.Env.Now.Before(credit.CutOff(d.Env.Zone, credit.BankingDayBefore(schedule.Collection(due)))) {
		due++
	}
	return due
}

// reamortize is the money event of a reamortization: the level payment and the overdue
// principal are decided now, and stay even if something comes back later (F1).
func (c ReviseSchedule) reamortize(d *credit.Draft, l *schedule.Loan) (schedule.Event, func(row int) bool, *credit.Rejection) {
	level, overdue, err := l.Reamortized()
	if err != nil {
		return schedule.Event{}, nil, credit.TermNotAvailable.With(
			"What is unpaid cannot be spread over the installments left: none is left, or each would be below 1.00. Re-schedule the next one first if the time is too short.",
			map[string]any{"installments_left": len(l.Rows) - l.Current + 1})
	}
	event := schedule.Event{Kind: schedule.EventReamortize, ID: d.IDs.Next(prefixReamortize), Order: c.Order, Date: d.Env.Today(), Level: level, Amount: overdue}
	after := schedule.Portfolio{Loans: []*schedule.Loan{l.Clone()}}
	if after.Apply(event); !RowsChanged(l, after.Loans[0]) {
		return schedule.Event{}, nil, credit.InvalidTransition.Because("The remaining installments are already level; reamortizing would change nothing.")
	}
	return event, func(row int) bool { return l.Rows[row-1].Unpaid() > 0 }, nil
}

// clearOf requires that no pending debit pays one of the rows concerned. A retry that has not
// been sent does not count: it is dropped if its items change (F23).
func clearOf(d *credit.Draft, o *credit.Order, l *schedule.Loan, concerned func(row int) bool) *credit.Rejection {
	for _, open := range o.Servicing.Open {
		p := d.Payments.Peek(open.Payment)
		if p.Original != "" && p.Status == credit.PaymentScheduled {
			continue
		}
		for _, row := range credit.Covered(o, l, open) {
			if concerned(row) {
				return credit.InvalidTransition.With(fmt.Sprintf("A debit of installment %d is on its way. Wait for its outcome, or cancel it while it has not been sent.", row),
					map[string]any{"payment_id": p.ID, "payment_status": string(p.Status)})
			}
		}
	}
	return nil
}

// dropRetries drops an order's unsent retries whose items no longer owe what they were made
// for (F23).
func dropRetries(d *credit.Draft, key string) {
	for _, open := range d.Orders.Peek(key).Servicing.Open {
		p := d.Payments.Peek(open.Payment)
		if p.Original == "" || p.Status != credit.PaymentScheduled || p.Items == nil || credit.UnpaidOf(d.LoanOf(key), p.Items) >= p.Amount {
			continue
		}
		CancelDebit(d, d.Transfers.Edit(p.Transfer), d.Payments.Edit(p.ID))
		CollectRest(d, key)
	}
}

// MovedDue reports whether a command reschedules an order: only then its due dates change
// (SC3).
func MovedDue(events []credit.MoneyEvent, order string) bool {
	for _, e := range events {
		if e.Kind == schedule.EventReschedule && e.Order == order {
			return true
		}
	}
	return false
}
