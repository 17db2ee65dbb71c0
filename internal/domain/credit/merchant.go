package credit

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Merchant is a business whose sales are financed.
type Merchant struct {
	ID       string // mch_…
	Name     string
	Programs []Program // all versions, oldest first; kept by Changes.Programs
	Account  MerchantAccount
	Limits   Limits
	Shop     Shop
	// Settled is what the merchant has settled of its debt on 1200 and 1210, by day, oldest
	// first, for the last 30 days on which it did (F41.6).
	Settled []SettledDay
	// OwedSince is the day of the oldest cent that it owes on 1200 or 1210, as of the last run
	// over merchants' debts, payout, remittance or payment of clawbacks; None if it owed
	// nothing then.
	OwedSince calendar.Date
	// Debit is the transfer that debits clawbacks from its account, "" if none is in progress.
	Debit string
	// WrittenOff is what was written off of its clawbacks and not recovered since (F41.9).
	WrittenOff money.Amount
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Version    int
}

// CoolingOffDays is the default number of banking days that a change of a merchant's account
// waits, so that somebody who did not ask for it can object (F41.12). MaxCoolingOff is the
// most that may be set.
const (
	CoolingOffDays = 2
	MaxCoolingOff  = 10
)

// CoolingOffDays is the number of banking days that a change of a merchant's account waits.
func (s *LenderSettings) CoolingOffDays() int { return cmp.Or(s.CoolingOff, CoolingOffDays) }

// PendingAccount is the account that a merchant will be paid to from a day on.
type PendingAccount struct {
	Bank      *BankAccount  `json:"bank"`
	Debits    bool          `json:"debits"`
	Contact   string        `json:"contact,omitzero"`
	By        string        `json:"by"` // client that requested it
	At        time.Time     `json:"at"`
	From      calendar.Date `json:"from"`               // first banking day on which it may take effect
	Second    bool          `json:"second,omitzero"`    // another client must confirm it
	Confirmed string        `json:"confirmed,omitzero"` // client that confirmed it, "" if none
}

// Due reports whether the account takes effect on a day.
func (p *PendingAccount) Due(day calendar.Date) bool {
	return day >= p.From && (!p.Second || p.Confirmed != "")
}

// AccountNotice is what a merchant is told about a change of its account. It goes to the
// previous contact.
type AccountNotice struct {
	At       time.Time     `json:"at"`
	To       string        `json:"to,omitzero"` // "": none is known
	Was      string        `json:"was"`         // last four digits of the current account
	Becomes  string        `json:"becomes"`     // last four digits of the new account
	Contact  string        `json:"contact,omitzero"`
	From     calendar.Date `json:"from"`
	ByClient string        `json:"by"`
}

// Bounds on debits requested with a merchant's token (F41.1).
const (
	MinDebit        money.Amount = 1_00  // less only if it pays the rest
	minCharge       money.Amount = 10_00 // for a card: a dispute costs more than 1.00 brings in
	MaxPendingDebit int          = 3     // PENDING at a time per order; for company-level debits, per merchant
)

// Limits bound what the lender stands to lose on a merchant, in cents. They belong to the
// merchant and not to a program version: an order does not keep those of its day.
type Limits struct {
	// Exposure bounds the unpaid principal of its orders plus what it owes on 1200 and 1210
	// (F41.12); 0: DefaultExposure.
	Exposure money.Amount `json:"exposure,omitzero"`
	// Due bounds what it owes on 1200 and 1210 together (F41.6); 0: the larger of DefaultDue
	// and twice what it settled in the last 30 days.
	Due money.Amount `json:"due,omitzero"`
}

// The default limits of a merchant, in cents.
const (
	DefaultExposure money.Amount = 50_000_00
	DefaultDue      money.Amount = 10_000_00
)

// Unlimited is a limit that no merchant reaches, in cents: the exposure of merchants in a
// sandbox or a benchmark.
const Unlimited money.Amount = 9_000_000_000_000_000

// settledDays is how many days a settlement raises what a merchant may owe.
const settledDays = 30

