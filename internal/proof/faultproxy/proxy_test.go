package faultproxy

import (
	"context"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestForwardsBothWaysAndCounts(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	client.send("question")
	server.wantRead("question")
	server.send("an answer")
	client.wantRead("an answer")
	w.wantBytes(8, 9)
	if got := w.Connections(); !slices.Equal(got, []ConnID{id}) || w.Accepted() != 1 {
		t.Errorf("connections %v of %d", got, w.Accepted())
	}
}

// The proxy is transparent: each way to end a connection is forwarded as it is.
func TestEndsAreForwarded(t *testing.T) {
	for _, d := range []Direction{ToServer, ToClient} {
		t.Run(d.String(), func(t *testing.T) {
			w := newWorld(t)
			client, server, id := w.connect()
			from, to := ends(d, client, server)
			from.send("last words")
			if err := from.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			to.wantRest("last words", Close)
			to.send("the other way is still open")
			_ = to.Close()
			from.wantRest("the other way is still open", Close)
			w.wantGone(id)

			client, server, id = w.connect()
			from, to = ends(d, client, server)
			from.reset()
			to.wantRest("", Reset)
			w.wantGone(id)
			if got := w.Connections(); len(got) != 0 {
				t.Errorf("connections %v are still there", got)
			}
		})
	}
}

// A sender whose receiver has gone away learns of it.
func TestWritingToNobodyIsAReset(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	_ = client.Close()
	server.wantRest("", Close)
	for {
		if _, err := server.Write([]byte("is anybody there?")); err != nil {
			break
		}
	}
	w.wantGone(id)
}

func TestSetTargetMovesNewConnections(t *testing.T) {
	w := newWorld(t)
	client, server, _ := w.connect()
	standby := listen(t)
	w.SetTarget(standby.Addr().String())
	newClient := w.dial()
	newServer := w.accept(standby)
	newClient.send("new")
	newServer.wantRead("new")
	client.send("old")
	server.wantRead("old")
}

func TestDeadTargetResetsTheClient(t *testing.T) {
	w := newWorld(t)
	_ = w.server.Close()
	w.wantRefused()
	w.await("no connection is kept", func() bool { return len(w.conns) == 0 })
}

// Close leaves no goroutine behind, whatever the connections are waiting for.
func TestCloseLeavesNothing(t *testing.T) {
	for name, wait := range map[string]func(*Proxy){
		"forwarded":     func(*Proxy) {},
		"held":          func(p *Proxy) { p.BlackHole(Both, Hold) },
		"dropped":       func(p *Proxy) { p.BlackHole(Both, Drop) },
		"late":          func(p *Proxy) { p.Latency(Both, patience*100, 0, 1) },
		"slow":          func(p *Proxy) { p.Bandwidth(Both, 1) },
		"behind a gate": func(p *Proxy) { p.OnData(func(Direction, ConnID, []byte) Action { return NewGate().Hold() }) },
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			w := newWorld(t)
			client, server, id := w.connect()
			wait(w.Proxy)
			other := w.dial()
			client.send("1234")
			server.send("5678")
			other.send("9")
			w.await("the bytes are in the proxy", func() bool {
				for i, pipe := range w.conns[id].pipes {
					if pipe.size == 0 && !pipe.lost && w.bytes[i].Load() == 0 {
						return false
					}
				}
				return w.last == 2
			})
			for range 2 {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := w.Connections(); len(got) != 0 {
				t.Errorf("connections %v are still there", got)
			}
			goleak.VerifyNone(t, before)
		})
	}
}

// A receiver that does not read blocks its writer in the middle, but not Close.
func TestCloseWhileWriting(t *testing.T) {
	before := goleak.IgnoreCurrent()
	w := newWorld(t)
	client, _, id := w.connect()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for chunk := make([]byte, 1<<20); ; {
			if _, err := client.Write(chunk); err != nil {
				return
			}
		}
	}()
	w.await("the queue is full", func() bool { return w.conns[id].pipes[toServer].size >= maxQueue })
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	wantDone(t, "the client's write fails", sent)
	goleak.VerifyNone(t, before)
}

// A connection broken while its server is being dialed is broken for the server, too, in the same
// way.
func TestBrokenWhileDialling(t *testing.T) {
	for _, how := range []Break{Reset, Close} {
		w := newWorld(t)
		c := newConn(w.Proxy, 99, nil)
		c.finish(how)
		c.dial()
		w.accept(w.server).wantRest("", how)
	}
}

func TestWaitGone(t *testing.T) {
	w := newWorld(t)
	_, _, id := w.connect()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.WaitGone(ctx, id); err == nil {
		t.Error("an open connection is said to be gone")
	}
	if err := w.WaitGone(context.Background(), id+1); err == nil {
		t.Error("a connection that never was is said to be gone")
	}
	w.ResetAll()
	if err := w.WaitGone(ctx, id); err != nil {
		t.Error(err)
	}
}
