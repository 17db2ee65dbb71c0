package lending

import (
	"slices"

	"tenor/internal/domain/credit"
)

// How an account can be verified (F41.1).
const (
	VerifiedByMicro     = "micro_deposits"
	VerifiedByPrenote   = "prenote" // counts once the company consents
	VerifiedByOperator  = "operator"
	VerifiedBySandbox   = "sandbox"   // a test account with known behavior
	VerifiedByProcessor = "processor" // a card: each charge is confirmed by its processor
	VerifiedByPolicy    = "policy"    // the lender requires no proof of such an account
)

// Vouch records that an account is verified, and how. It can be debited from then on. A
// merchant's word alone does not allow a company with returned debits to be approved again
// (F26, F41.8).
func Vouch(d *credit.Draft, m *credit.PaymentMethod, by, reason string) {
	m.Standing.Verified, m.Standing.At, m.Standing.Reason = by, d.Env.Now, reason
	if by == VerifiedByOperator {
		m.Standing.By = d.Env.Actor.Client
	}
	Proved(d, m, false)
	if by == VerifiedByPrenote && !m.Consented() {
		return // the account exists; the company must confirm whose it is
	}
	m.Status, m.Verification = credit.MethodActive, nil
	if m.Consented() && by != VerifiedByPolicy {
		methodVerified(d, m.Company)
	}
}

// Proved ends the check of an account number. A number that failed stays failed at that
// company.
func Proved(d *credit.Draft, m *credit.PaymentMethod, failed bool) {
	if m.Bank == nil {
		return
	}
	x := d.Companies.Peek(m.Company)
	number := AccountNumber(m.Bank)
	if !slices.Contains(x.Servicing.Proving, number) && slices.Contains(x.Servicing.Failed, number) == failed {
		return
	}
	x = d.Companies.Edit(m.Company)
	without := func(list []string) []string {
		if list = slices.DeleteFunc(slices.Clone(list), func(n string) bool { return n == number }); len(list) == 0 {
			return nil
		}
		return list
	}
	x.Servicing.Proving, x.Servicing.Failed = without(x.Servicing.Proving), without(x.Servicing.Failed)
	if failed {
		x.Servicing.Failed = append(x.Servicing.Failed, number)
	}
}
