package payments

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// refuseDebit enforces the bounds on a debit requested with a merchant's token (F41.1): it is
// at most what is left to pay on the merchant's own orders that it names, less what is
// pending; it is not too small; and only a few wait at a time. Staff are not limited.
func (c RecordPayment) refuseDebit(s *credit.State, e credit.Env, o *credit.Order) *credit.Rejection {
	if e.Actor.Operator {
		return nil
	}
	own := c.debited(s, e, o)
	rest, rows := money.Amount(0), 0
	var open []string
	for _, x := range own {
		l := s.Loans[x.Key]
		rest = rest.Add(x.View(l, e.Today()).Remaining)
		for _, w := range x.Servicing.Open {
			rest = rest.Sub(w.Amount)
			if !slices.Contains(open, w.Payment) {
				open = append(open, w.Payment)
			}
		}
		for i := range l.Rows {
			if l.Rows[i].Unpaid() > 0 {
				rows++
			}
		}
	}
	pending, scheduled := 0, 0
	for _, id := range open {
		switch p := s.Payments[id]; {
		case p == nil || p.Autopay:
		case p.Status == credit.PaymentScheduled:
			scheduled++
		case p.Order == "" == (c.Company != 0): // company-level debits are counted separately
			pending++
		}
	}
	rest = max(0, rest)
	members := map[string]any{"remaining_balance": rest}
	switch {
	case c.Amount > rest:
		return credit.DebitExceedsBalance.With(fmt.Sprintf("A debit may take %s: what is left to pay less what is on its way.", rest), members)
	case c.Amount < credit.MinDebit && c.Amount < rest:
		return credit.DebitTooSmall.With(fmt.Sprintf("A debit is at least %s unless it pays the rest.", credit.MinDebit), members)
	case c.Amount < c.Method.Can().AskFor && c.Amount < rest:
		return credit.DebitTooSmall.With(fmt.Sprintf("A charge of a card is at least %s unless it pays the rest.", c.Method.Can().AskFor), members)
	case c.waits(e) && scheduled >= rows:
		return credit.TooManyOpenDebits.With("At most one debit can be scheduled for each unpaid installment.", map[string]any{"maximum": rows})
	case !c.waits(e) && pending >= credit.MaxPendingDebit:
		return credit.TooManyOpenDebits.With(fmt.Sprintf("At most %d debits are on their way at a time.", credit.MaxPendingDebit), map[string]any{"maximum": credit.MaxPendingDebit})
	}
	return nil
}

// refuseSmall rejects a small card charge if there are too many.
func (c RecordPayment) refuseSmall(s *credit.State, e credit.Env, company int64) *credit.Rejection {
	if e.Actor.Operator || !c.Method.Can().Tried {
		return nil
	}
	return lending.TooManySmall(s.Companies[company], c.Amount, e.Today())
}

// debited lists the merchant's own orders that a debit names: one, or for a company-level
// debit all that it reaches (F12).
func (c RecordPayment) debited(s *credit.State, e credit.Env, o *credit.Order) []*credit.Order {
	if o != nil {
		return []*credit.Order{o}
	}
	var own []*credit.Order
	for _, key := range s.Accounts[c.Company] {
		if x := s.Orders[key]; x.Merchant == e.Actor.Merchant && !x.External && s.Loans[key] != nil {
			own = append(own, x)
		}
	}
	return own
}

// waits reports whether a debit misses the next file: it will be SCHEDULED.
func (c RecordPayment) waits(e credit.Env) bool {
	if c.Method.Can().Answer {
		return c.ScheduledDate != calendar.None && c.ScheduledDate > e.Today()
	}
	sendOn, _ := lending.TransferDays(e, c.ScheduledDate)
	return sendOn > e.Today()
}

// openDebits lists the pending payments of loaded orders.
func openDebits(s *credit.State, orders []string) []string {
	var out []string
	for _, key := range orders {
		if o := s.Orders[key]; o != nil {
			for _, w := range o.Servicing.Open {
				if !slices.Contains(out, w.Payment) {
					out = append(out, w.Payment)
				}
			}
		}
	}
	return out
}
