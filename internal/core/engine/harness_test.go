package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// command is a command whose every part a test can set. By default it belongs to
// company 1, is admitted, and raises that company's version by one.
type command struct {
	credit.Command `json:"-"`
	ID             string
	keys           func(*credit.State) credit.Keys
	admit          func(*credit.State) *credit.Rejection
	decide         func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection)
}

func (c *command) Name() string { return "test." + c.ID }

func (c *command) Keys(s *credit.State, _ credit.Env) credit.Keys {
	if c.keys != nil {
		return c.keys(s)
	}
	return credit.Keys{Companies: []int64{1}}
}

// raise is the default decision: the company's version counts the commands.
func raise(s *credit.State, _ credit.Env) (credit.Changes, *credit.Rejection) {
	next := credit.Company{ID: 1}
	if old := s.Companies[1]; old != nil {
		next = *old
	}
	next.Version++
	return credit.Changes{
		Companies: []*credit.Company{&next}, Result: &next,
		Events: []credit.Event{{Type: credit.CompanyUpdatedEvent, Object: credit.ObjectRef{Type: "company", ID: "1"}, Sequence: int64(next.Version)}},
	}, nil
}

func refuse(r credit.Reason) func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
	return func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
		return credit.Changes{}, &credit.Rejection{Reason: r}
	}
}

func breaks(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) { panic("boom") }

var testRules = rules{
	admit: func(s *credit.State, _ credit.Env, c credit.Command) *credit.Rejection {
		if f := c.(*command).admit; f != nil {
			return f(s)
		}
		return nil
	},
	decide: func(s *credit.State, e credit.Env, c credit.Command) (credit.Changes, *credit.Rejection) {
		if f := c.(*command).decide; f != nil {
			return f(s, e)
		}
		return raise(s, e)
	},
	check: func(c credit.Changes, _ *credit.State) error {
		for _, x := range c.Companies {
			if x.Version < 0 {
				return errors.New("CL2: negative version")
			}
		}
		return nil
	},
}

// outcome is how the fake backend ends one Update.
type outcome int

const (
	commits outcome = iota
	conflicts
	fails
	loses
	overtakes // another node commits a later time meanwhile
	noRoom
	refuses
	unknownApplied
	unknownLost
)

// conflict is a backend's serialization failure.
type conflict struct{}

func (conflict) Error() string   { return "40001" }
func (conflict) Retryable() bool { return true }

// errRule is a backend's error for rows that its schema refuses.
var errRule = fmt.Errorf("apply batch: %w", store.ErrRefused)

// backend keeps a state in memory and follows its script. It fails the test if it is
// written to while an outcome is unknown.
type backend struct {
	t *testing.T

	mu         sync.Mutex
	script     []outcome     // for the next Updates; when exhausted, they commit
	unresolved int           // how often Resolve fails before it answers
	stall      chan struct{} // if set, Update blocks on it after fn
	committing func()        // called when it is too late to give way
	state      *credit.State
	head       store.Head
	answers    map[store.KeyID]store.Answer
	batches    []store.Batch
	ids        map[store.BatchID]bool
	pending    *pending // of an unknown outcome
	full       bool
	rule       func(store.Decided) error // of the schema, if any
	loads      []credit.Keys
	updates    int
	resolves   int
}

type pending struct {
	id      store.BatchID
	applied bool
	firstQ  int64
}

func newBackend(t *testing.T) *backend {
	return &backend{
		t: t, state: credit.NewState(), answers: map[store.KeyID]store.Answer{}, ids: map[store.BatchID]bool{},
		head: store.Head{BusinessDate: calendar.None, Epoch: 1},
	}
}

