package lending

import (
	"slices"

	"tenor/internal/domain/credit"
)

// What an account can be verified by (F41.1).
const (
	VerifiedByMicro     = "micro_deposits"
	VerifiedByPrenote   = "prenote" // counts from the company's consent on
	VerifiedByOperator  = "operator"
	VerifiedBySandbox   = "sandbox"   // a test account whose behavior is known
	VerifiedByProcessor = "processor" // a card: each charge asks its processor
	VerifiedByPolicy    = "policy"    // the lender asks for no proof of such an account
)

// Vouch notes that an account has been verified, and by what. It can be debited from then
// on. The word of a merchant alone does not let a company be approved again whose debits
// came back (F26, F41.8).
func Vouch(d *credit.Draft, m *credit.PaymentMethod, by, reason string) {
	m.Standing.Verified, m.Standing.At, m.Standing.Reason = by, d.Env.Now, reason
	if by == VerifiedByOperator {
		m.Standing.By = d.Env.Actor.Client
	}
	Proved(d, m, false)
	if by == VerifiedByPrenote && !m.Consented() {
		return // it is there: whose it is the company says
	}
	m.Status, m.Verification = credit.MethodActive, nil
	if m.Consented() && by != VerifiedByPolicy {
		methodVerified(d, m.Company)
	}
}

// Proved ends a number's check: one that has failed it stays failed at that company.
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
