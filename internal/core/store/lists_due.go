package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Due is an object that changes by the passage of time alone.
type Due struct {
	ID string
	At time.Time // since when
}

// DueMoney is what is due between the lender and a merchant, in both directions.
type DueMoney struct {
	ToMerchant money.Amount  // what adds to its payouts
	ByMerchant money.Amount  // what is deducted from them
	Since      calendar.Date // first day on which part of ToMerchant was due; None if it is 0
}

// dues selects the two columns that a list of due objects reads: the next_at index covers
// both, so no table row is read.
func dues(table string, key Column[Due]) *Table[Due] {
	return &Table[Due]{Name: table, Key: 1, Columns: []Column[Due]{key, instant("next_at", func(d *Due) *time.Time { return &d.At })}}
}

func dueKey(column string) Column[Due] {
	return text(column, func(d *Due) *string { return &d.ID })
}

// dueCompany is dueKey for a company's number.
var dueCompany = Column[Due]{"company_id", Integer,
	func(d *Due) Value { return Value{Kind: Integer, Int: CompanyID(d.ID)} },
	func(d *Due, v Value) error { d.ID = CompanyKey(v.Int); return nil }}

// listDue lists what is due at now, oldest first, after the last position (an instant and a
// key) of the previous page.
func listDue(v View, t *Table[Due], now time.Time, p Page, more ...Cond) ([]Due, error) {
	key := t.Columns[0]
	q := Query{From: RowsOf(t), Order: []string{"next_at", key.Name}, Limit: max(p.Limit, 0), Index: t.Name + "_next"}
	q.holds("next_at", IsNot, Value{Null: true})
	q.where("next_at", AtMost, Value{Kind: Instant, Int: now.UnixMicro()})
	q.Where = append(q.Where, more...)
	if !p.AfterAt.IsZero() {
		q.After = []Value{Micros(p.AfterAt), key.Get(&Due{ID: p.AfterID})}
	}
	return rows[Due](v, q)
}

// ListDue lists the keys of a noun's records whose NextAt is at or before now.
func ListDue(v View, n Noun, now time.Time, p Page) ([]Due, error) {
	return listDue(v, dues(n.Schema().Name, dueKey(n.firstColumn())), now, p)
}

// DueOf returns ListDue for a noun.
func DueOf(n Noun) func(v View, now time.Time, p Page) ([]Due, error) {
	return func(v View, now time.Time, p Page) ([]Due, error) { return ListDue(v, n, now, p) }
}

// ListDueCredits lists companies (CompanyKey) with credit whose NextAt is at or before now,
// each once with its first such instant.
func ListDueCredits(v View, now time.Time, p Page) ([]Due, error) {
	return listDue(v, dues(Credits.Name, dueCompany), now, p, Cond{Other: &Other{
		From: RowsOf(&Credits), Same: []Pair{{"company_id", "company_id"}}, Earlier: []Pair{{"next_at", "next_at"}, {"source", "source"}}, None: true,
	}})
}

// ListDueHeld lists the owners (PayoutLine.Of) of ended lines of collected money that were
// due to be freed (FreeHeld) at or before now, each once with its first such instant.
func ListDueHeld(v View, now time.Time, p Page) ([]Due, error) {
	return listDue(v, dues(PayoutLines.Name, dueKey("of_key")), now, p, Cond{Other: &Other{
		From: PayoutLineNoun, Index: "payout_lines_of", Same: []Pair{{"of_key", "of_key"}},
		Earlier: []Pair{{"next_at", "next_at"}, {"id", "id"}}, None: true,
	}})
}

// merchantIDs selects the keys of merchants.
var merchantIDs = Table[string]{Name: "merchants", Key: 1, Columns: []Column[string]{text("id", func(s *string) *string { return s })}}

// ListDueMerchants lists, in order of their ids, merchants with a waiting line that adds to
// a payout, has more than 0.00 left and is due by the day.
func ListDueMerchants(v View, day calendar.Date) ([]string, error) {
	q := waiting(day)
	q.expr("kind NOT IN ('CLAWBACK', 'COLLECTED')", func(row any) bool { return !row.(*LineRow).Kind.Owes() })
	return merchantsWith(v, "payout_lines_waiting", q.Where)
}

// ListAgedMerchants lists merchants that have owed money since the day or earlier: a
// waiting line of the kind, LineClawback or LineCollected, with an amount left, was due by
// then. In order of their ids.
func ListAgedMerchants(v View, kind credit.PayoutLineKind, day calendar.Date) ([]string, error) {
	q := waiting(day)
	q.expr("kind IN ('CLAWBACK', 'COLLECTED')", func(row any) bool { return row.(*LineRow).Kind.Owes() })
	q.where("kind", Is, textValue(string(kind)))
	return merchantsWith(v, "payout_lines_owed", q.Where)
}

// waiting returns the conditions for a payout line that waits, was due by a day and has an
// amount left.
func waiting(day calendar.Date) (q Query) {
	q.holds("payout_id", Is, Value{Null: true})
	q.where("due_on", AtMost, dayValue(day))
	q.expr("amount > netted", func(row any) bool { return row.(*LineRow).Left() > 0 })
	return q
}

// merchantsWith finds the merchants that have such a line, with one index lookup each.
func merchantsWith(v View, index string, lines []Cond) ([]string, error) {
	q := Query{From: RowsOf(&merchantIDs), Order: []string{"id"}, Limit: -1}
	q.Where = []Cond{{Other: &Other{
		From: PayoutLineNoun, Index: index, Same: []Pair{{"merchant_id", "id"}}, Where: lines, Order: []string{"due_on", "id"},
	}}}
	return rows[string](v, q)
}

// DueMoneyOf sums what is not netted yet of a merchant's waiting lines that are due by the
// day.
func DueMoneyOf(v View, merchant string, day calendar.Date) (DueMoney, error) {
	due, q := DueMoney{Since: calendar.None}, waiting(day)
	q.where("merchant_id", Is, textValue(merchant))
	err := v.Sum(Sums{
		From: PayoutLineNoun, Index: "payout_lines_waiting", Where: q.Where, By: []string{"kind"},
		Of: []Aggregate{{Sum, "amount"}, {Sum, "netted"}, {Min, "due_on"}},
	}, func(by, of []Value) error {
		left, since := money.Amount(of[0].Int-of[1].Int), calendar.Date(of[2].Int)
		if credit.PayoutLineKind(by[0].Text).Owes() {
			due.ByMerchant = due.ByMerchant.Add(left)
			return nil
		}
		due.ToMerchant = due.ToMerchant.Add(left)
		if due.Since == calendar.None || since < due.Since {
			due.Since = since
		}
		return nil
	})
	return due, err
}
