package sqlite

import (
	"sync"

	"zombiezen.com/go/sqlite"
)

// Pages that a command adds to the log, as the initial estimate: measured were 6.5 for an
// authorization among thirty, and 30 to 50 for a clockwork command among ten. It only
// schedules moves, so it need not be exact; the least and the most bound what is learned.
const (
	firstPerCommand = 8.0
	leastPerCommand = 1.0
	mostPerCommand  = 64.0
)

// foreground is the length of the log, in quarters of the normal move size, at which a
// commit itself moves the rest into the database and waits for it. It is slightly more than
// four times the move size, so that it is not reached unless a reader holds the log.
const foreground = 17

// pieces divides the move of a log that the background writes while callers are active. A
// caller's commit that collides with the sync of a move waits for the disk, less long for a
// small move. Callers' own commands use whole moves: small ones write the same page more
// often, which would cost the writer a fifth of its throughput.
const pieces = 4

// checkpointer moves the log into the database on a connection of its own, while the writer
// continues. If the move happened inside a commit, as SQLite does by default, each caller
// of that batch would wait for about a thousand pages and for the sync of the whole
// database.
//
// Under a load that never pauses it would never catch up with the last pages, and the log
// could not restart. So it blocks the writer while it moves what has accumulated meanwhile,
// which is little. If a reader holds the log even then, SQLite's own checkpoint within a
// commit is the last resort, at a length (foreground) for which a caller waits.
type checkpointer struct {
	db   *DB
	wake chan struct{} // holds one token when a move is due
	done chan struct{}

	mu       sync.Mutex // guards the fields below
	commands float64    // since the last move
	due      float64    // of these, background commands counted pieces times
	busy     bool       // moving, or about to
	each     float64    // estimated pages that a command adds to the log
	length   int        // of the log, in pages, at the last move
	emptied  bool       // it was moved completely then: it restarts unless somebody reads it
}

func newCheckpointer(db *DB) *checkpointer {
	c := &checkpointer{db: db, wake: make(chan struct{}, 1), done: make(chan struct{}), each: firstPerCommand}
	go c.run()
	return c
}

// grown reports a commit, and whether it was background work while callers are active. The
// caller holds db.writing.
func (c *checkpointer) grown(commands int, beside bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.commands += float64(commands)
	if c.due += float64(commands); beside {
		c.due += float64(commands) * (pieces - 1)
	}
	due := !c.busy && c.due*c.each >= float64(c.db.options.checkpoint())
	c.busy = c.busy || due
	c.mu.Unlock()
	if !due {
		return
	}
	c.wake <- struct{}{}
}

// moved records how long the log was when it was moved, and learns from that how much a
// command adds, if it is known since when the log grew.
func (c *checkpointer) moved(length int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.emptied:
	case length < c.length:
		c.length = 0 // it has restarted
	default:
		c.length = length // it may have restarted, or not
	}
	if grown := float64(length - c.length); grown > 0 && c.commands > 0 {
		c.each = min(max((c.each+grown/c.commands)/2, leastPerCommand), mostPerCommand)
	}
	c.length, c.emptied, c.commands, c.due = length, false, 0, 0
}

// caughtUp records how long the log is after the last pass, and whether it was moved
// completely.
func (c *checkpointer) caughtUp(length int, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.length, c.emptied = length, all
}

// ended lets the next commit trigger a move again. What was committed meanwhile is mostly
// unmoved, but little.
func (c *checkpointer) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy, c.commands, c.due = false, 0, 0
}

// stop stops it and waits until it has finished.
func (c *checkpointer) stop() {
	if c != nil {
		close(c.wake)
		<-c.done
	}
}

func (c *checkpointer) run() {
	defer close(c.done)
	var k *conn
	for range c.wake {
		var err error
		if k == nil {
			k, err = connect(c.db.path, c.db.options, writing)
		}
		if err == nil {
			err = c.move(k)
		}
		c.ended()
		if err != nil && k != nil {
			k.c.Close() // a failed sync must not be followed by another on the same handle
			k = nil
		}
	}
	if k != nil {
		k.c.Close() // its errors do not matter: it holds nothing
	}
}

// move moves the log while the writer continues, and then what has accumulated meanwhile.
// If a reader holds more of it than a piece, that is left to the next move: the writer
// should not wait for so much.
func (c *checkpointer) move(k *conn) error {
	log, moved, err := k.passive()
	if err != nil || log < 0 { // another connection is moving it
		return err
	}
	c.moved(log)
	if log-moved > c.db.options.checkpoint()/pieces {
		return nil
	}
	c.db.writing.Lock()
	defer c.db.writing.Unlock()
	if c.db.unresolved != nil {
		return nil // Resolve determines what is in the log
	}
	if log, moved, err = k.passive(); err == nil && log >= 0 {
		c.caughtUp(log, moved == log)
	}
	return err
}

// passive moves what it can without waiting: the next pass retries what it cannot move now,
// and what fails. It returns the length of the log, and how much of it has been moved so
// far, in pages.
func (k *conn) passive() (log, moved int, err error) {
	err = k.query("PRAGMA wal_checkpoint(PASSIVE)", nil, func(s *sqlite.Stmt) error {
		log, moved = s.ColumnInt(1), s.ColumnInt(2)
		return nil
	})
	return log, moved, err
}

// checkpoint is the log length, in pages, at which it is moved.
func (o Options) checkpoint() int {
	if o.AutoCheckpoint == 0 {
		return defaultCheckpoint
	}
	return o.AutoCheckpoint
}
