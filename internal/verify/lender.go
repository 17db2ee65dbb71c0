package verify

import (
	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/store"
)

// lender compares what is kept of the lender with the books: the allowance with the
// balance of 1900, and how far they are closed with the months that are.
func lender(r *run) error {
	s := credit.NewState()
	if err := r.view.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}); err != nil {
		return err
	}
	x, held := s.TheLender(), money.Amount(0)
	if err := r.view.EachBalance(func(k ledger.BalanceKey, sum int64) error {
		if k.Account == ledger.Allowance {
			held = held.Sub(money.Amount(sum))
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	r.equal("LG3", "lender", "allowance", x.Allowance, held)
	closed := calendar.None
	for i, p := range r.periods {
		if i > 0 && p.Month != closed+1 {
			r.broken("LG7", "period "+p.Month.String(), "is closed, and %s is not", (closed + 1).String())
		}
		closed = p.Month.EndOfMonth()
	}
	if x.ClosedTo != closed {
		r.broken("LG7", "lender", "the books are closed to %s, the last closed month ends on %s", x.ClosedTo, closed)
	}
	if to := x.ProvidedTo; to != calendar.None && (to != to.EndOfMonth() || to < x.ProvisionFrom || to >= r.head.BusinessDate) {
		r.broken("F17", "lender", "is provided for to %s, with rates since %s", to, x.ProvisionFrom)
	}
	return nil
}

// compareLender compares the lender with what the audit log makes of it.
func (w *judge) compareLender() error {
	s := credit.NewState()
	if err := w.view.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}); err != nil {
		return err
	}
	each := func(fn func(*credit.Lender) error) error {
		if x := s.Lenders[credit.TheLender]; x != nil {
			return fn(x)
		}
		return nil
	}
	return compareAll(w, "lender", &store.Lenders, each, w.state.Lenders,
		func(x *credit.Lender) string { return x.ID }, func(x *credit.Lender) store.LenderRow { return store.LenderRow{Lender: x} })
}

func (w *judge) compareScreenings() error {
	return compareAll(w, "screening", &store.Screenings, w.view.EachScreening, w.state.Screenings,
		func(x *credit.Screening) string { return x.ID }, func(x *credit.Screening) store.ScreeningRow { return store.ScreeningRow{Screening: x} })
}
