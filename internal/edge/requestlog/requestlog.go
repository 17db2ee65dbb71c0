// Package requestlog writes the log of API calls: requests and answers, masked, for 30
// days, and at most the newest million. It helps developers and is not part of the books. A
// call never waits for it and never fails because of it: calls are collected in memory,
// within bounds, and written together about once a second. What finds no room, or no
// database, is lost and counted; a killed process loses what it has collected since the
// last write. Of a client's successful calls it takes only so many a second, so that a busy server
// spends its time on calls and not on their log.
package requestlog

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"tenor/internal/core/store"
)

const (
	// Keep is how long a call is kept.
	Keep = 30 * 24 * time.Hour
	// Most is about how many calls are kept: on a busy server they take a gigabyte or two,
	// and do not fill the disk.
	Most = 1_000_000
	// Rate is how many successful calls of a client per second a process keeps by default.
	Rate = 100
)

const (
	maxRows    = 2048    // calls waiting for the next write
	maxBytes   = 8 << 20 // of their bodies
	round      = 256     // rows per transaction: others want to write, too
	every      = time.Second
	lastTime   = 2 * time.Second // for the remainder at the end
	sweepEvery = 10 * time.Minute
	sweepRows  = 1000 // per transaction
	sweepPause = 100 * time.Millisecond
)

// Config is what a log needs.
type Config struct {
	Store interface {
		store.Viewer
		store.RequestLog
		Lease(ctx context.Context, name, holder string, now, until time.Time) (store.Lease, bool, error)
	}
	Node  string           // of this process
	Alone bool             // no other process writes to the database
	Now   func() time.Time // wall clock
	Log   *slog.Logger
	Most  int // calls to keep; 0: the constant
	Rate  int // successful calls of a client to keep between two writes; calls that failed are all kept
}

// Log collects calls and writes them while Run runs. It is safe for concurrent use.
type Log struct {
	cfg Config

	mu      sync.Mutex
	waiting []func() store.RequestRow
	bytes   int
	lost    int64
	passed  map[string]int // successful calls since the last write, by client
	skipped int64
}

// New returns a log that writes when Run is called.
func New(c Config) *Log { return &Log{cfg: c} }

// Add writes a call soon. It never waits. size is how many bytes row retains.
func (l *Log) Add(size int, row func() store.RequestRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= maxRows || l.bytes+size > maxBytes {
		l.lost++
		return
	}
	l.waiting = append(l.waiting, row)
	l.bytes += size
}

// Skip reports whether a call with this status is left out, because enough successful calls
// of its client are kept already: no client's traffic hides another's. It counts the call:
// ask once, before Add.
func (l *Log) Skip(client string, status int) bool {
	if status >= 300 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.passed == nil {
		l.passed = map[string]int{}
	}
	if l.passed[client]++; l.passed[client] <= l.cfg.Rate {
		return false
	}
	l.skipped++
	return true
}

// Skipped is the number of successful calls left out.
func (l *Log) Skipped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.skipped
}

// Lost is the number of calls missing from the log.
func (l *Log) Lost() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Run writes until the context ends, and then the remainder. Every ten minutes it deletes
// what is too old, or too much.
func (l *Log) Run(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	swept := time.Time{}
	for {
		select {
		case <-tick.C:
			l.Flush(ctx)
			if now := l.cfg.Now(); now.Sub(swept) >= sweepEvery {
				swept = now
				l.Sweep(ctx)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
			defer cancel()
			l.Flush(last)
			return nil
		}
	}
}

// Flush writes what waits. What cannot be written is lost: a log that kept it would be full
// when the database is back.
func (l *Log) Flush(ctx context.Context) {
	l.mu.Lock()
	waiting := l.waiting
	l.waiting, l.bytes, l.passed = nil, 0, nil
	l.mu.Unlock()
	for len(waiting) > 0 {
		n := min(len(waiting), round)
		rows := make([]store.RequestRow, n)
		for i, row := range waiting[:n] {
			rows[i] = row()
			rows[i].Node = l.cfg.Node
		}
		waiting = waiting[n:]
		if err := l.cfg.Store.PutRequests(ctx, rows); err != nil {
			l.cfg.Log.Warn("request log: entries lost", "calls", n+len(waiting), "error", err.Error())
			l.mu.Lock()
			l.lost += int64(n + len(waiting))
			l.mu.Unlock()
			return
		}
	}
}

// Sweep deletes calls older than Keep, and those beyond the maximum number. Of several
// processes one does it each time.
func (l *Log) Sweep(ctx context.Context) {
	now := l.cfg.Now()
	if !l.cfg.Alone {
		if _, ok, err := l.cfg.Store.Lease(ctx, "requests/sweep", l.cfg.Node, now, now.Add(sweepEvery)); !ok || err != nil {
			return
		}
	}
	before := now.Add(-Keep)
	last, err := store.RequestAt(ctx, l.cfg.Store, cmp.Or(l.cfg.Most, Most))
	if err == nil && last.After(before) {
		before = last
	}
	for n := 0; err == nil; {
		n, err = l.cfg.Store.SweepRequests(ctx, before, sweepRows)
		if err == nil && n < sweepRows {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweepPause):
		}
	}
	l.cfg.Log.Warn("request log: delete old entries", "error", err.Error())
}