// SettledDay is how much of a merchant's debt was netted or remitted on a day.
type SettledDay struct {
	Day    calendar.Date `json:"day"`
	Amount money.Amount  `json:"amount"`
}

// ExposureLimit is the effective limit of F41.12.
func (m *Merchant) ExposureLimit() money.Amount {
	if m.Limits.Exposure != 0 {
		return m.Limits.Exposure
	}
	return DefaultExposure
}

// DueLimit is the effective limit of F41.6 on a day.
func (m *Merchant) DueLimit(today calendar.Date) money.Amount {
	if m.Limits.Due != 0 {
		return m.Limits.Due
	}
	settled := m.SettledSince(today.AddDays(1 - settledDays))
	if settled > Unlimited/2 {
		return Unlimited
	}
	return max(DefaultDue, settled.Add(settled))
}

// SettledSince sums what the merchant's payouts netted and what it sent from a day on,
// inclusive, within the last 30 days.
func (m *Merchant) SettledSince(day calendar.Date) money.Amount {
	sum := money.Amount(0)
	for _, x := range m.Settled {
		if x.Day >= day {
			sum = sum.Add(x.Amount)
		}
	}
	return sum
}

// Settled records that a merchant has settled a part of its debt: netted from a payout,
// remitted, paid or debited. A returned debit is subtracted again.
func (d *Draft) Settled(merchant string, amount money.Amount) {
	if amount == 0 {
		return
	}
	m := d.Merchants.Edit(merchant)
	days := make([]SettledDay, 0, len(m.Settled)+1)
	for _, x := range m.Settled {
		if x.Day > d.Env.Today().AddDays(-settledDays) {
			days = append(days, x)
		}
	}
	if n := len(days); n == 0 || days[n-1].Day != d.Env.Today() {
		days = append(days, SettledDay{Day: d.Env.Today()})
	}
	last := &days[len(days)-1]
	last.Amount = last.Amount.Add(amount)
	m.Settled = days
}

// Shop is where a merchant sells, and how it appears to buyers in its checkouts.
type Shop struct {
	// Origins are scheme, host and port of its pages as browsers write them, sorted. In live
	// mode its checkouts redirect nowhere else.
	Origins      []string `json:"origins,omitzero"`
	SupportEmail string   `json:"support_email,omitzero"`
	SupportPhone string   `json:"support_phone,omitzero"`
	TermsURL     string   `json:"terms_url,omitzero"`    // https
	AccentColor  string   `json:"accent_color,omitzero"` // #rrggbb; white text is readable on it
	Logo         Logo     `json:"logo,omitzero"`
}

// Logo is a merchant's picture, a PNG. Its bytes are in the vault.
type Logo struct {
	Content string `json:"content"` // handle
	Hash    string `json:"hash"`    // SHA-256, hexadecimal
	Size    int    `json:"size"`    // bytes
}

// A merchant may take back this many reports a month, or this share of those it recorded in
// that month if that is more (F41.5).
const (
	MaxWithdrawn     = 3
	WithdrawnPercent = 2
)

// WithdrawnReport is a report of money that was taken back with a merchant's token.
type WithdrawnReport struct {
	On      calendar.Date `json:"on"`
	Payment string        `json:"payment"`
	Amount  money.Amount  `json:"amount"`
}

// WithdrawnSince lists the reports that a merchant has taken back since a day.
func (a *MerchantAccount) WithdrawnSince(day calendar.Date) []WithdrawnReport {
	i := slices.IndexFunc(a.Withdrawn, func(x WithdrawnReport) bool { return x.On >= day })
	if i < 0 {
		return nil
	}
	return a.Withdrawn[i:]
}

// RecordsThatCount is how many payments a merchant must have recorded in a month to take back
// one more report, 0 if it needs none. Counting can stop there.
func (m *Merchant) RecordsThatCount(today calendar.Date) int {
	if n := len(m.Account.WithdrawnSince(today.AddMonths(-1).EndOfMonth() + 1)); n >= MaxWithdrawn {
		return (n + 1) * 100 / WithdrawnPercent
	}
	return 0
}
