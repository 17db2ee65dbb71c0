package alarm_test

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// Money that nobody has identified for five banking days is an alarm until somebody has.
func receiptStory() []step {
	x := credit.Receipt{ID: "rcp_1", Amount: 207_06, Method: credit.Wire, Received: calendar.MustParse("2026-03-02"), Reference: "wire 2231", Status: payments.ReceiptOpen, Version: 1}
	put := func(change func(*credit.Receipt)) func(*book) {
		return func(b *book) {
			change(&x)
			y := x
			b.put(credit.Changes{Receipts: []*credit.Receipt{&y}})
		}
	}
	listed := []string{"receipt_unidentified/rcp_1"}
	return []step{
		{"it comes in", "2026-03-02", put(func(x *credit.Receipt) { x.CreatedAt = time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC) }), nil},
		{"five banking days later", "2026-03-09", nil, nil},
		{"the next day", "2026-03-10", nil, listed},
		{"how much it is, and what came with it, are told", "", func(b *book) { b.says("receipt_unidentified", "207.06", "2026-03-02", "wire 2231") }, listed},
		{"somebody knows", "", put(func(x *credit.Receipt) {
			x.Status, x.Payment, x.EndedAt, x.Version = payments.ReceiptIdentified, "pay_1", x.CreatedAt.Add(8*24*time.Hour), 2
		}), nil},
	}
}
