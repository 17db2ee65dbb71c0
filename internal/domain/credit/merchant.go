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

// MaxName is the longest name of a merchant or a company, in characters.
const MaxName = 255

// CheckName asks that a name can be read on a page: not blank, not too long, on one
// line.
func CheckName(name string) *Rejection {
	n := utf8.RuneCountInString(name)
	printable := !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if n == 0 || n > MaxName || strings.TrimSpace(name) != name || !utf8.ValidString(name) || !printable {
		return ValidationFailed.Because(fmt.Sprintf("A name has 1 to %d printable characters and no space at its ends.", MaxName))
	}
	return nil
}
