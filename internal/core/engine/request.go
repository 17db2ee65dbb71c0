package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Errors of Submit. Each says whether anything happened. Business refusals are not errors:
// they are answers.
var (
	// ErrOverloaded: the queue has no room for this merchant. Nothing happened (P9).
	ErrOverloaded = errors.New("engine: overloaded")
	// ErrReadOnly: writes are refused, because the database is full or an invariant failed.
	// Nothing happened.
	ErrReadOnly = errors.New("engine: read only")
	// ErrClosed: the engine is shutting down. Nothing happened.
	ErrClosed = errors.New("engine: closed")
	// ErrExpired: the caller's time ended before a batch took the command. Nothing
	// happened, and nothing will.
	ErrExpired = errors.New("engine: deadline exceeded in the queue")
	// ErrOutcomeUnknown: the caller's time ended while its batch was running, and the
	// command continues; or it was a repeat whose stored answer could not be given.
	// Retrying later with the same Idempotency-Key returns its answer (EN5).
	ErrOutcomeUnknown = errors.New("engine: outcome unknown")
	// ErrNotCommitted: the database did not commit the batch, and never will. Nothing
	// happened. The error also wraps the cause.
	ErrNotCommitted = errors.New("engine: not committed")
	// ErrKeyReused: this Idempotency-Key was used for another request (ID3). Nothing
	// happened.
	ErrKeyReused = errors.New("engine: idempotency key reused")
	// ErrKeyInUse: the first request with this Idempotency-Key has not been
	// answered within KeyWait (ID3). This request changes nothing.
	ErrKeyInUse = errors.New("engine: idempotency key in use")
	// ErrInternal: the command triggered a bug. Nothing happened (EN12).
	ErrInternal = errors.New("engine: internal error")
)

// Request is a command with its sender and the encoding of its answer.
type Request struct {
	Command credit.Command
	// Actor is the sender. Client and Key are the scope of idempotency (ID1), Merchant is
	// the lane of the queue.
	Actor   credit.Actor
	Address string // caller's network address, for the audit log
	Reason  string // a person's reason, for the audit log; "": none given
	// Seed is random for each command; all its identifiers derive from it.
	Seed [16]byte
	// RequestHash covers method, canonical path, query and body (ID3).
	RequestHash [32]byte
	// DryRun decides but changes nothing, and neither reads nor stores a key.
	DryRun bool
	// Background means that nobody waits for the answer: the command yields to those of
	// callers, and takes none of their room.
	Background bool
	// Encode writes the answer from the decision; with a rejection it gets no changes. The
	// writer calls it inside the transaction, once per decision, so it must be pure and
	// fast. Nil writes an empty answer with status 200 or the rejection's.
	Encode func(credit.Changes, *credit.Rejection) Response
}

// Response is the answer to a caller, and to its repeats (ID2).
type Response struct {
	Status      int
	Body        []byte // shared with other callers: read-only
	ContentType string
	Location    string
	ETag        string
	// Secret means that the body shows a secret once. It is stored sealed (Config.Seal); a
	// repeat still gets the same bytes (ID2).
	Secret bool
}

// Result is the outcome of a command that was answered.
type Result struct {
	Response
	// Q is the commit sequence of the decision, 0 if there is none because the command was
	// refused by existence or link. For a dry run it is the sequence of the state it was
	// decided on.
	Q        int64
	Replayed bool // the answer to an earlier request with this key
	// Rejection is why the command was refused, nil if it was accepted or replayed.
	Rejection *credit.Rejection
	// Changes is what a dry run would have changed, At the instant it was decided for, and
	// State what its keys name, before the changes. The caller may apply the changes to the
	// state.
	Changes credit.Changes
	At      time.Time
	State   *credit.State
}

// Ticket is a place in the queue and then in a batch. It alone routes an answer to its
// caller (EN10).
type Ticket struct {
	ctx     context.Context
	request Request
	key     store.KeyID   // zero if none
	first   *Ticket       // the running request with the same key when this one arrived
	done    chan struct{} // closed when result and err are set
	logged  *logged       // set for a command from the audit log that is decided again; else nil

	result Result
	err    error

	place      place   // guarded by queue.mu, like all below
	lane       *lane   // while queued
	prev, next *Ticket // in the lane
}

// Done is closed once the command is answered.
func (t *Ticket) Done() <-chan struct{} { return t.done }

// Result is the answer; it may be read once Done is closed.
func (t *Ticket) Result() (Result, error) { return t.result, t.err }

// Enqueue queues a command without waiting for it. The context may cancel it until a batch
// takes it. A command that waits for a key keeps its place; only Submit gives up on that.
func (e *Engine) Enqueue(ctx context.Context, r Request) (*Ticket, error) {
	if e.cfg.Compare != nil {
		r.Command = lending.WithCompared(r.Command, e.cfg.Compare)
	}
	t := &Ticket{ctx: ctx, request: r, done: make(chan struct{})}
	if r.Actor.Key != "" && !r.DryRun {
		t.key = store.KeyID{Client: r.Actor.Client, Key: r.Actor.Key}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrExpired, context.Cause(ctx))
	}
	if err := e.queue.push(t); err != nil {
		e.stats.refused(err)
		return nil, err
	}
	return t, nil
}

// Submit decides and commits a command and returns its answer. Errors are the Err… values
// of this package. When the context ends first: ErrExpired if the command was still queued,
// otherwise ErrOutcomeUnknown (EN6).
func (e *Engine) Submit(ctx context.Context, r Request) (Result, error) {
	t, err := e.Enqueue(ctx, r)
	if err != nil {
		return Result{}, err
	}
	return e.wait(ctx, t)
}

func (e *Engine) wait(ctx context.Context, t *Ticket) (Result, error) {
	var firstDone <-chan struct{}
	var late <-chan time.Time
	if t.first != nil {
		firstDone, late = t.first.done, e.cfg.After(KeyWait)
	}
	for {
		select {
		case <-t.done:
			return t.Result()
		case <-firstDone:
			firstDone, late = nil, nil // its answer is stored: ours follows in turn
		case <-late:
			return e.leave(t, ErrKeyInUse, ErrKeyInUse)
		case <-ctx.Done():
			return e.leave(t, fmt.Errorf("%w: %w", ErrExpired, context.Cause(ctx)), ErrOutcomeUnknown)
		}
	}
}

// leave stops waiting for a ticket: it returns queued if the ticket could still be
// withdrawn, its answer if there is one, else running.
func (e *Engine) leave(t *Ticket, queued, running error) (Result, error) {
	if e.queue.withdraw(t, queued) {
		return Result{}, queued
	}
	select {
	case <-t.done:
		return t.Result()
	default:
		e.stats.refused(running)
		return Result{}, running
	}
}
