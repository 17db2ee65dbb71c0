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
	// SuspendedCompanies lists companies that are SUSPENDED, newest first.
	SuspendedCompanies(p Page) ([]*credit.Company, error)
	// ProposedOrders lists the orders that are proposed to be charged off (F17), newest
	// first. The Limit of a page counts.
	ProposedOrders(p Page) ([]*credit.Order, error)
	// PausedCompanies lists companies whose autopay was paused by debits that came back,
	// whether it is on or off (F23), or whose cards were stopped by disputes (F25), newest
	// first. One that a bankruptcy alone pauses is none
	// of them.
	PausedCompanies(p Page) ([]*credit.Company, error)
	// StoppedOrders lists the orders with items that autopay leaves to a person (F12), newest
	// first.
	StoppedOrders(p Page) ([]*credit.Order, error)
	// SharedAccounts lists the bank accounts that were added at an instant or later, at a
	// company, after another company had the same account, newest first; SameAccount all
	// methods with an account, oldest first, MaxSame at most (F41.1).
	SharedAccounts(since time.Time, p Page) ([]*credit.PaymentMethod, error)
	SameAccount(fingerprint string) ([]*credit.PaymentMethod, error)
	// FilesIn lists the bank's files in a state, newest first by (CreatedAt, ID): those that
	// are BUILT are not known to be with it, and of those that are SENT it has said nothing.
	FilesIn(state FileState, p Page) ([]BankFile, error)
	// UnscreenedCompanies lists companies with a name that has been compared with no
	// sanctions list yet, newest first; UnscreenedMerchants all such merchants, in order of
	// their ids (F29).
	UnscreenedCompanies(p Page) ([]*credit.Company, error)
	UnscreenedMerchants() ([]string, error)
	// BankNotices lists what was said and left to a person, newest first by (At, Key).
	BankNotices(f BankNoticeFilter, p Page) ([]BankNotice, error)
	// BankNotice returns a notice, whatever has become of it, false if there is none.
	BankNotice(rail credit.Method, id string) (BankNotice, bool, error)
}
