package lending

import "tenor/internal/domain/credit"

// Debtor is the order on which a payment's money that had been sent out is owed (F16): its
// own, else the first that it paid, else the company's first that no merchant manages, since a
// company-level payment never pays the others; "" if there is none.
func Debtor(d *credit.Draft, p *credit.Payment) string {
	switch {
	case p.Order != "":
		return p.Order
	case len(p.Allocations) > 0:
		return p.Allocations[0].Order
	}
	for _, key := range d.State.Accounts[p.Company] {
		if !d.State.Orders[key].External {
			return key
		}
	}
	return ""
}
