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

// PastDue is a company's past-due amount.
type PastDue struct {
	Amount int64         // cents
	Oldest calendar.Date // None if nothing is past due
}

// PastDues sums companies' unpaid charge and principal of rows due before the day, with the
// oldest such due date, for one merchant or, with "", for all. Companies with nothing past
// due are left out.
func PastDues(v View, companies []int64, merchant string, day calendar.Date) (map[int64]PastDue, error) {
	var q Query
	ids := Cond{Column: "company_id", Op: In}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(companies))) {
		ids.Values = append(ids.Values, Value{Kind: Integer, Int: id})
	}
	q.Where = append(q.Where, ids)
	q.where("due_date", Below, Value{Kind: Day, Int: int64(day)})
	q.unpaid()
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

// PastDueOf is PastDues for one company.
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

// DaySums sums the postings of all by account, over the book dates from one day to another; None
// bounds nothing.
func DaySums(v View, from, to calendar.Date) (map[ledger.Account]money.Amount, error) {
	var q Query
	q.days("book_date", nil, from, to)
	sums := map[ledger.Account]money.Amount{}
	err := v.Sum(Sums{From: RowsOf(&DayTotals), Where: q.Where, By: []string{"account"}, Of: []Aggregate{{Sum, "debits"}, {Sum, "credits"}}}, func(by, of []Value) error {
		if sum := of[0].Int - of[1].Int; sum != 0 {
			sums[ledger.Account(by[0].Int)] = money.Amount(sum)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sums of days: %w", err)
	}
	return sums, nil
}

// EventDays calls fn with the totals of an event on some accounts, day by day.
func EventDays(v View, event string, from, to calendar.Date, fn func(DayTotalRow), accounts ...ledger.Account) error {
	var q Query
	q.where("book_date", AtLeast, Value{Kind: Day, Int: int64(from)})
	q.where("book_date", AtMost, Value{Kind: Day, Int: int64(to)})
	q.is("event", event)
	in := Cond{Column: "account", Op: In}
	for _, a := range accounts {
		in.Values = append(in.Values, Value{Kind: Integer, Int: int64(a)})
	}
	q.Where = append(q.Where, in)
	if err := byDay(v, q, func(row DayTotalRow) { row.Event = event; fn(row) }); err != nil {
		return fmt.Errorf("days of %s: %w", event, err)
	}
	return nil
}

// byDay adds up the totals of days that match, day by day.
func byDay(v View, q Query, fn func(DayTotalRow)) error {
	return v.Sum(Sums{
		From: RowsOf(&DayTotals), Where: q.Where, By: []string{"book_date"}, Of: []Aggregate{{Sum, "debits"}, {Sum, "credits"}, {Sum, "postings"}},
	}, func(by, of []Value) error {
		row := DayTotalRow{Debits: money.Amount(of[0].Int), Credits: money.Amount(of[1].Int), Postings: of[2].Int}
		row.Date = calendar.Date(by[0].Int)
		fn(row)
		return nil
	})
}

// AccountDays calls fn with the totals of an account of all events, day by day, in no order.
func AccountDays(v View, account ledger.Account, from, to calendar.Date, fn func(DayTotalRow)) error {
	var q Query
	q.days("book_date", nil, from, to)
	q.where("account", Is, Value{Kind: Integer, Int: int64(account)})
	if err := byDay(v, q, func(row DayTotalRow) { row.Account = account; fn(row) }); err != nil {
		return fmt.Errorf("days of account %d: %w", account, err)
	}
	return nil
}

// WaitingPayouts calls fn with what is left of the payout lines that wait, by due date, less what
// merchants owe, in no order.
func WaitingPayouts(v View, fn func(due calendar.Date, left money.Amount)) error {
	var q Query
	q.holds("payout_id", Is, Value{Null: true})
	return v.Sum(Sums{
		From: PayoutLineNoun, Index: "payout_lines_waiting", Where: q.Where, By: []string{"due_on", "kind"}, Of: []Aggregate{{Sum, "amount"}, {Sum, "netted"}},
	}, func(by, of []Value) error {
		left := money.Amount(of[0].Int - of[1].Int)
		if credit.PayoutLineKind(by[1].Text).Owes() {
			left = -left
		}
		due := calendar.None
		if !by[0].Null {
			due = calendar.Date(by[0].Int)
		}
		fn(due, left)
		return nil
	})
}

// Limits sums the credit limits of companies by their status.
func Limits(v View) (map[credit.CompanyStatus]money.Amount, error) {
	out := map[credit.CompanyStatus]money.Amount{}
	err := v.Sum(Sums{From: CompanyNoun, Index: "companies_limit", By: []string{"status"}, Of: []Aggregate{{Sum, "credit_limit"}}}, func(by, of []Value) error {
		out[credit.CompanyStatus(by[0].Text)] = money.Amount(of[0].Int)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sum credit limits: %w", err)
	}
	return out, nil
}

// firstMemo is the first account that is not part of the books.
const firstMemo = 9000

// OwedAt is what a merchant owed after commit q: the balance of its 1200 and 1210.
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

// Backlog counts the unfinished deliveries of each endpoint that has any.
func Backlog(v View) (map[string]int, error) {
	var q Query
	q.holds("state", Is, textValue(string(DeliveryPending)))
	return counts(v, Sums{From: RowsOf(&Deliveries), Index: "deliveries_pending", Where: q.Where, By: []string{"endpoint_id"}})
}

// counts counts the rows of each nonempty group, by a text.
func counts(v View, s Sums) (map[string]int, error) {
	out := map[string]int{}
	s.Of = []Aggregate{{Of: Count}}
	err := v.Sum(s, func(by, of []Value) error { out[by[0].Text] = int(of[0].Int); return nil })
	return out, err
}

// collected is the condition for a transfer that collects a debt: taking back
// micro-deposits does not (F22).
func (q *Query) collected() {
	q.expr("kind IN ('PAYMENT', 'CLAWBACK')", func(row any) bool {
		k := row.(*TransferRow).Kind
		return k == credit.TransferPayment || k == credit.TransferClawback
	})
}

// DebitsSince counts the debits that collect a debt and were sent to banks at or after an
// instant.
func DebitsSince(v View, at time.Time) (int, error) {
	n, _, err := debits(v, at, Aggregate{Of: Count})
	return int(n), err
}

// DebitsSent is DebitsSince with their amount.
func DebitsSent(v View, at time.Time) (n int64, amount money.Amount, err error) {
	return debits(v, at, Aggregate{Of: Count}, Aggregate{Sum, "amount"})
}

func debits(v View, at time.Time, figures ...Aggregate) (n int64, amount money.Amount, err error) {
	var q Query
	q.holds("rail", Is, textValue(string(credit.ACH)))
	q.collected()
	q.holds("sent_at", IsNot, Value{Null: true})
	q.where("sent_at", AtLeast, Value{Kind: Instant, Int: at.UnixMicro()})
	of, err := sum(v, Sums{From: TransferNoun, Index: "transfers_debited", Where: q.Where, Of: figures})
	if err != nil {
		return 0, 0, fmt.Errorf("count debits: %w", err)
	}
	if len(of) > 1 {
		amount = money.Amount(of[1].Int)
	}
	return of[0].Int, amount, nil
}

// DebitReturnsSince counts, by return code, the debits whose return arrived at or after an
// instant, each once however often a bank reports it. Returned credits, micro-deposits and
// prenotes, and debits that were never sent on, do not count (F22).
func DebitReturnsSince(v View, at time.Time) (map[string]int, error) {
	var debit, q Query
	debit.collected()
	q.coded(at)
	q.Where = append(q.Where, Cond{Other: &Other{From: TransferNoun, Same: []Pair{{"id", "transfer_id"}, {"return_code", "code"}}, Where: debit.Where}})
	out := map[string]int{}
	// Rail and kind are checked here: a plan that filters by rail would find every notice
	// ever received.
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

// coded adds the conditions for notices that have a code and arrived at or after an
// instant.
func (q *Query) coded(at time.Time) {
	q.holds("code", IsNot, textValue(""))
	q.where("at", AtLeast, Value{Kind: Instant, Int: at.UnixMicro()})
}

// owedByMerchants reports whether an account holds what merchants owe.
func owedByMerchants(a ledger.Account) bool {
	return a == ledger.ClawbackReceivable || a == ledger.DueFromMerchant
}
