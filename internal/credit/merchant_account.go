package credit

import "slices"

// HeldPayoutFailed is why payouts wait after one could not be delivered: until the
// merchant's bank account is set anew.
const HeldPayoutFailed = "payout_failed"

// SetMerchantAccount sets where a merchant is paid. It also ends a hold that a failed
// payout has caused (F32). Result is the *Merchant.
type SetMerchantAccount struct {
	Merchant string       `json:"merchant"`
	IfMatch  []string     `json:"if_match"` // versions in quotes; nil: any
	Bank     *BankAccount `json:"bank"`
	Debits   bool         `json:"debits"`
}

// Name is the command's word in the audit log.
func (SetMerchantAccount) Name() string { return "merchant.account" }

// Keys asks for the merchant.
func (c SetMerchantAccount) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

func (c SetMerchantAccount) admit(s *State, _ Env) *Rejection { return admitMerchant(s, c.Merchant) }

func (c SetMerchantAccount) decide(s *State, e Env) (Changes, *Rejection) {
	if r := matchesVersion(c.IfMatch, s.Merchants[c.Merchant].Version); r != nil {
		return Changes{}, r
	}
	if c.Bank != nil && !ValidRouting(c.Bank.Routing) {
		return Changes{}, ValidationFailed.because("The routing number's check digit is wrong.")
	}
	d := newDraft(s, e)
	m := d.merchants.edit(c.Merchant)
	was := m.Names()
	m.Account.Bank, m.Account.Debits, m.Account.Broken = c.Bank, c.Debits, false
	if !slices.Equal(was, m.Names()) {
		m.Account.Screened.Unscreened = true
	}
	if m.Account.HeldReason == HeldPayoutFailed {
		m.Account.HeldReason = ""
	}
	return d.done(m, false), nil
}

// HoldPayouts keeps a merchant's payouts back, or with an empty Reason lets them go. A
// hold by hand that ends leaves that of an account which has not taken a payout; ended by
// itself, a person says that the account is sound. Result is the *Merchant.
type HoldPayouts struct {
	Merchant string `json:"merchant"`
	Reason   string `json:"reason"`
}

// Name is the command's word in the audit log.
func (HoldPayouts) Name() string { return "merchant.hold_payouts" }

// Keys asks for the merchant.
func (c HoldPayouts) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

func (c HoldPayouts) admit(s *State, _ Env) *Rejection { return admitMerchant(s, c.Merchant) }

func (c HoldPayouts) decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	if m.Account.HeldReason == c.Reason {
		return Changes{Result: m}, nil
	}
	d := newDraft(s, e)
	m = d.merchants.edit(c.Merchant)
	switch a := &m.Account; {
	case c.Reason == "" && a.Broken && a.HeldReason != HeldPayoutFailed:
		a.HeldReason = HeldPayoutFailed
	case c.Reason == "":
		a.HeldReason, a.Broken = "", false
	default:
		a.HeldReason = c.Reason
	}
	return d.done(m, false), nil
}
