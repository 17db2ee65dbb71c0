// Package gate is what every connection to a server passes before a request is parsed. It
// bounds the number of connections, in all and per address, and admits only requests whose
// beginning and end are unambiguous.
//
//	Listen      a listener with these limits, to be told of its connections' states
//	Room        how many connections a limit on open files allows
//
// Nobody is turned away because of idle earlier connections: if there is no room for a
// connection, the one that has kept the server waiting longest is closed, among those of
// the address with the most connections.
package gate

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound the connections of a listener.
type Limits struct {
	Most    int // in all; 0: DefaultMost
	Address int // from one address; 0: an eighth of Most, and at least 16
	// Proxies are our own, each of which forwards for many callers: they have no limit of
	// their own, and their connections are closed last.
	Proxies []netip.Prefix
	// Grace is how long a connection may keep the server waiting before it can be closed to
	// make room; 0: DefaultGrace. Within it a new connection is refused instead, so that a
	// crowd of honest callers keeps its connections between requests.
	Grace time.Duration
	// Key is the key under which an address is counted; nil: the address itself.
	Key func(netip.Addr) string
}

// DefaultMost is the default maximum number of connections.
const DefaultMost = 4096

// DefaultGrace is short enough that connections opened to take all room must be reopened
// several times a second.
const DefaultGrace = 250 * time.Millisecond

// addressesAtLeast is how many addresses fill a listener, and leastOfAddress how many
// connections one may have whatever the limit.
const (
	addressesAtLeast = 8
	leastOfAddress   = 16
)

func (l *Limits) complete() {
	if l.Most <= 0 {
		l.Most = DefaultMost
	}
	if l.Address <= 0 {
		l.Address = max(leastOfAddress, l.Most/addressesAtLeast)
	}
	l.Address = min(l.Address, l.Most)
	if l.Grace <= 0 {
		l.Grace = DefaultGrace
	}
	if l.Key == nil {
		l.Key = netip.Addr.String
	}
}

// What a limit on open files must leave: ownFiles are for what the process has open anyway,
// logs, metrics and the bank's files. Of the rest without the database's files a quarter is
// for deliveries: those in flight, and connections kept for reuse.
const (
	ownFiles       = 48
	fewestLeft     = 16 // with fewer connections serving is pointless
	mostDeliveries = 256
)

// Budget is the allocation of a limit on open files.
type Budget struct {
	Connections int // of callers
	Deliveries  int // concurrent ones; twice as many connections may be kept for reuse
}

// Room divides a limit on open files, after the database's share, for at most so many
// callers' connections. false: the rest is too small for a server.
func Room(files uint64, database, most int) (Budget, bool) {
	left := int(min(files, 1<<20)) - ownFiles - database
	if left < fewestLeft*4/3 {
		return Budget{}, false
	}
	each := min(left/12, mostDeliveries)
	return Budget{Connections: min(left-3*each, most), Deliveries: max(1, each)}, true
}

// Listener accepts connections from another one within its limits. It is safe for
// concurrent use.
type Listener struct {
	net.Listener
	limits Limits

	mu    sync.Mutex
	conns map[*conn]bool
	from  map[string]int // connections by the key of their address

	evicted, refused atomic.Int64
}

// Listen adds limits to a listener.
func Listen(l net.Listener, limits Limits) *Listener {
	limits.complete()
	return &Listener{Listener: l, limits: limits, conns: map[*conn]bool{}, from: map[string]int{}}
}

// Stats are counts of a listener since its start.
type Stats struct {
	Open    int   // connections now
	Evicted int64 // closed to make room for another one
	Refused int64 // for which there was no room
}

// Stats returns the counts.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Open: len(l.conns), Evicted: l.evicted.Load(), Refused: l.refused.Load()}
}

// Accept returns the next connection for which there is room.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		plain, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := l.wrap(plain)
		victim, ok := l.enter(c)
		if victim != nil {
			l.evicted.Add(1)
			_ = victim.Conn.Close()
		}
		if ok {
			return c, nil
		}
		l.refused.Add(1)
		refuse(plain)
	}
}

// refusal is sent to a connection for which there is no room because all others are being
// answered.
const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// refuse answers without reading a request. The text fits into the buffer of a new
// connection.
func refuse(c net.Conn) {
	_ = c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	_, _ = c.Write([]byte(refusal))
	_ = c.Close()
}

func (l *Listener) wrap(plain net.Conn) *conn {
	c := &conn{Conn: plain, of: l}
	c.since.Store(time.Now().UnixNano())
	if at, err := netip.ParseAddrPort(plain.RemoteAddr().String()); err == nil {
		a := at.Addr().Unmap().WithZone("")
		c.key = l.limits.Key(a)
		c.proxy = slices.ContainsFunc(l.limits.Proxies, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	return c
}

// enter finds room for a connection. victim is a connection to close for it.
func (l *Listener) enter(c *conn) (victim *conn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	crowded := !c.proxy && l.from[c.key] >= l.limits.Address
	if crowded || len(l.conns) >= l.limits.Most {
		if victim = l.longest(c, crowded); victim == nil {
			return nil, false
		}
		l.drop(victim)
	}
	l.conns[c] = true
	l.from[c.key]++
	return victim, true
}

// longest finds the connection to close for c: the one that has kept us waiting longest, of
// the address with the most of them. Only those of c's address are considered if that one
// is full.
func (l *Listener) longest(c *conn, own bool) (victim *conn) {
	latest := time.Now().Add(-l.limits.Grace).UnixNano()
	for x := range l.conns {
		if !x.waits() || x.since.Load() > latest || own && x.key != c.key {
			continue
		}
		if victim == nil || l.before(x, victim) {
			victim = x
		}
	}
	return victim
}

// before reports whether connection a makes room before b.
func (l *Listener) before(a, b *conn) bool {
	if a.proxy != b.proxy {
		return b.proxy
	}
	if n, m := l.from[a.key], l.from[b.key]; n != m {
		return n > m
	}
	return a.since.Load() < b.since.Load()
}

// drop removes a connection; the lock is held.
func (l *Listener) drop(c *conn) {
	if !l.conns[c] {
		return
	}
	delete(l.conns, c)
	if l.from[c.key]--; l.from[c.key] == 0 {
		delete(l.from, c.key)
	}
}

// State is http.Server.ConnState: it tells the listener when a request has been answered.
func (l *Listener) State(c net.Conn, state http.ConnState) {
	if x, ok := c.(*conn); ok && state == http.StateIdle {
		x.answered.Add(1)
		x.since.Store(time.Now().UnixNano())
	}
}

// conn is one connection.
type conn struct {
	net.Conn
	of    *Listener
	key   string // key of its address
	proxy bool   // it comes from one of our proxies

	framing  framing      // used by one reader at a time
	came     atomic.Int64 // requests received completely
	answered atomic.Int64 // requests answered
	since    atomic.Int64 // Unix nanoseconds: when waiting for the peer began
}

// waits reports whether the peer must send something: no completely received request of it
// is being answered.
func (c *conn) waits() bool { return c.came.Load() <= c.answered.Load() }

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.framing.pass(b[:n])
		c.came.Store(c.framing.requests)
	}
	return n, err
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.drop(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite lets net/http end a connection so that its last answer is still read.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}
