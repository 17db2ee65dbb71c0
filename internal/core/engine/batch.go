package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/journal"
)

// How fill ends, other than with errors of the backend.
var (
	errNothing = errors.New("no command was decided")    // all answers are replays, refusals by existence or dry runs
	errAgain   = errors.New("a command failed")          // batch.faulty must be removed; the rest is decided again
	errBroken  = errors.New("an invariant was violated") // batch.faulty caused it; writes must stop
)

// batch is one attempt to decide and commit a set of tickets. A second attempt is a new
// batch: no state outlives the first (EN8).
type batch struct {
	engine  *Engine
	id      store.BatchID
	head    store.Head
	now     time.Time
	day     calendar.Date
	state   *credit.State
	keys    *credit.KeySet
	entries []*entry
	decided []store.Decided
	byKey   map[store.KeyID]*entry // decided in this batch
	faulty  *fault                 // for errAgain and errBroken
	also    credit.Keys            // loaded additionally (Replayer)
	missed  credit.Keys            // for errMissed
}

// entry is a ticket within a batch.
type entry struct {
	*Ticket
	env      credit.Env
	company  int64 // that the command belongs to, by its keys; 0 if they name none or several
	deferred bool  // to the next batch
	err      error // in place of an answer
	answer   Result
	// index is the decision's position in the batch; its commit sequence is the batch's
	// first plus index. It is meaningless if answer.Q is already set, or absent.
	index    int
	absent   bool
	rejected bool
}

// fault is a bug that one command triggered.
type fault struct {
	entry *entry
	alarm Alarm
}

func newBatch(e *Engine, tickets []*Ticket) *batch {
	b := &batch{engine: e, id: e.cfg.NewBatchID(), entries: make([]*entry, len(tickets))}
	entries := make([]entry, len(tickets))
	for i, t := range tickets {
		entries[i].Ticket = t
		b.entries[i] = &entries[i]
	}
	return b
}

// fill loads, decides and queues the batch in a write transaction, unless way is canceled.
func (b *batch) fill(way context.Context, tx store.Tx) error {
	head, err := tx.Head()
	if err != nil {
		return fmt.Errorf("head: %w", err)
	}
	if err := b.engine.enter(head.Epoch); err != nil {
		return err
	}
	b.begin(head)
	answers, err := b.load(tx)
	if err != nil {
		return err
	}
	// The loads may have waited for another node, which has advanced the book.
	if head, err = tx.Head(); err != nil {
		return fmt.Errorf("head: %w", err)
	}
	if err := b.engine.enter(head.Epoch); err != nil {
		return err
	}
	b.date(head)
	if err := failpoint.Hit(failpoint.AfterLoad); err != nil {
		return err
	}
	for _, e := range b.entries {
		if err := way.Err(); err != nil {
			return err
		}
		if err := b.decide(e, answers); err != nil {
			return err
		}
	}
	if len(b.decided) == 0 {
		return errNothing
	}
	if err := failpoint.Hit(failpoint.AfterDecide); err != nil {
		return err
	}
	audits := make([]store.Audit, len(b.decided))
	for i := range b.decided {
		audits[i] = b.decided[i].Audit
	}
	if err := tx.Apply(store.Batch{
		ID: b.id, Node: b.engine.cfg.Node, Epoch: b.engine.epoch, At: b.now, BusinessDate: b.day, Rules: credit.RulesVersion, Wire: b.engine.cfg.Wire,
		Digest: AuditDigest(credit.RulesVersion, b.engine.cfg.Wire, audits), Background: b.engine.pace.besideCallers(),
		Decided: b.decided,
	}); err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	return nil
}

// stored adds the tickets whose answer was stored by an earlier commit.
func (b *batch) stored(all map[*Ticket]bool) map[*Ticket]bool {
	for _, e := range b.entries {
		if e.answer.Replayed && e.answer.Q != 0 {
			if all == nil {
				all = map[*Ticket]bool{}
			}
			all[e.Ticket] = true
		}
	}
	return all
}

// date sets the batch's instant. Neither it nor its business date goes back, whatever the
// clock or a new zone says (TM1).
func (b *batch) date(head store.Head) {
	cfg := &b.engine.cfg
	now := cfg.Now()
	if now.Before(head.At) {
		now = head.At
	}
	now = now.UTC().Truncate(time.Microsecond)
	if last := head.BusinessDate; last != calendar.None && cfg.Zone.Date(now) < last {
		now = cfg.Zone.Start(last)
	}
	b.head, b.now, b.day = head, now, cfg.Zone.Date(now)
	for _, e := range b.entries {
		r := &e.request
		e.env = credit.Env{Now: now, Zone: cfg.Zone, Seed: r.Seed, Actor: r.Actor, Reason: r.Reason, Preview: r.DryRun}
	}
}

// begin dates the batch before the loads.
func (b *batch) begin(head store.Head) {
	b.date(head)
	b.state, b.keys = credit.NewState(), credit.NewKeySet()
	b.decided = make([]store.Decided, 0, len(b.entries))
	b.byKey = make(map[store.KeyID]*entry, len(b.entries))
}

