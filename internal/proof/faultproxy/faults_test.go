package faultproxy

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestHoldingBlackHoleDeliversAfterHeal(t *testing.T) {
	for _, d := range []Direction{ToServer, ToClient, Both} {
		t.Run(d.String(), func(t *testing.T) {
			w := newWorld(t)
			client, server, id := w.connect()
			w.BlackHole(d, Hold)
			for _, one := range []Direction{ToServer, ToClient} {
				from, to := ends(one, client, server)
				from.send("hello")
				if d&one == 0 {
					to.wantRead("hello")
					continue
				}
				w.awaitQueue(id, one, 5)
			}
			_ = client.Close()
			w.await("the client's end is seen", func() bool { return w.conns[id].pipes[toServer].ended })
			if d != Both {
				return
			}
			w.wantBytes(0, 0)
			w.Heal()
			server.wantRest("hello", Close)
		})
	}
}

// A client that resets while its bytes are held does not lose them: the server gets all of them,
// and then an orderly end.
func TestResetDoesNotOvertakeHeldBytes(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	w.BlackHole(ToServer, Hold)
	client.send("on its way")
	w.awaitQueue(id, ToServer, 10)
	client.reset()
	w.await("the reset is seen", func() bool { return w.conns[id].pipes[toServer].ended })
	w.Heal()
	server.wantRest("on its way", Close)
}

// A stream with a gap stays silent after Heal. The other direction is unaffected.
func TestDroppingBlackHoleLosesTheConnection(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	w.BlackHole(ToServer, Drop)
	client.send("lost")
	w.await("the bytes are lost", func() bool { return w.conns[id].pipes[toServer].lost })
	w.Heal()
	client.send("silence")
	server.send("heard")
	client.wantRead("heard")
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	w.await("the end was swallowed", func() bool {
		w := w.conns[id].pipes[toServer]
		return w.ended && len(w.queue) == 0
	})
	if n, _ := w.Bytes(); n != 0 {
		t.Errorf("%d bytes were forwarded", n)
	}

	other, otherServer, _ := w.connect()
	other.send("new connections are well")
	otherServer.wantRead("new connections are well")

	w.CloseAll()
	server.wantRest("", Close)
	client.wantRest("", Close)
	_ = server.Close()
	w.wantGone(id)
}

// An idle connection survives a black hole of either kind.
func TestIdleConnectionSurvivesABlackHole(t *testing.T) {
	for _, hole := range []Hole{Hold, Drop} {
		w := newWorld(t)
		client, server, _ := w.connect()
		w.BlackHole(Both, hole)
		w.Heal()
		client.send("still here")
		server.wantRead("still here")
	}
}

// A client that connects during a black hole reaches the server that is the target when it ends.
func TestBlackHoleHoldsNewConnections(t *testing.T) {
	w := newWorld(t)
	w.BlackHole(Both, Hold)
	client := w.dial()
	client.send("early")
	w.await("the connection is there", func() bool { return w.last == 1 })
	w.awaitQueue(1, ToServer, 5)
	standby := listen(t)
	w.SetTarget(standby.Addr().String())
	w.Heal()
	server := w.accept(standby)
	server.wantRead("early")
}

func TestRefuse(t *testing.T) {
	w := newWorld(t)
	client, server, _ := w.connect()
	w.Refuse()
	w.wantRefused()
	if w.Accepted() != 1 {
		t.Errorf("%d connections were accepted", w.Accepted())
	}
	client.send("the old one works")
	server.wantRead("the old one works")
	w.Heal()
	client, server, _ = w.connect()
	client.send("and now a new one")
	server.wantRead("and now a new one")
}

func TestBreakAll(t *testing.T) {
	for name, how := range map[string]Break{"reset": Reset, "close": Close} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for range 3 {
				client, server, id := w.connect()
				w.BlackHole(Both, Hold) // held bytes are discarded
				client.send("abc")
				w.awaitQueue(id, ToServer, 3)
				if how == Reset {
					w.ResetAll()
				} else {
					w.CloseAll()
				}
				client.wantRest("", how)
				server.wantRest("", how)
				_, _ = client.Close(), server.Close()
				w.wantGone(id)
				w.Heal()
			}
		})
	}
}

// CloseAll is an orderly end for a receiver that is behind.
func TestCloseAllWhileWriting(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
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
	w.CloseAll()
	if _, err := io.Copy(io.Discard, server); err != nil {
		t.Errorf("the server sees %v", err)
	}
	client.wantRest("", Close)
	_, _ = client.Close(), server.Close()
	wantDone(t, "the client ends", sent)
	w.wantGone(id)
}

// CloseAll ends a connection whose ends have closed inside a black hole.
func TestCloseAllAfterSwallowedEnds(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	w.BlackHole(Both, Drop)
	_, _ = client.Close(), server.Close()
	w.await("both ends are swallowed", func() bool {
		a, b := w.conns[id].pipes[0], w.conns[id].pipes[1]
		return a.ended && b.ended && len(a.queue)+len(b.queue) == 0
	})
	w.CloseAll()
	w.wantGone(id)
}

