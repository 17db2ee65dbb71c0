package store

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// PastDue is what a company owes that is late.
type PastDue struct {
	Amount int64         // cents
	Oldest calendar.Date // None if nothing is late
}

// PastDues sums companies' unpaid charge and principal of rows due before the day, for one
// merchant or all for "", with the oldest such due date. A company that owes nothing late
// is left out.
func PastDues(v View, companies []int64, merchant string, day calendar.Date) (map[int64]PastDue, error) {
	var q Query
	ids := Cond{Column: "company_id", Op: In}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(companies))) {
		ids.Values = append(ids.Values, Value{Kind: Integer, Int: id})
	}
	q.Where = append(q.Where, ids)
	q.where("due_date", Below, Value{Kind: Day, Int: int64(day)})
	q.holds("canceled", Is, Value{Kind: Bool})
	q.expr("principal + finance_charge > paid_principal + paid_finance_charge", func(row any) bool { return row.(*InstallmentRow).Unpaid() > 0 })
	q.is("merchant_id", merchant)
	late := map[int64]PastDue{}
	err := v.Sum(Sums{
		From: RowsOf(&Installments), Index: "installments_open", Where: q.Where, By: []string{"company_id"},
		Of: []Aggregate{{Sum, "principal"}, {Sum, "finance_charge"}, {Sum, "paid_principal"}, {Sum, "paid_finance_charge"}, {Min, "due_date"}},
	}, func(by, of []Value) error {
		late[by[0].Int] = PastDue{of[0].Int + of[1].Int - of[2].Int - of[3].Int, calendar.Date(of[4].Int)}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("past due of %d companies: %w", len(companies), err)
	}
	return late, nil
}

// PastDueOf is PastDues of one company.
func PastDueOf(v View, company int64, merchant string, day calendar.Date) (PastDue, error) {
	all, err := PastDues(v, []int64{company}, merchant, day)
	if due, late := all[company]; late {
		return due, err
	}
	return PastDue{Oldest: calendar.None}, err
}

// Trial sums the stored balances: of the books, and of the memo accounts (LG2). Both are
// zero unless the database was damaged or written by something else.
func Trial(v View) (books, memo int64, err error) {
	for op, total := range map[Op]*int64{Below: &books, AtLeast: &memo} {
		of, err := sum(v, Sums{
			From: RowsOf(&Balances), Of: []Aggregate{{Sum, "amount"}},
			Where: []Cond{{Column: "account", Op: op, Value: Value{Kind: Integer, Int: firstMemo}}},
		})
		if err != nil {
			return 0, 0, fmt.Errorf("trial balance: %w", err)
		}
		*total = of[0].Int
	}
	return books, memo, nil
}

// firstMemo is the first account of those that are no part of the books.
const firstMemo = 9000

// OwedAt is what a merchant owed after commit q: what stood on its 1200 and 1210.
func OwedAt(v View, merchant string, q int64) (money.Amount, error) {
	var c Query
	c.expr("account IN (1200, 1210)", func(row any) bool { return owedByMerchants(row.(*PostingRow).Account) })
	c.where("merchant_id", Is, textValue(merchant))
	c.where("q", AtMost, Value{Kind: Integer, Int: q})
	of, err := sum(v, Sums{From: RowsOf(&Postings), Index: "postings_owed", Where: c.Where, Of: []Aggregate{{Sum, "amount"}}})
	if err != nil {
		return 0, fmt.Errorf("sum owed by a merchant: %w", err)
	}
	return money.Amount(of[0].Int), nil
}

// Backlog is the number of unfinished deliveries of each endpoint that has any.
func Backlog(v View) (map[string]int, error) {
	var q Query
	q.holds("state", Is, textValue(string(DeliveryPending)))
	return counts(v, Sums{From: RowsOf(&Deliveries), Index: "deliveries_pending", Where: q.Where, By: []string{"endpoint_id"}})
}

// counts counts the rows of each group that has any, by a text.
func counts(v View, s Sums) (map[string]int, error) {
	out := map[string]int{}
	s.Of = []Aggregate{{Of: Count}}
	err := v.Sum(s, func(by, of []Value) error { out[by[0].Text] = int(of[0].Int); return nil })
	return out, err
}

// collected is the condition of a transfer that collects what somebody owes: one that takes
// back micro-deposits is none (F22).
func (q *Query) collected() {
	q.expr("kind IN ('PAYMENT', 'CLAWBACK')", func(row any) bool {
		k := row.(*TransferRow).Kind
		return k == credit.TransferPayment || k == credit.TransferClawback
	})
}

// DebitsSince counts the debits of what somebody owes that were sent to banks at an instant
// or later.
func DebitsSince(v View, at time.Time) (int, error) {
	var q Query
	q.holds("rail", Is, textValue(string(credit.ACH)))
	q.collected()
	q.holds("sent_at", IsNot, Value{Null: true})
	q.where("sent_at", AtLeast, Value{Kind: Instant, Int: at.UnixMicro()})
	of, err := sum(v, Sums{From: TransferNoun, Index: "transfers_debited", Where: q.Where, Of: []Aggregate{{Of: Count}}})
	if err != nil {
		return 0, fmt.Errorf("count debits: %w", err)
	}
	return int(of[0].Int), nil
}

// DebitReturnsSince counts, by the code under which they came back, the debits whose return
// came at an instant or later: each once, however often a bank says it. Credits,
// micro-deposits and prenotes that came back, and what was never sent on, are no returned
// debits (F22).
func DebitReturnsSince(v View, at time.Time) (map[string]int, error) {
	var debit, q Query
	debit.collected()
	q.coded(at)
	q.Where = append(q.Where, Cond{Other: &Other{From: TransferNoun, Same: []Pair{{"id", "transfer_id"}, {"return_code", "code"}}, Where: debit.Where}})
	out := map[string]int{}
	// Rail and kind are looked at here: by its rail a plan would find all notices that there
	// ever were.
	err := v.Sum(Sums{
		From: RowsOf(&BankNotices), Index: "bank_notices_code", Where: q.Where,
		By: []string{"code", "transfer_id", "rail", "kind"}, Of: []Aggregate{{Of: Count}},
	}, func(by, _ []Value) error {
		if by[2].Text == string(credit.ACH) && by[3].Text == "RETURN" {
			out[by[0].Text]++
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count returned debits: %w", err)
	}
	return out, nil
}

// coded are the conditions of notices that have a code and came at an instant or later.
func (q *Query) coded(at time.Time) {
	q.holds("code", IsNot, textValue(""))
	q.where("at", AtLeast, Value{Kind: Instant, Int: at.UnixMicro()})
}

// owedByMerchants reports an account on which stands what merchants owe.
func owedByMerchants(a ledger.Account) bool {
	return a == ledger.ClawbackReceivable || a == ledger.DueFromMerchant
}