// load asks every command for its keys and loads them, one load per round, until no command
// names anything new.
//
// The stored answers are read again in each round: which companies a command needs may
// become known only in the last one, and a duplicate on another node is certain to be seen
// only under their locks (EN8).
func (b *batch) load(tx store.Tx) (answers map[store.KeyID]store.Answer, err error) {
	repeats := b.repeats()
	for round := 1; ; round++ {
		var fresh credit.Keys
		var last *entry
		more := round == 1 && b.keys.Add(&fresh, b.also)
		for _, e := range b.entries {
			k, err := b.keysOf(e)
			if err != nil {
				return nil, err
			}
			if b.keys.Add(&fresh, k) {
				last, more = e, true
			}
		}
		if !more && (round > 1 || len(repeats) == 0) {
			return answers, nil
		}
		if round > maxRounds {
			return nil, b.fault(last, Alarm{What: AlarmFault, Err: fmt.Errorf("still requests new keys after %d loads", maxRounds)})
		}
		fresh.Sort()
		if answers, err = tx.Load(b.state, fresh, repeats); err != nil {
			return nil, fmt.Errorf("load: %w", err)
		}
	}
}

func (b *batch) keysOf(e *entry) (credit.Keys, error) {
	var k credit.Keys
	if e.logged.failure() != nil {
		return k, nil
	}
	err := b.guard(e, func() { k = credit.KeysOf(e.request.Command, b.state, e.env) })
	if e.company = 0; len(k.Companies) == 1 {
		e.company = k.Companies[0]
	}
	return k, err
}

// repeats lists the batch's idempotency keys, each once.
func (b *batch) repeats() (keys []store.KeyID) {
	seen := map[store.KeyID]struct{}{{}: {}}
	for _, e := range b.entries {
		if _, again := seen[e.key]; !again {
			seen[e.key] = struct{}{}
			keys = append(keys, e.key)
		}
	}
	return keys
}

// decide takes one command through existence, link, idempotency and the decision of package
// credit, in the order of the contract (ARCHITECTURE.md: Where a decision is made). An
// error ends the attempt for the whole batch.
func (b *batch) decide(e *entry, answers map[store.KeyID]store.Answer) error {
	if e.logged.failure() != nil {
		b.leaveOut(e)
		return nil
	}
	if len(b.decided) > 0 {
		k, err := b.keysOf(e)
		if err != nil {
			return err
		}
		if !b.keys.Covers(k, b.state) {
			return b.uncovered(e, k) // a neighbor's changes lead to something not loaded
		}
	}
	var refusal *credit.Rejection
	if err := b.guard(e, func() { refusal = b.engine.rules.admit(b.state, e.env, e.request.Command) }); err != nil {
		return err
	}
	if refusal != nil {
		return b.refuseEntry(e, refusal)
	}
	if done, err := b.repeat(e, answers); done || err != nil {
		return err
	}
	var changes credit.Changes
	if err := b.guard(e, func() { changes, refusal = b.engine.rules.decide(b.state, e.env, e.request.Command) }); err != nil {
		return err
	}
	if refusal != nil {
		if !refusal.Stored() {
			return b.refuseEntry(e, refusal)
		}
		changes = credit.Changes{}
	}
	return b.accept(e, changes, refusal)
}

// refuseEntry answers with a refusal that leaves no trace: it has no commit sequence and no
// audit row, and is not stored under a key (ID4). A command that the log says was decided
// still keeps its place.
func (b *batch) refuseEntry(e *entry, r *credit.Rejection) error {
	if e.logged != nil {
		return b.accept(e, credit.Changes{}, r)
	}
	response, err := b.encode(e, credit.Changes{}, r)
	e.answer, e.absent = Result{Response: response, Rejection: r}, true
	return err
}

// uncovered defers a command to the next batch. A logged command was decided in this batch,
// with data that a neighbor without a trace had loaded.
func (b *batch) uncovered(e *entry, k credit.Keys) error {
	if e.logged != nil {
		b.missed = k
		return errMissed
	}
	e.deferred = true
	return nil
}

// accept checks and encodes a decision, and makes it visible to the following commands.
// Nothing is applied before everything that can fail has succeeded.
func (b *batch) accept(e *entry, c credit.Changes, r *credit.Rejection) error {
	var broken error
	if err := b.guard(e, func() {
		if broken = b.engine.rules.check(c, b.state); broken == nil {
			broken = invariant.CheckAsked(c, b.state, e.env.Actor)
		}
	}); err != nil {
		return err
	}
	if broken != nil {
		b.fault(e, Alarm{What: AlarmCheck, Err: broken, Changes: c})
		return errBroken
	}
	response, err := b.encode(e, c, r)
	if err != nil {
		return err
	}
	e.answer, e.rejected = Result{Response: response, Rejection: r}, r != nil
	if e.request.DryRun {
		return b.predict(e, c)
	}
	d, err := b.decidedRow(e, c, r)
	if err != nil {
		return err
	}
	if err := b.guard(e, func() { b.state.Apply(c) }); err != nil {
		return err
	}
	e.index = len(b.decided)
	b.decided = append(b.decided, d)
	if d.Key != nil {
		b.byKey[e.key] = e
	}
	return nil
}

