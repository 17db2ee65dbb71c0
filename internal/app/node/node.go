// Package node assembles a server: it opens a database of either kind, puts an engine on it, adds
// HTTP and the pages, and starts the background duties: webhooks, scheduled work, signed heads,
// mail. No other package knows which database is used.
package node

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

	"tenor/internal/app/exit"
	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/gate"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/requestlog"
	"tenor/internal/edge/resource"
	sandboxes "tenor/internal/edge/sandbox"
	"tenor/internal/office/buyer"
	"tenor/internal/pages/sandboxui"
	vendors "tenor/internal/ports/facts"
	"tenor/internal/ports/mailer"
	"tenor/internal/ports/outbound"
	"tenor/internal/ports/screening"
	"tenor/internal/ports/telemetry"
)

// Mode is what a database is for. It is stamped into the database once, so that play money and
// real money never mix.
type Mode string

// The modes of a database.
const (
	Live    Mode = "live"
	Sandbox Mode = "sandbox"
)

// Settings of a deployment that are stored in its database.
const (
	settingMode      = "mode"
	SettingCursorKey = "cursor_key"
	SettingPast      = "demo_past"     // set if the demo data has a history
	SettingDemo      = "demo_merchant" // the merchant for which tenor token issues tokens by default
)

// drainTimeout is how long accepted commands may take at shutdown.
const drainTimeout = 5 * time.Second

// WallClock is the business clock of live data.
func WallClock(context.Context, store.Backend, store.Head) (func() time.Time, error) {
	return clock.Wall{}.Now, nil
}

// Node is an open database with this process's engine, which writes to it.
type Node struct {
	Name    string // of this process, in the batches
	DB      store.Backend
	Engine  *engine.Group
	Zone    calendar.Zone
	Now     func() time.Time // the business clock
	Mode    Mode
	alone   bool           // no other process has the database open: SQLite
	Proxies []netip.Prefix // our own, in front of this process
	targets outbound.Rules // where live events may be sent besides the internet
	Budget  gate.Budget    // of connections; zero: no known limit
	Cursors []byte         // key that signs cursors
	Ring    *seal.Ring     // keys that seal secrets; nil for a process that needs none
	// Fingerprint is the blind index of bank accounts; nil without a ring.
	Fingerprint func(routing, number string) string
	cancel      context.CancelFunc
	// Controls move the clock and the bank of a sandbox that this process runs; nil: nothing to
	// move.
	Controls serve.Controls
	// Plans are that sandbox's planned changes to companies; nil: none.
	Plans *sandboxes.Plans
	// ConsoleDemo is the secret in the address where a sandbox's made-up staff sign in; "": nobody
	// does.
	ConsoleDemo string
	Door        *sandboxui.Door    // who has entered that sandbox's pages; nil: nobody yet
	Metrics     *telemetry.Metrics // nil: not enabled
	// Sanctions is the list to screen names against; nil disables screening.
	Sanctions  *screening.List
	Mail       mailer.Port      // nil: a live deployment sends no mail, a sandbox delivers to its mailbox
	Facts      vendors.Ports    // the vendors queried about applications
	Codes      buyer.CodeLimits // limits on mailed codes; zero: the defaults
	Banked     bool             // it has a bank
	SilentBank bool             // its bank sends no acknowledgments
	Unlogged   bool             // it keeps no request log
	LogRate    int              // successful calls of a client per second that it keeps
	Seed       func() [16]byte  // for each API command; random unless a story is played
}

// Config says which database to open, and how.
type Config struct {
	Place *Place
	Mode  Mode
	Clock func(ctx context.Context, db store.Backend, head store.Head) (func() time.Time, error) // business clock, given the head of the books
	Wall  func() time.Time
	Log   *slog.Logger

	Name       string         // of this process in the batches that it writes; host and process ID if ""
	Batch      int            // maximum commands per transaction, the engine's default if 0
	Committers int            // concurrent transactions, 1 if 0; PostgreSQL only
	Readers    int            // maximum reading connections, the backend's default if 0; PostgreSQL only
	Standby    bool           // require a synchronous standby; PostgreSQL only
	Keep       bool           // refuse an old schema instead of migrating it
	Keys       bool           // secrets are sealed and opened: a server
	Proxies    []netip.Prefix // whose X-Forwarded-For is trusted
	Targets    outbound.Rules // where live events may be sent besides the internet
	Budget     gate.Budget    // of connections; zero: no known limit
	KeyFile    string         // with the keys of a live database; the place's default if ""
	Metrics    *telemetry.Metrics
	Sanctions  *screening.List // screened against; a sandbox has its own
}

