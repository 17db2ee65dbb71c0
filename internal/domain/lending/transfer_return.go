package lending

import "tenor/internal/domain/credit"

// LeaveLasts leaves for review what no coming debit collects on the orders of a payment.
func LeaveLasts(d *credit.Draft, p *credit.Payment) {
	for _, key := range ScopeOf(d, p) {
		leaveLast(d, key)
	}
}
