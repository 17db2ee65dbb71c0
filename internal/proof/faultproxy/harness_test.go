package faultproxy

import (
	"context"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0 draws one")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience only prevents a hang.
const patience = 20 * time.Second

// seeded prints the seed before anything can fail.
func seeded(t *testing.T) (uint64, *rand.Rand) {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	return seed, rand.New(rand.NewPCG(seed, 0))
}

// world is a proxy in front of a server whose connections the test controls.
type world struct {
	*Proxy
	t      *testing.T
	server *net.TCPListener
}

func newWorld(t *testing.T) *world {
	t.Helper()
	server := listen(t)
	p, err := New(server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return &world{p, t, server}
}

func listen(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.(*net.TCPListener)
}

// end is one end of a connection.
type end struct {
	*net.TCPConn
	t *testing.T
}

func newEnd(t *testing.T, c net.Conn) end {
	t.Helper()
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return end{c.(*net.TCPConn), t}
}

// dial connects a client to the proxy.
func (w *world) dial() end {
	w.t.Helper()
	c, err := net.DialTimeout("tcp", w.Addr(), patience)
	if err != nil {
		w.t.Fatal(err)
	}
	return newEnd(w.t, c)
}

// wantRefused connects, and is reset during that or at the first read.
func (w *world) wantRefused() {
	w.t.Helper()
	c, err := net.DialTimeout("tcp", w.Addr(), patience)
	if err == nil {
		newEnd(w.t, c).wantRest("", Reset)
	} else if !errors.Is(err, syscall.ECONNRESET) {
		w.t.Fatal(err)
	}
}

// accept returns the server's end of the next connection.
func (w *world) accept(l *net.TCPListener) end {
	w.t.Helper()
	if err := l.SetDeadline(time.Now().Add(patience)); err != nil {
		w.t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		w.t.Fatal(err)
	}
	return newEnd(w.t, c)
}

// connect returns a connection's both ends and its ID.
func (w *world) connect() (client, server end, id ConnID) {
	w.t.Helper()
	client = w.dial()
	server = w.accept(w.server)
	return client, server, ConnID(w.Accepted())
}

// ends returns the sender and the receiver of a direction.
func ends(d Direction, client, server end) (from, to end) {
	if d == ToServer {
		return client, server
	}
	return server, client
}

func (e end) send(text string) {
	e.t.Helper()
	if _, err := e.Write([]byte(text)); err != nil {
		e.t.Fatalf("send %q: %v", text, err)
	}
}

func (e end) reset() {
	e.t.Helper()
	if err := e.SetLinger(0); err != nil {
		e.t.Fatal(err)
	}
	_ = e.Close()
}

func (e end) wantRead(want string) {
	e.t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(e, got); err != nil || string(got) != want {
		e.t.Fatalf("read %q, %v, want %q", got[:n], err, want)
	}
}

// wantRest reads to the end of the stream. With Reset the end must be a reset, with Close an
// orderly end.
func (e end) wantRest(want string, how Break) {
	e.t.Helper()
	got, err := io.ReadAll(e)
	if string(got) != want {
		e.t.Fatalf("the stream ends with %q (%v), want %q", got, err, want)
	}
	if how == Reset && !errors.Is(err, syscall.ECONNRESET) || how == Close && err != nil {
		e.t.Fatalf("the stream ends with error %v", err)
	}
}

// await waits until the condition is true under the proxy's lock.
func (w *world) await(what string, ok func() bool) {
	w.t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		done := ok()
		w.mu.Unlock()
		if done {
			return
		}
		if time.Since(begin) > patience {
			w.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// awaitQueue waits until a number of bytes is held back in a direction.
func (w *world) awaitQueue(id ConnID, d Direction, n int) {
	w.t.Helper()
	i := int(d) - 1
	w.await("bytes in the queue", func() bool { return w.conns[id].pipes[i].size == n })
}

func (w *world) wantBytes(toServers, toClients int64) {
	w.t.Helper()
	if s, c := w.Bytes(); s != toServers || c != toClients {
		w.t.Fatalf("forwarded %d and %d bytes, want %d and %d", s, c, toServers, toClients)
	}
}

func (w *world) wantGone(id ConnID) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.WaitGone(ctx, id); err != nil {
		w.t.Fatal(err)
	}
}

func wantDone(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("waited in vain: %s", what)
	}
}

// serveEcho echoes every connection's bytes, until the listener is closed and all connections
// have ended.
func serveEcho(l net.Listener) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var group sync.WaitGroup
		defer group.Wait()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			})
		}
	}()
	return done
}

// chatter connects, talks and reconnects, whatever happens to it, until stop.
func chatter(addr string, stop <-chan struct{}) {
	buf := make([]byte, 4)
	for {
		select {
		case <-stop:
			return
		default:
		}
		c, err := net.DialTimeout("tcp", addr, patience)
		if err != nil {
			return
		}
		for range 20 {
			_ = c.SetDeadline(time.Now().Add(20 * time.Millisecond)) // there are many black holes
			if _, err := c.Write([]byte("ping")); err != nil {
				break
			}
			if _, err := io.ReadFull(c, buf); err != nil {
				break
			}
		}
		_ = c.Close()
	}
}
