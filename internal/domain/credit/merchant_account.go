package credit

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
)

// HeldPayoutFailed is why payouts wait after one could not be delivered: until the
// merchant's bank account is set anew.
const HeldPayoutFailed = "payout_failed"

// SetMerchantAccount sets where a merchant is paid, and to which address is written about
// it. It also ends a hold that a failed payout has caused (F32). Another account than that
// which is there, or another contact, waits for its cooling-off (F41.12), and whoever was
// the contact so far is told: one call, or one stolen token, redirects no payout. What is
// there again ends what waits. Result is the *Merchant.
type SetMerchantAccount struct {
	Merchant string       `json:"merchant"`
	IfMatch  []string     `json:"if_match"` // versions in quotes; nil: any
	Bank     *BankAccount `json:"bank"`
	Debits   bool         `json:"debits"`
	Contact  *string      `json:"contact,omitzero"` // nil: as it is
	// CoolingOff is for how many banking days another account than that which is there waits;
	// 0: it takes effect at once. Second: another client of the operator has to confirm it.
	CoolingOff int  `json:"cooling_off,omitzero"`
	Second     bool `json:"second,omitzero"`
}

func (SetMerchantAccount) Name() string { return "merchant.account" }

// Keys asks for the merchant.
func (c SetMerchantAccount) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

func (c SetMerchantAccount) Admit(s *State, _ Env) *Rejection { return admitMerchant(s, c.Merchant) }

func (c SetMerchantAccount) Decide(s *State, e Env) (Changes, *Rejection) {
	was := s.Merchants[c.Merchant].Account
	if r := MatchVersion(c.IfMatch, s.Merchants[c.Merchant].Version); r != nil {
		return Changes{}, r
	}
	if c.Bank = c.Bank.heldBy(s.Merchants[c.Merchant].Name); c.Bank != nil {
		if why := c.Bank.check(); why != "" {
			return Changes{}, ValidationFailed.Because(why)
		}
	}
	contact := was.Contact
	if c.Contact != nil {
		contact = *c.Contact
	}
	d := NewDraft(s, e)
	m := d.Merchants.Edit(c.Merchant)
	other := was.Bank != nil && c.Bank != nil && (was.Bank.Fingerprint != c.Bank.Fingerprint || was.Contact != contact)
	if c.CoolingOff > 0 && other {
		m.Account.Pending = &PendingAccount{
			Bank: c.Bank, Debits: c.Debits, Contact: contact, By: e.Actor.Client, At: e.Now, From: e.Today().AddBankingDays(c.CoolingOff), Second: c.Second,
		}
		m.tell(e.Now)
		return d.Done(m, false), nil
	}
	m.paidTo(c.Bank, c.Debits, contact)
	return d.Done(m, false), nil
}

// paidTo lets a merchant be paid to an account from now on.
func (m *Merchant) paidTo(bank *BankAccount, debits bool, contact string) {
	was := m.Names()
	m.Account.Bank, m.Account.Debits, m.Account.Contact, m.Account.Broken, m.Account.Pending = bank, debits, contact, false, nil
	if !slices.Equal(was, m.Names()) {
		m.Account.Screened.Unscreened = true
	}
	if m.Account.HeldReason == HeldPayoutFailed {
		m.Account.HeldReason = ""
	}
}

// CoolingOffDays is how many banking days a change of a merchant's account waits unless the
// lender has set another number, so that somebody who did not ask for it can say so (F41.12);
// maxCoolingOff is the most that may be set.
const (
	CoolingOffDays = 2
	maxCoolingOff  = 10
)

// CoolingOffDays is for how many banking days a change of a merchant's account waits.
func (s *LenderSettings) CoolingOffDays() int { return cmp.Or(s.CoolingOff, CoolingOffDays) }

// PendingAccount is an account that a merchant is to be paid to from a day on.
type PendingAccount struct {
	Bank      *BankAccount  `json:"bank"`
	Debits    bool          `json:"debits"`
	Contact   string        `json:"contact,omitzero"`
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

// AccountNotice is what a merchant is told of a change of its account: it goes to whoever
// was the contact before.
type AccountNotice struct {
	At       time.Time     `json:"at"`
	To       string        `json:"to,omitzero"` // "": nobody is known
	Was      string        `json:"was"`         // last four digits of the account that is there
	Becomes  string        `json:"becomes"`     // of that which is to take its place
	Contact  string        `json:"contact,omitzero"`
	From     calendar.Date `json:"from"`
	ByClient string        `json:"by"`
}

// maxTold is how many notices of changes are kept with a merchant.
const maxTold = 20

// tell notes that the merchant is told of the change that waits.
func (m *Merchant) tell(now time.Time) {
	a, p := &m.Account, m.Account.Pending
	a.Told = append(slices.Clone(a.Told), AccountNotice{
		At: now, To: a.Contact, Was: a.Bank.Last4, Becomes: p.Bank.Last4, Contact: p.Contact, From: p.From, ByClient: p.By,
	})
	a.Told = a.Told[max(0, len(a.Told)-maxTold):]
}

// HoldPayouts keeps a merchant's payouts back, or with an empty Reason lets them go. A
// hold by hand that ends lets the merchant ask for debits again (F41.8), and leaves that of an account which has not taken a payout; ended by
// itself, a person says that the account is sound. Result is the *Merchant.
type HoldPayouts struct {
	Merchant string `json:"merchant"`
	Reason   string `json:"reason"`
}

func (HoldPayouts) Name() string { return "merchant.hold_payouts" }

// Keys asks for the merchant.
func (c HoldPayouts) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

func (c HoldPayouts) Admit(s *State, _ Env) *Rejection { return admitMerchant(s, c.Merchant) }

func (c HoldPayouts) Decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	if m.Account.HeldReason == c.Reason && (c.Reason != "" || !m.Account.NoDebits && m.Account.NoDebitsOf == 0) {
		return Changes{Result: m}, nil
	}
	d := NewDraft(s, e)
	m = d.Merchants.Edit(c.Merchant)
	switch a := &m.Account; {
	case c.Reason == "" && a.Broken && a.HeldReason != HeldPayoutFailed:
		a.HeldReason = HeldPayoutFailed
	case c.Reason == "":
		a.HeldReason, a.Broken, a.NoDebits, a.NoDebitsOf, a.Harm = "", false, false, 0, nil
	default:
		a.HeldReason = c.Reason
	}
	return d.Done(m, false), nil
}