// Open opens or creates a database, checks what it is for and starts an engine on it. The caller
// must close it.
func Open(ctx context.Context, c Config) (*Node, error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return nil, err
	}
	c.Metrics.Expect(alarmDamaged)
	db, err := c.Place.Hold(ctx, Holding{
		live: c.Mode == Live, Now: c.Wall(), writers: c.Committers, readers: c.Readers, standby: c.Standby, keep: c.Keep,
		damaged: once(func(q int64, err error) {
			c.Metrics.Alarm(alarmDamaged)
			c.Log.Error("alarm", "what", alarmDamaged, "commit", q, "error", err.Error())
		}),
	})
	if err != nil {
		return nil, err
	}
	n := &Node{Name: cmp.Or(c.Name, processName()), DB: db, Zone: zone, Mode: c.Mode, alone: c.Place.Dir != "", Proxies: c.Proxies, targets: c.Targets, Budget: c.Budget, Seed: RandomSeed, Metrics: c.Metrics, LogRate: requestlog.Rate}
	if err := n.start(ctx, c); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return n, nil
}

// processName identifies a process of a database: several may write to PostgreSQL.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "tenor"
	}
	return host + ":" + strconv.Itoa(os.Getpid())
}

func (n *Node) start(ctx context.Context, c Config) error {
	head, err := HeadOf(ctx, n.DB)
	if err != nil {
		return err
	}
	if err := stamp(ctx, n.DB, c.Mode, head); err != nil {
		return err
	}
	// The process that creates a database generates the key, before a second process exists.
	if n.Cursors, err = cursorKey(ctx, n.DB); err != nil {
		return err
	}
	if c.Keys {
		if err := n.unlock(ctx, c); err != nil {
			return err
		}
	}
	if n.Now, err = c.Clock(ctx, n.DB, head); err != nil {
		return err
	}
	if n.Sanctions = c.Sanctions; c.Mode == Sandbox {
		n.Sanctions = screening.TestList()
	}
	config := engine.Config{
		Backend: n.DB, Zone: n.Zone, Now: n.Now, EncodeEvent: EncodeEvent, Wire: resource.APIVersion,
		Compare: func(names ...string) *credit.Compared { return n.Sanctions.Compare(names...) }, // the list may be set later
		Node:    n.Name, Batch: c.Batch,
		Ended: func(e engine.Ended) { n.Metrics.Batch(e.Callers, e.Background, e.Took) },
		Alarm: func(a engine.Alarm) {
			n.Metrics.Alarm(a.What)
			name := ""
			if a.Command != nil {
				name = a.Command.Name()
			}
			c.Log.Error("alarm", "what", a.What, "command", name, "request_id", a.Actor.RequestID, "error", fmt.Sprint(a.Err), "stack", string(a.Stack))
		},
	}
	if n.Ring != nil {
		config.Seal, config.Open = n.Ring.Seal, n.Ring.Open
	}
	if n.Engine, err = engine.NewGroup(config, c.Committers); err != nil {
		return err
	}
	if err := n.trial(ctx); err != nil {
		n.Engine.Halt(err)
	}
	// The engine outlives the context that ends serving: commands it has accepted are still decided,
	// until close gives up on them.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	n.cancel = cancel
	go n.Engine.Run(running)
	return nil
}

// unlock loads the keys that seal secrets.
func (n *Node) unlock(ctx context.Context, c Config) error {
	var ring seal.Ring
	var err error
	if c.Mode == Sandbox {
		ring, err = SandboxRing(n.Cursors)
	} else {
		ring, err = keyRing(ctx, n.DB, c.Place, c.KeyFile, c.Log)
	}
	if err != nil {
		return err
	}
	n.Ring = &ring
	n.Fingerprint, err = fingerprints(ctx, n.DB, n.Ring)
	return err
}

// Rules returns where events may be sent. A sandbox may send to the developer's machine.
func (n *Node) Rules() outbound.Rules {
	if n.Mode == Sandbox {
		return outbound.Rules{AllowPrivate: true}
	}
	return n.targets
}

// trial checks that the stored balances balance. If they do not, the node serves reads only
// (EN15).
func (n *Node) trial(ctx context.Context) error {
	var books, memo int64
	err := n.DB.View(ctx, func(v store.View) (err error) {
		books, memo, err = store.Trial(v)
		return err
	})
	if err != nil {
		return err
	}
	if books != 0 || memo != 0 {
		return fmt.Errorf("the trial balance is off by %s, memo accounts by %s; writes are refused until tenor verify is clean", money.Amount(books), money.Amount(memo))
	}
	return nil
}

