package gate

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// inn is a server behind a gate. A request for /stay is answered when the test says so.
type inn struct {
	t       *testing.T
	gate    *Listener
	address string
	entered chan struct{}
	release chan struct{}
}

func newInn(t *testing.T, limits Limits) *inn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if limits.Grace == 0 {
		limits.Grace = 1
	}
	n := &inn{t: t, gate: Listen(l, limits), address: l.Addr().String(), entered: make(chan struct{}, 100), release: make(chan struct{})}
	s := &http.Server{ConnState: n.gate.State, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stay" {
			n.entered <- struct{}{}
			<-n.release
		}
		io.WriteString(w, "ok")
	})}
	go s.Serve(n.gate)
	t.Cleanup(func() { s.Close() })
	return n
}

// guest connects from 127.0.0.n and sends something.
func (n *inn) guest(from int, says string) net.Conn {
	n.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(from))}}
	before := n.seen()
	c, err := d.Dial("tcp", n.address)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { c.Close() })
	io.WriteString(c, says)
	n.until("it is let in or refused", func() bool { return n.seen() > before })
	return c
}

// seen counts the connections that the gate has decided about.
func (n *inn) seen() int64 {
	s := n.gate.Stats()
	return int64(s.Open) + s.Evicted + s.Refused
}

func (n *inn) until(what string, ok func() bool) {
	n.t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			n.t.Fatalf("never: %s; %+v", what, n.gate.Stats())
		}
	}
}

// answer reads what arrives within the time of a test; "" if the connection ends.
func answer(c net.Conn) string {
	c.SetReadDeadline(time.Now().Add(time.Minute))
	b := make([]byte, 4096)
	k, _ := c.Read(b)
	return string(b[:k])
}

// ended reports whether the server has closed a connection; an open one is silent.
func ended(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err != nil && !strings.Contains(err.Error(), "timeout")
}

const stay = "GET /stay HTTP/1.1\r\nHost: x\r\n\r\n"

// The address with the most connections makes room, with the one that waits longest; one
// being answered stays.
func TestWhoMakesRoom(t *testing.T) {
	n := newInn(t, Limits{Most: 5, Address: 3})
	defer close(n.release)
	busy := n.guest(2, stay)
	<-n.entered
	second, third := n.guest(2, ""), n.guest(2, "GET / HT")
	other := n.guest(3, "")
	// Its own address is full: its oldest idle one makes room.
	fourth := n.guest(2, "")
	if !ended(second) || ended(busy) || ended(third) || ended(other) {
		t.Error("not the one of its address that waits longest has made room")
	}
	last := n.guest(4, "") // the fifth
	// All are taken: the address with the most gives one up, neither the newest nor its
	// only one.
	newest := n.guest(5, stay)
	<-n.entered
	if !ended(third) || ended(fourth) || ended(other) || ended(last) || ended(busy) {
		t.Error("not the address with most connections has made room")
	}
	if s := n.gate.Stats(); s.Open != 5 || s.Evicted != 2 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
	n.release <- struct{}{}
	n.release <- struct{}{}
	if a := answer(newest); !strings.Contains(a, "200 OK") {
		t.Errorf("the newest: %q", a)
	}
}

