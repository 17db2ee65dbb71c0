package store

import (
	"fmt"

	"tenor/internal/domain/calendar"
)

// DuePlace is an installment's place in order of due dates.
type DuePlace struct {
	Due    calendar.Date // None: before all
	Order  string
	Number int
}

// PlaceOf is an installment's place.
func (r InstallmentRow) PlaceOf() DuePlace { return DuePlace{r.DueDate, r.Order, r.Number} }

// ListDueInstallments lists the installments that are due between two dates, both included, and not
// paid in full, after a place, in order of due dates; None bounds nothing. With oldest, it lists
// only the first of each order.
func ListDueInstallments(v View, from, to calendar.Date, oldest bool, after DuePlace, limit int) ([]InstallmentRow, error) {
	q := Query{From: RowsOf(&Installments), Index: "installments_due", Order: []string{"due_date", "order_key", "number"}, Limit: limit}
	q.days("due_date", nil, from, to)
	q.unpaid()
	if after.Due != calendar.None {
		q.After = []Value{dayValue(after.Due), textValue(after.Order), {Kind: Integer, Int: int64(after.Number)}}
	}
	if oldest {
		var earlier Query
		earlier.unpaid()
		q.Where = append(q.Where, Cond{Other: &Other{
			From: RowsOf(&Installments), Same: []Pair{{"order_key", "order_key"}}, Earlier: []Pair{{"due_date", "due_date"}, {"number", "number"}}, Where: earlier.Where, None: true,
		}})
	}
	out, err := rows[InstallmentRow](v, q)
	if err != nil {
		return nil, fmt.Errorf("list installments due: %w", err)
	}
	return out, nil
}

// unpaid is the condition of the indexes of installments that are not paid in full.
func (q *Query) unpaid() {
	q.holds("canceled", Is, Value{Kind: Bool})
	q.expr("principal + finance_charge > paid_principal + paid_finance_charge", func(row any) bool { return row.(*InstallmentRow).Unpaid() > 0 })
}
