package store

import (
	"context"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// TransferFilter narrows a list of transfers.
type TransferFilter struct {
	Company           int64
	Merchant, Payment string
	Rail              credit.Method
	Status            credit.TransferStatus
	Unanswered        bool // only those sent to card processors without an answer
}

// Takes reports whether the filter accepts a transfer.
func (f TransferFilter) Takes(x *credit.Transfer) bool {
	return (f.Company == 0 || f.Company == x.Company) && (f.Merchant == "" || f.Merchant == x.Merchant) &&
		(f.Payment == "" || f.Payment == x.Payment) && (f.Rail == "" || f.Rail == x.Rail) && (f.Status == "" || f.Status == x.Status) &&
		(!f.Unanswered || x.Rail == credit.Card && x.Status == credit.TransferSent && !x.Answered())
}

// Unanswered is the filter of the same name in SQL, exactly as in the index of both
// databases.
const Unanswered = "rail = 'CARD' AND status = 'SENT' AND (kind = 'PAYMENT' AND reference = '' OR kind <> 'PAYMENT' AND settled_at IS NULL)"

// PayoutFilter narrows a list of payouts.
type PayoutFilter struct {
	Merchant string
	Status   credit.PayoutStatus
}

// LineFilter selects the lines of a payout, or those waiting for a merchant. Exactly one of
// the two is set.
type LineFilter struct {
	Payout  string
	Waiting string // merchant
}

// BookFilter narrows reads of the books. Dates are book dates, both included; None: open.
type BookFilter struct {
	From, To calendar.Date
	Company  int64  // lines of this company only
	Merchant string // lines of this merchant only
}

// MaxTrace is the largest trace number; after it they restart at 1.
const MaxTrace = 9_999_999

// LastTrace is the setting that stores the last assigned trace number in decimal digits.
// Only PutFile writes it, in the file's transaction.
const LastTrace = "bank_last_trace"

// NextTrace is the n-th trace number after the last assigned one, n > 0.
func NextTrace(last int64, n int) int64 { return (last+int64(n)-1)%MaxTrace + 1 }

// Banking stores what is sent to banks and what comes from them. None of it is a decision:
// it has its own transactions, and nothing in it moves money by itself (EN17).
type Banking interface {
	// PutFile stores a file with its entries and fills in FirstTrace and Entries. Each
	// entry gets the next trace number of the book, in order (NextTrace). A transfer
	// belongs to one file only: ErrTaken if one is already in another file, or if the
	// file's id is taken. ErrRefused without transfers, or if Unfiled would not list one of
	// them.
	PutFile(ctx context.Context, f BankFile, transfers []string) (BankFile, []BankEntry, error)
	// MoveFile records a file's new state. States only go forward: ErrRefused for a step
	// back, out of ACCEPTED or REFUSED, or for an unknown file. Moving a file to its
	// current state changes nothing.
	MoveFile(ctx context.Context, id string, to FileState, at time.Time) error
	// PutNotice stores a message from a bank or a processor. It reports false, and changes
	// nothing, if the notice (by rail and id) already exists (PA2). ErrRefused if it names
	// an unknown transfer.
	PutNotice(ctx context.Context, n BankNotice) (fresh bool, err error)
	// CloseNotice records the result of a notice. A closed one stays as it is; ErrRefused
	// for an unknown one.
	CloseNotice(ctx context.Context, rail credit.Method, id, result string, at time.Time) error
	// ReviewNotice records that a person has handled a notice that was left to one
	// (BankNotice.Left): who, when and what was done, none of them empty. A reviewed notice
	// stays as it is. ErrRefused for one that does not exist or was not left to a person.
	ReviewNotice(ctx context.Context, rail credit.Method, id, by, note string, at time.Time) error
}

// FileState is the state of a bank file.
type FileState string

// States of a file.
const (
	FileBuilt    FileState = "BUILT" // stored, to be sent
	FileSent     FileState = "SENT"
	FileAccepted FileState = "ACCEPTED" // acknowledged by the bank
	FileRefused  FileState = "REFUSED"
)

// BankFile is a file to the bank. Its entries and its time determine its bytes.
type BankFile struct {
	ID         string // achf_20260213_A
	CutOff     time.Time
	State      FileState
	FirstTrace int64
	Entries    int
	Debits     money.Amount
	Credits    money.Amount
	CreatedAt  time.Time
	MovedAt    time.Time // when it entered its state
}

// BankEntry is one transfer in a file.
type BankEntry struct {
	Transfer string
	File     string
	Trace    int64 // 1 to 9,999,999
}

// NoticeFilter narrows a list of adverse actions; zero members do not.
type NoticeFilter struct {
	Company int64
	// Unsent selects notices that have not been sent and are due from DueFrom through
	// DueTo; None: open.
	Unsent         bool
	DueFrom, DueTo calendar.Date
	Late           bool // only those sent after their deadline
	// KeptBefore selects those sent before an instant and not erased; zero: all.
	KeptBefore time.Time
}

// Takes reports whether the filter accepts a notice.
func (f NoticeFilter) Takes(n *credit.Notice) bool {
	if f.Company != 0 && n.Company != f.Company || f.Late && !n.Late {
		return false
	}
	if !f.KeptBefore.IsZero() && (n.SentAt.IsZero() || n.Erased() || !n.SentAt.Before(f.KeptBefore)) {
		return false
	}
	return !f.Unsent || n.SentAt.IsZero() && (f.DueFrom == calendar.None || n.DueOn >= f.DueFrom) && (f.DueTo == calendar.None || n.DueOn <= f.DueTo)
}

// ScreeningFilter narrows a list of screenings; zero members do not.
type ScreeningFilter struct {
	Company  int64
	Merchant string
	Status   credit.ScreeningStatus
}
