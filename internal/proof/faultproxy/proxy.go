// Package faultproxy is a TCP proxy on loopback that breaks connections in the
// ways a network does, at the byte that a test names (T14 to T16,
// T20). It knows no protocol; a test that looks for a message uses OnData.
//
//	proxy, err := faultproxy.New(database)          // clients dial proxy.Addr()
//	proxy.BlackHole(faultproxy.Both, faultproxy.Drop)
//	proxy.Latency(faultproxy.ToClient, 500*time.Millisecond, 400*time.Millisecond, seed)
//	cut := proxy.CutAfter(faultproxy.ToServer, 17, faultproxy.Reset)
//	proxy.Heal()
//
// Without a fault the proxy is transparent: what arrives at one end leaves at the
// other, including half-closes and resets. Every fault applies to existing
// and future connections. All methods may be called from any goroutine, also
// from inside a hook. A piece that is being written when a fault is set may
// still pass, like a packet in transit.
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Direction selects bytes by direction. The two directions can be combined with |.
type Direction int

// The directions, and both of them.
const (
	ToServer Direction = 1 << iota
	ToClient
	Both = ToServer | ToClient
)

func (d Direction) String() string {
	switch d {
	case ToServer:
		return "to server"
	case ToClient:
		return "to client"
	case Both:
		return "both directions"
	}
	return fmt.Sprintf("Direction(%d)", int(d))
}

// The index of a direction in all arrays of this package.
const (
	toServer = iota
	toClient
)

// has reports whether the direction with index i is selected.
func (d Direction) has(i int) bool { return d&(1<<i) != 0 }

// ConnID identifies a connection of one proxy. They count from 1 in the order of acceptance.
type ConnID int

// Proxy forwards connections from its address to a target.
type Proxy struct {
	listener net.Listener
	group    sync.WaitGroup  // all goroutines
	life     context.Context // canceled by Close
	end      context.CancelFunc
	bytes    [2]atomic.Int64 // forwarded

	mu        sync.Mutex // guards what follows, and the state of all connections
	closed    bool
	target    string
	refusing  bool
	links     [2]link
	cuts      []*Cut // armed
	hook      Hook
	recording bool
	records   map[ConnID][]byte
	conns     map[ConnID]*conn
	last      ConnID
}

// New starts a proxy on a free port of 127.0.0.1. The target, host:port, is dialed once for each
// client; if it cannot be reached, the client's connection is reset. The error is that of the
// listener.
func New(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("faultproxy: %w", err)
	}
	p := &Proxy{listener: listener, target: target, records: map[ConnID][]byte{}, conns: map[ConnID]*conn{}}
	p.life, p.end = context.WithCancel(context.Background())
	p.group.Go(p.accept)
	return p, nil
}

// Addr returns where clients connect, as host:port. It stays the same for the proxy's life.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// SetTarget directs new connections to another server, like a failover. Existing connections are
// unaffected: ResetAll ends them.
func (p *Proxy) SetTarget(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = addr
}

// Close ends all connections, discards what is held, and returns when no goroutine of the proxy
// is left. It is idempotent. A hook that never returns blocks it.
func (p *Proxy) Close() error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	p.end()
	var err error
	if first {
		err = p.listener.Close()
	}
	for _, c := range p.open() {
		c.finish(Close)
	}
	p.group.Wait()
	return err
}

// Bytes returns how many bytes were forwarded to servers and to clients since New. A test whose
// fault must be on the path asserts that they are not 0 (T15).
func (p *Proxy) Bytes() (toServers, toClients int64) {
	return p.bytes[toServer].Load(), p.bytes[toClient].Load()
}

// Connections returns the connections that the proxy still has, in order: until both ends have
// closed, or one was reset.
func (p *Proxy) Connections() []ConnID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.conns))
}

// Accepted returns how many connections were accepted since New, without refused ones. It is also
// the newest ConnID.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.last)
}

// WaitGone returns nil when the proxy no longer has the connection: after a release, when the
// server has read everything and closed. The error is that of the context, or means that there
// never was such a connection.
func (p *Proxy) WaitGone(ctx context.Context, id ConnID) error {
	p.mu.Lock()
	c, last := p.conns[id], p.last
	p.mu.Unlock()
	switch {
	case id < 1 || id > last:
		return fmt.Errorf("faultproxy: connection %d was never accepted", id)
	case c == nil:
		return nil
	}
	select {
	case <-c.ctx.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("faultproxy: connection %d is still open: %w", id, ctx.Err())
	}
}

// open returns a copy of the connections, in order.
func (p *Proxy) open() []*conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*conn
	for _, id := range slices.Sorted(maps.Keys(p.conns)) {
		out = append(out, p.conns[id])
	}
	return out
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no free descriptor: one may become available
			time.Sleep(10 * time.Millisecond)
		default:
			p.admit(client.(*net.TCPConn))
		}
	}
}

// admit starts a connection, or resets it.
func (p *Proxy) admit(client *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.refusing {
		hangUp(client, Reset)
		return
	}
	p.last++
	c := newConn(p, p.last, client)
	p.conns[c.id] = c
	p.group.Go(c.pipes[toServer].read)
	p.group.Go(c.pipes[toServer].write) // it dials, and then starts the reader of the server
	p.group.Go(c.pipes[toClient].write)
}
