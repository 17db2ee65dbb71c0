package merchants

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// ConfirmMerchantAccount confirms a change of a merchant's payout account by a client other
// than the one that requested it, and applies it once its day has come (F41.12). The scheduler
// submits it too, as the system, which does not count as a confirmation. Result is the
// *Merchant.
type ConfirmMerchantAccount struct {
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match,omitzero"`
	ByTime   bool     `json:"by_time,omitzero"`
}

func (ConfirmMerchantAccount) Name() string { return "merchant.confirm_account" }

// Keys requests the merchant.
func (c ConfirmMerchantAccount) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

func (c ConfirmMerchantAccount) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c ConfirmMerchantAccount) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Merchants[c.Merchant]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	was := old.Account.Pending
	switch {
	case was == nil && c.ByTime:
		return credit.Changes{Result: old}, nil
	case was == nil:
		return credit.Changes{}, credit.InvalidTransition.Because("No bank account change is pending.")
	case !c.ByTime && was.Second && was.Confirmed == "" && e.Actor.Client == was.By:
		return credit.Changes{}, credit.InvalidTransition.Because("A different client of the lender than the one that requested the change must confirm it.")
	}
	next := *was
	if !c.ByTime && e.Actor.Client != was.By && next.Confirmed == "" {
		next.Confirmed = e.Actor.Client
	}
	if next == *was && !next.Due(e.Today()) {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	m := d.Merchants.Edit(c.Merchant)
	if m.Account.Pending = &next; next.Due(e.Today()) {
		paidTo(m, next.Bank, next.Debits, next.Contact)
	}
	return d.Done(m, false), nil
}

// CancelMerchantAccount cancels a pending change of a merchant's payout account (F41.12). Any
// client of the lender may do so. Result is the *Merchant.
type CancelMerchantAccount struct {
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match,omitzero"`
	Reason   string   `json:"reason"`
}

func (CancelMerchantAccount) Name() string { return "merchant.cancel_account" }

// Keys requests the merchant.
func (c CancelMerchantAccount) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

func (c CancelMerchantAccount) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c CancelMerchantAccount) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Merchants[c.Merchant]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Account.Pending == nil {
		return credit.Changes{}, credit.InvalidTransition.Because("No bank account change is pending.")
	}
	d := credit.NewDraft(s, e)
	m := d.Merchants.Edit(c.Merchant)
	m.Account.Pending = nil
	return d.Done(m, false), nil
}