func (b *backend) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	if _, ok := ctx.Deadline(); ok {
		b.t.Error("a transaction got a context with a deadline")
	}
	b.mu.Lock()
	if b.pending != nil {
		b.t.Error("written to while an outcome is unknown")
	}
	b.updates++
	x := &tx{b: b}
	b.mu.Unlock()
	if err := fn(x); err != nil {
		return store.Commit{}, err
	}
	if ctx.Done() != nil {
		for _, d := range x.batch.Decided {
			if d.Audit.Actor.Client != "system" {
				b.t.Errorf("%s is in a transaction that can end", d.Audit.Command)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return store.Commit{}, err
	}
	if b.stall != nil {
		<-b.stall
	}
	if b.committing != nil {
		b.committing()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	next := commits
	if len(b.script) > 0 {
		next, b.script = b.script[0], b.script[1:]
	}
	first := b.head.Q + 1
	if next == commits && b.rule != nil {
		for _, d := range x.batch.Decided {
			if err := b.rule(d); err != nil {
				return store.Commit{}, fmt.Errorf("apply batch: %w", err)
			}
		}
	}
	switch next {
	case conflicts:
		return store.Commit{}, fmt.Errorf("commit: %w", conflict{})
	case loses:
		return store.Commit{}, fmt.Errorf("commit: %w", store.ErrTaken)
	case overtakes:
		b.head.At = x.batch.At.Add(time.Millisecond)
		return store.Commit{}, fmt.Errorf("commit: %w", store.ErrBehind)
	case fails:
		return store.Commit{}, errors.New("connection refused")
	case refuses:
		return store.Commit{}, errRule
	case noRoom:
		b.full = true
		return store.Commit{}, fmt.Errorf("commit: %w", store.ErrFull)
	case unknownApplied:
		b.apply(x.batch)
		b.pending = &pending{x.batch.ID, true, first}
		return store.Commit{Outcome: store.Unknown}, errors.New("connection lost")
	case unknownLost:
		b.pending = &pending{x.batch.ID, false, 0}
		return store.Commit{Outcome: store.Unknown}, errors.New("connection lost")
	}
	b.apply(x.batch)
	return store.Commit{Outcome: store.Committed, FirstQ: first}, nil
}

// apply commits a batch; b.mu is held.
func (b *backend) apply(batch store.Batch) {
	if b.ids[batch.ID] {
		b.t.Error("a batch id was used twice")
	}
	b.ids[batch.ID] = true
	for _, d := range batch.Decided {
		b.head.Q++
		b.state.Apply(d.Changes)
		if d.Key != nil {
			if _, ok := b.answers[*d.Key]; ok {
				b.t.Errorf("key %v was stored twice", *d.Key)
			}
			a := d.Answer
			a.Q = b.head.Q
			b.answers[*d.Key] = a
		}
	}
	b.head.At, b.head.BusinessDate = batch.At, batch.BusinessDate
	b.batches = append(b.batches, batch)
}

func (b *backend) Resolve(_ context.Context, id store.BatchID) (store.Commit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.resolves++
	if b.pending == nil || b.pending.id != id {
		b.t.Error("resolved a batch that is not in doubt")
		return store.Commit{}, nil
	}
	if b.unresolved > 0 {
		b.unresolved--
		return store.Commit{Outcome: store.Unknown}, errors.New("no connection")
	}
	p := b.pending
	b.pending = nil
	b.ids[id] = true
	if p.applied {
		return store.Commit{Outcome: store.Committed, FirstQ: p.firstQ}, nil
	}
	return store.Commit{}, nil
}

func (b *backend) PutSetting(context.Context, string, []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return store.ErrFull
	}
	return nil
}

// audits are the committed rows, in order of commit sequence.
func (b *backend) audits() []store.Audit {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []store.Audit
	for _, batch := range b.batches {
		for _, d := range batch.Decided {
			all = append(all, d.Audit)
		}
	}
	return all
}

type tx struct {
	b     *backend
	batch store.Batch
}

func (x *tx) Head() (store.Head, error) { return x.b.head, nil }

func (x *tx) Load(s *credit.State, k credit.Keys, repeats []store.KeyID) (map[store.KeyID]store.Answer, error) {
	x.b.loads = append(x.b.loads, k)
	for _, id := range k.Companies {
		s.Companies[id] = x.b.state.Companies[id]
	}
	for _, key := range k.Orders {
		s.Orders[key] = x.b.state.Orders[key]
	}
	for _, id := range k.Payments {
		s.Payments[id] = x.b.state.Payments[id]
	}
	for _, c := range k.Claims {
		s.Claims[c] = x.b.state.Claims[c]
	}
	found := map[store.KeyID]store.Answer{}
	for _, k := range repeats {
		if a, ok := x.b.answers[k]; ok {
			found[k] = a
		}
	}
	return found, nil
}

func (x *tx) Apply(b store.Batch) error {
	if len(b.Decided) == 0 {
		x.b.t.Error("an empty batch was written")
	}
	x.batch = b
	return nil
}

// rig is an engine on a fake backend with a clock that the test sets.
type rig struct {
	*Engine
	t       *testing.T
	backend *backend
	now     time.Time
	alarms  []Alarm
}

// start is a Friday noon in New York.
var start = time.Date(2026, time.March, 6, 17, 0, 0, 123456789, time.UTC)

func newRig(t *testing.T, change ...func(*Config)) *rig {
	t.Helper()
	zone, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, backend: newBackend(t), now: start}
	cfg := Config{
		Backend: r.backend, Zone: calendar.NewZone(zone), Node: "node 1", Wire: "v1",
		Now:   func() time.Time { return r.now },
		Alarm: func(a Alarm) { r.alarms = append(r.alarms, a) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return fmt.Appendf(nil, "%s %d by %s", e.Type, e.Sequence, by.Client), nil
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	if r.Engine, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	r.rules = testRules
	return r
}

// request returns a request whose answer's body is the command's id.
func request(id string) Request {
	c := &command{ID: id}
	return Request{
		Command: c, Actor: credit.Actor{Client: "cli", Merchant: "m1"}, Address: "192.0.2.1", Seed: [16]byte{1},
		Encode: func(_ credit.Changes, r *credit.Rejection) Response {
			if r != nil {
				return Response{Status: r.Status, Body: []byte(r.Code)}
			}
			return Response{Status: 201, Body: []byte(id), ContentType: "application/json", Location: "/" + id, ETag: `"1"`}
		},
	}
}

func keyed(id, key string) Request {
	r := request(id)
	r.Actor.Key, r.RequestHash = key, [32]byte{byte(len(id)), id[0]}
	return r
}

func deciding(id string, f func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection)) Request {
	r := request(id)
	r.Command.(*command).decide = f
	return r
}

func (r *rig) put(q Request) *Ticket {
	r.t.Helper()
	t, err := r.Enqueue(context.Background(), q)
	if err != nil {
		r.t.Fatalf("enqueue %s: %v", q.Command.Name(), err)
	}
	return t
}

// batch runs the requests as one batch.
func (r *rig) batch(requests ...Request) []*Ticket {
	r.t.Helper()
	tickets := make([]*Ticket, len(requests))
	for i, q := range requests {
		tickets[i] = r.put(q)
	}
	if !r.Step(context.Background()) {
		r.t.Fatal("nothing was queued")
	}
	return tickets
}

// want checks an answer: its body and commit sequence, or its error.
func (r *rig) want(t *Ticket, body string, q int64, failure error) Result {
	r.t.Helper()
	select {
	case <-t.Done():
	default:
		r.t.Errorf("%s: not answered", t.request.Command.Name())
		return Result{}
	}
	got, err := t.Result()
	if !errors.Is(err, failure) || failure == nil && err != nil {
		r.t.Errorf("%s: error %v, want %v", t.request.Command.Name(), err, failure)
	}
	if string(got.Body) != body || got.Q != q {
		r.t.Errorf("%s: answered %q at %d, want %q at %d", t.request.Command.Name(), got.Body, got.Q, body, q)
	}
	return got
}

// commands returns the names in the audit log, in order.
func (r *rig) commands() string {
	s := ""
	for _, a := range r.backend.audits() {
		s += a.Command[len("test."):] + " "
	}
	return s
}
