package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strconv"
	"sync/atomic"
	"time"
	_ "time/tzdata" // the business zone, wherever the binary runs

	"tenor/internal/buyer"
	"tenor/internal/calendar"
	"tenor/internal/clock"
	"tenor/internal/credit"
	"tenor/internal/engine"
	vendors "tenor/internal/facts"
	"tenor/internal/gate"
	"tenor/internal/httpapi"
	"tenor/internal/mailer"
	"tenor/internal/money"
	"tenor/internal/outbound"
	sandboxes "tenor/internal/sandbox"
	"tenor/internal/screening"
	"tenor/internal/screens"
	"tenor/internal/seal"
	"tenor/internal/store"
	"tenor/internal/telemetry"
	"tenor/internal/wire"
)

// mode is what a database is for. It is stamped into the database once, so that
// play money and real money never mix.
type mode string

const (
	live    mode = "live"
	sandbox mode = "sandbox"
)

// Settings of a deployment that are kept in its database.
const (
	settingMode      = "mode"
	settingCursorKey = "cursor_key"
	settingPast      = "demo_past"     // the demo data have one
	settingDemo      = "demo_merchant" // the merchant for which tenor token makes tokens by default
)

// drainTimeout is how long commands that were accepted may take at the end.
const drainTimeout = 5 * time.Second

// businessZone loads the zone in which business dates are counted.
func businessZone() (calendar.Zone, error) {
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		return calendar.Zone{}, fmt.Errorf("load business zone: %w", err)
	}
	return calendar.NewZone(location), nil
}

// wallClock is the business clock of live data.
func wallClock(context.Context, store.Backend, store.Head) (func() time.Time, error) {
	return clock.Wall{}.Now, nil
}

// node is an open database with the engine of this process that writes it.
type node struct {
	name    string // of this process in the batches
	db      store.Backend
	engine  *engine.Group
	zone    calendar.Zone
	now     func() time.Time // the business clock
	mode    mode
	alone   bool           // no other process has the database open: SQLite
	proxies []netip.Prefix // of ours, in front of this process
	targets outbound.Rules // where events may go besides the internet; of live data
	budget  gate.Budget    // of connections; zero: nothing is known of a limit
	cursors []byte         // key that signs cursors
	ring    *seal.Ring     // keys that seal secrets; nil for a process that draws none
	// fingerprint is the blind index of bank accounts; nil without a ring.
	fingerprint func(routing, number string) string
	cancel      context.CancelFunc
	// controls move the clock and the bank of a sandbox that this process plays; nil:
	// there is nothing to move.
	controls httpapi.Controls
	// plans are what that sandbox will do to companies; nil: nothing.
	plans   *sandboxes.Plans
	door    *screens.Door      // who has entered that sandbox's pages; nil: nobody yet
	metrics *telemetry.Metrics // nil: nobody asked for them
	// sanctions is the list with which names are compared; nil: nobody is screened.
	sanctions  *screening.List
	mail       mailer.Port      // nil: a live deployment writes to nobody, a sandbox into its mailbox
	facts      vendors.Ports    // the vendors that are asked about applications
	codes      buyer.CodeLimits // how many codes are mailed; zero: the usual ones
	silentBank bool             // its bank acknowledges no files
	seed       func() [16]byte  // of each command of the API, at random unless a story is played
}

// nodeConfig says which database to open, and how.
type nodeConfig struct {
	place *place
	mode  mode
	clock func(ctx context.Context, db store.Backend, head store.Head) (func() time.Time, error) // business clock, given where the books stand
	wall  func() time.Time
	log   *slog.Logger

	name       string         // of this process in the batches that it writes; host and process if ""
	batch      int            // most commands of one transaction, the engine's own number if 0
	committers int            // transactions at a time, 1 if 0; PostgreSQL only
	readers    int            // most reading connections, the backend's own number if 0; PostgreSQL only
	standby    bool           // a synchronous standby is demanded; PostgreSQL only
	keep       bool           // an old schema is refused instead of migrated
	keys       bool           // secrets are sealed and opened: a server
	proxies    []netip.Prefix // whose X-Forwarded-For is believed
	targets    outbound.Rules // where events may go besides the internet; of live data
	budget     gate.Budget    // of connections; zero: nothing is known of a limit
	keyFile    string         // with the keys of a live database; the place's own if ""
	metrics    *telemetry.Metrics
	sanctions  *screening.List // with which names are compared; a sandbox has its own
}

