package throttle

import (
	"context"
	"sync"
	"time"
)

// Pool is a number of places. Each key can hold only a share, so that none takes them all.
// Waiting callers get places in turn. It is safe for concurrent use, and its memory is
// bounded by those who hold or want a place.
type Pool struct {
	all   chan struct{}
	share int

	mu   sync.Mutex
	each map[string]*share
}

// share is one key's part of a pool.
type share struct {
	taken chan struct{}
	users int // who hold a place or wait for one
}

// NewPool returns a pool with a number of places, and a share for each key. Both must be
// above zero.
func NewPool(places, each int) *Pool {
	return &Pool{all: make(chan struct{}, places), share: each, each: map[string]*share{}}
}

// Enter takes a place at once, or returns false. After entering, call Leave.
func (p *Pool) Enter(key string) bool { return p.EnterWithin(context.Background(), key, 0) }

// EnterWithin takes a place, waiting at most that long or until the context ends. After
// entering, call Leave.
func (p *Pool) EnterWithin(ctx context.Context, key string, wait time.Duration) bool {
	s := p.use(key)
	if !seat(ctx, s.taken, wait) {
		p.unuse(key, s)
		return false
	}
	if !seat(ctx, p.all, wait) {
		<-s.taken
		p.unuse(key, s)
		return false
	}
	return true
}

// Leave gives a place back.
func (p *Pool) Leave(key string) {
	p.mu.Lock()
	s := p.each[key]
	p.mu.Unlock()
	<-p.all
	<-s.taken
	p.unuse(key, s)
}

func seat(ctx context.Context, places chan struct{}, wait time.Duration) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
	}
	if wait <= 0 {
		return false
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case places <- struct{}{}:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

func (p *Pool) use(key string) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.each[key]
	if s == nil {
		s = &share{taken: make(chan struct{}, p.share)}
		p.each[key] = s
	}
	s.users++
	return s
}

func (p *Pool) unuse(key string, s *share) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(p.each, key)
	}
}
