package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Clients is a world of callers around a failing engine: they time out, retry with the same key,
// and resend old packets, all in one goroutine and in virtual time (T4). The model follows the
// audit log in commit order.
type Clients struct {
	*Run
	Faulty  *Faulty
	Crashes int

	limits  func(*engine.Config)
	callers []*caller
	sent    map[store.KeyID]Request // every request ever sent
	calls   []Request               // the same, in order
	final   map[store.KeyID]Answer
	echoes  []*caller // old packets in flight
	heard   int64     // commit sequence up to which the model has followed
	faults  map[string]int
}

// caller is one client and the request it wants answered.
type caller struct {
	request Request
	busy    bool
	ticket  *engine.Ticket
	cancel  context.CancelFunc
	gone    time.Time // when it stops waiting
	refused bool      // was told once that nothing happened
	packets int       // how often it has sent its request
}

// NewClients sets up a world of callers on a faulty backend. Faults begin after that.
func NewClients(db store.Backend, s Source, callers int) (*Clients, error) {
	f := NewFaulty(db, s, Mix{})
	r, err := NewRun(f, s, 3)
	if err != nil {
		return nil, err
	}
	f.Clock = r.World.Clock
	r.Generator.Plain = true
	c := &Clients{
		Run: r, Faulty: f, sent: map[store.KeyID]Request{}, final: map[store.KeyID]Answer{}, heard: r.Books.Seq, faults: map[string]int{},
		limits: func(cfg *engine.Config) { cfg.Batch, cfg.Queue = 5, 8 },
	}
	for range callers {
		c.callers = append(c.callers, &caller{})
	}
	f.Mix = DrawMix(s)
	return c, c.World.Restart(c.limits)
}

// Tick performs one step.
func (c *Clients) Tick() error {
	s := c.Generator.Source
	switch n := s.Intn(100); {
	case n < 48:
		return c.act(Pick(s, c.callers))
	case n < 52:
		return c.echo()
	case n < 88:
		return c.step()
	case n < 96:
		c.World.Clock.Set(c.World.Clock.Now().Add(time.Duration(s.Intn(1500)) * time.Millisecond))
	case n < 98:
		c.World.Clock.Set(c.Generator.Later(c.World.Clock.Now()))
		return c.strike()
	case n == 98 && Chance(s, 20):
		return c.restart()
	}
	return c.listen()
}

// act lets a caller send, or retry if it has waited too long.
func (c *Clients) act(x *caller) error {
	now := c.World.Clock.Now()
	switch {
	case !x.busy:
		q, ok := c.Generator.Draw(Pick(c.Generator.Source, Weighted()), c.Today())
		if !ok {
			return nil
		}
		return c.call(x, q)
	case x.ticket == nil:
		return c.send(x)
	case now.After(x.gone):
		if Chance(c.Generator.Source, 50) {
			x.cancel() // otherwise its first packet stays in the queue next to the second
		}
		x.ticket = nil
	}
	return nil
}

// strike lets an idle caller send a request that matters when an authorization ends, and has it
// decided before time moves on.
func (c *Clients) strike() error {
	q, ok := c.Generator.Ended(c.World.Clock.Now())
	if !ok {
		return nil
	}
	for _, x := range c.callers {
		if !x.busy {
			if err := c.call(x, q); err != nil {
				return err
			}
			return c.step()
		}
	}
	return nil
}

// call gives an idle caller a request under a new key and sends it.
func (c *Clients) call(x *caller, q Request) error {
	q.Actor.Key = fmt.Sprint("call ", len(c.calls))
	c.calls = append(c.calls, q)
	c.sent[KeyOf(q)] = q
	*x = caller{request: q, busy: true}
	return c.send(x)
}

// KeyOf returns the identity of a request's Idempotency-Key.
func KeyOf(q Request) store.KeyID { return store.KeyID{Client: q.Actor.Client, Key: q.Actor.Key} }

// send puts a caller's request into the queue, with a new seed each time.
func (c *Clients) send(x *caller) error {
	x.packets++
	ctx, cancel := context.WithCancel(context.Background())
	t, err := c.World.Enqueue(ctx, x.request)
	if err != nil {
		cancel()
		return c.failed(x, err)
	}
	x.ticket, x.cancel, x.gone = t, cancel, c.World.Clock.Now().Add(2*time.Second)
	for _, y := range c.callers {
		if y != x && y.ticket != nil && (cancelsWhatIsCaptured(x, y) || cancelsWhatIsCaptured(y, x)) {
			c.Situations.Reached(CancelMeetsCapture)
		}
	}
	return nil
}

// cancelsWhatIsCaptured reports whether one caller cancels the order that the other captures.
func cancelsWhatIsCaptured(x, y *caller) bool {
	a, cancels := x.request.Command.(lending.UpdateOrder)
	b, captures := y.request.Command.(lending.UpdateOrder)
	return cancels && captures && a.Order == b.Order && a.Status == credit.OrderCanceled && b.Status == credit.OrderCaptured
}

