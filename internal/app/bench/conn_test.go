package bench

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// quietServer serves a handler on the loopback address.
func quietServer(tb testing.TB, h http.HandlerFunc) string {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func dialed(tb testing.TB, host string) *conn {
	tb.Helper()
	c, err := dial(host, "secret")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.close)
	return c
}

// A connection sends what it is given and reads short bodies, long ones in chunks and empty ones,
// one after the other.
func TestConn(t *testing.T) {
	long := strings.Repeat("abc", 20_000)
	host := quietServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/echo":
			if r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Idempotency-Key") != "k-1" ||
				r.Header.Get("Content-Type") != "application/json" || r.Method != "POST" {
				t.Errorf("got %s with %v", r.Method, r.Header)
			}
			w.WriteHeader(201)
			w.Write(body)
		case "/long": // without a length: the library sends it in chunks
			io.WriteString(w, long[:len(long)/2])
			http.NewResponseController(w).Flush()
			io.WriteString(w, long[len(long)/2:])
		}
	})
	c := dialed(t, host)
	for _, x := range []struct {
		request request
		status  int
		body    string
	}{
		{request{method: "POST", path: "/echo", key: "k-1", body: []byte(`{"a":1}`)}, 201, `{"a":1}`},
		{request{method: "GET", path: "/long"}, 200, long},
		{request{method: "GET", path: "/empty"}, 200, ""},
		{request{method: "POST", path: "/echo", key: "k-1", body: []byte(`{"b":2}`)}, 201, `{"b":2}`},
	} {
		a, err := c.do(&x.request)
		if err != nil || a.status != x.status || string(a.body) != x.body {
			t.Fatalf("%s: %d with %d bytes, %v; want %d with %d bytes", x.request.path, a.status, len(a.body), err, x.status, len(x.body))
		}
	}
}

// An invalid response is an error, and is never accepted.
func TestConnRefusesNonsense(t *testing.T) {
	for _, text := range []string{
		"", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 20<<10) + "\r\n\r\n",
	} {
		ours, theirs := net.Pipe()
		go func() {
			io.CopyN(io.Discard, theirs, 10)
			go io.Copy(io.Discard, theirs)
			io.WriteString(theirs, text)
			theirs.Close()
		}()
		c := newConn(ours, "x", "")
		if a, err := c.do(&request{method: "GET", path: "/"}); err == nil {
			t.Errorf("%.40q was read as %d %q", text, a.status, a.body)
		}
		ours.Close()
	}
}

// A caller distinguishes a wrong response from a broken connection.
func TestAsk(t *testing.T) {
	host := quietServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(409)
		io.WriteString(w, "taken")
	})
	c := &caller{conn: dialed(t, host)}
	if _, err := c.ask(&request{method: "GET", path: "/x"}, 200); err == nil || isLost(err) || !strings.Contains(err.Error(), "409") || !strings.Contains(err.Error(), "taken") {
		t.Errorf("wrong status: %v", err)
	}
	var lost *lostError
	if _, err := c.ask(&request{method: "GET", path: "/gone"}, 200); !errors.As(err, &lost) {
		t.Errorf("broken connection: %v", err)
	}
}

// The two benchmarks compare our connection with net/http's client: same handler, same process,
// so the difference is the cost of the clients.
func BenchmarkConn(b *testing.B) {
	host := quietServer(b, answerOrder)
	against(b, func() func() error {
		c := dialed(b, host)
		r := &request{method: "GET", path: "/v1/order/x"}
		return func() error { _, err := c.do(r); return err }
	})
}

func BenchmarkNetHTTP(b *testing.B) {
	host := quietServer(b, answerOrder)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: usual}, Timeout: time.Minute}
	b.Cleanup(client.CloseIdleConnections)
	against(b, func() func() error {
		return func() error {
			r, err := http.NewRequest("GET", "http://"+host+"/v1/order/x", nil)
			if err != nil {
				return err
			}
			r.Header.Set("Authorization", "Bearer secret")
			r.Header.Set("Accept", "application/json")
			a, err := client.Do(r)
			if err != nil {
				return err
			}
			defer a.Body.Close()
			_, err = io.ReadAll(a.Body)
			return err
		}
	})
}

// answerOrder sends as many bytes as an order has.
func answerOrder(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(bytes.Repeat([]byte("x"), 1500))
}

// against sends b.N requests over 64 connections.
func against(b *testing.B, connect func() func() error) {
	var all sync.WaitGroup
	work := make(chan struct{}, usual)
	for range usual {
		do := connect()
		all.Go(func() {
			for range work {
				if err := do(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	all.Wait()
}
