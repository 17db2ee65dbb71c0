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
	Unanswered        bool // only those to card processors that were sent and have no answer
}

// Takes reports that the filter lets a transfer through.
func (f TransferFilter) Takes(x *credit.Transfer) bool {
	return (f.Company == 0 || f.Company == x.Company) && (f.Merchant == "" || f.Merchant == x.Merchant) &&
		(f.Payment == "" || f.Payment == x.Payment) && (f.Rail == "" || f.Rail == x.Rail) && (f.Status == "" || f.Status == x.Status) &&
		(!f.Unanswered || x.Rail == credit.Card && x.Status == credit.TransferSent && !x.Answered())
}

// Unanswered is the condition of Unanswered in SQL, as the index of both databases has it.
const Unanswered = "rail = 'CARD' AND status = 'SENT' AND (kind = 'PAYMENT' AND reference = '' OR kind <> 'PAYMENT' AND settled_at IS NULL)"

// PayoutFilter narrows a list of payouts.
type PayoutFilter struct {
	Merchant string
	Status   credit.PayoutStatus
}

// LineFilter names the lines of a payout, or those that wait for a merchant. One of
// the two is set.
type LineFilter struct {
	Payout  string
	Waiting string // merchant
}

// BookFilter narrows what is read of the books. Dates are book dates, both
// included; None: open.
type BookFilter struct {
	From, To calendar.Date
	Company  int64  // lines of this company only
	Merchant string // lines of this merchant only
}

// MaxTrace is the greatest trace number: after it they begin again with 1.
const MaxTrace = 9_999_999

// LastTrace is the setting that keeps, in decimal digits, the trace number which was
// given last. PutFile alone writes it, in the transaction of the file.
const LastTrace = "bank_last_trace"

// NextTrace is the trace number that is n after the last one given, n > 0.
func NextTrace(last int64, n int) int64 { return (last+int64(n)-1)%MaxTrace + 1 }

// Banking keeps what goes to banks and comes from them. It is no decision: it has
// transactions of its own, and nothing in it moves money by itself (EN17).
type Banking interface {
	// PutFile keeps a file with its entries and fills in FirstTrace and Entries. Each
	// entry gets the next trace number of the book, in order (NextTrace). A transfer
	// stands in one file only: ErrTaken if one stands in another, or if the file's id is
	// taken. ErrRefused without a transfer, or if one is none that Unfiled would list.
	PutFile(ctx context.Context, f BankFile, transfers []string) (BankFile, []BankEntry, error)
	// MoveFile notes what has become of a file. States only go forward: ErrRefused for a
	// step back, out of ACCEPTED or REFUSED, or for a file that is not there. A file that
	// is in the state already stays as it is.
	MoveFile(ctx context.Context, id string, to FileState, at time.Time) error
	// PutNotice keeps what a bank or a processor has said. It reports false if the
	// notice, by rail and id, is there already: then nothing changes (PA2). ErrRefused
	// if it names a transfer that is not there.
	PutNotice(ctx context.Context, n BankNotice) (fresh bool, err error)
	// CloseNotice notes what came of a notice. One that is closed already stays as it
	// is; ErrRefused for one that is not there.
	CloseNotice(ctx context.Context, rail credit.Method, id, result string, at time.Time) error
	// ReviewNotice notes that a person has seen to a notice that was left to one
	// (BankNotice.Left): who, when and what was done, none of them empty. One that has been
	// reviewed already stays as it is. ErrRefused for one that is not there, or was not left
	// to a person.
	ReviewNotice(ctx context.Context, rail credit.Method, id, by, note string, at time.Time) error
}

// FileState is what has become of a file.
type FileState string

// States of a file.
const (
	FileBuilt    FileState = "BUILT" // kept, to be sent
	FileSent     FileState = "SENT"
	FileAccepted FileState = "ACCEPTED" // acknowledged by the bank
	FileRefused  FileState = "REFUSED"
)

// BankFile is a file to the bank. Its bytes follow from its entries and its time.
type BankFile struct {
	ID         string // achf_20260213_A
	CutOff     time.Time
	State      FileState
	FirstTrace int64
	Entries    int
	Debits     money.Amount
	Credits    money.Amount
	CreatedAt  time.Time
	MovedAt    time.Time // into its state
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
	// Unsent asks for those that have not been sent and are due on DueFrom or later and on
	// DueTo or earlier; None: open.
	Unsent         bool
	DueFrom, DueTo calendar.Date
	Late           bool // only those that were sent after their last day
	// KeptBefore asks for those that were sent before an instant and are not erased; zero: all.
	KeptBefore time.Time
}

// Takes reports that the filter lets a notice through.
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