// failed handles a failure: nothing is known to have happened, so the caller retries later.
func (c *Clients) failed(x *caller, err error) error {
	x.ticket = nil
	switch {
	case errors.Is(err, engine.ErrOverloaded):
		c.Situations.Reached(Shed)
	case errors.Is(err, engine.ErrNotCommitted):
		x.refused = true
	case errors.Is(err, engine.ErrReadOnly), errors.Is(err, engine.ErrClosed), errors.Is(err, engine.ErrOutcomeUnknown), errors.Is(err, engine.ErrExpired):
	default:
		return fmt.Errorf("%s: %w", Describe(x.request), err)
	}
	if a, ok := c.Books.Answers[KeyOf(x.request)]; ok && x.packets == 1 && !errors.Is(err, engine.ErrOutcomeUnknown) {
		return fmt.Errorf("%s: told %w, but it was committed at %d", Describe(x.request), err, a.Q)
	}
	return nil
}

// echo resends an old packet.
func (c *Clients) echo() error {
	if len(c.final) == 0 || len(c.echoes) > 2 {
		return nil
	}
	q := Pick(c.Generator.Source, c.calls)
	if _, ok := c.final[KeyOf(q)]; !ok {
		return nil
	}
	x := &caller{request: q, busy: true, packets: 1}
	if err := c.send(x); err != nil || x.ticket == nil {
		return err
	}
	c.echoes = append(c.echoes, x)
	return nil
}

// step lets the engine take a batch. If the process dies in it, a new one starts on what the
// backend holds.
func (c *Clients) step() error {
	before := c.World.Engine.Stats()
	lost, conflict := c.Faulty.Counts["unknown lost"], c.Faulty.Counts["conflict"]
	seq := c.Books.Seq
	died := c.died()
	if err := c.follow(); err != nil {
		return err
	}
	if died {
		c.Crashes++
		return c.restart()
	}
	after, grew := c.World.Engine.Stats(), c.Books.Seq > seq
	c.reach(after.LargestBatch >= 5, FullBatch)
	c.reach(after.Expired > before.Expired, TimedOutInQueue)
	c.reach(after.CommitResolved > before.CommitResolved && grew && c.Faulty.Counts["unknown lost"] == lost, UnknownApplied)
	c.reach(grew && c.Faulty.Counts["unknown lost"] > lost, UnknownLostRunOnce)
	c.reach(grew && c.Faulty.Counts["conflict"] > conflict, ConflictDecidedAgain)
	c.reach(grew && c.faults["full"] < c.Faulty.Counts["full"], FullAndBack)
	if grew {
		c.faults["full"] = c.Faulty.Counts["full"]
	}
	return c.listen()
}

func (c *Clients) reach(yes bool, s Situation) {
	if yes {
		c.Situations.Reached(s)
	}
}

// died takes a step and reports whether the process died in it.
func (c *Clients) died() (died bool) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case Crash:
			died = true
			c.reach(x.Where == "before the writes", CrashBeforeApply)
			c.reach(x.Where == "after the commit", CrashAfterApply)
		default:
			panic(x)
		}
	}()
	c.World.Engine.Step(context.Background())
	return false
}

// restart drops the engine. Its tickets are never answered.
func (c *Clients) restart() error {
	for _, x := range append(c.callers, c.echoes...) {
		x.ticket = nil
	}
	c.echoes = nil
	return c.World.Restart(c.limits)
}

// follow reads what was committed since the last call, in commit order: the model must have
// predicted each result as of its instant (P3).
func (c *Clients) follow() error {
	if len(c.World.Alarms) > 0 {
		for _, alarm := range c.World.Alarms {
			if alarm.What != engine.AlarmCommit {
				return fmt.Errorf("alarm %s: %w\n%s", alarm.What, alarm.Err, Inside(alarm.Stack))
			}
		}
		c.World.Alarms = nil
	}
	books, err := ReadBooks(c.World.DB)
	if err != nil {
		return err
	}
	refused := 0
	for q := c.heard; q < books.Seq; q++ {
		row := books.Audits[q]
		request, ok := c.sent[store.KeyID{Client: row.Actor.Client, Key: row.Actor.Key}]
		if !ok {
			return fmt.Errorf("commit %d: nobody sent key %q of %s", q+1, row.Actor.Key, row.Actor.Client)
		}
		if err := c.followOne(row, request, books); err != nil {
			return fmt.Errorf("commit %d: %s: %w", q+1, Describe(request), err)
		}
		if row.Result != "ok" {
			refused++
		}
	}
	c.reach(refused == 1 && books.Seq > c.heard+1, OneRefusalInBatch)
	grew := books.Seq > c.heard
	c.heard, c.Books = books.Seq, books
	if !grew {
		return nil
	}
	return errors.Join(books.Check(), c.Model.Compare(books))
}

