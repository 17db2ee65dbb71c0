package store

import (
	"time"

	"tenor/internal/domain/credit"
)

// MaxSame is how many methods with one account are listed.
const MaxSame = 100

// ReviewView is what is read to find what waits for a person, or for the sanctions list.
// Each list is as short as what waits.
type ReviewView interface {
	// DebitReturnsSince counts, by the code under which they came back, the debits whose
	// return came at an instant or later: each once, however often a bank says it. Credits,
	// micro-deposits and prenotes that came back, and what was never sent on, are no
	// returned debits (F22).
	DebitReturnsSince(at time.Time) (map[string]int, error)
	// SharedAccounts lists the bank accounts that were added at an instant or later, at a
	// company, after another company had the same account, newest first (F41.1).
	SharedAccounts(since time.Time, p Page) ([]*credit.PaymentMethod, error)
}
