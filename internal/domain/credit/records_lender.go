package credit

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// TheLender is the key under which a deployment's only lender is kept.
const TheLender = "lender"

// Lender is the record of the lender itself: how far its books are, and its settings. There is
// one, and none is stored until the first change.
type Lender struct {
	ID string // TheLender
	// Allowance is the balance of the allowance for losses: minus the balance of 1900. It is
	// kept here so that two charge-offs never use the same allowance (F17).
	Allowance money.Amount
	// ProvisionFrom is the day from which month ends are provided for: when rates were first
	// set. None before.
	ProvisionFrom      calendar.Date
	ProvisionedThrough calendar.Date // last month end provided for, None before the first
	ClosedTo           calendar.Date // last day of the last closed month, None before the first
	// Moved is what has changed the allowance in months after the next one to be provided for,
	// oldest first: a late provision leaves it out. It is empty while provisions are on time.
	Moved     []AllowanceMove
	Settings  LenderSettings
	UpdatedAt time.Time
	Version   int
}

// AllowanceMove is what was added to the allowance in a month, by booking day.
type AllowanceMove struct {
	Month  calendar.Date `json:"month"` // its last day
	Amount money.Amount  `json:"amount"`
}

// LenderSettings are the lender's settings for the whole deployment.
type LenderSettings struct {
	// ProvisionRates are the shares of principal expected to be lost, by bucket; an absent
	// bucket has none (F17).
	ProvisionRates map[Bucket]money.Rate `json:"provision_rates,omitzero"`
	Creditor       Party                 `json:"creditor,omitzero"`  // signs all papers, and is named in adverse action notices (F28)
	Contact        string                `json:"contact,omitzero"`   // how to reach it, as shown on papers; "": its address
	Regulator      Party                 `json:"regulator,omitzero"` // administers the law for this creditor (F28)
	// VerifyAccounts is which company accounts are proved before their first debit; "":
	// VerifyAlways (F41.1).
	VerifyAccounts VerifyPolicy `json:"verify_accounts,omitzero"`
	// CoolingOff is how many banking days a change of a merchant's account waits; 0:
	// CoolingOffDays (F41.12).
	CoolingOff int           `json:"cooling_off_days,omitzero"`
	Retention  Retention     `json:"retention,omitzero"` // how long personal data is kept
	Approvals  permit.Policy `json:"approvals,omitzero"` // what takes two people
	// Past is how papers were signed at earlier month ends, oldest first: one for each month
	// in which it changed. A statement keeps the signature of its month end (F38).
	Past []Signature `json:"past,omitzero"`
}

// Signature is how papers were signed up to a day.
type Signature struct {
	Through  calendar.Date `json:"through"` // the last day of a month
	Creditor Party         `json:"creditor,omitzero"`
	Contact  string        `json:"contact,omitzero"`
}

// Party is somebody with an address to write to.
type Party struct {
	Name    string `json:"name,omitzero"`
	Address string `json:"address,omitzero"`
}

// Screening is a comparison with a sanctions list that found something: a person decides
// whether it is the listed party (F29).
type Screening struct {
	ID        string   // scr_…
	Company   int64    // 0 for a merchant
	Merchant  string   // "" for a company
	List      string   // version of the list
	Names     []string // names compared
	Matches   []Match  // best first
	Status    ScreeningStatus
	OpenedAt  time.Time
	DecidedAt time.Time     // zero while open
	Reason    string        // given by the person who decided
	ReportBy  calendar.Date // deadline to report a confirmed match; None otherwise
	Version   int
}

// Match is an entry of a sanctions list that resembles a name.
type Match struct {
	Entry string `json:"entry"` // its identifier in the list
	Name  string `json:"name"`  // as the list spells it
	Score int    `json:"score"` // likeness in percent
}

// ScreeningStatus is one of the statuses of a screening.
type ScreeningStatus string

// Screening statuses: OPEN → CLEARED or CONFIRMED; CONFIRMED → CLEARED.
const (
	ScreeningOpen      ScreeningStatus = "OPEN"
	ScreeningCleared   ScreeningStatus = "CLEARED"
	ScreeningConfirmed ScreeningStatus = "CONFIRMED"
)

// Screened is the screening state of a company or merchant.
type Screened struct {
	Review  string   `json:"review,omitzero"`  // the open or confirmed screening, "" if none
	Stopped bool     `json:"stopped,omitzero"` // it is confirmed: no money leaves
	Cleared []string `json:"cleared,omitzero"` // entries that a person found to be somebody else, sorted
	// Unscreened is true if it has a name that has not been compared with any list yet.
	Unscreened bool `json:"unscreened,omitzero"`
}
