// Package engine turns requests into commits: one queue, one writer, one transaction per
// batch.
//
// The life of a command:
//
//	Submit      the request gets a ticket in its merchant's lane, or is refused
//	            at once if there is no room (EN11); background commands have a
//	            lane of their own that yields to callers (Request.Background)
//	Step        the writer takes what is queued as soon as it is free
//	load        everything that the batch's commands name, in bulk and in rounds
//	decide      one command after another, each on the state that its
//	            predecessors left: admit, stored answer, decide, check, encode
//	commit      all of it in one transaction, including the answers' bytes
//	answer      each caller by its ticket, after the commit and never before
//
// A commit has three results (EN4). If it is unknown, the writer stops until the backend
// can determine what happened (EN5); until then nobody is answered and nothing is retried.
// A command that is refused, or that breaks, does not affect its neighbors (EN12). The
// engine makes no business decisions: those belong to package credit, and the engine only
// orders them.
//
// Production calls Run. A simulation calls Enqueue and Step itself, with its own clock and
// backend, and runs the same code.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
)

// Backend is the part of store.Backend that the engine needs.
type Backend interface {
	store.Commits
	// PutSetting probes a database that was full: a small durable write.
	PutSetting(ctx context.Context, name string, value []byte) error
}

// Submitter is the only way for edges to change anything.
type Submitter interface {
	Submit(ctx context.Context, r Request) (Result, error)
}

// Limits of the engine.
const (

	// MaxBatch is the maximum number of commands in one transaction.
	MaxBatch = 512
	// DefaultQueue is the queue's limit if the configuration sets none: about eight full
	// batches, which a slow disk processes within a few seconds.
	DefaultQueue = 4096
	// KeyWait is how long a repeated request waits for the first one with its key (ID3).
	KeyWait = 5 * time.Second

	// maxRounds bounds the loads of a batch: the first, and those that follow identifiers
	// (payment, order, company, the payments whose money a merchant holds and the orders
	// those have paid), with room for more.
	maxRounds = 8
	// maxTries bounds how often a batch is decided again after conflicts.
	maxTries = 8
	// probeEvery is how often a full database is probed for room. Writes must resume within
	// 5 s of it.
	probeEvery = time.Second
)

// Config configures an engine. Backend, Zone, Now, EncodeEvent and Wire are required.
type Config struct {
	Backend Backend
	Zone    calendar.Zone
	// Compare checks new names of a company against the sanctions list, for every edge that
	// submits them (F29). Callers' goroutines call it concurrently. If it is nil or returns
	// nil, the clockwork does the check.
	Compare func(names ...string) *credit.Compared
	// Now is the business clock.
	Now func() time.Time
	// EncodeEvent encodes an event's payload once, for storage and delivery.
	EncodeEvent func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error)
	// Wire is the format version that EncodeEvent writes; each batch records it.
	Wire string
	// Seal and Open keep secrets in stored answers unreadable: an answer with
	// Response.Secret is stored as Seal of its body, and a repeat is answered with Open of
	// that. about names the answer's place, so that it opens nowhere else. The writer calls
	// both, so they must be fast and, except for randomness, pure. Without them a Secret
	// answer to a request with a key is a fault: the command is answered with ErrInternal
	// and nothing happens, because the secret may not be stored in the clear nor a repeat
	// executed again.
	Seal func(body []byte, about string) []byte
	Open func(sealed []byte, about string) ([]byte, error)
	// After is the wall clock's timer, time.After if nil. It times the waits for a key,
	// between attempts to resolve a commit and between probes, and the writer's rests while
	// callers are active.
	After func(time.Duration) <-chan time.Time
	// Wall is the wall clock used to time batches, time.Now if nil.
	Wall func() time.Time
	// Ended, if set, receives every batch, on the writer's goroutine; it must be fast.
	Ended func(Ended)
	// NewBatchID generates a batch's identifier, randomly if nil.
	NewBatchID func() store.BatchID
	// Alarm, if set, receives every bug; it must not block.
	Alarm func(Alarm)
	// Node names this process in the batch rows.
	Node string
	// Queue is the maximum number of waiting commands, DefaultQueue if 0.
	Queue int
	// Batch is the maximum number of commands in one transaction, MaxBatch if 0.
	Batch int
}

// Ended describes a batch whose commands have been answered.
type Ended struct {
	Callers, Background int           // commands in it
	Took                time.Duration // to load, decide, write and commit, over all attempts
}

// Alarm is a bug with its evidence. What is one of the Alarm constants.
type Alarm struct {
	What    string
	Err     error
	Command credit.Command
	Actor   credit.Actor
	Seed    [16]byte
	Changes credit.Changes // for a failed check
	Stack   []byte         // for a panic
}

// Kinds of alarms.
const (
	AlarmCheck = "invariant" // a check failed: writes have stopped until a restart (EN12)
	AlarmPanic = "panic"     // one command was answered with ErrInternal
	// AlarmFault: a command could not be loaded or encoded, or the schema refused its rows
	// where no check had. It was answered with ErrInternal.
	AlarmFault = "fault"
	// AlarmFenced: the book has entered a new epoch, because a backup was restored or
	// another deployment has taken over. Writes have stopped until a restart (EN16).
	AlarmFenced = "fenced"
	// AlarmUnknown: the outcome of a commit is unknown, and writing waits until it is known
	// (EN5). It names no command.
	AlarmUnknown = "unknown"
	// AlarmCommit: the database did not accept a batch because it is out of reach. It names
	// no command.
	AlarmCommit = "commit"
)

// Engine is the committer of one node. All methods but Step may be called from
// any goroutine.
type Engine struct {
	cfg      Config
	rules    rules
	queue    *queue
	stats    counters
	started  atomic.Bool
	finished chan struct{} // closed when Run returns

	writer sync.Mutex // held by Step: there is one writer
	epoch  int64      // the book's when the first batch began; 0 before (EN16)
	pace   pace       // of background commands
}

