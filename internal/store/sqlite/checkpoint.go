package sqlite

// framesPerCommand is about what a command adds to the log, in pages: 6.5 were
// measured for an authorization. It only says when it is time, so it need not be
// exact.
const framesPerCommand = 8

// foreground is how many times longer than usual the log may get before a commit
// moves it into the database itself, and waits for that.
const foreground = 4

// checkpointer moves the log into the database beside the writer, on a connection
// of its own. The writer goes on meanwhile. If it did this within a commit, as SQLite
// does by default, each caller of that batch would wait for some thousand pages and
// for the sync of the whole database.
//
// Under a load that never pauses it does not catch up with the last pages, so the log
// cannot begin anew. SQLite's own checkpoint within a commit does that, at a length
// (foreground) that is reached seldom, and finds little left to do.
type checkpointer struct {
	db    *DB
	pages int           // added to the log since the last one, about
	wake  chan struct{} // holds one token when it is time
	done  chan struct{}
}

func newCheckpointer(db *DB) *checkpointer {
	c := &checkpointer{db: db, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go c.run()
	return c
}

// grown tells it of a commit. The caller holds db.writing.
func (c *checkpointer) grown(commands int) {
	if c == nil {
		return
	}
	c.pages += commands * framesPerCommand
	if c.pages < c.db.options.checkpoint() {
		return
	}
	c.pages = 0
	select {
	case c.wake <- struct{}{}:
	default: // it is busy, or about to be
	}
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
			// A passive one never waits for anybody. What it cannot move now, and what goes
			// wrong, the next one meets again.
			err = k.query("PRAGMA wal_checkpoint(PASSIVE)", nil, nil)
		}
		if err != nil && k != nil {
			k.c.Close() // a failed sync must not be followed by another on the same handle
			k = nil
		}
	}
	if k != nil {
		k.c.Close() // its errors concern nobody: it holds nothing
	}
}

// checkpoint is the length of the log, in pages, at which it is moved.
func (o Options) checkpoint() int {
	if o.AutoCheckpoint == 0 {
		return defaultCheckpoint
	}
	return o.AutoCheckpoint
}
