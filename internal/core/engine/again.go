package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

// Replayer decides the batches of an audit log again and commits them to a database of its
// own, which must be empty at the first batch. Each batch goes through the same steps as
// the original: loaded whole, decided in order at its instant with the recorded seeds and
// actors, checked, merged and committed under the same commit sequences. The resulting
// database is therefore exactly what the log produces.
//
// Answers are not recreated: the log does not contain the requests. So no idempotency key
// is read or written, and nothing is sealed or opened.
type Replayer struct{ engine *Engine }

// ReplayConfig configures a Replayer. All fields are required.
type ReplayConfig struct {
	Backend     Backend
	Zone        calendar.Zone
	EncodeEvent func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error)
}

// ErrUnreadable means that an audit row contains no command that can be decided.
var ErrUnreadable = errors.New("engine: the audit row has no command")

// errMissed means that batch.missed must be loaded too.
var errMissed = errors.New("a command needs state that was not loaded")

// Again is the result of deciding a command again.
type Again struct {
	Audit store.Audit // the row it produces now, without the hash of an answer
	// Err is why the command could not be decided: ErrUnreadable, a panic, a violated
	// invariant, or the database's refusal of its rows. The command then changed nothing.
	Err error
}

// logged marks a command of the log on its way through a batch.
type logged struct{ failed error }

// failure is why the command cannot be decided again; nil if it can or is not from the log.
func (l *logged) failure() error {
	if l == nil {
		return nil
	}
	return l.failed
}

// NewReplayer returns a Replayer.
func NewReplayer(c ReplayConfig) (*Replayer, error) {
	e, err := New(Config{Backend: c.Backend, Zone: c.Zone, EncodeEvent: c.EncodeEvent, Now: time.Now, Wire: "any"})
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return &Replayer{e}, nil
}

// Replay decides one batch again, given its audit log rows in order, one for each of its
// commits. Batches come in order. A lost row is passed as the zero value and yields
// ErrUnreadable. An error means that nothing of the batch was committed, and that there is
// no point in continuing.
func (r *Replayer) Replay(ctx context.Context, b store.BatchRow, rows []store.Audit) ([]Again, error) {
	c := &r.engine.cfg
	c.Now = func() time.Time { return b.At }
	c.NewBatchID = func() store.BatchID { return b.ID }
	c.Node, c.Wire = b.Node, b.Wire
	tickets := make([]*Ticket, len(rows))
	for i := range rows {
		tickets[i] = ticketOf(ctx, &rows[i])
	}
	return r.decide(ctx, tickets)
}

// ticketOf turns a row of the log back into a request.
func ticketOf(ctx context.Context, a *store.Audit) *Ticket {
	t := &Ticket{ctx: ctx, logged: &logged{}}
	command, told, err := journal.DecodeAct(a.Command, a.Payload)
	if err != nil {
		t.logged.failed = fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	t.request = Request{Command: command, Actor: a.Actor, Address: a.Address, Reason: told.Reason, Seed: a.Seed}
	return t
}

// decide runs the tickets to their commit. Whatever cannot be decided or written is left
// out, and the rest is tried again.
func (r *Replayer) decide(ctx context.Context, tickets []*Ticket) ([]Again, error) {
	var also credit.Keys
	missed := credit.NewKeySet()
	for {
		b := newBatch(r.engine, tickets)
		b.also = also
		commit, err := r.engine.commit(ctx, ctx, b)
		switch {
		case commit.Outcome == store.Committed:
			return b.again(), nil
		case errors.Is(err, errMissed):
			if !missed.Add(&also, b.missed) {
				return nil, err // it was loaded and is missed anyway: a retry would find the same
			}
		case errors.Is(err, errAgain), errors.Is(err, errBroken):
			b.faulty.entry.logged.failed = b.faulty.alarm.Err
		case errors.Is(err, store.ErrRefused), errors.Is(err, store.ErrTaken):
			return r.apart(ctx, tickets, err)
		default:
			return nil, err
		}
	}
}

// apart finds the command whose rows the database refuses, as the engine does. Each part
// becomes a batch of its own.
func (r *Replayer) apart(ctx context.Context, tickets []*Ticket, why error) ([]Again, error) {
	r.engine.cfg.NewBatchID = randomBatchID
	if len(tickets) == 1 {
		if tickets[0].logged.failed != nil {
			return nil, why
		}
		tickets[0].logged.failed = why
		return r.decide(ctx, tickets)
	}
	half := len(tickets) / 2
	first, err := r.decide(ctx, tickets[:half])
	if err != nil {
		return nil, err
	}
	rest, err := r.decide(ctx, tickets[half:])
	return append(first, rest...), err
}

// leaveOut keeps the place of a logged command that cannot be decided.
func (b *batch) leaveOut(e *entry) {
	e.index = len(b.decided)
	b.decided = append(b.decided, store.Decided{Audit: store.Audit{
		At: b.now, Actor: credit.Actor{Client: "replay"}, Command: "undecided", Payload: []byte("{}"), Result: "undecided",
	}})
}

func (b *batch) again() []Again {
	out := make([]Again, len(b.entries))
	for i, e := range b.entries {
		out[i] = Again{b.decided[i].Audit, e.logged.failed}
	}
	return out
}