// rules is the domain as the engine calls it. Tests substitute their own.
type rules struct {
	admit  func(*credit.State, credit.Env, credit.Command) *credit.Rejection
	decide func(*credit.State, credit.Env, credit.Command) (credit.Changes, *credit.Rejection)
	check  func(credit.Changes, *credit.State) error
}

// New returns an engine that accepts commands. Nothing is decided before Run or
// Step is called.
func New(cfg Config) (*Engine, error) {
	if cfg.Backend == nil || cfg.Now == nil || cfg.EncodeEvent == nil || cfg.Wire == "" || cfg.Zone == (calendar.Zone{}) {
		return nil, fmt.Errorf("engine: backend, zone, clock and event encoder with its version are required")
	}
	if (cfg.Seal == nil) != (cfg.Open == nil) {
		return nil, fmt.Errorf("engine: sealing and opening answers must be configured together")
	}
	if cfg.Queue == 0 {
		cfg.Queue = DefaultQueue
	}
	if cfg.Batch == 0 {
		cfg.Batch = MaxBatch
	}
	if cfg.Queue < 1 || cfg.Batch < 1 || cfg.Batch > MaxBatch {
		return nil, fmt.Errorf("engine: queue of %d, batch of %d: want at least 1, and a batch of at most %d", cfg.Queue, cfg.Batch, MaxBatch)
	}
	if cfg.After == nil {
		cfg.After = time.After
	}
	if cfg.Wall == nil {
		cfg.Wall = time.Now
	}
	if cfg.Ended == nil {
		cfg.Ended = func(Ended) {}
	}
	if cfg.NewBatchID == nil {
		cfg.NewBatchID = randomBatchID
	}
	if cfg.Alarm == nil {
		cfg.Alarm = func(Alarm) {}
	}
	e := &Engine{
		cfg:      cfg,
		rules:    rules{admit: credit.Admit, decide: credit.Decide, check: invariant.Check},
		finished: make(chan struct{}),
		pace:     newPace(cfg.Wall),
	}
	e.queue = newQueue(cfg.Queue, e.stats.refused)
	return e, nil
}

func randomBatchID() (id store.BatchID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// Run writes until the context ends, or Close was called and the queue is empty. It is
// called once. When the context ends, the batch being committed is finished; queued
// commands are answered with ErrClosed.
func (e *Engine) Run(ctx context.Context) {
	e.started.Store(true)
	defer close(e.finished)
	defer e.queue.abandon()
	for ctx.Err() == nil {
		if e.Step(ctx) {
			e.rest(ctx)
			continue
		}
		if e.queue.drained() {
			return
		}
		var probe <-chan time.Time
		if e.queue.mode() == full {
			probe = e.cfg.After(probeEvery)
		}
		select {
		case <-ctx.Done():
		case <-e.queue.wake:
		case <-probe:
		}
	}
}

// Close stops accepting commands and waits until Run has processed the queue. It returns
// early, with the context's error, if the context ends.
func (e *Engine) Close(ctx context.Context) error {
	e.queue.close()
	if !e.started.Load() {
		e.queue.abandon()
		return nil
	}
	select {
	case <-e.finished:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close engine: %w", ctx.Err())
	}
}

// Health is nil while commands are accepted, else ErrReadOnly or ErrClosed.
func (e *Engine) Health() error { return e.queue.mode().refusal() }

// Halt ends all writing, before or while the engine runs, because somebody has found the
// books to be wrong. Reads continue; only a restart after a repair resumes writing (EN15).
func (e *Engine) Halt(why error) {
	e.queue.setMode(broken)
	e.cfg.Alarm(Alarm{What: AlarmCheck, Err: why})
}

// Step takes one batch of what is queued now, without waiting for more, and takes it
// through to its answers. It reports whether there was anything to do. The context cancels
// only waits between attempts, never a transaction.
//
// While the database is full, Step probes it for room instead, and reports whether it has
// some again.
func (e *Engine) Step(ctx context.Context) bool {
	e.writer.Lock()
	defer e.writer.Unlock()
	if e.queue.mode() == full {
		return e.probe(ctx)
	}
	e.pace.used = nil // unless the queue calls room
	tickets, callers := e.queue.take(e.cfg.Batch, e.pace.room)
	if len(tickets) == 0 {
		return false
	}
	background := len(tickets) - callers
	e.stats.batch(len(tickets), background)
	begin := e.cfg.Wall()
	way, end := e.way(ctx, callers)
	err := e.run(ctx, way, tickets) // if nil, everybody has been answered
	end()
	if errors.Is(err, errGaveWay) {
		e.stats.gaveWay.Add(1)
		e.pace.gaveWay++
		return true
	}
	took := e.cfg.Wall().Sub(begin)
	e.pace.took(callers, background, took)
	e.cfg.Ended(Ended{Callers: callers, Background: background, Took: took})
	if background > 0 {
		// Writing uses a processor, and callers that were just answered wait for one. Let
		// them run before the next batch.
		runtime.Gosched()
	}
	return true
}

// probe makes a small write; commands are accepted again once it is durable.
func (e *Engine) probe(ctx context.Context) bool {
	at := e.cfg.Now().UTC().Format(time.RFC3339)
	if err := e.cfg.Backend.PutSetting(context.WithoutCancel(ctx), "engine.write_probe", []byte(at)); err != nil {
		return false
	}
	e.queue.setMode(open)
	return true
}

// sleep waits on the wall clock and reports whether the context is still alive.
func (e *Engine) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-e.cfg.After(d):
		return ctx.Err() == nil
	}
}
