package years

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/sim"
)

// node is one process: an engine, a scheduler and a sender of events, whose memory is lost when
// it dies.
type node struct {
	y      *Years
	name   string
	engine *engine.Engine
	work   *clockwork.Scheduler
	sender *sender
	skew   time.Duration // of its clock
	dead   bool
	turns  int // turns of its scheduler that it is in: at most one
}

// Errors of a node's calls.
var (
	errDead = errors.New("sim: the process is dead")
	errLost = errors.New("sim: the call was lost")
)

// now returns the time on the node's clock.
func (n *node) now() time.Time { return n.y.Clock.Now().Add(n.skew) }

// start replaces the old process with a new one. It finds what is stored.
func (n *node) start() error {
	var err error
	n.dead = false
	n.engine, err = engine.New(engine.Config{
		Backend: n.y.Faulty, Zone: n.y.zone, Now: n.now, After: n.y.Clock.After, Node: n.name, Wire: resource.APIVersion,
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
		Seal: sim.Sealed, Open: sim.Opened, Alarm: n.y.alarm, NewBatchID: n.y.batchID,
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", n.name, err)
	}
	n.work, err = clockwork.New(clockwork.Config{
		Backend: handle{n.y.Faulty, n}, Submit: n, Now: n.now, Wall: n.now, Zone: n.y.zone, Node: n.name,
		Bank: bankLine{n.y.bank, n}, Origin: fake.Origin(), Cards: cardLine{n.y.bank, n},
		Open: sim.Opened, Seal: sim.Sealed, Fingerprint: fingerprint, Sanctions: n.y.sanctions(), Seed: n.y.seed, InFlight: 1,
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", n.name, err)
	}
	return n.y.post.startSender(n)
}

func fingerprint(routing, number string) string {
	h := sha256.Sum256([]byte(routing + "/" + number))
	return hex.EncodeToString(h[:])
}

// seedOf is what the identifier of something that is sealed for it is drawn from.
func seedOf(what string, n int) [16]byte {
	h := sha256.Sum256(fmt.Append(nil, what, n))
	return [16]byte(h[:16])
}

func (y *Years) seed() (seed [16]byte) {
	y.seeds++
	binary.BigEndian.PutUint64(seed[8:], y.seeds)
	return seed
}

func (y *Years) batchID() (id store.BatchID) {
	y.batches++
	binary.BigEndian.PutUint64(id[8:], y.batches)
	return id
}

// look lets the scheduler take its turn, if it holds the lease.
func (n *node) look() {
	if n.dead || n.turns > 0 {
		return
	}
	n.turns++
	defer func() { n.turns-- }()
	n.step() // a full database is asked for room
	if err := n.work.Poll(context.Background()); err != nil && !n.excused(err) {
		n.y.never("%s: %w", n.name, err)
	}
}

// twin lets the scheduler take a turn without asking for the lease, like one that has lost it and
// does not know.
func (n *node) twin() {
	if n.dead || n.turns > 0 {
		return
	}
	n.turns++
	defer func() { n.turns-- }()
	if _, err := n.work.RunDue(context.Background()); err != nil && !n.excused(err) {
		n.y.never("%s: %w", n.name, err)
	}
}

// excused reports whether an error comes from a fault that the run injected.
func (n *node) excused(err error) bool {
	if n.y.healed {
		return false
	}
	for _, why := range []error{errDead, errLost, sim.ErrRefused, sim.ErrCut, store.ErrFull, engine.ErrNotCommitted, engine.ErrReadOnly, engine.ErrOutcomeUnknown, engine.ErrClosed} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// call is one call of a scheduler to the store or beyond. It may be lost before or after it took
// effect; the process may die; others may work in between.
func (n *node) call(do func() error) error {
	if n.dead {
		return errDead
	}
	n.meanwhile()
	m := n.y.Mix
	switch {
	case n.dead:
		return errDead
	case n.y.struck(m.CallLost, "call lost"):
		return errLost
	case n.y.struck(m.Crash, "crash before a call"):
		n.dead = true
		return errDead
	}
	err := do()
	switch {
	case err != nil:
	case n.y.struck(m.CallUnheard, "call unheard"):
		return errLost
	case n.y.struck(m.Crash, "crash after a call"):
		n.dead = true
		n.y.Situations.Reached(sim.CrashInATurn)
		return errDead
	}
	return err
}

// meanwhile lets another node work between two calls of this one's scheduler: at the same moment,
// if the scheduler has lost its lease and does not know, or after this one has slept past its
// own.
func (n *node) meanwhile() {
	y := n.y
	if len(y.nodes) == 1 || n.turns == 0 || !y.chance(y.Mix.Meanwhile) {
		return
	}
	other := sim.Pick(y.Source, y.nodes)
	if other == n || other.turns > 0 || other.dead {
		return
	}
	if y.chance(y.Mix.Paused) {
		y.Trouble["paused"]++
		y.Clock.Set(y.Clock.Now().Add(time.Minute + time.Duration(y.Source.Intn(7200))*time.Second))
		y.Situations.Reached(sim.PausedPastItsLease)
		other.look()
		return
	}
	y.Trouble["twin"]++
	y.Situations.Reached(sim.TwoSchedulers)
	other.twin()
}

// Submit implements engine.Submitter for the scheduler.
func (n *node) Submit(_ context.Context, r engine.Request) (res engine.Result, err error) {
	err = n.call(func() error {
		res, err = n.submit(r)
		return err
	})
	return res, err
}

// submit has one command decided, with whatever else is queued.
func (n *node) submit(r engine.Request) (engine.Result, error) {
	t, err := n.engine.Enqueue(context.Background(), r)
	if err != nil {
		return engine.Result{}, err
	}
	for range 100 {
		n.step()
		if n.dead {
			return engine.Result{}, errDead
		}
		select {
		case <-t.Done():
			return t.Result()
		default:
		}
	}
	n.y.never("%s was not decided in 100 batches", r.Command.Name())
	return engine.Result{}, errLost
}

// step lets the engine take a batch. The process may die in it.
func (n *node) step() {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case sim.Crash:
			n.dead = true
			n.y.reach(x.Where == "before the writes", sim.CrashBeforeApply)
			n.y.reach(x.Where == "after the commit", sim.CrashAfterApply)
		default:
			panic(x)
		}
	}()
	n.engine.Step(context.Background())
}