// openNode opens or makes a database, checks what it is for and starts an engine
// on it. The caller must close it.
func openNode(ctx context.Context, c nodeConfig) (*node, error) {
	zone, err := businessZone()
	if err != nil {
		return nil, err
	}
	db, err := c.place.hold(ctx, holding{
		live: c.mode == live, now: c.wall(), writers: c.committers, readers: c.readers, standby: c.standby, keep: c.keep,
	})
	if err != nil {
		return nil, err
	}
	n := &node{name: cmp.Or(c.name, processName()), db: db, zone: zone, mode: c.mode, alone: c.place.dir != "", proxies: c.proxies, targets: c.targets, budget: c.budget, seed: randomSeed, metrics: c.metrics}
	if err := n.start(ctx, c); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if n.ring != nil {
		if err := n.whole(ctx, c); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	return n, nil
}

// processName tells the processes of a database apart: several may write
// PostgreSQL.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "tenor"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}

func (n *node) start(ctx context.Context, c nodeConfig) error {
	head, err := headOf(ctx, n.db)
	if err != nil {
		return err
	}
	if err := stamp(ctx, n.db, c.mode, head); err != nil {
		return err
	}
	// Whoever makes a database draws the key, before a second process is there.
	if n.cursors, err = cursorKey(ctx, n.db); err != nil {
		return err
	}
	if c.keys {
		if err := n.unlock(ctx, c); err != nil {
			return err
		}
	}
	if n.now, err = c.clock(ctx, n.db, head); err != nil {
		return err
	}
	if n.sanctions = c.sanctions; c.mode == sandbox {
		n.sanctions = screening.TestList()
	}
	config := engine.Config{
		Backend: n.db, Zone: n.zone, Now: n.now, EncodeEvent: encodeEvent, Wire: wire.APIVersion,
		Compare: func(names ...string) *credit.Compared { return n.sanctions.Compare(names...) }, // the list may come later
		Node:    n.name, Batch: c.batch,
		Ended: func(e engine.Ended) { n.metrics.Batch(e.Callers, e.Background, e.Took) },
		Alarm: func(a engine.Alarm) {
			n.metrics.Alarm(a.What)
			name := ""
			if a.Command != nil {
				name = a.Command.Name()
			}
			c.log.Error("alarm", "what", a.What, "command", name, "request_id", a.Actor.RequestID, "error", fmt.Sprint(a.Err), "stack", string(a.Stack))
		},
	}
	if n.ring != nil {
		config.Seal, config.Open = n.ring.Seal, n.ring.Open
	}
	if n.engine, err = engine.NewGroup(config, c.committers); err != nil {
		return err
	}
	if err := n.trial(ctx); err != nil {
		n.engine.Halt(err)
	}
	// The engine outlives the context that ends the serving: what it has accepted
	// is still decided, until close gives up on it.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	n.cancel = cancel
	go n.engine.Run(running)
	return nil
}

// unlock finds the keys that seal secrets.
func (n *node) unlock(ctx context.Context, c nodeConfig) error {
	var ring seal.Ring
	var err error
	if c.mode == sandbox {
		ring, err = sandboxRing(n.cursors)
	} else {
		ring, err = keyRing(ctx, n.db, c.place, c.keyFile, c.log)
	}
	if err != nil {
		return err
	}
	n.ring = &ring
	n.fingerprint, err = fingerprints(ctx, n.db, n.ring)
	return err
}

// rules say where events may be sent. A sandbox sends to the developer's machine.
func (n *node) rules() outbound.Rules {
	if n.mode == sandbox {
		return outbound.Rules{AllowPrivate: true}
	}
	return n.targets
}

// trial asks the stored balances whether the books balance. If they do not, the
// node serves reads only (EN15).
func (n *node) trial(ctx context.Context) error {
	var books, memo int64
	err := n.db.View(ctx, func(v store.View) (err error) {
		books, memo, err = v.Trial()
		return err
	})
	if err != nil {
		return err
	}
	if books != 0 || memo != 0 {
		return fmt.Errorf("the trial balance is %s, and %s in memo: writes are refused until tenor verify is clean", money.Amount(books), money.Amount(memo))
	}
	return nil
}

// encodeEvent writes the payload of an event for storage and delivery.
func encodeEvent(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
	return wire.EncodeEvent(e, at, by)
}

// close finishes what was accepted and closes the database.
func (n *node) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	err := n.engine.Close(ctx)
	n.cancel()
	return errors.Join(err, n.db.Close())
}

