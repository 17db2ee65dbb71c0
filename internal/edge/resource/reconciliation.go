package resource

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Reconciliation is the result of comparing a merchant's own list of orders with the books.
type Reconciliation struct {
	AsOfSeq        int64        `json:"as_of_seq" doc:"The commit up to which the books were read." example:"1042"`
	Rows           int          `json:"rows" doc:"Rows of the list." example:"4"`
	Matched        int          `json:"matched" doc:"Rows that match in amount and status." example:"3"`
	MissingHere    int          `json:"missing_here" doc:"Rows with an unknown order number." example:"0"`
	MissingThere   int          `json:"missing_there" doc:"Orders in the date range that are neither CANCELED nor in the list." example:"0"`
	AmountMismatch int          `json:"amount_mismatch" doc:"Rows with a different amount. A row can differ in both." example:"1"`
	StatusMismatch int          `json:"status_mismatch" doc:"Rows with a different status." example:"0"`
	Duplicates     int          `json:"duplicates" doc:"Rows that repeat an earlier order number. They are not compared." example:"0"`
	Differences    []Difference `json:"differences" doc:"Differences: first rows, in list order, then missing orders, oldest first. At most 10,000."`
	Truncated      bool         `json:"truncated" doc:"Whether there are more differences than shown. The counts cover all." example:"false"`
}

// Difference is one disagreement between a list and the books.
type Difference struct {
	Kind            string     `json:"kind" enum:"missing_here,missing_there,amount_mismatch,status_mismatch,duplicate" doc:"What differs." example:"amount_mismatch"`
	MerchantOrderID *string    `json:"merchant_order_id" nullable:"true" maxLength:"100" doc:"The order number; null for an order without one." example:"PO-10042"`
	OrderKey        *string    `json:"order_key" nullable:"true" doc:"The order; null if there is none." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Row             *int       `json:"row" nullable:"true" doc:"Row number, from 1, not counting a CSV header. Null for an order missing in the list." example:"3"`
	Theirs          *OrderSide `json:"theirs" nullable:"true" doc:"Values in the list."`
	Ours            *OrderSide `json:"ours" nullable:"true" doc:"Values in the books."`
}

// OrderSide is one side's data on an order.
type OrderSide struct {
	Amount money.Amount `json:"amount" doc:"Amount of the order; the captured amount once captured." example:"1200.00"`
	Status string       `json:"status" enum:"CREATED,AUTHORIZED,CAPTURED,CANCELED,RETURNED" doc:"Status." example:"CAPTURED"`
}

// NewOrderSide returns a list's or the books' data on an order.
func NewOrderSide(amount money.Amount, status credit.OrderStatus) *OrderSide {
	return &OrderSide{Amount: amount, Status: string(status)}
}
