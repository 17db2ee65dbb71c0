package faultproxy

import (
	"context"
	"net"
)

// conn is a client's connection with its connection to the server. The proxy's lock guards its
// state, including that of its pipes.
type conn struct {
	p      *Proxy
	id     ConnID
	ctx    context.Context // canceled with the connection
	cancel context.CancelFunc
	ends   [2]*net.TCPConn // where each pipe writes; the server is nil before it is dialed
	pipes  [2]*pipe
	broken Break // how it was finished
}

func newConn(p *Proxy, id ConnID, client *net.TCPConn) *conn {
	c := &conn{p: p, id: id}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.ends[toClient] = client
	for i := range c.pipes {
		c.pipes[i] = &pipe{c: c, i: i, news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	}
	return c
}

// hangUp closes a socket. An error means that it is already closed.
func hangUp(end *net.TCPConn, how Break) {
	if end == nil {
		return
	}
	if how == Reset {
		_ = end.SetLinger(0)
	}
	_ = end.Close()
}

// finish closes both sockets and forgets the connection.
func (c *conn) finish(how Break) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	for _, end := range c.ends {
		hangUp(end, how)
	}
	c.broken = how
	c.cancel()
	delete(c.p.conns, c.id)
}

// sever breaks both ends. After Close the sockets stay open until both ends have closed, too:
// closing a socket with unread bytes would send RST.
func (c *conn) sever(how Break) {
	c.p.mu.Lock()
	undialled := c.ends[toServer] == nil // nobody to send FIN to
	for i, w := range c.pipes {
		switch {
		case how == Silence:
			w.lost = true
		case how == Close && !undialled:
			w.dead, w.passed = true, true
			_ = c.ends[i].CloseWrite()
		}
		signal(w.news)
	}
	over := how == Reset || how == Close && (undialled || c.over())
	c.p.mu.Unlock()
	if over {
		c.finish(how)
	}
}

// over reports whether both senders have ended and both receivers know. The caller holds the
// lock.
func (c *conn) over() bool {
	for _, w := range c.pipes {
		if !w.ended || !w.passed {
			return false
		}
	}
	return true
}

// dial connects to the target and starts the reader of the server. It continues if the connection
// is reset meanwhile: the server may have accepted already, and must see the reset.
func (c *conn) dial() {
	c.p.mu.Lock()
	target := c.p.target
	c.p.mu.Unlock()
	var dialer net.Dialer
	server, err := dialer.DialContext(c.p.life, "tcp", target)
	if err != nil {
		c.finish(Reset)
		return
	}
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if c.ctx.Err() != nil {
		hangUp(server.(*net.TCPConn), c.broken)
		return
	}
	c.ends[toServer] = server.(*net.TCPConn)
	c.p.group.Go(c.pipes[toClient].read)
}
