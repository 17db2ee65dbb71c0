package credit

import (
	"slices"
	"time"

	"tenor/internal/calendar"
)

// HeldPayoutFailed is why payouts wait after one could not be delivered: until the
// merchant's bank account is set anew.
const HeldPayoutFailed = "payout_failed"

// SetMerchantAccount sets where a merchant is paid. It also ends a hold that a failed
// payout has caused (F32). Another account than that which is there waits for its cooling-off
// (F41.12): one call, or one stolen token, redirects no payout. That which is there again
// ends what waits. Result is the *Merchant.
type SetMerchantAccount struct {
	Merchant string       `json:"merchant"`
	IfMatch  []string     `json:"if_match"` // versions in quotes; nil: any
	Bank     *BankAccount `json:"bank"`
	Debits   bool         `json:"debits"`
	// CoolingOff is for how many banking days another account than that which is there waits;
	// 0: it takes effect at once. Second: another client of the operator has to confirm it.
	CoolingOff int  `json:"cooling_off,omitzero"`
	Second     bool `json:"second,omitzero"`
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
	if c.Bank = c.Bank.heldBy(s.Merchants[c.Merchant].Name); c.Bank != nil {
		if why := c.Bank.check(); why != "" {
			return Changes{}, ValidationFailed.because(why)
		}
	}
	d := newDraft(s, e)
	m := d.merchants.edit(c.Merchant)
	if was := m.Account.Bank; c.CoolingOff > 0 && was != nil && c.Bank != nil && was.Fingerprint != c.Bank.Fingerprint {
		m.Account.Pending = &PendingAccount{
			Bank: c.Bank, Debits: c.Debits, By: e.Actor.Client, At: e.Now, From: e.Today().AddBankingDays(c.CoolingOff), Second: c.Second,
		}
		return d.done(m, false), nil
	}
	m.paidTo(c.Bank, c.Debits)
	return d.done(m, false), nil
}

// paidTo lets a merchant be paid to an account from now on.
func (m *Merchant) paidTo(bank *BankAccount, debits bool) {
	was := m.Names()
	m.Account.Bank, m.Account.Debits, m.Account.Broken, m.Account.Pending = bank, debits, false, nil
	if !slices.Equal(was, m.Names()) {
		m.Account.Screened.Unscreened = true
	}
	if m.Account.HeldReason == HeldPayoutFailed {
		m.Account.HeldReason = ""
	}
}

// CoolingOffDays is how many banking days a change of a merchant's account waits, so that
// somebody who did not ask for it can say so (F41.12).
const CoolingOffDays = 2

// PendingAccount is an account that a merchant is to be paid to from a day on.
type PendingAccount struct {
	Bank      *BankAccount  `json:"bank"`
	Debits    bool          `json:"debits"`
	By        string        `json:"by"` // client that has asked for it
	At        time.Time     `json:"at"`
	From      calendar.Date `json:"from"`               // first banking day on which it may take effect
	Second    bool          `json:"second,omitzero"`    // another client has to confirm it
	Confirmed string        `json:"confirmed,omitzero"` // client that has, "" if none
}

// Due reports that the account takes effect on a day.
func (p *PendingAccount) Due(day calendar.Date) bool {
	return day >= p.From && (!p.Second || p.Confirmed != "")
}

// ConfirmMerchantAccount confirms a change of the account that a merchant is paid to, by
// another client than the one that has asked for it; and lets it take effect once its day has
// come (F41.12). Time asks for it too, as the system: that confirms nothing. Result is the
// *Merchant.
type ConfirmMerchantAccount struct {
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match,omitzero"`
	ByTime   bool     `json:"by_time,omitzero"`
}

// Name is the command's word in the audit log.
func (ConfirmMerchantAccount) Name() string { return "merchant.confirm_account" }

// Keys asks for the merchant.
func (c ConfirmMerchantAccount) Keys(*State, Env) Keys {
	return Keys{Merchants: []string{c.Merchant}}
}

func (c ConfirmMerchantAccount) admit(s *State, _ Env) *Rejection {
	return admitMerchant(s, c.Merchant)
}

func (c ConfirmMerchantAccount) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Merchants[c.Merchant]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	was := old.Account.Pending
	switch {
	case was == nil && c.ByTime:
		return Changes{Result: old}, nil
	case was == nil:
		return Changes{}, InvalidTransition.because("No change of the bank account waits.")
	case !c.ByTime && was.Second && was.Confirmed == "" && e.Actor.Client == was.By:
		return Changes{}, InvalidTransition.because("Another client of the lender than the one that has asked for the change confirms it.")
	}
	next := *was
	if !c.ByTime && e.Actor.Client != was.By && next.Confirmed == "" {
		next.Confirmed = e.Actor.Client
	}
	if next == *was && !next.Due(e.Today()) {
		return Changes{Result: old}, nil
	}
	d := newDraft(s, e)
	m := d.merchants.edit(c.Merchant)
	if m.Account.Pending = &next; next.Due(e.Today()) {
		m.paidTo(next.Bank, next.Debits)
	}
	return d.done(m, false), nil
}

// HoldPayouts keeps a merchant's payouts back, or with an empty Reason lets them go. A
// hold by hand that ends lets the merchant ask for debits again (F41.8), and leaves that of an account which has not taken a payout; ended by
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
	if m.Account.HeldReason == c.Reason && (c.Reason != "" || !m.Account.NoDebits) {
		return Changes{Result: m}, nil
	}
	d := newDraft(s, e)
	m = d.merchants.edit(c.Merchant)
	switch a := &m.Account; {
	case c.Reason == "" && a.Broken && a.HeldReason != HeldPayoutFailed:
		a.HeldReason = HeldPayoutFailed
	case c.Reason == "":
		a.HeldReason, a.Broken, a.NoDebits, a.Blamed = "", false, false, nil
	default:
		a.HeldReason = c.Reason
	}
	return d.done(m, false), nil
}
