package verify

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// cashView is a book with only what CA1 reads.
type cashView struct {
	store.View
	payments []*credit.Payment
	lines    []*credit.PayoutLine
	loan     *schedule.Loan
}

func (v cashView) Stored(s store.Schema, fn func([]store.Value) error) error {
	var rows [][]store.Value
	switch s.Name {
	case store.Payments.Name:
		for _, p := range v.payments {
			row := store.PaymentNoun.Row(p, 1)
			rows = append(rows, store.Payments.Encode(&row, nil))
		}
	case store.PayoutLines.Name:
		for _, l := range v.lines {
			row := store.PayoutLineNoun.Row(l, 1)
			rows = append(rows, store.PayoutLines.Encode(&row, nil))
		}
	}
	for _, row := range rows {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// List returns the one order, whose loan Load returns.
func (v cashView) List(q store.Query, fn func(row any) error) error {
	if q.After != nil {
		return nil
	}
	row := store.OrderNoun.Row(&credit.Order{Key: "ord", Company: 7}, 1)
	return fn(&row)
}

func (v cashView) Load(s *credit.State, _ credit.Keys) error {
	s.Loans["ord"] = v.loan
	return nil
}

// In each of these the debit of 100.00 was refunded, and the refund was sent or has
// arrived. What was received, or is owed for what was returned, covers it to the cent;
// sending a cent more is reported.
func TestNoMoreIsSentThanHasCome(t *testing.T) {
	const whole = money.Amount(100_00)
	debit := func(status credit.PaymentStatus) *credit.Payment {
		return &credit.Payment{ID: "pay_debit", Company: 7, Direction: "IN", Amount: whole, Status: status, Transfer: "trf_debit"}
	}
	// reported is a merchant's reported payment, all of it for what is owed on 1130.
	reported := func(amount, held, credited money.Amount) *credit.Payment {
		return &credit.Payment{
			ID: "pay_cash", Company: 7, Direction: "IN", Amount: amount, Status: credit.PaymentSucceeded, FromMerchant: true, Held: held, Unapplied: credited,
			Allocations: []credit.Allocation{{Order: "ord", Fee: whole, Other: whole}},
		}
	}
	line := func(kind credit.PayoutLineKind, source string, amount, netted money.Amount) *credit.PayoutLine {
		return &credit.PayoutLine{ID: "pol_" + source, Company: 7, Order: "ord", Kind: kind, Source: source, Amount: amount, Netted: netted}
	}
	receivable := func(paid, waived money.Amount) *schedule.Loan {
		return &schedule.Loan{Key: "ord", Fees: []schedule.Fee{{Kind: schedule.OtherReceivable, Amount: whole - waived, Paid: paid, Waived: waived}}}
	}
	back := debit(credit.PaymentReturned)
	for name, x := range map[string]cashView{
		"the debit stands":                          {payments: []*credit.Payment{debit(credit.PaymentRefunded)}},
		"it came back, and the company owes it":     {payments: []*credit.Payment{back}, loan: receivable(0, 0)},
		"it came back, and what it owes is let off": {payments: []*credit.Payment{back}, loan: receivable(0, whole)},
		"the company has paid it by a check": {loan: receivable(whole, 0), payments: []*credit.Payment{back,
			{ID: "pay_check", Company: 7, Direction: "IN", Amount: whole, Status: credit.PaymentSucceeded}}},
		"a merchant took it and holds it": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(whole, whole, 0)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", whole, 0)}},
		"a merchant took it, and a payout has netted a part": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(whole, 60_00, 0)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", whole, 40_00)}},
		"a merchant took it, and handed it over": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(whole, 0, 0)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", whole, whole)}},
		// What a replay moves to another order has a line named after the cause of the
		// replay.
		"a merchant holds it by a line that another payment has caused": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(whole, whole, 0)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_other", whole, 0)}},
		"a merchant holds it by two lines of which one is netted": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(whole, 70_00, 0)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", 30_00, 30_00), line(credit.LineCollected, "pay_other", 70_00, 0)}},
		// The credit next to it is not money for 1130: a merchant's line holds both.
		"a merchant holds more than that": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(150_00, 150_00, 50_00)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", 150_00, 0)}},
		"a merchant holds more than that, and half is netted": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(150_00, 75_00, 50_00)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", 150_00, 75_00)}},
		"a merchant handed over more and got the rest back": {loan: receivable(whole, 0), payments: []*credit.Payment{back, reported(150_00, 0, 0)},
			lines: []*credit.PayoutLine{line(credit.LineCollected, "pay_cash", 150_00, 150_00), line(credit.LineRepaid, "rpt", 50_00, 0)}},
	} { // unordered: each by itself
		for _, sent := range []money.Amount{whole, whole + 1} {
			r := &run{ctx: t.Context(), view: x, transfers: map[string]*transferFacts{
				"trf_debit":  {kind: credit.TransferPayment, company: 7, amount: whole, status: credit.TransferSettled},
				"trf_refund": {kind: credit.TransferRefund, company: 7, amount: sent, status: credit.TransferSent},
				"trf_credit": {kind: credit.TransferCredit, company: 7, amount: whole, status: credit.TransferReturned}, // returned to us
			}, balances: ledger.Balances{}}
			if err := cash(r); err != nil {
				t.Fatal(err)
			}
			if found := r.report.Violations; (len(found) > 0) != (sent > whole) || len(found) > 0 && (found[0].Invariant != "CA1" || found[0].Object != "company "+store.CompanyKey(7)) {
				t.Errorf("%s, and %s was sent: %v", name, sent, found)
			}
		}
	}
}
