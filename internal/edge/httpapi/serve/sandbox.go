package serve

import (
	"context"
	"errors"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
)

// Receivers are a sandbox's own webhook receivers, each with a name. A merchant sees what
// was signed for its own endpoints. A refusal is one of the errors below.
type Receivers interface {
	// List lists a merchant's receivers by name.
	List(ctx context.Context, merchant string) ([]resource.SandboxReceiver, error)
	// Tell sets how a receiver answers, and creates it if it does not exist.
	Tell(ctx context.Context, merchant string, o ReceiverOrder) (resource.SandboxReceiver, error)
	// Deliveries lists what a receiver was sent, newest first.
	Deliveries(ctx context.Context, merchant, name string) ([]resource.ReceivedWebhook, error)
	// Delivery returns one of them, checked with a secret; with "" by those of the
	// merchant's endpoints.
	Delivery(ctx context.Context, merchant, name, id, secret string) (resource.ReceivedWebhook, error)
	// Send makes a receiver accept a hand-written message.
	Send(ctx context.Context, merchant, name string, m ReceiverMessage) (resource.ReceivedWebhook, error)
	// SendNow attempts a waiting delivery; false: it does not wait.
	SendNow(ctx context.Context, delivery string) (bool, error)
}

// ReceiverOrder is what a receiver is told to do.
type ReceiverOrder struct {
	Name, Behavior    string
	RetryAfter, Times int
}

// ReceiverMessage is a message to a receiver. Empty members are filled in: the current
// timestamp, the signature with the secret of the merchant's endpoint.
type ReceiverMessage struct{ ID, Timestamp, Signature, Body string }

// Refusals of Receivers.
var (
	ErrReceiverUnknown = errors.New("no such receiver")
	ErrReceivers       = errors.New("too many receivers")
)

// Controls is what can be controlled in a sandbox: its clock and its bank. A refusal is one
// of the errors below.
type Controls interface {
	Clock(ctx context.Context) (resource.SandboxClock, error)
	// AdvanceTo plays the time until an instant, day by day, and waits for its end for at
	// most wait; the move continues in the background.
	AdvanceTo(ctx context.Context, to time.Time, wait time.Duration) error
	// AdvanceToNext plays the time until something is due.
	AdvanceToNext(ctx context.Context, wait time.Duration) error
	// AdvanceUntil plays the time until an event occurs, at most 400 days.
	AdvanceUntil(ctx context.Context, x Awaited, wait time.Duration) error
	Freeze(ctx context.Context) error
	Resume(ctx context.Context) error

	// FailNext makes the next debit return with a code: any, or of an account with a blind
	// index.
	FailNext(ctx context.Context, code, fingerprint string) error
	// Return returns a sent transfer now.
	Return(ctx context.Context, transfer, code string) error
	// Settle moves the clock until everything sent has settled.
	Settle(ctx context.Context, wait time.Duration) error
	// Notice makes the bank send a notification of change for an account.
	Notice(ctx context.Context, code, fingerprint string) error

	Copies
}

// Awaited is an event to move the clock for.
type Awaited struct {
	Type     credit.EventType
	Merchant string       // of a merchant, "" for any
	After    *store.Place // after this place; nil: after everything that exists
}

// Refusals of Controls.
var (
	ErrClockBackwards = errors.New("the clock never goes back")
	ErrClockMoving    = errors.New("the clock is being moved")
	ErrClockTooFar    = errors.New("the move is too long")
	ErrClockNothing   = errors.New("nothing more is due")
	ErrClockNoEvent   = errors.New("no such event was emitted")
	ErrBankCode       = errors.New("unknown bank code")
	ErrBankNothing    = errors.New("the bank has no such entry")
)

// Copies is what can be done with a sandbox as a whole. A refusal is one of the errors
// below, or ErrClockMoving.
type Copies interface {
	// Snapshot copies the whole sandbox; name may be "".
	Snapshot(ctx context.Context, name string) (resource.SandboxSnapshot, error)
	// Snapshots lists the copies, newest first.
	Snapshots() ([]resource.SandboxSnapshot, error)
	// Restore replaces the sandbox with a copy, once all other requests have ended.
	Restore(ctx context.Context, id string) (resource.SandboxSnapshot, error)
	// Reset replaces it with an empty sandbox, or one with only the demo data, with or
	// without a past. A caller's merchant that would no longer exist is ErrAccessEnds; ""
	// is the lender.
	Reset(ctx context.Context, caller string, seed, history bool) (resource.SandboxClock, error)
	// Seed creates the demo data, once, and returns the demo merchant. With a past it needs
	// an empty sandbox: ErrSandboxUsed.
	Seed(ctx context.Context, history bool) (merchant string, err error)

	// Scenarios lists the playable stories.
	Scenarios() ([]resource.SandboxScenario, error)
	// RunScenario plays one. It calls begin before the first line, and the returned
	// function for each line; an error before that is a refusal.
	RunScenario(ctx context.Context, name string, begin func() func(line any) error) error
}

// Refusals of Copies.
var (
	ErrNoSnapshots = errors.New("the sandbox database does not support snapshots")
	ErrNoSnapshot  = errors.New("no such snapshot")
	ErrNoScenario  = errors.New("no such scenario")
	ErrSandboxBusy = errors.New("the sandbox is busy")
	ErrSandboxUsed = errors.New("the sandbox is not empty")
	ErrAccessEnds  = errors.New("the caller is not in the new sandbox")
)
