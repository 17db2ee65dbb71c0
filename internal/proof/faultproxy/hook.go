package faultproxy

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Hook sees each chunk as it was read and decides what happens to it. A chunk is not a message:
// it may contain several, or a part. The hook may keep the chunk but must not change it. Calls
// for one connection and direction are sequential, all others concurrent.
type Hook func(d Direction, id ConnID, chunk []byte) Action

// Action is a hook's decision. The zero value forwards.
type Action struct {
	gate  *Gate
	at    int
	how   Break // 0: no cut
	delay time.Duration
}

// CutAt forwards k bytes of the chunk, or all of it if it is shorter, and then breaks the
// connection.
func CutAt(k int, how Break) Action { return Action{at: k, how: how} }

// Delay forwards the chunk, and what follows it, later.
func Delay(d time.Duration) Action { return Action{delay: d} }

// Gate holds chunks until Release. A chunk stays behind it when the sender of the connection goes
// away, and the receiver's end stays open: this is the pipeline of a lost connection that is
// still in transit (EN5). One gate may hold chunks of several connections.
type Gate struct {
	caughtOnce, openOnce sync.Once
	caught, open         chan struct{}
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{caught: make(chan struct{}), open: make(chan struct{})} }

// Hold holds the chunk, and everything behind it, until Release. If the gate is already open, it
// forwards.
func (g *Gate) Hold() Action { return Action{gate: g} }

// Caught is closed when the gate holds its first chunk.
func (g *Gate) Caught() <-chan struct{} { return g.caught }

// Release opens the gate permanently. It is idempotent.
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

// Record turns recording of the clients' bytes for Recorded on or off.
func (p *Proxy) Record(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recording = on
}

// Recorded returns what the client of a connection has sent while Record was on, whether or not
// it was forwarded.
func (p *Proxy) Recorded(id ConnID) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.records[id])
}

// Replay sends bytes, such as those from Recorded, to the target on a new connection that
// bypasses the proxy, and returns it. The caller reads the response and closes. The error is that
// of dialing or writing.
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
