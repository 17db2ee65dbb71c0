package lending

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// timedCredit adds to a credit the instant at which time alone sends it back. An existing
// credit keeps its own.
func timedCredit(d *credit.Draft, company int64, c schedule.Credit) credit.Credit {
	x := credit.Credit{Company: company, Credit: c}
	for _, old := range d.Credits(company) {
		if old.Source == c.Source {
			x.NextAt, x.Waits = old.NextAt, old.Waits
			return x
		}
	}
	if p := d.Payments.Peek(c.Source); p != nil && p.FromMerchant {
		x.Waits = credit.CreditHeldByMerchant
		return x
	}
	x.NextAt = d.SendsAt(x)
	return x
}
