package lending

import "tenor/internal/domain/credit"

// ScopeOf lists the orders whose loans a payment's event is played on.
func ScopeOf(d *credit.Draft, p *credit.Payment) []string {
	if p.Order != "" {
		return []string{p.Order}
	}
	return d.State.Accounts[p.Company]
}

// Reach narrows a company-level payment to the orders that it may pay: not those that a
// merchant manages itself, and with a merchant's token only that merchant's (F12).
func Reach(d *credit.Draft, p *credit.Payment) []string {
	if p.Order != "" {
		return nil
	}
	keys := []string{}
	for _, key := range d.State.Accounts[p.Company] {
		if reaches(p, d.State.Orders[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// reaches reports whether a company-level payment may pay an order.
func reaches(p *credit.Payment, o *credit.Order) bool {
	return !o.External && (p.Merchant == "" || o.Merchant == p.Merchant)
}
