package store

import (
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// OrderBrief is what a merchant's list of orders is compared with.
type OrderBrief struct {
	Key       string
	Number    string // merchant_order_id, "" if there is none
	Amount    money.Amount
	Captured  money.Amount // 0 before capture
	Status    credit.OrderStatus
	CreatedAt time.Time
}

// OrdersNumbered lists a merchant's orders that have one of the numbers, canceled ones too,
// in no order. A number given twice counts once.
func OrdersNumbered(v View, merchant string, numbers []string) ([]OrderBrief, error) {
	q := Query{From: RowsOf(&OrderBriefs), Limit: -1, Index: "orders_merchant_order"}
	q.holds("merchant_order_id", IsNot, Value{Null: true})
	q.among("merchant_order_id", numbers) // few orders have the same number, whoever their merchants are
	q.where("merchant_id", Is, textValue(merchant))
	return rows[OrderBrief](v, q)
}

// EachBrief calls fn with a merchant's orders, from ≤ CreatedAt < to, zero for an open end,
// in order of creation and key. fn reads nothing else of the view.
func EachBrief(v View, merchant string, from, to time.Time, fn func(OrderBrief) error) error {
	q := Query{From: RowsOf(&OrderBriefs), Order: []string{"created_at", "order_key"}, Limit: -1, Index: "orders_merchant"}
	q.where("merchant_id", Is, textValue(merchant))
	q.since("created_at", from)
	q.until("created_at", to)
	return v.List(q, func(row any) error { return fn(*row.(*OrderBrief)) })
}

// OrderBriefs are columns of Orders: many are read without their carts, addresses and terms.
var OrderBriefs = Table[OrderBrief]{
	Name: "orders", Key: 1,
	Columns: []Column[OrderBrief]{
		text("order_key", func(r *OrderBrief) *string { return &r.Key }),
		optional("merchant_order_id", func(r *OrderBrief) *string { return &r.Number }),
		integer("amount", func(r *OrderBrief) *money.Amount { return &r.Amount }),
		integer("captured", func(r *OrderBrief) *money.Amount { return &r.Captured }),
		text("status", func(r *OrderBrief) *credit.OrderStatus { return &r.Status }),
		instant("created_at", func(r *OrderBrief) *time.Time { return &r.CreatedAt }),
	},
}
