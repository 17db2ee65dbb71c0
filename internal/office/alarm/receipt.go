package alarm

import (
	"cmp"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/payments"
)

// receiptDays is how many banking days money may stay on 2130 before an alarm: by then the
// bank has answered who sent it.
const receiptDays = 5

// receipts lists those not identified in time (F39). They are listed by when they were
// recorded; their age counts from when the money arrived.
func (l *lister) receipts() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListReceipts(l.v, store.ReceiptFilter{Status: payments.ReceiptOpen}, p)
		for _, x := range list {
			if x.Received.AddBankingDays(receiptDays) < l.today {
				l.add(Alarm{
					Kind: ReceiptUnidentified, Subject: x.ID, Since: x.Received, Due: calendar.None,
					Detail: fmt.Sprintf("Unidentified receipt of %s on %s by %s (%s).", x.Amount, x.Received, x.Method, cmp.Or(x.Reference, "no reference")),
					Next:   "Ask the bank who sent it, then identify it, or send it back and record that.",
				})
			}
			p.AfterAt, p.AfterID = x.CreatedAt, x.ID
		}
		return len(list), p, err
	})
}
