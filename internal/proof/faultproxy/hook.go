package faultproxy

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Hook sees each chunk as it was read and says what becomes of it. A chunk is not
// a message: one may hold several, or a part. The hook may keep the chunk and must
// not change it. Calls for one connection and direction come one after the other,
// all others at the same time.
type Hook func(d Direction, id ConnID, chunk []byte) Action

// Action is a hook's decision. The zero value forwards.
type Action struct {
	gate  *Gate
	at    int
	how   Break // 0: no cut
	delay time.Duration
}

// CutAt forwards k bytes of the chunk, all of it if it is shorter, and then breaks
// the connection.
func CutAt(k int, how Break) Action { return Action{at: k, how: how} }

// Delay forwards the chunk, and what follows it, later.
func Delay(d time.Duration) Action { return Action{delay: d} }

// Gate keeps chunks until Release. A chunk stays behind it when the sender of the
// connection goes away, and the receiver's end stays open: this is the pipeline of
// a lost connection that is still on its way (EN5). One gate may keep chunks of
// several connections.
type Gate struct {
	caughtOnce, openOnce sync.Once
	caught, open         chan struct{}
}

// NewGate makes a gate that is shut.
func NewGate() *Gate { return &Gate{caught: make(chan struct{}), open: make(chan struct{})} }

// Hold keeps the chunk, and everything behind it, until Release. If the gate is
// open already, it forwards.
func (g *Gate) Hold() Action { return Action{gate: g} }

// Caught is closed when the gate keeps its first chunk.
func (g *Gate) Caught() <-chan struct{} { return g.caught }

// Release opens the gate for good. It may be called again.
func (g *Gate) Release() { g.openOnce.Do(func() { close(g.open) }) }

func (g *Gate) isOpen() bool {
	select {
	case <-g.open:
		return true
	default:
		return false
	}
}

// OnData sets the hook for all connections; nil removes it.
func (p *Proxy) OnData(hook Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = hook
}

// Record switches on or off that the bytes of clients are kept for Recorded.
func (p *Proxy) Record(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recording = on
}

// Recorded is what the client of a connection has sent while Record was on,
// whether or not it was forwarded.
func (p *Proxy) Recorded(id ConnID) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.records[id])
}

// Replay sends bytes, such as those of Recorded, to the target on a new connection
// that passes by the proxy, and returns it. The caller reads the answer and closes.
// The error is that of dialling or writing.
func (p *Proxy) Replay(ctx context.Context, data []byte) (net.Conn, error) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, "tcp", target)
	if err != nil {
		return nil, fmt.Errorf("faultproxy: replay: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = server.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := server.Write(data); err != nil {
		_ = server.Close()
		return nil, fmt.Errorf("faultproxy: replay: %w", err)
	}
	return server, nil
}
