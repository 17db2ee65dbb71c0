package rest

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
)

// crowded serves widgets to many at once with NewServer, with limits short enough for a
// test, and counts the connections. TestProtocolLimits checks that the real limits are set.
type crowded struct {
	address string
	open    atomic.Int64 // connections that the server has
}

// limits are the server's deadlines.
type limits struct{ header, read, write, idle time.Duration }

var (
	// brief limits end slow connections soon. An honest caller must be able to meet them
	// next to all the others on one slow core.
	brief = limits{header: 10 * time.Second, read: 12 * time.Second, write: 12 * time.Second, idle: 8 * time.Second}
	// unhurried limits end nothing during a test.
	unhurried = limits{header: time.Minute, read: time.Minute, write: time.Minute, idle: time.Minute}
)

func newCrowded(t *testing.T, x limits) *crowded {
	t.Helper()
	api, err := New(Config{BaseURL: "https://api.example.com", Authenticator: people, CursorKey: make([]byte, 32), Log: slog.New(slog.DiscardHandler), Now: time.Now, Contract: widgetContract()}, []Operation{
		{ID: "createWidget", Method: "POST", Path: "/widget", Scopes: []string{"orders:write"}, Success: 201, Response: widget{},
			Endpoint: Handle(func(_ *Call, _ *None, b *widgetRequest) (Answer, error) {
				return Created("/v1/widget/wid_1", widget{Key: "wid_1", CompanyID: b.CompanyID, Amount: b.Amount, Memo: b.Memo, Captured: calendar.None}), nil
			})},
		{ID: "getWidget", Method: "GET", Path: "/v1/widget/{key}", Scopes: []string{"orders:read"}, Response: widget{},
			Endpoint: Handle(func(c *Call, p *widgetKey, _ *None) (Answer, error) {
				w := sampleWidget(p.Key)
				w.Memo = &c.Principal.Tenant
				return OK(w), nil
			})},
		{ID: "slowWidget", Method: "GET", Path: "/v1/widget/{key}/slow", Scopes: []string{"orders:read"}, Response: widget{}, Slow: true, Endpoint: Handle(late)},
		{ID: "lateWidget", Method: "GET", Path: "/v1/widget/{key}/late", Scopes: []string{"orders:read"}, Response: widget{}, Endpoint: Handle(late)},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowded{address: l.Addr().String()}
	s := NewServer("", api, slog.New(slog.DiscardHandler))
	s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout = x.header, x.read, x.write, x.idle
	s.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			c.open.Add(1)
		case http.StateClosed:
			c.open.Add(-1)
		}
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return c
}

// tooLong exceeds the time for writing an answer.
const tooLong = 300 * time.Millisecond

// late makes an answer when there is no time left to write it.
func late(_ *Call, p *widgetKey, _ *None) (Answer, error) {
	time.Sleep(tooLong)
	return OK(sampleWidget(p.Key)), nil
}

// An operation that may take minutes is answered when it is done, however short the
// server's other limits are.
func TestSlowOperations(t *testing.T) {
	x := unhurried
	x.write = tooLong / 3
	c := newCrowded(t, x)
	for _, way := range []struct {
		path    string
		answers int
	}{{"slow", 1}, {"late", 0}} {
		answers, _ := spoken(t, c.address, "GET /v1/widget/wid_1/"+way.path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\nConnection: close\r\n\r\n", 0, 1)
		if len(answers) != way.answers || len(answers) > 0 && answers[0].status != 200 {
			t.Errorf("%s: %+v, want %d answers", way.path, answers, way.answers)
		}
	}
}

// slowly are ways to hold a connection forever: what is sent first, and what repeatedly.
var slowly = []struct {
	name, first, drip string
}{
	{"says nothing", "", ""},
	{"a request line byte by byte", "GET /v1/", "x"},
	{"headers byte by byte", "GET /v1/widget/wid_1 HTTP/1.1\r\nHost: x\r\nX-A: ", "a"},
	{"headers line by line", "GET /v1/widget/wid_1 HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n"},
	{"a body byte by byte", slowHead + "Content-Length: 1000000\r\n\r\n{", " "},
	{"a body in chunks of a byte", slowHead + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"},
	{"a body that never comes", slowHead + "Content-Length: 1000000\r\n\r\n", ""},
	{"a body that waits to be asked for", slowHead + "Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n", ""},
	{"a body without a token", "POST /widget HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n", " "},
	{"idle after an answer", "GET /v1/widget/wid_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\n\r\n", ""},
	{"asks and does not read", "", strings.Repeat("GET /v1/widget/wid_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\n\r\n", 100)},
}

const slowHead = "POST /widget HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\nContent-Type: application/json\r\n"

// TestSlowSockets holds many connections in every slow way (A57). Meanwhile others are
// served; the server ends each; and afterwards nothing is left of them.
func TestSlowSockets(t *testing.T) {
	const each = 50
	c := newCrowded(t, brief)
	before, base := runtime.NumGoroutine(), inUse()
	var held []net.Conn
	var holders sync.WaitGroup
	for _, way := range slowly {
		n := each
		if len(way.drip) > 100 { // each keeps a processor busy until its buffers are full
			n = each / 10
		}
		for range n {
			conn, err := net.Dial("tcp", c.address)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, conn)
			holders.Go(func() { hold(conn, way.first, way.drip) })
		}
	}
	// The server ends them all by itself; the deadline only ends a hang.
	probes, most, deadline := 0, base, time.Now().Add(5*time.Minute)
	for left := int64(1); left > 0; left = c.open.Load() {
		if status, err := c.probe(); err != nil || status != 200 {
			t.Fatalf("probe %d beside slow sockets: %d, %v", probes, status, err)
		}
		probes++
		most = max(most, inUse())
		if time.Now().After(deadline) {
			t.Fatalf("the server still has %d of %d slow connections", left, len(held))
		}
		time.Sleep(20 * time.Millisecond)
	}
	if most > base+64<<20 {
		t.Errorf("%d MiB more while they were held", (most-base)>>20)
	}
	for _, conn := range held {
		conn.Close()
	}
	holders.Wait()
	for runtime.NumGoroutine() > before+5 {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("%d slow sockets, %d probes, %d KiB more", len(held), probes, int64(most-base)>>10)
}

// inUse is the memory of heap and stacks without garbage.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// hold sends and never reads, until the connection ends. The kernel may keep unread data
// longer than the server does.
func hold(conn net.Conn, first, drip string) {
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	_, err := io.WriteString(conn, first)
	for err == nil && drip != "" {
		if len(drip) < 100 {
			time.Sleep(10 * time.Millisecond)
		}
		_, err = io.WriteString(conn, drip)
	}
}

// probe makes one honest call of another merchant.
func (c *crowded) probe() (int, error) {
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(60 * time.Second))
	io.WriteString(conn, "GET /v1/widget/wid_9 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer other\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}