// EncodeEvent encodes an event's payload for storage and delivery.
func EncodeEvent(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
	return resource.EncodeEvent(e, at, by)
}

// Close finishes accepted commands and closes the database.
func (n *Node) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	err := n.Engine.Close(ctx)
	n.cancel()
	return errors.Join(err, n.DB.Close())
}

// HeadOf reads the head of the books.
func HeadOf(ctx context.Context, db store.Viewer) (head store.Head, err error) {
	err = db.View(ctx, func(v store.View) error {
		head, err = v.Head()
		return err
	})
	if err != nil {
		return store.Head{}, fmt.Errorf("read head: %w", err)
	}
	return head, nil
}

// stamp marks a new database with its mode, and refuses one with another mode.
func stamp(ctx context.Context, db store.Backend, want Mode, head store.Head) error {
	text, found, err := store.Setting(ctx, db, settingMode)
	if err == nil && !found {
		if head.Q > 0 {
			return ErrNoMode
		}
		text, err = db.Settle(ctx, settingMode, []byte(want))
	}
	switch {
	case err != nil:
		return err
	case Mode(text) == want:
		return nil
	case want == Live:
		return &exit.Failure{Code: exit.Forbidden, Text: "this is sandbox data; serve does not open it", Hint: "Use tenor dev. Live data needs its own directory or database."}
	}
	return &exit.Failure{Code: exit.Forbidden, Text: "this is live data; a sandbox cannot use it", Hint: "Use tenor serve. A sandbox needs its own directory or database."}
}

// What a database may lack.
var (
	ErrNoMode     = errors.New("the database is marked neither live nor sandbox")
	ErrNoDatabase = errors.New("no database")
)

// ModeOf reads a database's mode.
func ModeOf(ctx context.Context, db store.Viewer) (Mode, error) {
	text, found, err := store.Setting(ctx, db, settingMode)
	if err == nil && !found {
		err = ErrNoMode
	}
	return Mode(text), err
}

// cursorKey returns the key that signs cursors, generated once per database.
func cursorKey(ctx context.Context, db store.Backend) ([]byte, error) {
	key, found, err := store.Setting(ctx, db, SettingCursorKey)
	if err != nil || found {
		return key, err
	}
	key = make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return db.Settle(ctx, SettingCursorKey, key)
}

// Submit submits a command of the operator, as an edge would. The changes are those committed; a
// refusal is a *credit.Rejection.
func (n *Node) Submit(ctx context.Context, client string, seed [16]byte, cmd credit.Command) (credit.Changes, error) {
	return n.SubmitAs(ctx, credit.Actor{Client: client, Operator: true}, seed, cmd)
}

// SubmitAs is Submit for an actor other than the operator.
func (n *Node) SubmitAs(ctx context.Context, actor credit.Actor, seed [16]byte, cmd credit.Command) (credit.Changes, error) {
	return n.Decided(ctx, engine.Request{Command: cmd, Actor: actor, Seed: seed})
}

// Decided submits a request and returns the changes it made.
func (n *Node) Decided(ctx context.Context, r engine.Request) (credit.Changes, error) {
	var changes credit.Changes
	r.Encode = func(c credit.Changes, r *credit.Rejection) engine.Response {
		changes = c
		if r != nil {
			return engine.Response{Status: r.Status}
		}
		return engine.Response{Status: 200}
	}
	result, err := n.Engine.Submit(ctx, r)
	switch {
	case err != nil:
		return credit.Changes{}, fmt.Errorf("%s: %w", r.Command.Name(), err)
	case result.Rejection != nil:
		return credit.Changes{}, fmt.Errorf("%s: %w", r.Command.Name(), result.Rejection)
	}
	return changes, nil
}

// Seeds returns a generator of seeds. The same number gives the same sequence.
func Seeds(number int64) func() [16]byte {
	var n atomic.Int64
	return func() [16]byte {
		sum := sha256.Sum256(fmt.Appendf(nil, "tenor seeds %d %d", number, n.Add(1)))
		return [16]byte(sum[:16])
	}
}

// RandomSeed generates the seed of one command.
func RandomSeed() (seed [16]byte) {
	_, _ = rand.Read(seed[:]) // never fails
	return seed
}
