package faultproxy

import (
	"slices"
	"time"
)

// Hole is what a black hole does with the bytes.
type Hole int

// The black holes. With both, connections stay open and silent, the end of a connection is
// swallowed like a byte, and new connections are accepted but go no further: their server is
// dialed after Heal.
const (
	// Hold keeps the bytes and delivers them after Heal, like a network that retransmits them. A
	// sender is stopped after 8 MiB.
	Hold Hole = iota + 1
	// Drop loses the bytes. A direction that has lost some stays silent after Heal, too, because no
	// TCP stream has a gap: it ends with ResetAll or CloseAll.
	Drop
)

// Break is a way to end a connection.
type Break int

// The ways.
const (
	// Reset sends RST to both ends. Bytes that did not fit into the receiver's socket are discarded;
	// those that have reached it can still be read (on Linux).
	Reset Break = iota + 1
	// Close sends FIN to both ends.
	Close
	// Silence permanently drops all further bytes in both directions.
	Silence
)

// link is the state of the line in one direction.
type link struct {
	hole            Hole
	latency, jitter time.Duration
	seed            uint64
	rate            int // bytes per second, 0: no limit
	slice           int // bytes, 0: no limit
	gap             time.Duration
}

// change changes the links of a direction and wakes everybody.
func (p *Proxy) change(d Direction, set func(*link)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.links {
		if d.has(i) {
			set(&p.links[i])
		}
	}
	p.wake()
}

// wake makes all connections recheck their state. The caller holds the lock.
func (p *Proxy) wake() {
	for _, c := range p.conns {
		for _, w := range c.pipes {
			signal(w.news)
		}
	}
}

// BlackHole makes the direction silent.
func (p *Proxy) BlackHole(d Direction, hole Hole) {
	p.change(d, func(l *link) { l.hole = hole })
}

// Latency delays each chunk by base ± jitter, uniformly distributed; the order is kept. The
// delays of a connection depend only on the seed, its ConnID and the direction.
func (p *Proxy) Latency(d Direction, base, jitter time.Duration, seed uint64) {
	p.mu.Lock()
	for _, c := range p.conns {
		for i, w := range c.pipes {
			if d.has(i) {
				w.random = nil // restarts with the new seed
			}
		}
	}
	p.mu.Unlock()
	p.change(d, func(l *link) { l.latency, l.jitter, l.seed = base, jitter, seed })
}

// Bandwidth limits each connection to a number of bytes per second; 0 removes the limit.
func (p *Proxy) Bandwidth(d Direction, perSecond int) {
	p.change(d, func(l *link) { l.rate = perSecond })
}

// Slice forwards pieces of at most n bytes, each with its own write, and waits for the gap after
// each. Without a gap the receiver may still read several at once.
func (p *Proxy) Slice(d Direction, n int, gap time.Duration) {
	p.change(d, func(l *link) { l.slice, l.gap = n, gap })
}

// Refuse resets every new connection at once. The kernel has completed the handshake by then, so
// the client sees ECONNRESET, while it connects or a little later, and not ECONNREFUSED. It sees
// the same when the target is down.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = true
}

// ResetAll sends RST to both ends of all connections and discards held bytes.
func (p *Proxy) ResetAll() { p.breakAll(Reset) }

// CloseAll sends FIN to both ends of all connections and discards held bytes.
func (p *Proxy) CloseAll() { p.breakAll(Close) }

func (p *Proxy) breakAll(how Break) {
	for _, c := range p.open() {
		c.sever(how)
	}
}

// BreakClient resets the client's end of a connection and leaves the server's end open. What the
// client has sent is still delivered, once the gates and holes in its way have opened, and then
// FIN: the server never learns of the reset, and what it sends is swallowed. It returns false if
// there is no such connection.
func (p *Proxy) BreakClient(id ConnID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.conns[id]
	if c == nil {
		return false
	}
	c.pipes[toServer].gentle, c.pipes[toClient].dead = true, true
	hangUp(c.ends[toClient], Reset)
	signal(c.pipes[toClient].news)
	return true
}

// Heal ends black holes, refusing, latency, bandwidth and slices, disarms the cuts, and delivers
// now what these have delayed. Gates stay shut, the hook stays set, and what is broken stays
// broken.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing, p.links, p.cuts = false, [2]link{}, nil
	for _, c := range p.conns {
		for _, w := range c.pipes {
			w.clear = time.Time{}
			for i := range w.queue {
				w.queue[i].due = time.Time{}
			}
		}
	}
	p.wake()
}

// Cut breaks one connection at one byte.
type Cut struct {
	p    *Proxy
	dir  Direction
	of   []ConnID // empty: any
	left int      // bytes that may still pass
	how  Break
	done chan struct{}
}

// CutAfter arms a cut: the connection that carries the next byte in the direction (one of those
// named, if any) forwards exactly n bytes from now on and is then broken. With n = 0 the next
// byte is the first one lost. Both counts the two directions together.
func (p *Proxy) CutAfter(d Direction, n int, how Break, of ...ConnID) *Cut {
	cut := &Cut{p: p, dir: d, of: slices.Clone(of), left: max(n, 0), how: how, done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts = append(p.cuts, cut)
	return cut
}

// Done is closed when the connection is broken.
func (c *Cut) Done() <-chan struct{} { return c.done }

// Cancel disarms the cut, if it has not happened yet.
func (c *Cut) Cancel() {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.p.cuts = slices.DeleteFunc(c.p.cuts, func(x *Cut) bool { return x == c })
}