func (c *Clients) followOne(row store.Audit, q Request, books *Books) error {
	want, watch := c.Model.Predict(row.At, q), c.observe(q)
	if want == "" {
		want = "ok"
	}
	if row.Result != want {
		return fmt.Errorf("was decided %q, the model says %q", row.Result, want)
	}
	code := row.Result
	if code == "ok" {
		c.Model.Accept(row.At, q, row.Object)
		code = ""
	}
	old, now := c.Books, c.World.Clock.now
	c.Books, c.World.Clock.now = books, row.At
	watch.after(c.Run, Answer{Code: code, ID: row.Object})
	c.Books, c.World.Clock.now = old, now
	return nil
}

// listen takes the answers that have arrived.
func (c *Clients) listen() error {
	for _, x := range c.callers {
		if err := c.hear(x); err != nil {
			return err
		}
	}
	rest := c.echoes[:0]
	for _, x := range c.echoes {
		if err := c.hear(x); err != nil {
			return err
		}
		if x.ticket != nil && c.World.Clock.Now().Before(x.gone) {
			rest = append(rest, x)
		}
	}
	c.echoes = rest
	return nil
}

// hear takes one caller's answer and compares it with the first answer under its key.
func (c *Clients) hear(x *caller) error {
	if x.ticket == nil {
		return nil
	}
	select {
	case <-x.ticket.Done():
	default:
		return nil
	}
	a := AnswerOf(x.ticket)
	if a.Err != nil {
		return c.failed(x, a.Err)
	}
	k := KeyOf(x.request)
	x.ticket, x.busy = nil, false
	first, known := c.final[k]
	switch {
	case a.Q == 0: // refused before its key was looked at
		return nil
	case known && !a.Same(first):
		return fmt.Errorf("%s: answered %d %s at %d, before %d %s at %d", Describe(x.request), a.Status, a.Body, a.Q, first.Status, first.Body, first.Q)
	case known:
		c.Situations.Reached(OldPacket)
	}
	c.final[k] = a
	c.reach(a.Replayed, SameKeyTwice)
	c.reach(x.refused && a.Code == "", NotCommittedThenRun)
	for _, u := range c.Faulty.Unheard {
		c.reach(a.Replayed && a.Code == "" && a.Q >= u.FirstQ && a.Q < u.FirstQ+5, AppliedAfterRestart)
	}
	return nil
}

// Settle ends all faults and lets all callers retry until they have their answers. No request is
// left over, and every key replays the same bytes.
func (c *Clients) Settle() error {
	c.Faulty.Heal()
	for round := 0; c.waiting(); round++ {
		if round == 400 {
			return fmt.Errorf("no answer after all faults have ended: %d wait, engine says %w", len(c.callers), c.World.Engine.Health())
		}
		for _, x := range c.callers {
			if x.busy && x.ticket == nil {
				if err := c.send(x); err != nil {
					return err
				}
			}
		}
		c.World.Clock.Set(c.World.Clock.Now().Add(time.Second))
		if err := c.step(); err != nil {
			return err
		}
	}
	return c.replayAll()
}

func (c *Clients) waiting() bool {
	for _, x := range c.callers {
		if x.busy {
			return true
		}
	}
	return c.World.Engine.Stats().QueueDepth > 0
}

// replayAll sends every key once more. Whatever was ever acknowledged must exist.
func (c *Clients) replayAll() error {
	seq := c.Books.Seq
	for _, q := range c.calls {
		k := KeyOf(q)
		stored, decided := c.Books.Answers[k]
		first, acknowledged := c.final[k]
		if !decided {
			if acknowledged {
				return fmt.Errorf("%s was answered %d at %d and is lost", Describe(q), first.Status, first.Q)
			}
			continue
		}
		if acknowledged && (stored.Q != first.Q || string(stored.Body) != string(first.Body) || stored.Status != first.Status) {
			return fmt.Errorf("%s was answered %d %s, stored is %d %s", Describe(q), first.Status, first.Body, stored.Status, stored.Body)
		}
		if code := c.Model.Predict(c.World.Clock.Now(), q); code == "not_found" || code == "company_not_linked" {
			continue
		}
		a := c.World.Do(q)
		if a.Err != nil || !a.Replayed || a.Q != stored.Q || string(a.Body) != string(stored.Body) {
			return fmt.Errorf("%s replayed %d %s at %d (%w), stored %d %s at %d", Describe(q), a.Status, a.Body, a.Q, a.Err, stored.Status, stored.Body, stored.Q)
		}
	}
	books, err := ReadBooks(c.World.DB)
	if err == nil && books.Seq != seq {
		err = fmt.Errorf("replays moved the commit sequence from %d to %d", seq, books.Seq)
	}
	return err
}

// Sent returns the number of requests made.
func (c *Clients) Sent() int { return len(c.calls) }

// Heard is the number of commits that the model has followed.
func (c *Clients) Heard() int64 { return c.heard }
