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

// BriefView reads many orders without their carts, addresses and terms.
type BriefView interface {
	// Numbered lists a merchant's orders that have one of the numbers, canceled ones
	// too, in no order. A number given twice counts once.
	Numbered(merchant string, numbers []string) ([]OrderBrief, error)
	// EachBrief calls fn with a merchant's orders, from ≤ CreatedAt < to, zero for an
	// open end, in order of creation and key. fn reads nothing else of the view.
	EachBrief(merchant string, from, to time.Time, fn func(OrderBrief) error) error
}

// OrderBriefs are columns of Orders.
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
