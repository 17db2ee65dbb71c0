package engine

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Limits of Later.
const (
	laterRoom  = 10_000      // waiting requests
	laterRound = MaxBatch    // submitted together, so that one commit carries many
	laterEvery = time.Second // how often
	laterLast  = 3 * time.Second
)

// Later submits commands that nobody waits for, in groups. What was added is lost when the
// process is killed, and when there is no room: Lost counts that. While the database
// refuses writes it keeps what it has. It is safe for concurrent use.
type Later struct {
	submit Submitter

	mu      sync.Mutex
	waiting []Request
	lost    int64
}

// NewLater returns a Later that submits while Run runs.
func NewLater(s Submitter) *Later { return &Later{submit: s} }

// Add submits a request soon. It never waits.
func (l *Later) Add(r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= laterRoom {
		l.lost++
		return
	}
	r.Background = true
	l.waiting = append(l.waiting, r)
}

// Lost is the number of requests that were dropped.
func (l *Later) Lost() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Run submits until the context ends, and then whatever is left.
func (l *Later) Run(ctx context.Context) error {
	tick := time.NewTicker(laterEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.Flush(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), laterLast)
			defer cancel()
			l.Flush(last)
			return nil
		}
	}
}

// Flush submits what waits, until all of it is done or the database refuses more.
func (l *Later) Flush(ctx context.Context) {
	for {
		round := l.take()
		if len(round) == 0 {
			return
		}
		back := l.send(ctx, round)
		l.mu.Lock()
		l.waiting = append(back, l.waiting...)
		over := max(len(l.waiting)-laterRoom, 0)
		l.waiting, l.lost = l.waiting[:len(l.waiting)-over], l.lost+int64(over)
		l.mu.Unlock()
		if len(back) > 0 {
			return // the next round tries again
		}
	}
}

func (l *Later) take() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), laterRound)
	round := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	return round
}

// send submits requests together and returns those that may be retried. One whose outcome
// is unknown may then be in the log twice, which is better than not at all.
func (l *Later) send(ctx context.Context, round []Request) (back []Request) {
	failed := make([]error, len(round))
	var done sync.WaitGroup
	for i := range round {
		done.Add(1)
		go func() {
			defer done.Done()
			_, failed[i] = l.submit.Submit(ctx, round[i])
		}()
	}
	done.Wait()
	for i, err := range failed {
		switch {
		case errors.Is(err, ErrInternal), errors.Is(err, ErrClosed):
			l.mu.Lock()
			l.lost++
			l.mu.Unlock()
		case err != nil:
			back = append(back, round[i])
		}
	}
	return back
}