// If all are being answered, a new connection is refused.
func TestNobodyMakesRoom(t *testing.T) {
	n := newInn(t, Limits{Most: 3, Address: 3})
	var all []net.Conn
	for i := range 3 {
		all = append(all, n.guest(2+i, stay))
		<-n.entered
	}
	if a := answer(n.guest(6, "")); !strings.Contains(a, "503 ") || !strings.Contains(a, "Retry-After") {
		t.Errorf("answered %q", a)
	}
	close(n.release)
	for _, c := range all {
		if a := answer(c); !strings.Contains(a, "200 OK") {
			t.Errorf("who had come before: %q", a)
		}
	}
	// They have been answered and are idle: they make room now.
	n.until("all are idle", func() bool {
		n.gate.mu.Lock()
		defer n.gate.mu.Unlock()
		for c := range n.gate.conns {
			if !c.waits() {
				return false
			}
		}
		return true
	})
	c := n.guest(6, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if a := answer(c); !strings.Contains(a, "200 OK") {
		t.Errorf("afterwards: %q", a)
	}
	for _, c := range append(all, c) {
		c.Close()
	}
	n.until("nothing is left of them", func() bool { return n.gate.Stats().Open == 0 && len(n.gate.from) == 0 })
}

// One of our proxies has no limit of its own, and its connections are kept while others can
// make room.
func TestProxiesHaveNoLimit(t *testing.T) {
	n := newInn(t, Limits{Most: 6, Address: 1, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}})
	var kept []net.Conn
	for range 5 {
		kept = append(kept, n.guest(9, ""))
	}
	first := n.guest(2, "")
	second := n.guest(3, "")
	if !ended(first) || ended(second) {
		t.Error("a caller without a proxy does not make room")
	}
	for i, c := range kept {
		if ended(c) {
			t.Errorf("connection %d of the proxy has made room", i)
		}
	}
}

// With pipelined requests a connection is busy until the last answer.
func TestPipelinedConnectionsAreBusy(t *testing.T) {
	n := newInn(t, Limits{Most: 1, Address: 1})
	c := n.guest(2, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"+stay)
	<-n.entered
	if a := answer(n.guest(3, "")); !strings.Contains(a, "503 ") {
		t.Errorf("answered %q", a)
	}
	close(n.release)
	c.SetReadDeadline(time.Now().Add(time.Minute))
	var all strings.Builder
	for b := make([]byte, 1024); strings.Count(all.String(), "200 OK") < 2; {
		k, err := c.Read(b)
		if err != nil {
			t.Fatalf("%v behind %q", err, all.String())
		}
		all.Write(b[:k])
	}
}

// A connection that has just arrived, or has just been answered, does not make room.
func TestGrace(t *testing.T) {
	n := newInn(t, Limits{Most: 2, Address: 2, Grace: time.Minute})
	first, second := n.guest(2, ""), n.guest(3, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if a := answer(second); !strings.Contains(a, "200 OK") {
		t.Fatalf("answered %q", a)
	}
	if a := answer(n.guest(4, "")); !strings.Contains(a, "503 ") || ended(first) || ended(second) {
		t.Errorf("answered %q", a)
	}
}

func TestRoom(t *testing.T) {
	for _, x := range []struct {
		files          uint64
		database, most int
		want           Budget
		enough         bool
	}{
		{70, 20, DefaultMost, Budget{}, false},
		{128, 24, DefaultMost, Budget{44, 4}, true},
		{256, 24, DefaultMost, Budget{139, 15}, true},
		{1024, 34, DefaultMost, Budget{708, 78}, true},
		{1024, 34, 100, Budget{100, 78}, true},
		{20_000, 34, DefaultMost, Budget{DefaultMost, 256}, true},
		{1 << 63, 34, 1 << 20, Budget{1<<20 - 48 - 34 - 768, 256}, true},
	} {
		got, enough := Room(x.files, x.database, x.most)
		if got != x.want || enough != x.enough {
			t.Errorf("%d files: %+v, %t, want %+v, %t", x.files, got, enough, x.want, x.enough)
		}
		if used := got.Connections + 3*got.Deliveries + x.database + ownFiles; enough && uint64(used) > x.files {
			t.Errorf("%d files: %d are spent", x.files, used)
		}
	}
}

func TestLimitsAreCompleted(t *testing.T) {
	for want, l := range map[string]Limits{"4096 512": {}, "40 16": {Most: 40}, "8 8": {Most: 8}, "800 100": {Most: 800}, "800 7": {Most: 800, Address: 7}} {
		l.complete()
		if got := fmt.Sprint(l.Most, " ", l.Address); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
