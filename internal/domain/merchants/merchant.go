// Package merchants decides on merchants: their settings, where their money goes, what they
// may owe, how their shop looks, and what is paid to them or debited from them.
//
// merchant.go creates a merchant and its programs. merchant_account.go and
// merchant_account_confirm.go change its bank account. merchant_limits.go and merchant_shop.go
// set its limits and its shop; accent.go decides whether white text is readable on a color.
// payout.go pays what waits, payout_limit.go keeps within a merchant's limit, payout_merge.go
// merges many small debts, and payout_age.go, payout_clawback.go and payout_repay.go recover
// what is owed. The payout lines themselves, which loans create, are in package credit.
package merchants

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// CreateMerchant creates a merchant with its first program version, which may be in force at
// once.
type CreateMerchant struct {
	Title    string          `json:"title"` // the merchant's name
	Settings credit.Settings `json:"settings"`
	Limits   credit.Limits   `json:"limits,omitzero"`
}

func (CreateMerchant) Name() string { return "merchant.create" }

// Keys requests the claim on the merchant's name.
func (c CreateMerchant) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Claims: []credit.Claim{c.claim()}}
}

func (c CreateMerchant) claim() credit.Claim {
	return credit.Claim{Kind: credit.ClaimMerchantName, Name: c.Title}
}

func (CreateMerchant) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c CreateMerchant) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if r := lending.CheckName(c.Title); r != nil {
		return credit.Changes{}, r
	}
	if s.Claims[c.claim()] != "" {
		return credit.Changes{}, credit.ValidationFailed.Because("Another merchant has this name.")
	}
	if why := lending.CheckSettings(c.Settings); why != "" {
		return credit.Changes{}, credit.ValidationFailed.Because(why + ".")
	}
	if r := checkLimits(c.Limits); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	m := &credit.Merchant{
		ID: d.IDs.Next(credit.PrefixMerchant), Name: c.Title, Limits: c.Limits, OwedSince: calendar.None, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	}
	m.Account.Screened.Unscreened = true
	d.Changes.Merchants = append(d.Changes.Merchants, m)
	d.Changes.Programs = append(d.Changes.Programs, credit.Program{Merchant: m.ID, Version: 1, From: e.Today(), Settings: c.Settings})
	d.Claim(c.claim(), m.ID)
	shown := *m // the record leaves its versions to Changes.Programs
	shown.Programs = d.Changes.Programs
	return d.Done(&shown, true), nil
}

// AddProgram adds a version to a merchant's program. A version starts on a later business
// date, and after the previous one (F30).
type AddProgram struct {
	Merchant string          `json:"merchant"`
	From     calendar.Date   `json:"effective_from"`
	Settings credit.Settings `json:"settings"`
}

func (AddProgram) Name() string { return "program.add" }

// Keys requests the merchant.
func (c AddProgram) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

func (c AddProgram) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	if s.Merchants[c.Merchant] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return nil
}

func (c AddProgram) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	m := s.Merchants[c.Merchant]
	last := m.Programs[len(m.Programs)-1]
	switch why := lending.CheckSettings(c.Settings); {
	case why != "":
		return credit.Changes{}, credit.ValidationFailed.Because(why + ".")
	case c.From <= e.Today():
		return credit.Changes{}, credit.ValidationFailed.Because("A version must start on a future business date.")
	case c.From <= last.From:
		return credit.Changes{}, credit.ValidationFailed.Because("A version must start after the previous version.")
	}
	d := credit.NewDraft(s, e)
	p := credit.Program{Merchant: m.ID, Version: last.Version + 1, From: c.From, Settings: c.Settings}
	next := *m
	next.Version, next.UpdatedAt = m.Version+1, e.Now
	d.Changes.Merchants = append(d.Changes.Merchants, &next)
	d.Changes.Programs = append(d.Changes.Programs, p)
	return d.Done(p, true), nil
}
