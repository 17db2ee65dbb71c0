package lending

import "tenor/internal/domain/credit"

// methodVerified notes that a payment method to which a company has consented is verified. After debits that came back the company can be approved again (F26).
func methodVerified(d *credit.Draft, company int64) {
	if d.Companies.Peek(company).Servicing.NeedsVerified {
		d.Companies.Edit(company).Servicing.NeedsVerified = false
	}
}
