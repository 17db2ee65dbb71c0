package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tenor/internal/core/store"
)

// Glance implements store.Glancer. The snapshot is the transaction of a pipeline that is
// not ended before the last of its readers has ended: at repeatable read, which reading
// sessions use, that is one snapshot without a BEGIN and a COMMIT.
//
// A reader that comes while another's pipeline is out waits for the next one, together with
// all who come meanwhile. A lone reader waits for nobody.
func (db *DB) Glance(ctx context.Context, fn func(store.View) error) error {
	v := &view{db: db, ctx: ctx, small: true, release: func() bool { return true }}
	broken := true // also if fn panics
	defer func() { v.leave(broken) }()
	err := fn(v)
	broken = false
	return err
}

// leave ends a small view.
func (v *view) leave(broken bool) {
	switch {
	case v.share != nil:
		v.share.leave()
	case v.conn != nil:
		broken = !v.release() || v.lost || broken
		if !broken && v.begun {
			broken = v.conn.end() != nil
		}
		v.db.done(v.conn, broken)
	}
}

// look is run for a small view.
func (v *view) look(calls []*call) error {
	switch {
	case v.share != nil:
		return v.further(calls)
	case v.begun:
		return v.note(v.conn.pipe(calls...))
	case slices.ContainsFunc(calls, func(c *call) bool { return !c.sharable() }):
		return v.apart(calls)
	}
	k, r := v.db.board.join(v.db, calls)
	if k == nil {
		return v.await(r)
	}
	defer v.db.board.sent(v.db)()
	v.own(k, false)
	return v.begin(calls)
}

// sharable reports whether a call may be part of others' pipeline: it has few rows, and
// nothing in it that the server refuses.
func (c *call) sharable() bool {
	for _, p := range c.params {
		if p.rows == nil && !sound(p.value) {
			return false
		}
		for i := 0; p.rows != nil && i < p.rows.Len(); i++ {
			if !sound(p.rows.Value(i, p.column)) {
				return false
			}
		}
	}
	return c.small || c.key > 0
}

// sound reports whether the server accepts a value as a text, if it is one.
func sound(v store.Value) bool {
	return strings.IndexByte(v.Text, 0) < 0 && utf8.ValidString(v.Text)
}

// apart reads on a session of its own.
func (v *view) apart(calls []*call) error {
	k, fresh, err := v.db.reader(v.ctx)
	if err != nil {
		v.err = unreachable(v.ctx, err)
		return v.err
	}
	v.own(k, fresh)
	return v.begin(calls)
}

// await waits for the answers to a first read.
func (v *view) await(r *request) error {
	select {
	case <-r.done:
	case <-v.ctx.Done():
		v.share, v.err = v.db.board.leave(r), v.ctx.Err()
		return v.err
	}
	switch {
	case r.err != nil:
		v.err = unreachable(v.ctx, r.err)
		return v.err
	case r.alone:
		r.share.leave()
		return v.apart(r.calls)
	}
	v.share, v.head, v.begun = r.share, r.share.head, true
	return r.replay(v.db)
}

// further reads on a shared snapshot that was read before.
func (v *view) further(calls []*call) error {
	if len(calls) == 0 {
		return nil
	}
	r := newRequest(calls)
	if err := v.share.read(v.ctx, r); err != nil {
		if v.err = err; isLost(err) || v.ctx.Err() != nil {
			v.err = unreachable(v.ctx, err)
		}
		return v.err
	}
	return r.replay(v.db)
}

// Limits of sharing.
const (
	atOnce = 1  // pipelines for first reads that are out at a time
	most   = 64 // readers of one snapshot
	// slow is after how long a pipeline does not count anymore: nobody waits long for a slow
	// statement of others, or for a server that is far away.
	slow = 5 * time.Millisecond
)

// board is where readers wait for the next snapshot.
type board struct {
	mu      sync.Mutex
	waiting []*request
	out     int // pipelines that are out, without slow ones
}

// join returns an idle session to a lone reader. Others wait.
func (b *board) join(db *DB, calls []*call) (*conn, *request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out < atOnce && len(b.waiting) == 0 {
		select {
		case k := <-db.readers:
			b.out++
			return k, nil
		default:
		}
	}
	r := newRequest(calls)
	b.waiting = append(b.waiting, r)
	if b.out < atOnce {
		b.out++
		go db.serve()
	}
	return nil, r
}

// leave is the end of a reader that waits no longer. It returns the session that reads for
// it, nil if none does yet.
func (b *board) leave(r *request) *share {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.share == nil {
		b.waiting = slices.DeleteFunc(b.waiting, func(x *request) bool { return x == r })
	}
	return r.share
}

// take returns those who wait: from here on they read with s, and nobody can join them.
func (b *board) take(s *share) []*request {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.waiting), most)
	batch := slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	if s != nil {
		s.users, s.owed = n, n
	}
	for _, r := range batch {
		r.share = s
	}
	return batch
}

// sent counts a pipeline as out until the returned function is called, or until it is slow.
func (b *board) sent(db *DB) (returned func()) {
	next := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.waiting) > 0 {
			go db.serve()
			return
		}
		b.out--
	}
	late := time.AfterFunc(slow, next)
	return func() {
		if late.Stop() {
			next()
		}
	}
}

// serve reads for those who wait.
func (db *DB) serve() {
	k, _, err := db.reader(context.Background()) // each reader watches its own context
	defer db.board.sent(db)()
	s := newShare(db, k)
	if err != nil {
		s = nil
	} else {
		k.patience(0) // before anybody can leave, which sets a deadline
	}
	batch := db.board.take(s)
	switch {
	case err != nil:
		for _, r := range batch {
			r.err = err
			close(r.done)
		}
	case len(batch) == 0:
		db.done(k, false)
	default:
		s.first(batch)
	}
}
