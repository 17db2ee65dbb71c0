package credit

import (
	"cmp"
	"time"

	"tenor/internal/domain/calendar"
)

// HeldPayoutFailed is why payouts wait after one could not be delivered: until the
// merchant's bank account is set anew.
const HeldPayoutFailed = "payout_failed"

// CoolingOffDays is how many banking days a change of a merchant's account waits unless the
// lender has set another number, so that somebody who did not ask for it can say so (F41.12);
// maxCoolingOff is the most that may be set.
const (
	CoolingOffDays = 2
	MaxCoolingOff  = 10
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
