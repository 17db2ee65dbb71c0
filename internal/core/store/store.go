// Package store is what Tenor asks of a database: load these keys, apply this
// batch, show a snapshot. The backends in its sub-packages do it natively;
// memory is the reference that the others are compared with (storetest).
//
// What is a decision is written through Commits alone, and only the engine calls it. What is
// none (settings, deliveries, leases, files of banks) has transactions of its own. Reads are
// functions over a View, which answers questions that are data (Query, Sums, EventFilter).
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

// Outcome is what became of a commit. There are three results, not two (EN4).
type Outcome int

// The outcomes of Update. NotCommitted is the zero value: nothing was sent.
const (
	NotCommitted Outcome = iota
	Committed
	Unknown // stop writing and Resolve before anybody is answered
)

// ErrFull says that the database has no room: writes are refused, reads go on.
var ErrFull = errors.New("store: database is full")

// ErrTaken says that a claim, an idempotency key or an identifier of the batch
// belongs to another commit. Nothing was written. Load and decide the whole
// batch again before anybody is answered (EN9).
var ErrTaken = errors.New("store: a name or key is already taken")

// ErrRefused says that rows of the batch break a rule of the schema which no check
// before had caught. Nothing was written, and the same commands would be refused
// again: they hold one that is broken.
var ErrRefused = errors.New("store: a schema constraint rejects the batch")

// ErrFenced says that the book has entered a new epoch since the node started: a
// backup was restored, or another deployment has taken over. Nothing was written,
// and nothing may be until a restart (EN16).
var ErrFenced = errors.New("store: the book is in a different epoch")

// ErrBehind says that another node has committed a later time or business date
// than the batch has. Nothing was written. Load and decide it again: this time the
// head that is read after the loads stays (TM1).
var ErrBehind = errors.New("store: a later batch was already committed")

// ErrUnreachable says that the database did not answer. Nothing was written; a read
// may be tried again.
var ErrUnreachable = errors.New("store: database is unreachable")

// Commit tells how an Update ended. FirstQ is the commit sequence of its first
// decided command; the others follow without gaps (EN7, AU7).
type Commit struct {
	Outcome Outcome
	FirstQ  int64
}

// Backend is one database. Its parts are named by who uses them: whoever needs some of them
// takes those. Everything that is read is a question to a View; what is not of it writes.
// What is not a decision is written beside commits, each part in its own transactions.
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

// Viewer is what reads.
type Viewer interface {
	// View runs fn on one consistent snapshot of what is committed.
	View(ctx context.Context, fn func(View) error) error
}

// Commits is what the engine writes with.
type Commits interface {
	// Update runs fn in one write transaction and commits it. If fn returns an
	// error nothing is committed and that error is returned with NotCommitted.
	// Apply only queues: writes and COMMIT are sent together after fn. The
	// context may end the work before COMMIT, never during it (EN6).
	Update(ctx context.Context, fn func(Tx) error) (Commit, error)
	// Resolve settles an Unknown outcome (EN5): on a new session it inserts the
	// batch's id as a tombstone, which waits for the old transaction or bars it,
	// and reports whether the batch is there.
	Resolve(ctx context.Context, batch BatchID) (Commit, error)
}

// Passes finds who calls. It is asked with nearly every call, so that each is one question
// to a database; all other reads are questions to a View.
type Passes interface {
	// ClientByID returns any client with what the audit log says of it, false if there is
	// none.
	ClientByID(ctx context.Context, id string) (Known, bool, error)
	// TokenByHash returns a token and its client with what the audit log says of them, all
	// as of one commit. It is false if there is no such token, and of one of which, as of
	// its client, the log says nothing.
	TokenByHash(ctx context.Context, hash [32]byte) (Pass, bool, error)
}

// Registry keeps small named values of the deployment, such as its mode and the key that
// signs cursors; Setting reads one.
type Registry interface {
	PutSetting(ctx context.Context, name string, value []byte) error
	// Settle keeps a value under a name that has none yet, and returns what is kept
	// there: of several processes that begin on one database, all get the first one's.
	Settle(ctx context.Context, name string, value []byte) (kept []byte, err error)
}

// Tx is a write transaction.
type Tx interface {
	// Head is the state of the commit sequence as this transaction, or before its
	// first Load perhaps an earlier one, has seen it. Another node may move it on
	// until COMMIT: Apply finds out. After that has happened (ErrBehind), the next
	// transaction's Head after its loads is firm: nobody moves it on any more.
	Head() (Head, error)
	// Load adds what the keys name to the state, one bulk query a noun, and locks
	// it until the commit. Keys that are already loaded are not read again. It
	// returns the answers that are stored under the idempotency keys, read after the
	// locks were taken, so that a twin on another node has committed or waits (EN8).
	Load(s *credit.State, k credit.Keys, repeats []KeyID) (map[KeyID]Answer, error)
	// Apply queues the batch. It is called at most once. An Update whose fn applies
	// nothing ends NotCommitted without an error.
	Apply(b Batch) error
}

