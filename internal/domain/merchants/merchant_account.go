package merchants

import (
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// SetMerchantAccount sets where a merchant is paid, and the address for notices about it. It
// also ends a hold caused by a failed payout (F32). A new account or contact waits for its
// cooling-off period (F41.12), and the previous contact is notified, so that a single call or
// stolen token cannot redirect payouts. Setting the current account again cancels a pending
// change. Result is the *Merchant.
type SetMerchantAccount struct {
	Merchant string              `json:"merchant"`
	IfMatch  []string            `json:"if_match"` // versions in quotes; nil: any
	Bank     *credit.BankAccount `json:"bank"`
	Debits   bool                `json:"debits"`
	Contact  *string             `json:"contact,omitzero"` // nil: unchanged
	// CoolingOff is how many banking days a new account waits; 0: it takes effect at once.
	// With Second, another client of the operator must confirm it.
	CoolingOff int  `json:"cooling_off,omitzero"`
	Second     bool `json:"second,omitzero"`
}

func (SetMerchantAccount) Name() string { return "merchant.account" }

// Keys requests the merchant.
func (c SetMerchantAccount) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

func (c SetMerchantAccount) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c SetMerchantAccount) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	was := s.Merchants[c.Merchant].Account
	if r := credit.MatchVersion(c.IfMatch, s.Merchants[c.Merchant].Version); r != nil {
		return credit.Changes{}, r
	}
	if c.Bank = c.Bank.HeldBy(s.Merchants[c.Merchant].Name); c.Bank != nil {
		if why := c.Bank.Check(); why != "" {
			return credit.Changes{}, credit.ValidationFailed.Because(why)
		}
	}
	contact := was.Contact
	if c.Contact != nil {
		contact = *c.Contact
	}
	d := credit.NewDraft(s, e)
	m := d.Merchants.Edit(c.Merchant)
	other := was.Bank != nil && c.Bank != nil && (was.Bank.Fingerprint != c.Bank.Fingerprint || was.Contact != contact)
	if c.CoolingOff > 0 && other {
		m.Account.Pending = &credit.PendingAccount{
			Bank: c.Bank, Debits: c.Debits, Contact: contact, By: e.Actor.Client, At: e.Now, From: e.Today().AddBankingDays(c.CoolingOff), Second: c.Second,
		}
		noteAccount(m, e.Now)
		return d.Done(m, false), nil
	}
	paidTo(m, c.Bank, c.Debits, contact)
	return d.Done(m, false), nil
}

// paidTo sets the account that a merchant is paid to from now on.
func paidTo(m *credit.Merchant, bank *credit.BankAccount, debits bool, contact string) {
	was := m.Names()
	m.Account.Bank, m.Account.Debits, m.Account.Contact, m.Account.Broken, m.Account.Pending = bank, debits, contact, false, nil
	if !slices.Equal(was, m.Names()) {
		m.Account.Screened.Unscreened = true
	}
	if m.Account.HeldReason == payments.HeldPayoutFailed {
		m.Account.HeldReason = ""
	}
}

// maxTold is how many account change notices are kept per merchant.
const maxTold = 20

// noteAccount records that the merchant is notified of the pending change.
func noteAccount(m *credit.Merchant, now time.Time) {
	a, p := &m.Account, m.Account.Pending
	a.Told = append(slices.Clone(a.Told), credit.AccountNotice{
		At: now, To: a.Contact, Was: a.Bank.Last4, Becomes: p.Bank.Last4, Contact: p.Contact, From: p.From, ByClient: p.By,
	})
	a.Told = a.Told[max(0, len(a.Told)-maxTold):]
}

// HoldPayouts holds a merchant's payouts, or with an empty Reason releases them. A release
// also allows the merchant to request debits again (F41.8). But if the account rejected a
// payout, releasing a manual hold only restores the hold for that; releasing that one means
// that a person has found the account to be sound. Result is the *Merchant.
type HoldPayouts struct {
	Merchant string `json:"merchant"`
	Reason   string `json:"reason"`
}

func (HoldPayouts) Name() string { return "merchant.hold_payouts" }

// Keys requests the merchant.
func (c HoldPayouts) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

func (c HoldPayouts) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c HoldPayouts) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	m := s.Merchants[c.Merchant]
	if m.Account.HeldReason == c.Reason && (c.Reason != "" || !m.Account.NoDebits && m.Account.NoDebitsOf == 0) {
		return credit.Changes{Result: m}, nil
	}
	d := credit.NewDraft(s, e)
	m = d.Merchants.Edit(c.Merchant)
	switch a := &m.Account; {
	case c.Reason == "" && a.Broken && a.HeldReason != payments.HeldPayoutFailed:
		a.HeldReason = payments.HeldPayoutFailed
	case c.Reason == "":
		a.HeldReason, a.Broken, a.NoDebits, a.NoDebitsOf, a.Harm = "", false, false, 0, nil
	default:
		a.HeldReason = c.Reason
	}
	return d.Done(m, false), nil
}