// predict returns the answer of a dry run. It was decided on the state after the preceding
// command.
func (b *batch) predict(e *entry, c credit.Changes) error {
	k, err := b.keysOf(e)
	if err != nil {
		return err
	}
	e.index, e.answer.Changes, e.answer.At, e.answer.State = len(b.decided)-1, c, b.now, part(b.state, k)
	return nil
}

// encode writes the answer. A 5xx is not an answer: it must not be stored under a key
// (ID4).
func (b *batch) encode(e *entry, c credit.Changes, r *credit.Rejection) (Response, error) {
	if e.request.Encode == nil {
		if r != nil {
			return Response{Status: r.Status}, nil
		}
		return Response{Status: 200}, nil
	}
	var response Response
	if err := b.guard(e, func() { response = e.request.Encode(c, r) }); err != nil {
		return Response{}, err
	}
	if response.Status < 200 || response.Status > 499 {
		return Response{}, b.fault(e, Alarm{What: AlarmFault, Err: fmt.Errorf("encode answer: status %d", response.Status)})
	}
	return response, nil
}

// decidedRow is the stored form of a decision.
func (b *batch) decidedRow(e *entry, c credit.Changes, r *credit.Rejection) (store.Decided, error) {
	d := store.Decided{Changes: c, Dues: store.DueMoves(b.state, &c)}
	var fail error
	if err := b.guard(e, func() {
		d.Events, fail = b.events(e, c)
		if fail == nil {
			d.Audit, fail = b.audit(e, c, r)
		}
	}); err != nil {
		return store.Decided{}, err
	}
	if fail != nil {
		return store.Decided{}, b.fault(e, Alarm{What: AlarmFault, Err: fail})
	}
	if e.key != (store.KeyID{}) {
		if d.Answer, fail = b.storedAnswer(e); fail != nil {
			return store.Decided{}, fail
		}
		d.Key = &e.key
	}
	return d, nil
}

func (b *batch) events(e *entry, c credit.Changes) ([][]byte, error) {
	if len(c.Events) == 0 {
		return nil, nil
	}
	payloads := make([][]byte, len(c.Events))
	for i, event := range c.Events {
		p, err := b.engine.cfg.EncodeEvent(event, b.now, e.env.Actor)
		if err != nil {
			return nil, fmt.Errorf("encode event %s: %w", event.Type, err)
		}
		payloads[i] = p
	}
	return payloads, nil
}

func (b *batch) audit(e *entry, c credit.Changes, r *credit.Rejection) (store.Audit, error) {
	told, err := journal.Tell(b.state, e.request.Reason, c)
	if err != nil {
		return store.Audit{}, err
	}
	payload, err := journal.EncodeAct(e.request.Command, told)
	if err != nil {
		return store.Audit{}, err
	}
	a := store.Audit{
		At: b.now, Actor: e.env.Actor, Address: e.request.Address, Company: e.company,
		Command: e.request.Command.Name(), Payload: payload, Seed: e.request.Seed,
		Result: "ok", BodyHash: sha256.Sum256(e.answer.Body),
	}
	if r != nil {
		a.Result = r.Code
		return a, nil
	}
	object, company := subject(c.Result)
	if a.Object = object; company != 0 {
		a.Company = company
	}
	return a, nil
}

// subject returns the object that a command answers with, and its company.
func subject(result any) (object string, company int64) {
	switch x := result.(type) {
	case *credit.Order:
		return x.Key, x.Company
	case *credit.Payment:
		return x.ID, x.Company
	case *credit.Invoice:
		return x.ID, x.Company
	case *credit.Company:
		return fmt.Sprint(x.ID), x.ID
	case *credit.Merchant:
		return x.ID, 0
	case credit.Program:
		return x.Merchant, 0
	case *credit.Client:
		return x.ID, 0
	case *credit.Token:
		return x.Key(), 0
	case *credit.Endpoint:
		return x.ID, 0
	case credit.Resend:
		return x.ID, 0
	case compliance.Read:
		return x.Object, x.Company
	}
	return "", 0
}

// guard runs a command's code. A panic in it affects only that command.
func (b *batch) guard(e *entry, run func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = b.fault(e, Alarm{What: AlarmPanic, Err: fmt.Errorf("panic: %v", p), Stack: debug.Stack()})
		}
	}()
	run()
	return nil
}

// fault records which command broke, with the evidence.
func (b *batch) fault(e *entry, a Alarm) error {
	a.Command, a.Actor, a.Seed = e.request.Command, e.request.Actor, e.request.Seed
	b.faulty = &fault{entry: e, alarm: a}
	return errAgain
}
