package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	gates "tenor/internal/edge/gate"
	"tenor/internal/edge/rest"
)

// town is a house on loopback, where 127.0.0.1, 127.0.0.2 and so on are the addresses of
// different callers.
type town struct {
	*house
	address string
	server  *rest.Server
}

func newTown(t *testing.T, change func(*rest.Server)) *town {
	t.Helper()
	w := &town{house: newHouse(t)}
	w.server = rest.NewServer("", w.api, slog.New(slog.DiscardHandler))
	if change != nil {
		change(w.server)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.address = l.Addr().String()
	go w.server.Serve(l)
	t.Cleanup(func() { w.server.Close() })
	return w
}

// dial connects from an address of this machine, until the test ends.
func (w *town) dial(from string) net.Conn {
	w.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", w.address)
	if err != nil {
		w.t.Fatalf("dial from %s: %v", from, err)
	}
	w.t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request on its own connection and returns the response's status, 0 if there
// is none.
func (w *town) ask(from, request string) int {
	w.t.Helper()
	c := w.dial(from)
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute)) // only ends a hang
	io.WriteString(c, request)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

// list is a legitimate call of a merchant.
func (w *town) list(who string) string {
	return "GET /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + w.tokens[who] + "\r\nConnection: close\r\n\r\n"
}

// settled gives the server time to receive what was sent. If the time is too short, a test
// sees less than there is, never more.
func settled() { time.Sleep(4 * gates.DefaultGrace) }

// A57: a caller that sends headers and no body takes nobody's place, from any number of
// addresses. Neither the merchant nor another stranger is refused in the meantime.
func TestHeadsWithoutBodiesTakeNoPlaces(t *testing.T) {
	for _, x := range []struct{ name, request string }{
		{"a form", "POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n"},
		{"a form in chunks", "POST /oauth/introspect HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"},
		{"no token", "POST /order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"},
		{"a wrong token", "POST /order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tnr_X\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"},
	} {
		w := newTown(t, nil)
		id, secret := w.client(w.a, "")
		for n := range 4 {
			for range 256 {
				io.WriteString(w.dial(fmt.Sprint("127.0.0.", n+2)), x.request)
			}
		}
		settled()
		got := map[int]int{}
		for range 51 {
			got[w.ask("127.0.0.1", w.list("a"))]++
			got[w.ask("127.0.0.2", w.list("a"))]++ // from a stranger's address too
		}
		if got[200] != 102 {
			t.Errorf("%s: of 102 calls %v", x.name, got)
		}
		form := "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret
		sign := fmt.Sprintf("POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(form), form)
		for _, from := range []string{"127.0.0.1", "127.0.0.3"} {
			if status := w.ask(from, sign); status != 200 {
				t.Errorf("%s: a token, asked for from %s: %d", x.name, from, status)
			}
		}
	}
}

// A merchant that does not send its bodies delays only itself.
func TestBodiesOfAMerchantThatDoNotCome(t *testing.T) {
	w := newTown(t, nil)
	head := "POST /order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + w.tokens["a"] + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
	const share = 256
	for n := range 3 {
		for range 200 {
			io.WriteString(w.dial(fmt.Sprint("127.0.0.", n+2)), head)
		}
	}
	settled()
	if got := w.ask("127.0.0.1", w.list("b")); got != 200 {
		t.Errorf("another merchant: %d", got)
	}
	// Its own reads have no body to wait for.
	if got := w.ask("127.0.0.1", w.list("a")); got != 200 && got != 429 {
		t.Errorf("its own reads: %d, with %d bodies on their way", got, share)
	}
}

// 200 silent connections do not block a server with room for few, wherever they come from:
// calls from another address and from the same one are both answered.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	for _, x := range []struct {
		name, first string
		addresses   int
	}{
		{"of one address", "", 1},
		{"of many", "", 100},
		{"with half a head", "GET /v1/orders HTTP/1.1\r\nHost: x\r\n", 10},
		{"with a head and no body", "POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n", 10},
		{"behind an answer", "GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n", 10},
	} {
		w := newTown(t, func(s *rest.Server) { s.Connections.Most = 40 })
		for n := range 200 {
			c := w.dial(fmt.Sprintf("127.0.0.%d", 2+n%x.addresses))
			io.WriteString(c, x.first)
		}
		settled()
		got := map[int]int{}
		for range 20 {
			got[w.ask("127.0.0.1", w.list("a"))]++
			got[w.ask("127.0.0.2", w.list("a"))]++
		}
		if got[200] != 40 {
			t.Errorf("%s: of 40 calls %v", x.name, got)
		}
	}
}
