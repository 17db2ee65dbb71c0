// Package ach is the ACH rail: it builds files for the originating bank (F22), reads what the
// bank leaves (returns, notifications of change, acknowledgments), and transports both through a
// folder or by SFTP.
//
// The records are those of github.com/moov-io/ach. This package makes a lender's decisions about
// them: which entries share a batch, which code an account's owner requires, when a return is
// late, and that the same instructions give the same bytes. It keeps nothing in memory and logs
// nothing: files contain account numbers, and errors never quote them.
package ach

import (
	"errors"
	"fmt"

	"tenor/internal/domain/account"
	"tenor/internal/domain/money"
)

// Origin is the sender of files, as agreed with the originating bank.
type Origin struct {
	ODFI            string // routing number of the originating bank, nine digits; every trace number starts with its first eight
	Destination     string // routing number of the file's recipient, nine digits
	DestinationName string // at most 23 characters
	Source          string // the file's creator: nine or ten characters assigned by the bank
	SourceName      string // at most 23 characters
	Company         string // name on the debtor's statement, at most 16 characters
	CompanyID       string // at most 10 characters: often 1 and the EIN; the same on every retry (F23)
	// ReturnCost is what the bank charges for a returned entry. Files do not contain it: Read adds
	// it to each item of a return.
	ReturnCost money.Amount
}

// ErrOrigin means that the sender's details are incomplete or too long.
var ErrOrigin = errors.New("ach: origin")

// Validate reports the first detail that does not fit into a file.
func (o Origin) Validate() error {
	for _, x := range []struct {
		name, value string
		least, most int
	}{
		{"destination name", o.DestinationName, 1, 23},
		{"source", o.Source, 9, 10},
		{"source name", o.SourceName, 1, 23},
		{"company", o.Company, 1, 16},
		{"company id", o.CompanyID, 1, 10},
	} {
		if len(x.value) < x.least || len(x.value) > x.most || !printable(x.value) {
			return fmt.Errorf("%w: the %s must be %d to %d ASCII characters", ErrOrigin, x.name, x.least, x.most)
		}
	}
	if !ValidRouting(o.ODFI) || !ValidRouting(o.Destination) {
		return fmt.Errorf("%w: the originating bank and the destination need a routing number with a valid check digit", ErrOrigin)
	}
	return nil
}

// CheckDigit returns the ninth digit of a routing number from the first eight: weights
// 3 7 1 3 7 1 3 7, (10 − sum mod 10) mod 10 (F22). It returns −1 for anything that is
// not eight digits.
func CheckDigit(first8 string) int {
	if len(first8) != 8 {
		return -1
	}
	sum := 0
	for i := range len(first8) {
		if first8[i] < '0' || first8[i] > '9' {
			return -1
		}
		sum += int(first8[i]-'0') * [...]int{3, 7, 1}[i%3]
	}
	return (10 - sum%10) % 10
}

// ValidRouting reports whether a text is a routing number (F22).
func ValidRouting(routing string) bool { return account.ValidRouting(routing) }

// printable reports whether a text is ASCII that fits into a record.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
