package lending

import (
	"time"

	"tenor/internal/domain/credit"
)

// CancelDebit ends a debit that has not been sent.
func CancelDebit(d *credit.Draft, t *credit.Transfer, p *credit.Payment) {
	t.Status, t.NextAt = credit.TransferCanceled, time.Time{}
	CancelPayment(d, p)
}

// CancelPayment ends a payment that has not been sent.
func CancelPayment(d *credit.Draft, p *credit.Payment) {
	ServeOn(d, p)
	p.Status = credit.PaymentCanceled
	d.PaymentEvent(credit.PaymentCanceledEvent, p.ID)
	CloseDebit(d, p)
	CatchUpOn(d, p)
}

// ServeOn serves the orders that a payment may pay, while it still counts as pending.
func ServeOn(d *credit.Draft, p *credit.Payment) {
	for _, key := range ActiveNow(d, p.Company, ScopeOf(d, p)) {
		Serve(d, key)
	}
}

// CatchUpOn updates the statuses of a payment's orders after it is no longer pending.
func CatchUpOn(d *credit.Draft, p *credit.Payment) {
	for _, key := range ActiveNow(d, p.Company, ScopeOf(d, p)) {
		catchUp(d, key)
	}
}
