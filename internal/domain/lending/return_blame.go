package lending

import "tenor/internal/domain/credit"

// Stops reports whether a merchant may request no debits of a company until the lender
// releases it.
func Stops(a *credit.MerchantAccount, company int64) bool {
	return a.NoDebits || a.NoDebitsOf == company && company != 0
}

// stopsMandate reports whether autopay debits an account on the word alone of a merchant whose
// debits are stopped.
func stopsMandate(d *credit.Draft, c *credit.Company, merchant, method string) bool {
	m := d.Merchants.Peek(merchant)
	return m != nil && Stops(&m.Account, c.ID) && c.Mandated(merchant, method)
}
