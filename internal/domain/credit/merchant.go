package credit

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Merchant is a shop whose sales are financed.
type Merchant struct {
	ID       string // mch_…
	Name     string
	Programs []Program // all versions, oldest first; kept by Changes.Programs
	Account  MerchantAccount
	Limits   Limits
	Shop     Shop
	// Settled is what it has settled of what it owed on 1200 and 1210, by day, oldest first,
	// of the last 30 days on which it did (F41.6).
	Settled []SettledDay
	// OwedSince is the day of the oldest cent that it owes on 1200 or 1210, as of the last
	// run over what merchants owe, payout, remittance or payment of clawbacks; None if it
	// owed nothing then.
	OwedSince calendar.Date
	// Debit is the transfer that takes clawbacks from its account, "" if none is on its way.
	Debit string
	// WrittenOff is what was written off of its clawbacks and not recovered since (F41.9).
	WrittenOff money.Amount
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Version    int
}

// CreateMerchant makes a merchant with its first program version, which may be
// in force at once.
type CreateMerchant struct {
	Title    string   `json:"title"` // the merchant's name
	Settings Settings `json:"settings"`
	Limits   Limits   `json:"limits,omitzero"`
}

func (CreateMerchant) Name() string { return "merchant.create" }

// Keys asks for the claim on the merchant's name.
func (c CreateMerchant) Keys(*State, Env) Keys { return Keys{Claims: []Claim{c.claim()}} }

func (c CreateMerchant) claim() Claim { return Claim{Kind: ClaimMerchantName, Name: c.Title} }

func (CreateMerchant) Admit(*State, Env) *Rejection { return nil }

func (c CreateMerchant) Decide(s *State, e Env) (Changes, *Rejection) {
	if r := CheckName(c.Title); r != nil {
		return Changes{}, r
	}
	if s.Claims[c.claim()] != "" {
		return Changes{}, ValidationFailed.Because("Another merchant has this name.")
	}
	if why := c.Settings.check(); why != "" {
		return Changes{}, ValidationFailed.Because(why + ".")
	}
	if r := c.Limits.check(); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	m := &Merchant{
		ID: d.IDs.Next(prefixMerchant), Name: c.Title, Limits: c.Limits, OwedSince: calendar.None, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	}
	m.Account.Screened.Unscreened = true
	d.Changes.Merchants = append(d.Changes.Merchants, m)
	d.Changes.Programs = append(d.Changes.Programs, Program{Merchant: m.ID, Version: 1, From: e.Today(), Settings: c.Settings})
	d.Claim(c.claim(), m.ID)
	shown := *m // the record leaves its versions to Changes.Programs
	shown.Programs = d.Changes.Programs
	return d.Done(&shown, true), nil
}

// maxName is the longest name of a merchant or a company, in characters.
const maxName = 255

// CheckName asks that a name can be read on a page: not blank, not too long, on one
// line.
func CheckName(name string) *Rejection {
	n := utf8.RuneCountInString(name)
	printable := !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if n == 0 || n > maxName || strings.TrimSpace(name) != name || !utf8.ValidString(name) || !printable {
		return ValidationFailed.Because(fmt.Sprintf("A name must have 1 to %d printable characters, with no leading or trailing space.", maxName))
	}
	return nil
}

// AddProgram adds a version to a merchant's program. Versions start on a
// later business date, and after the one before (F30).
type AddProgram struct {
	Merchant string        `json:"merchant"`
	From     calendar.Date `json:"effective_from"`
	Settings Settings      `json:"settings"`
}

func (AddProgram) Name() string { return "program.add" }

// Keys asks for the merchant.
func (c AddProgram) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

func (c AddProgram) Admit(s *State, _ Env) *Rejection {
	if s.Merchants[c.Merchant] == nil {
		return NotFound.Because("There is no such merchant.")
	}
	return nil
}

func (c AddProgram) Decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	last := m.Programs[len(m.Programs)-1]
	switch why := c.Settings.check(); {
	case why != "":
		return Changes{}, ValidationFailed.Because(why + ".")
	case c.From <= e.Today():
		return Changes{}, ValidationFailed.Because("A version must start on a future business date.")
	case c.From <= last.From:
		return Changes{}, ValidationFailed.Because("A version must start after the previous version.")
	}
	d := NewDraft(s, e)
	p := Program{Merchant: m.ID, Version: last.Version + 1, From: c.From, Settings: c.Settings}
	next := *m
	next.Version, next.UpdatedAt = m.Version+1, e.Now
	d.Changes.Merchants = append(d.Changes.Merchants, &next)
	d.Changes.Programs = append(d.Changes.Programs, p)
	return d.Done(p, true), nil
}
