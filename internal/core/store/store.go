// Package store is what Tenor needs from a database: load these keys, apply this batch,
// show a snapshot. The backends in its subpackages implement it natively; memory is the
// reference that the others are tested against (storetest).
//
// Decisions are written only through Commits, and only the engine calls it. Everything else
// (settings, deliveries, leases, bank files) has its own transactions. Reads are functions
// over a View, which answers queries that are plain data (Query, Sums, EventFilter).
package store

import (
	"context"
	"errors"
	"math"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Outcome is the result of a commit. There are three, not two (EN4).
type Outcome int

// The outcomes of Update. NotCommitted is the zero value: nothing was sent.
const (
	NotCommitted Outcome = iota
	Committed
	Unknown // stop writing and Resolve before answering anybody
)

// ErrFull means that the database has no room: writes are refused, reads continue.
var ErrFull = errors.New("store: database is full")

// ErrTaken means that a claim, an idempotency key or an identifier of the batch belongs to
// another commit. Nothing was written. Load and decide the whole batch again before
// answering anybody (EN9).
var ErrTaken = errors.New("store: a name or key is already taken")

// ErrRefused means that rows of the batch violate a schema rule that no earlier check
// caught. Nothing was written, and the same commands would be refused again: one of them is
// invalid.
var ErrRefused = errors.New("store: a schema constraint rejects the batch")

// ErrFenced means that the book has entered a new epoch since the node started: a backup
// was restored, or another deployment has taken over. Nothing was written, and nothing may
// be until a restart (EN16).
var ErrFenced = errors.New("store: the book is in a different epoch")

// ErrBehind means that another node has committed a later time or business date than the
// batch has. Nothing was written. Load and decide it again: this time the head that is read
// after the loads is final (TM1).
var ErrBehind = errors.New("store: a later batch was already committed")

// ErrUnreachable means that the database did not answer. Nothing was written; reads may be
// retried.
var ErrUnreachable = errors.New("store: database is unreachable")

// Commit is the result of an Update. FirstQ is the commit sequence of its first decided
// command; the others follow without gaps (EN7, AU7).
type Commit struct {
	Outcome Outcome
	FirstQ  int64
}

// Backend is one database. Its parts are grouped by caller: each caller takes the parts it
// needs. All reads go through a View; the other parts write. Anything that is not a
// decision is written separately from commits, each part in its own transactions.
type Backend interface {
	Viewer
	Commits
	Passes
	Registry
	HeadKeeper
	Duties
	Courier
	Banking
	Reconciliation
	Resealer
	Scratch
	RequestLog
	Close() error
}

// Viewer reads.
type Viewer interface {
	// View runs fn on one consistent snapshot of the committed state.
	View(ctx context.Context, fn func(View) error) error
}

// Commits is what the engine writes with.
type Commits interface {
	// Update runs fn in one write transaction and commits it. If fn returns an error,
	// nothing is committed and Update returns that error with NotCommitted. Apply only
	// queues: writes and COMMIT are sent together after fn. The context may cancel the work
	// before COMMIT, never during it (EN6).
	Update(ctx context.Context, fn func(Tx) error) (Commit, error)
	// Resolve settles an Unknown outcome (EN5): in a new session it inserts the batch's id
	// as a tombstone, which waits for the old transaction or bars it, and reports whether
	// the batch was committed.
	Resolve(ctx context.Context, batch BatchID) (Commit, error)
}

// Passes authenticates callers. Nearly every API call needs it, so each method is a single
// database query; all other reads use a View.
type Passes interface {
	// ClientByID returns any client with its audit log rows, or false if there is none.
	ClientByID(ctx context.Context, id string) (Known, bool, error)
	// TokenByHash returns a token and its client with the audit log rows of both, all as of
	// one commit. It is false if the token does not exist, or if the log has rows about
	// neither it nor its client.
	TokenByHash(ctx context.Context, hash [32]byte) (Pass, bool, error)
}

// Registry stores small named values of the deployment, such as its mode and the key that
// signs cursors; Setting reads one.
type Registry interface {
	PutSetting(ctx context.Context, name string, value []byte) error
	// Settle stores a value under a name that has none yet, and returns the stored value:
	// when several processes start on one database, all get the first one's.
	Settle(ctx context.Context, name string, value []byte) (kept []byte, err error)
}

// Tx is a write transaction.
type Tx interface {
	// Head is the state of the commit sequence as seen by this transaction, or before its
	// first Load perhaps by an earlier one. Another node may advance it until COMMIT, which
	// Apply detects. After that has happened (ErrBehind), the next transaction's Head after
	// its loads is final: nobody can advance it.
	Head() (Head, error)
	// Load adds the records of the keys to the state, with one bulk query per noun, and
	// locks them until the commit. Keys already loaded are not read again. It returns the
	// answers stored under the idempotency keys, read after the locks were taken, so that a
	// duplicate request on another node has either committed or waits (EN8).
	Load(s *credit.State, k credit.Keys, repeats []KeyID) (map[KeyID]Answer, error)
	// Apply queues the batch. It is called at most once. An Update whose fn applies nothing
	// ends as NotCommitted without an error.
	Apply(b Batch) error
}

// Head is a book's row of the commit sequence.
type Head struct {
	Q            int64         // of the last decided command
	Hash         [32]byte      // of the audit chain (AU5)
	At           time.Time     // of the last batch: time never goes back (TM1)
	BusinessDate calendar.Date // of the last batch, None if there is none
	Epoch        int64         // grows with each restore; state from an older epoch is void (EN16)
}

// BatchID identifies a batch across sessions and nodes (EN5).
type BatchID [16]byte

// Batch is what one transaction writes.
type Batch struct {
	ID           BatchID
	Node         string
	Epoch        int64 // of its node; a batch from another epoch than the book's is refused (EN16)
	At           time.Time
	BusinessDate calendar.Date
	Rules        int      // credit.RulesVersion that decided it
	Wire         string   // format version of its events' payloads
	Digest       [32]byte // of the versions and the canonical audit rows in order; the chain's next link
	Decided      []Decided
	// Background means that callers are active but none of the batch's commands are theirs:
	// the backend's follow-up work should run in small pieces. It is not stored.
	Background bool
}

// Decided is one accepted or refused command. Its commit sequence is the
// batch's first plus its index.
type Decided struct {
	Audit   Audit
	Changes credit.Changes // empty if it was refused
	Events  [][]byte       // encoded payload of each of Changes.Events
	Dues    []DueTotalRow  // from DueMoves
	Key     *KeyID         // idempotency key, nil if none
	Answer  Answer         // stored under Key
}

// Audit is the record of every decided command (AU4). The command can be decided again from
// it.
type Audit struct {
	At       time.Time
	Actor    credit.Actor
	Address  string // caller's network address
	Company  int64
	Object   string // identifier of the result, "" if refused
	Command  string // its name
	Payload  []byte // the command as JSON; holds no secret
	Seed     [16]byte
	Result   string   // "ok" or the rejection's code
	BodyHash [32]byte // of the response body
}

// KeyID is an Idempotency-Key in its scope (ID1).
type KeyID struct{ Client, Key string }

// Answer is a response as first given (ID2).
type Answer struct {
	Request     [32]byte // hash of method, canonical path, query and body
	Status      int      // 0: stored, but cannot be read
	Body        []byte
	ContentType string
	Location    string
	ETag        string
	Q           int64 // commit sequence; filled in by the store
	At          time.Time
	Sealed      bool // the body holds a secret and is sealed with the deployment's key
}

// Physical is a backend that can check its own storage: that pages can be read, and that each index
// has the rows of its table and no others. It does not check the books; verify does.
type Physical interface {
	// Integrity calls problem with each problem that it finds. note says what it could not check.
	Integrity(ctx context.Context, problem func(text string)) (note string, err error)
}

// View is a consistent snapshot. All its reads see the same commits.
type View interface {
	// Seq is the commit sequence of the last commit in the snapshot.
	Seq() int64
	// Head is the book's row of the commit sequence in the snapshot.
	Head() (Head, error)
	// Load is Tx.Load without locks.
	Load(s *credit.State, k credit.Keys) error

	// List calls fn with the rows of a page.
	List(q Query, fn func(row any) error) error
	// Sum calls fn with the figures of each group that has rows, in no order: the group's
	// values in the columns of By, and its aggregates. fn must not retain the values.
	Sum(s Sums, fn func(by, of []Value) error) error
	// At returns the row of a noun under a key as it stood after commit q; see the function
	// At.
	At(n Noun, key Value, q int64) (row any, err error)
	// Stored walks the rows of a table as stored, in key order, with every column's own
	// value. fn must not retain the values. Most callers want Each.
	Stored(s Schema, fn func([]Value) error) error

	// Events lists events, oldest first.
	Events(f EventFilter) ([]EventRow, error)
	// Entries calls fn with entries and their lines, in order of posting. With a company or
	// a merchant, an entry comes with only its lines, and is omitted if it has none.
	Entries(f EntryFilter, fn func(EntryRow) error) error
	// TrialBalance sums postings by account, over the entries whose book date matches the
	// filter; only one merchant's or company's lines if the filter names it. Accounts with
	// sum 0.00 are left out.
	TrialBalance(f BookFilter) (map[ledger.Account]money.Amount, error)
	// EachCash calls fn with the entries on 1000 that match the filter, in order of
	// posting, for comparison with the bank's statement. An entry whose lines on 1000
	// cancel out is included, with 0.00.
	EachCash(f CashFilter, fn func(CashRow) error) error
}

// Repeating returns the tables with columns that repeat another column or row, so that a
// list or a load finds rows by them.
func Repeating() []Schema {
	out := []Schema{
		MoneyEvents.Schema(), MoneyTouches.Schema(), Loans.Schema(), Installments.Schema(), Fees.Schema(),
		Payments.Schema(), Entries.Schema(), CompanyMerchants.Schema(),
	}
	for _, n := range Nouns {
		if s := n.Schema(); s.Lookups > 0 {
			out = append(out, s)
		}
	}
	return out
}

// Latest stands for the last commit of a snapshot.
const Latest = math.MaxInt64

// Page asks for at most Limit records after a position in a list's order: newest first by
// (CreatedAt, identifier), invoices by IssuedAt. The position is that of the previous
// page's last record. A company's identifier is its CompanyKey.
type Page struct {
	Limit   int
	AfterAt time.Time // zero: from the beginning
	AfterID string
	Oldest  bool // the oldest first, where a list is otherwise the newest first
}

// OrderFilter narrows a list of orders; zero members do not. Instants are
// half-open: From ≤ x < To.
type OrderFilter struct {
	Merchant, MerchantOrderID string
	Company                   int64
	Status                    credit.OrderStatus
	Financing                 credit.FinancingStatus
	CreatedFrom, CreatedTo    time.Time
	CapturedFrom, CapturedTo  calendar.Date // both included; None: open
	UpdatedSince              time.Time
}

// PaymentFilter narrows a list of payments. A merchant sees what it recorded or what names
// its order. Order selects those that name it or have paid part of it.
type PaymentFilter struct {
	Merchant, Order, Invoice string
	Company                  int64
	Status                   credit.PaymentStatus
	Method                   credit.Method
	From, To                 calendar.Date // effective, else scheduled date, both included; None: open
}

// InvoiceFilter narrows a list of invoices.
type InvoiceFilter struct {
	Merchant, Order string
	Company         int64
	Status          credit.InvoiceStatus
}

// AuditFilter narrows the audit log; zero members do not. From ≤ the row's instant < To.
type AuditFilter struct {
	Client, Merchant, Object, Command, RequestID string
	Company                                      int64
	From, To                                     time.Time
}

// EventRow is a stored event.
type EventRow struct {
	ID       string
	Type     credit.EventType
	Object   credit.ObjectRef
	Sequence int64
	Q        int64
	N        int // position among the events of its commit
	Company  int64
	Merchant string
	Readers  []string // merchants that may read it; nil: none
	At       time.Time
	Payload  []byte
}

// EntryRow is a stored entry with the commit that posted it.
type EntryRow struct {
	ledger.Entry
	Q  int64
	At time.Time
}

// BatchRow is a stored batch.
type BatchRow struct {
	ID            BatchID
	Node          string
	FirstQ, LastQ int64
	At            time.Time
	BusinessDate  calendar.Date
	Rules         int      // that decided it; 0 for a tombstone
	Wire          string   // format version of its events' payloads; "" for a tombstone
	Digest, Hash  [32]byte // Hash = SHA-256(previous hash ‖ Digest)
	Tombstone     bool
}
