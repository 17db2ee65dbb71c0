package lending

import "tenor/internal/domain/credit"

// methodVerified records that a payment method with the company's consent is verified. After
// returned debits the company can then be approved again (F26).
func methodVerified(d *credit.Draft, company int64) {
	if d.Companies.Peek(company).Servicing.NeedsVerified {
		d.Companies.Edit(company).Servicing.NeedsVerified = false
	}
}
