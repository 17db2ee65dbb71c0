package credit

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// TheLender is the key under which a deployment's only lender is kept.
const TheLender = "lender"

// Lender is what is kept of the lender itself: how far its books are, and what it has
// set. There is one, and until it is first changed none is stored.
type Lender struct {
	ID string // TheLender
	// Allowance is what the allowance for losses holds: minus the balance of 1900. It is
	// kept here so that two charge-offs never count the same allowance (F17).
	Allowance money.Amount
	// ProvisionFrom is the day from which month ends are provided for: that on which
	// rates were first set. None before.
	ProvisionFrom      calendar.Date
	ProvisionedThrough calendar.Date // last month end that has been provided for, None before the first
	ClosedTo           calendar.Date // last day of the last month that is closed, None before the first
	// Moved is what has moved the allowance in months after the next one to be provided
	// for, oldest first: a provision that comes late leaves it out. It is empty while
	// provisions are made in time.
	Moved     []AllowanceMove
	Settings  LenderSettings
	UpdatedAt time.Time
	Version   int
}

// AllowanceMove is what was added to the allowance in a month, by the day of booking.
type AllowanceMove struct {
	Month  calendar.Date `json:"month"` // its last day
	Amount money.Amount  `json:"amount"`
}

// LenderSettings are what the lender sets for the whole deployment.
type LenderSettings struct {
	// ProvisionRates are the shares of principal that are expected to be lost, by bucket;
	// a bucket that is not named has none (F17).
	ProvisionRates map[Bucket]money.Rate `json:"provision_rates,omitzero"`
	Creditor       Party                 `json:"creditor,omitzero"`  // signs all papers, and as a notice of an adverse action names it (F28)
	Contact        string                `json:"contact,omitzero"`   // how to reach it, as papers say; "": its address
	Regulator      Party                 `json:"regulator,omitzero"` // that administers the law for this creditor (F28)
	// VerifyAccounts says which accounts of companies are proved before their first debit;
	// "": VerifyAlways (F41.1).
	VerifyAccounts VerifyPolicy `json:"verify_accounts,omitzero"`
	// CoolingOff is for how many banking days a change of a merchant's account waits; 0:
	// CoolingOffDays (F41.12).
	CoolingOff int       `json:"cooling_off_days,omitzero"`
	Retention  Retention `json:"retention,omitzero"` // for how long what is personal is kept
	// Past is how papers were signed at earlier month ends, oldest first: one for each
	// month in which that was changed. A statement says what it said at its end (F38).
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

// Screening is a comparison with a sanctions list that has found something: a person
// says whether it is the one that is listed (F29).
type Screening struct {
	ID        string   // scr_…
	Company   int64    // 0 of a merchant
	Merchant  string   // "" of a company
	List      string   // version of the list
	Names     []string // that were compared
	Matches   []Match  // best first
	Status    ScreeningStatus
	OpenedAt  time.Time
	DecidedAt time.Time     // zero while it is open
	Reason    string        // of the person who has decided
	ReportBy  calendar.Date // a confirmed match is reported by then; None otherwise
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

// Screened is what is kept of screenings with whom they concern.
type Screened struct {
	Review  string   `json:"review,omitzero"`  // the screening that is open or confirmed, "" if none is
	Stopped bool     `json:"stopped,omitzero"` // it is confirmed: no money leaves
	Cleared []string `json:"cleared,omitzero"` // entries that a person has found to be somebody else, sorted
	// Unscreened says that it has a name which has been compared with no list yet.
	Unscreened bool `json:"unscreened,omitzero"`
}