// Each cut happens at the named byte: the receiver gets exactly n bytes, however the sender has
// split its stream into writes.
func TestCutAfterEveryByte(t *testing.T) {
	const before, text = "not counted", "BEGIN; one; two; COMMIT"
	for _, d := range []Direction{ToServer, ToClient, Both} {
		for name, how := range map[string]Break{"reset": Reset, "close": Close, "silence": Silence} {
			t.Run(d.String()+" "+name, func(t *testing.T) {
				w := newWorld(t)
				for n := range len(text) + 1 {
					w.cutOnce(d, how, n, before, text)
				}
			})
		}
	}
}

func (w *world) cutOnce(d Direction, how Break, n int, before, text string) {
	w.t.Helper()
	client, server, id := w.connect()
	from, to := ends(d, client, server)
	from.send(before)
	to.wantRead(before)
	cut := w.CutAfter(d, n, how)
	from.send(text[:5])
	_, _ = from.Write([]byte(text[5:])) // the cut may come first
	if n == len(text) && how != Reset {
		_, _ = from.Write([]byte(" and more"))
	}
	wantDone(w.t, fmt.Sprintf("cut after %d", n), cut.Done())
	if how == Silence {
		w.CloseAll() // which adds no byte
	}
	to.wantRest(text[:n], how)
	_, _ = client.Close(), server.Close()
	w.wantGone(id)
}

// The cut counts on the connection that carries the first byte, or on the named one; the others
// are unaffected.
func TestCutChoosesOneConnection(t *testing.T) {
	w := newWorld(t)
	a, serverA, idA := w.connect()
	b, serverB, idB := w.connect()

	cut := w.CutAfter(ToServer, 3, Reset, idB)
	a.send("12345")
	serverA.wantRead("12345")
	b.send("12")
	serverB.wantRead("12")
	b.send("345")
	wantDone(t, "the cut of the named one", cut.Done())
	serverB.wantRest("3", Reset)

	c, serverC, _ := w.connect()
	cut = w.CutAfter(ToServer, 3, Reset)
	a.send("67")
	serverA.wantRead("67")
	c.send("12345")
	serverC.wantRead("12345")
	a.send("8")
	wantDone(t, "the cut of the first one", cut.Done())
	serverA.wantRest("8", Reset)
	w.wantGone(idA)

	cancelled := w.CutAfter(ToServer, 1, Reset)
	cancelled.Cancel()
	healed := w.CutAfter(ToServer, 1, Reset)
	w.Heal()
	c.send("678")
	serverC.wantRead("678")
	for _, cut := range []*Cut{cancelled, healed} {
		select {
		case <-cut.Done():
			t.Error("a disarmed cut happened")
		default:
		}
	}
}

// Everything arrives, in order, under any mix of the lossless faults.
func TestRandomWeatherKeepsTheStream(t *testing.T) {
	seed, random := seeded(t)
	for range 10 {
		w := newWorld(t)
		client, server, _ := w.connect()
		var sent [2]strings.Builder
		for i := range 40 {
			d := []Direction{ToServer, ToClient, Both}[random.IntN(3)]
			switch random.IntN(6) {
			case 0:
				w.BlackHole(d, Hold)
			case 1:
				w.Latency(d, 2e6, 2e6, seed)
			case 2:
				w.Bandwidth(d, 1000+random.IntN(1e6))
			case 3:
				w.Slice(d, 1+random.IntN(20), 0)
			case 4:
				w.Heal()
			}
			k := random.IntN(2)
			text := strings.Repeat(fmt.Sprintf("%d.", i), random.IntN(200))
			[]end{client, server}[k].send(text)
			sent[k].WriteString(text)
		}
		w.Heal()
		server.wantRead(sent[toServer].String())
		client.wantRead(sent[toClient].String())
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.wantBytes(int64(sent[toServer].Len()), int64(sent[toClient].Len()))
	}
}

// After setting and healing faults while clients come and go, the proxy still works.
func TestFaultsDuringTraffic(t *testing.T) {
	seed, random := seeded(t)
	w := newWorld(t)
	served := serveEcho(w.server)
	var clients []chan struct{}
	stop := make(chan struct{})
	for range 4 {
		done := make(chan struct{})
		clients = append(clients, done)
		go func() {
			defer close(done)
			chatter(w.Addr(), stop)
		}()
	}
	for range 300 {
		d := []Direction{ToServer, ToClient, Both}[random.IntN(3)]
		ids := w.Connections()
		slices.Reverse(ids)
		switch random.IntN(9) {
		case 0:
			w.BlackHole(d, Hole(1+random.IntN(2)))
		case 1:
			w.Latency(d, 1e6, 1e6, seed)
		case 2:
			w.Slice(d, 1, 0)
		case 3:
			w.Refuse()
		case 4:
			w.ResetAll()
		case 5:
			w.CloseAll()
		case 6:
			w.CutAfter(d, random.IntN(20), Break(1+random.IntN(3)))
		case 7:
			w.BreakClient(append(ids, 0)[0])
		default:
			w.Heal()
		}
	}
	w.Heal()
	close(stop)
	w.ResetAll()
	last := w.dial()
	last.send("well")
	last.wantRead("well")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, done := range clients {
		wantDone(t, "a client ends", done)
	}
	_ = w.server.Close()
	wantDone(t, "the server ends", served)
}
