package lending

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// PaidBy lists the loans that a payment has paid, in their state before it goes back.
func PaidBy(d *credit.Draft, p *credit.Payment) []*schedule.Loan {
	var was []*schedule.Loan
	for _, a := range p.Allocations {
		if l := d.LoanOf(a.Order); !slices.Contains(was, l) {
			was = append(was, l)
		}
	}
	return was
}

// reversing reports whether this command reverses a debit: its payment comes back, while the
// debit itself stays settled.
func reversing(d *credit.Draft, p *credit.Payment) bool {
	t := d.Transfers.Peek(p.Transfer)
	return t != nil && t.Rail.Can().Reverse && t.Status == credit.TransferSettled
}
