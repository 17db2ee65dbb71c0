package faultproxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// on returns a hook that acts on the chunks of one direction that contain a text.
func on(d Direction, text string, act Action) Hook {
	return func(at Direction, _ ConnID, chunk []byte) Action {
		if at == d && bytes.Contains(chunk, []byte(text)) {
			return act
		}
		return Action{}
	}
}

func TestHookCutsInsideItsChunk(t *testing.T) {
	for _, k := range []int{-1, 0, 4, 6, 99} {
		w := newWorld(t)
		client, server, id := w.connect()
		w.OnData(on(ToServer, "COMMIT", CutAt(k, Reset)))
		client.send("BEGIN;")
		server.wantRead("BEGIN;")
		client.send("COMMIT")
		server.wantRest("COMMIT"[:min(max(k, 0), 6)], Reset)
		client.wantRest("", Reset)
		w.wantGone(id)
	}
}

// The hook sees every byte in both directions, with the ID of its connection.
func TestHookSeesEverything(t *testing.T) {
	w := newWorld(t)
	var seen [3][2]atomic.Int64
	w.OnData(func(d Direction, id ConnID, chunk []byte) Action {
		seen[id][d-1].Add(int64(len(chunk)))
		return Action{}
	})
	for i := range 2 {
		client, server, id := w.connect()
		client.send(strings.Repeat("q", 10+i))
		server.wantRead(strings.Repeat("q", 10+i))
		server.send(strings.Repeat("a", 20+i))
		client.wantRead(strings.Repeat("a", 20+i))
		if q, a := seen[id][toServer].Load(), seen[id][toClient].Load(); q != int64(10+i) || a != int64(20+i) {
			t.Errorf("connection %d: the hook saw %d and %d bytes", id, q, a)
		}
	}
	w.OnData(nil)
	client, server, id := w.connect()
	client.send("unseen")
	server.wantRead("unseen")
	if id != 3 {
		t.Errorf("the third connection is %d", id)
	}
}

func TestHookDelays(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	w.OnData(on(ToServer, "slow", Delay(time.Hour)))
	client.send("slow")
	w.awaitQueue(id, ToServer, 4)
	client.send("fast")
	w.awaitQueue(id, ToServer, 8)
	w.wantBytes(0, 0)
	w.Heal()
	server.wantRead("slowfast")
}

// The network form of a late commit: the pipeline of a connection that its client has lost
// arrives after the client has done other things on a new one.
func TestHeldChunkOutlivesItsClient(t *testing.T) {
	for name, leave := range map[string]func(*world, end, ConnID){
		"closes":        func(_ *world, client end, _ ConnID) { _ = client.Close() },
		"resets":        func(_ *world, client end, _ ConnID) { client.reset() },
		"is broken off": func(w *world, _ end, id ConnID) { w.BreakClient(id) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			client, server, id := w.connect()
			gate := NewGate()
			w.OnData(on(ToServer, "COMMIT", gate.Hold()))
			client.send("BEGIN;")
			server.wantRead("BEGIN;")
			client.send("insert; COMMIT")
			wantDone(t, "the gate holds", gate.Caught())
			leave(w, client, id)
			w.await("the proxy knows that the client is gone", func() bool { return w.conns[id].pipes[toServer].ended })

			other, otherServer, _ := w.connect()
			other.send("tombstone")
			otherServer.wantRead("tombstone")
			w.Heal() // not the gate
			if n, _ := w.Bytes(); n != int64(len("BEGIN;tombstone")) {
				t.Fatalf("%d bytes have passed a shut gate", n)
			}

			gate.Release()
			gate.Release()
			server.wantRead("insert; COMMIT")
			for range 100 { // the server never learns, whatever it responds
				server.send("COMMIT done")
			}
			server.wantRest("", Close)
			_ = server.Close()
			w.wantGone(id)
		})
	}
}

// BreakClient shows the client a reset.
func TestBreakClientIsSeenByTheClient(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	if !w.BreakClient(id) || w.BreakClient(id+1) {
		t.Error("BreakClient does not know who is there")
	}
	client.wantRest("", Reset)
	server.wantRest("", Close)
	_ = server.Close()
	w.wantGone(id)
}

// A gate keeps the order, lets other connections pass, and once open stays open.
func TestGateKeepsTheOrder(t *testing.T) {
	w := newWorld(t)
	client, server, id := w.connect()
	other, otherServer, _ := w.connect()
	gate := NewGate()
	w.OnData(on(ToServer, "1", gate.Hold()))
	client.send("1")
	wantDone(t, "the gate holds", gate.Caught())
	client.send("2")
	w.awaitQueue(id, ToServer, 2)
	other.send("3")
	otherServer.wantRead("3")
	server.send("4")
	client.wantRead("4")
	w.BlackHole(ToServer, Drop) // the held bytes are not on the line yet
	w.Heal()
	gate.Release()
	server.wantRead("12")
	client.send("1")
	server.wantRead("1")
}

// A request is sent twice: the second time by the network.
func TestReplay(t *testing.T) {
	var orders atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(rw, string(body)+" "+strconv.FormatInt(orders.Add(1), 10))
	}))
	defer server.Close()
	p, err := New(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.Record(true)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	transport := &http.Transport{}
	client := &http.Client{Transport: transport, Timeout: patience}
	answer, err := client.Post("http://"+p.Addr()+"/order", "text/plain", strings.NewReader("order"))
	if err != nil {
		t.Fatal(err)
	}
	wantBody(t, answer, "order 1")
	transport.CloseIdleConnections()

	again, err := p.Replay(ctx, p.Recorded(1))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	answer, err = http.ReadResponse(bufio.NewReader(again), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantBody(t, answer, "order 2")

	p.Record(false)
	answer, err = client.Post("http://"+p.Addr()+"/order", "text/plain", strings.NewReader("order"))
	if err != nil {
		t.Fatal(err)
	}
	wantBody(t, answer, "order 3")
	transport.CloseIdleConnections()
	if got := p.Recorded(2); len(got) != 0 {
		t.Errorf("%d bytes were recorded unasked", len(got))
	}
	server.Close()
	if _, err := p.Replay(ctx, []byte("x")); err == nil {
		t.Error("a replay to nobody has no error")
	}
}

func wantBody(t *testing.T, r *http.Response, want string) {
	t.Helper()
	defer r.Body.Close()
	if body, err := io.ReadAll(r.Body); err != nil || string(body) != want {
		t.Fatalf("body %q, %v, want %q", body, err, want)
	}
}
