package store

import (
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// OrderBrief is the part of an order that is compared with a merchant's own list.
type OrderBrief struct {
	Key       string
	Number    string // merchant_order_id, "" if there is none
	Amount    money.Amount
	Captured  money.Amount // 0 before capture
	Status    credit.OrderStatus
	CreatedAt time.Time
}

// OrdersNumbered lists a merchant's orders with one of the numbers, including canceled
// ones, in no order. Duplicate numbers count once.
func OrdersNumbered(v View, merchant string, numbers []string) ([]OrderBrief, error) {
	q := Query{From: RowsOf(&OrderBriefs), Limit: -1, Index: "orders_merchant_order"}
	q.holds("merchant_order_id", IsNot, Value{Null: true})
	q.among("merchant_order_id", numbers) // few orders share a number, even across merchants
	q.where("merchant_id", Is, textValue(merchant))
	return rows[OrderBrief](v, q)
}

// EachBrief calls fn with a merchant's orders, from ≤ CreatedAt < to (zero: open), ordered
// by creation and key. fn must not read from the view.
func EachBrief(v View, merchant string, from, to time.Time, fn func(OrderBrief) error) error {
	q := Query{From: RowsOf(&OrderBriefs), Order: []string{"created_at", "order_key"}, Limit: -1, Index: "orders_merchant"}
	q.where("merchant_id", Is, textValue(merchant))
	q.since("created_at", from)
	q.until("created_at", to)
	return v.List(q, func(row any) error { return fn(*row.(*OrderBrief)) })
}

// OrderBriefs selects a few columns of Orders: reads of many orders skip their carts,
// addresses and terms.
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
