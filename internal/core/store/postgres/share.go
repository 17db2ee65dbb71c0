package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/core/store"
)

// share is a session whose snapshot several readers use. Each of its pipelines runs on a
// goroutine of its own and only collects rows: readers decode their own rows themselves, so
// that neither the end of one reader nor its panic concerns the others.
type share struct {
	db     *DB
	conn   *conn
	head   store.Head
	turn   chan struct{} // held by the pipeline that is out
	failed error         // ended the snapshot; belongs to the turn
	walks  atomic.Int64

	mu     sync.Mutex
	users  int  // readers that have not ended
	busy   bool // a pipeline is out
	owed   int  // its requests without an answer
	broken bool
}

// newShare returns a session with a first pipeline out.
func newShare(db *DB, k *conn) *share {
	s := &share{db: db, conn: k, turn: make(chan struct{}, 1), busy: true}
	s.turn <- struct{}{}
	return s
}

// first takes the snapshot and the first reads of all readers. If it fails, those without
// an answer read again, each on a session of its own: the fault may lie with one of them.
func (s *share) first(batch []*request) {
	calls := append([]*call{readHead(func(h store.Head) { s.head = h })}, gather(batch)...)
	calls[0].done = deliverBare(batch)
	s.failed = s.conn.pipe(calls...)
	s.pass()
	for _, r := range batch {
		if !r.delivered {
			r.alone = true
			r.deliver()
		}
	}
}

// deliverBare answers readers who asked only for the head.
func deliverBare(batch []*request) func() {
	return func() {
		for _, r := range batch {
			if len(r.calls) == 0 {
				r.deliver()
			}
		}
	}
}

// read takes further reads of one reader.
func (s *share) read(ctx context.Context, r *request) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.failed != nil {
		<-s.turn
		return &lostError{s.failed}
	}
	s.mu.Lock()
	s.busy, s.owed, r.share = true, 1, s
	s.mu.Unlock()
	go func() {
		err := s.conn.pipe(gather([]*request{r})...)
		s.failed = err
		s.pass()
		if !r.delivered {
			r.err = err
			r.deliver()
		}
	}()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pass ends a pipeline.
func (s *share) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
	s.broken = s.broken || s.conn.dead
	if s.users == 0 {
		s.end()
		return
	}
	<-s.turn
}

// leave is the end of a reader. The last one ends the snapshot. If even a pipeline is still
// out, nobody waits for it: it is cut off.
func (s *share) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	switch {
	case s.users > 0:
	case s.busy && s.owed == 0: // it ends at once
	case s.busy:
		s.broken = true
		_ = s.conn.net.SetDeadline(time.Unix(1, 0))
	default:
		s.end()
	}
}

// end returns the session.
func (s *share) end() {
	broken := s.broken
	if !broken {
		broken = s.conn.end() != nil
	}
	s.db.done(s.conn, broken)
}
