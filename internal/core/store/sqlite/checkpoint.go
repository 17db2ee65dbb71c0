package sqlite

import (
	"sync"

	"zombiezen.com/go/sqlite"
)

// What a command adds to the log, in pages, before anything is known: 6.5 were measured
// for an authorization among thirty, and 30 to 50 for one of the clockwork's among ten. It only
// says when it is time, so it need not be exact; the least and the most bound what is
// learned.
const (
	firstPerCommand = 8.0
	leastPerCommand = 1.0
	mostPerCommand  = 64.0
)

// foreground is the length of the log, in quarters of what is moved at once, at which a
// commit moves the rest of it into the database itself, and waits for that. It is a
// little more than four times what is moved at once, so that it is not reached as long as no
// reader keeps the log.
const foreground = 17

// pieces is into how many pieces a move is divided of a log that the background makes while
// callers are about. A commit of theirs that meets the sync of a move waits for the disk,
// less long for a small one. Callers' own commands do without: small moves write a page
// more often than large ones, which would cost the writer a fifth of what it can do.
const pieces = 4

// checkpointer moves the log into the database beside the writer, on a connection
// of its own. The writer goes on meanwhile. If it did this within a commit, as SQLite
// does by default, each caller of that batch would wait for some thousand pages and
// for the sync of the whole database.
//
// Under a load that never pauses it would not catch up with the last pages, and the log could
// not begin anew. So it holds the writer back while it moves what has come meanwhile, which
// is little. If a reader keeps the log even then, SQLite's own checkpoint within a commit has
// the last word, at a length (foreground) at which a caller waits for it.
type checkpointer struct {
	db   *DB
	wake chan struct{} // holds one token when it is time
	done chan struct{}

	mu       sync.Mutex // guards what is below
	commands float64    // since the last time
	due      float64    // of these, with those of the background as often as they have pieces
	busy     bool       // moving, or about to
	each     float64    // pages that a command adds to the log, about
	length   int        // of the log, in pages, the last time
	emptied  bool       // all of it was moved then: it begins anew, if nobody reads it
}

func newCheckpointer(db *DB) *checkpointer {
	c := &checkpointer{db: db, wake: make(chan struct{}, 1), done: make(chan struct{}), each: firstPerCommand}
	go c.run()
	return c
}

// grown tells it of a commit, and whether that was one of the background beside callers.
// The caller holds db.writing.
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

// moved notes how long the log was when it was moved, and learns from that how much a
// command adds, if it can be told since when that has come.
func (c *checkpointer) moved(length int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.emptied:
	case length < c.length:
		c.length = 0 // it has begun anew
	default:
		c.length = length // it may have, or not
	}
	if grown := float64(length - c.length); grown > 0 && c.commands > 0 {
		c.each = min(max((c.each+grown/c.commands)/2, leastPerCommand), mostPerCommand)
	}
	c.length, c.emptied, c.commands, c.due = length, false, 0, 0
}

// caughtUp notes how long the log is after the last pass, and whether that moved all of it.
func (c *checkpointer) caughtUp(length int, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.length, c.emptied = length, all
}

// ended lets the next commit say that it is time again. What was committed meanwhile has
// hardly been moved, but is little.
func (c *checkpointer) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy, c.commands, c.due = false, 0, 0
}

// stop ends it and waits until it has finished.
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
		k.c.Close() // its errors concern nobody: it holds nothing
	}
}

// move moves the log beside the writer, and then what has come meanwhile. If a reader has
// kept more of it than a piece, that is left to the next move: the writer is not to wait for
// so much.
func (c *checkpointer) move(k *conn) error {
	log, moved, err := k.passive()
	if err != nil || log < 0 { // somebody else moves it
		return err
	}
	c.moved(log)
	if log-moved > c.db.options.checkpoint()/pieces {
		return nil
	}
	c.db.writing.Lock()
	defer c.db.writing.Unlock()
	if c.db.unresolved != nil {
		return nil // what is in the log is for Resolve to find out
	}
	if log, moved, err = k.passive(); err == nil && log >= 0 {
		c.caughtUp(log, moved == log)
	}
	return err
}

// passive moves what it can without waiting for anybody: what it cannot move now, and what
// goes wrong, the next one meets again. It returns the length of the log, and how much of it
// has been moved by now, in pages.
func (k *conn) passive() (log, moved int, err error) {
	err = k.query("PRAGMA wal_checkpoint(PASSIVE)", nil, func(s *sqlite.Stmt) error {
		log, moved = s.ColumnInt(1), s.ColumnInt(2)
		return nil
	})
	return log, moved, err
}

// checkpoint is the length of the log, in pages, at which it is moved.
func (o Options) checkpoint() int {
	if o.AutoCheckpoint == 0 {
		return defaultCheckpoint
	}
	return o.AutoCheckpoint
}
