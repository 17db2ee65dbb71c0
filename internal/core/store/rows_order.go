package store

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// OrderRow is an order.
type OrderRow struct {
	*credit.Order
	Q int64 // commit that wrote this version
}

// OrderPast is a version of an order that a later commit replaced.
type OrderPast struct {
	OrderRow
	UntilQ int64 // commit that replaced it
}

// Orders is the table of current orders.
var Orders = Table[OrderRow]{
	Name: "orders", Key: 1,
	New:     newOrderRow,
	Columns: slices.Concat(orderColumns(), orderDetails(), orderLookups()),
	Lookups: len(orderLookups()),
}

func newOrderRow() *OrderRow { return &OrderRow{Order: new(credit.Order)} }

// orderColumns are an order's terms and amounts.
func orderColumns() []Column[OrderRow] {
	return []Column[OrderRow]{
		text("order_key", func(r *OrderRow) *string { return &r.Key }),
		integer("company_id", func(r *OrderRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *OrderRow) *string { return &r.Merchant }),
		optional("merchant_order_id", func(r *OrderRow) *string { return &r.MerchantOrderID }),
		text("currency", func(r *OrderRow) *money.Currency { return &r.Currency }),
		integer("amount", func(r *OrderRow) *money.Amount { return &r.Amount }),
		text("status", func(r *OrderRow) *credit.OrderStatus { return &r.Status }),
		text("financing_status", func(r *OrderRow) *credit.FinancingStatus { return &r.Financing }),
		integer("installments", func(r *OrderRow) *int { return &r.Installments }),
		boolean("externally_managed", func(r *OrderRow) *bool { return &r.External }),
		integer("program", func(r *OrderRow) *int { return &r.Program }),
		nested("terms", func(r *OrderRow) **credit.OrderTerms { return &r.Terms }),
		integer("authorized_amount", func(r *OrderRow) *money.Amount { return &r.Authorized }),
		integer("reserved", func(r *OrderRow) *money.Amount { return &r.Reserved }),
		integer("captured", func(r *OrderRow) *money.Amount { return &r.Captured }),
		integer("refunded", func(r *OrderRow) *money.Amount { return &r.Refunded }),
		integer("merchant_discount", func(r *OrderRow) *money.Amount { return &r.Discount }),
		integer("merchant_discount_back", func(r *OrderRow) *money.Amount { return &r.DiscountBack }),
		day("capture_date", func(r *OrderRow) *calendar.Date { return &r.CaptureDate }),
		instant("captured_at", func(r *OrderRow) *time.Time { return &r.CapturedAt }),
		instant("authorized_at", func(r *OrderRow) *time.Time { return &r.AuthorizedAt }),
		instant("expires_at", func(r *OrderRow) *time.Time { return &r.ExpiresAt }),
		boolean("extended", func(r *OrderRow) *bool { return &r.Extended }),
		instant("warned_for", func(r *OrderRow) *time.Time { return &r.WarnedFor }),
		instant("canceled_at", func(r *OrderRow) *time.Time { return &r.CanceledAt }),
		text("cancel_reason", func(r *OrderRow) *string { return &r.CancelReason }),
		instant("returned_at", func(r *OrderRow) *time.Time { return &r.ReturnedAt }),
	}
}

// orderDetails are the shop's data about an order, its relations and counters.
func orderDetails() []Column[OrderRow] {
	return []Column[OrderRow]{
		text("merchant_status", func(r *OrderRow) *string { return &r.MerchantStatus }),
		nested("cart", func(r *OrderRow) *[]credit.CartItem { return &r.Cart }),
		nested("charges", func(r *OrderRow) **credit.Charges { return &r.Charges }),
		nested("shipping", func(r *OrderRow) **credit.Address { return &r.Shipping }),
		nested("billing", func(r *OrderRow) **credit.Address { return &r.Billing }),
		nested("metadata", func(r *OrderRow) *map[string]string { return &r.Metadata }),
		nested("refunds", func(r *OrderRow) *[]credit.Refund { return &r.Refunds }),
		optional("invoice_id", func(r *OrderRow) *string { return &r.Invoice }),
		optional("parent", func(r *OrderRow) *string { return &r.Parent }),
		optional("checkout_id", func(r *OrderRow) *string { return &r.Checkout }),
		integer("revision", func(r *OrderRow) *int { return &r.Revision }),
		instant("next_at", func(r *OrderRow) *time.Time { return &r.NextAt }),
		nested("servicing", func(r *OrderRow) *credit.Servicing { return &r.Servicing }),
		instant("created_at", func(r *OrderRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *OrderRow) *time.Time { return &r.UpdatedAt }),
		integer("version", func(r *OrderRow) *int { return &r.Version }),
		integer("event_seq", func(r *OrderRow) *int64 { return &r.EventSeq }),
		integer("q", func(r *OrderRow) *int64 { return &r.Q }),
	}
}

// orderLookups tell what an order waits for.
func orderLookups() []Column[OrderRow] {
	return []Column[OrderRow]{
		lookup("proposed", func(r *OrderRow) bool { return r.Servicing.Proposed && r.Servicing.ChargedOff == 0 }),
		lookup("stopped", func(r *OrderRow) bool { return r.Waits() }),
	}
}

// OrderHistory holds replaced versions of orders.
var OrderHistory = Table[OrderPast]{
	Name: "order_history", Key: 2,
	New: func() *OrderPast { return &OrderPast{OrderRow: *newOrderRow()} },
	Columns: past(Orders.kept(),
		func(r *OrderPast) *OrderRow { return &r.OrderRow },
		func(r *OrderPast) *int64 { return &r.UntilQ }),
}