// Head is the row of the commit sequence of a book.
type Head struct {
	Q            int64         // of the last decided command
	Hash         [32]byte      // of the audit chain (AU5)
	At           time.Time     // of the last batch: time never goes back (TM1)
	BusinessDate calendar.Date // of the last batch, None if there is none
	Epoch        int64         // grows with each restore; what an older epoch knows is void (EN16)
}

// BatchID identifies a batch over sessions and nodes (EN5).
type BatchID [16]byte

// Batch is what one transaction writes.
type Batch struct {
	ID           BatchID
	Node         string
	Epoch        int64 // in which its node lives; a batch of another epoch than the book's is refused (EN16)
	At           time.Time
	BusinessDate calendar.Date
	Rules        int      // credit.RulesVersion that decided it
	Wire         string   // version of the form of its events' payloads
	Digest       [32]byte // of the versions and the canonical audit rows in order; the chain's next link
	Decided      []Decided
	// Background says that callers are about, and that no command of the batch is theirs: what
	// it makes the backend do afterwards is to come in small pieces. It is not stored.
	Background bool
}

// Decided is one accepted or refused command. Its commit sequence is the
// batch's first plus its index.
type Decided struct {
	Audit   Audit
	Changes credit.Changes // empty if it was refused
	Events  [][]byte       // encoded payload of each of Changes.Events
	Key     *KeyID         // idempotency key, nil if none
	Answer  Answer         // stored under Key
}

// Audit is the row that every decided command leaves (AU4). With it the command
// can be decided again.
type Audit struct {
	At       time.Time
	Actor    credit.Actor
	Address  string // network address of the caller
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

// Answer is a response as it was first given (ID2).
type Answer struct {
	Request     [32]byte // hash of method, canonical path, query and body
	Status      int
	Body        []byte
	ContentType string
	Location    string
	ETag        string
	Q           int64 // commit sequence; filled in by the store
	At          time.Time
	Sealed      bool // the body holds a secret and is sealed with the deployment's key
}

// View is a consistent snapshot. Every read of it sees the same commits.
type View interface {
	// Seq is the commit sequence of the last commit that the snapshot holds.
	Seq() int64
	// Head is the row of the commit sequence in the snapshot.
	Head() (Head, error)
	// Load is Tx.Load without locks.
	Load(s *credit.State, k credit.Keys) error

	// List calls fn with the rows of a page.
	List(q Query, fn func(row any) error) error
	// Sum calls fn with the figures of each group that has rows, in no order: with what the
	// group has in the columns of By, and with its aggregates. fn may keep no values.
	Sum(s Sums, fn func(by, of []Value) error) error
	// At is the row of a noun under a key as it stood after commit q; see the function At.
	At(n Noun, key Value, q int64) (row any, err error)
	// Stored walks the rows of a table as they are stored, in order of its key: every
	// column with the value of its own. fn may keep no values. Most callers want Each.
	Stored(s Schema, fn func([]Value) error) error

	// Events lists events, oldest first.
	Events(f EventFilter) ([]EventRow, error)
	// Entries calls fn with entries and their lines, in order of posting. With a company or
	// a merchant an entry comes with its lines alone, and not at all if it has none.
	Entries(f EntryFilter, fn func(EntryRow) error) error
	// TrialBalance sums the postings of entries whose book date the filter takes, by
	// account; of one merchant's or company's lines if the filter names it. An account
	// whose sum is 0.00 is left out.
	TrialBalance(f BookFilter) (map[ledger.Account]money.Amount, error)
	// EachCash calls fn with the entries on 1000 that the filter takes, in order of
	// posting, as the bank's statement is held against them. An entry whose lines on 1000
	// cancel is there too, with 0.00.
	EachCash(f CashFilter, fn func(CashRow) error) error
}

// Repeating are the tables with columns that repeat what another column or another row
// says, so that a list or a load finds rows by them.
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

// Page asks for at most Limit records after a position in a list's order: newest
// first by (CreatedAt, identifier), invoices by IssuedAt. The position is that of
// the last record of the page before. A company's identifier is its CompanyKey.
type Page struct {
	Limit   int
	AfterAt time.Time // zero: from the beginning
	AfterID string
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

// PaymentFilter narrows a list of payments. A merchant sees what it recorded or
// what names its order. Order are those that name it or have paid some of it.
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
	At       time.Time
	Payload  []byte
}

// EntryRow is a stored entry with the commit that made it.
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
	Rules         int      // that decided it; 0 of a tombstone
	Wire          string   // form of its events' payloads; "" of a tombstone
	Digest, Hash  [32]byte // Hash = SHA-256(previous hash ‖ Digest)
	Tombstone     bool
}