// headOf reads where the books stand.
func headOf(ctx context.Context, db store.Backend) (head store.Head, err error) {
	err = db.View(ctx, func(v store.View) error {
		head, err = v.Head()
		return err
	})
	if err != nil {
		return store.Head{}, fmt.Errorf("read head: %w", err)
	}
	return head, nil
}

// stamp says in a new database what it is for, and refuses one that is for
// something else.
func stamp(ctx context.Context, db store.Backend, want mode, head store.Head) error {
	text, found, err := db.Setting(ctx, settingMode)
	if err == nil && !found {
		if head.Q > 0 {
			return errNoMode
		}
		text, err = db.Settle(ctx, settingMode, []byte(want))
	}
	switch {
	case err != nil:
		return err
	case mode(text) == want:
		return nil
	case want == live:
		return &failure{code: exitForbidden, text: "this is a sandbox's data: it is not served live", hint: "tenor dev serves it. Live data need a directory or database of their own."}
	}
	return &failure{code: exitForbidden, text: "this is live data: no sandbox runs on it", hint: "tenor serve serves it. A sandbox needs a directory or database of its own."}
}

var (
	errNoMode     = errors.New("the database does not say whether it is live or a sandbox")
	errNoDatabase = errors.New("no database")
)

// modeOf reads what a database is for.
func modeOf(ctx context.Context, db store.Backend) (mode, error) {
	text, found, err := db.Setting(ctx, settingMode)
	if err == nil && !found {
		err = errNoMode
	}
	return mode(text), err
}

// cursorKey returns the key that signs cursors, drawn once for a database.
func cursorKey(ctx context.Context, db store.Backend) ([]byte, error) {
	key, found, err := db.Setting(ctx, settingCursorKey)
	if err != nil || found {
		return key, err
	}
	key = make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return db.Settle(ctx, settingCursorKey, key)
}

// submit has a command of the operator decided, as an edge would. The changes are
// what was committed; a refusal is a *credit.Rejection.
func (n *node) submit(ctx context.Context, client string, seed [16]byte, cmd credit.Command) (credit.Changes, error) {
	return n.submitAs(ctx, credit.Actor{Client: client, Operator: true}, seed, cmd)
}

// submitAs is submit for somebody else than the operator.
func (n *node) submitAs(ctx context.Context, actor credit.Actor, seed [16]byte, cmd credit.Command) (credit.Changes, error) {
	return n.decided(ctx, engine.Request{Command: cmd, Actor: actor, Seed: seed})
}

// decided has a command decided, and returns what it has changed.
func (n *node) decided(ctx context.Context, r engine.Request) (credit.Changes, error) {
	var changes credit.Changes
	r.Encode = func(c credit.Changes, r *credit.Rejection) engine.Response {
		changes = c
		if r != nil {
			return engine.Response{Status: r.Status}
		}
		return engine.Response{Status: 200}
	}
	result, err := n.engine.Submit(ctx, r)
	switch {
	case err != nil:
		return credit.Changes{}, fmt.Errorf("%s: %w", r.Command.Name(), err)
	case result.Rejection != nil:
		return credit.Changes{}, fmt.Errorf("%s: %w", r.Command.Name(), result.Rejection)
	}
	return changes, nil
}

// seeds returns what gives one seed after the other, the same ones for the same number.
func seeds(number int64) func() [16]byte {
	var n atomic.Int64
	return func() [16]byte {
		sum := sha256.Sum256(fmt.Appendf(nil, "tenor seeds %d %d", number, n.Add(1)))
		return [16]byte(sum[:16])
	}
}

// randomSeed draws the seed of one command.
func randomSeed() (seed [16]byte) {
	_, _ = rand.Read(seed[:]) // never fails
	return seed
}
