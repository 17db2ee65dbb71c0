package webhook

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/outbound"
)

// hostile is a receiver on loopback whose paths do what no receiver should.
func hostile(t *testing.T) *httptest.Server {
	t.Helper()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 20<<20))
	_ = z.Close()
	release := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hang := func() {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not see the caller leave
		switch r.URL.Path {
		case "/hang":
			hang()
		case "/headers-then-hang", "/refuse-then-hang":
			if r.URL.Path == "/refuse-then-hang" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			w.(http.Flusher).Flush()
			hang()
		case "/drip":
			for {
				if _, err := w.Write([]byte("x")); err != nil || r.Context().Err() != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-release:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		case "/large":
			for range 1600 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/many-headers":
			for i := range 10_000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		case "/reset":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
			w.(http.Flusher).Flush()
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		case "/cut":
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		case "/redirect":
			http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect)
		case "/redirect-inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusMovedPermanently)
		case "/binary":
			_, _ = w.Write([]byte("\xff\x00\xfe<script>"))
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(func() {
		close(release)
		s.Close()
	})
	return s
}

// Receivers on a real network, each as bad as possible: every attempt ends in time and in
// little memory, with a reason that the merchant may see; only a 2xx is acceptance,
// whatever happens to the rest of it (T22).
func TestHostileReceivers(t *testing.T) {
	s, tls11 := hostile(t), httptest.NewUnstartedServer(http.NotFoundHandler())
	tls11.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	tls11.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls11.StartTLS()
	t.Cleanup(tls11.Close)
	selfSigned := httptest.NewUnstartedServer(http.NotFoundHandler())
	selfSigned.Config.ErrorLog = log.New(io.Discard, "", 0)
	selfSigned.StartTLS()
	t.Cleanup(selfSigned.Close)
	w := newWorld(t)
	type expectation struct {
		url    string
		status int
		reason string
		answer string // prefix
	}
	want := map[string]expectation{}
	shop := w.merchant("Shop")
	for _, x := range []expectation{
		{s.URL + "/ok", 200, "", ""},
		{s.URL + "/hang", 0, "No answer came in time.", ""},
		{s.URL + "/headers-then-hang", 200, "", ""},
		{s.URL + "/refuse-then-hang", 500, "The receiver answered 500.", ""},
		{s.URL + "/drip", 200, "", "xx"},
		{s.URL + "/large", 200, "", "\uFFFD"},
		{s.URL + "/bomb", 200, "", ""},
		{s.URL + "/many-headers", 0, "The answer's headers are too large.", ""},
		{s.URL + "/reset", 200, "", "half"},
		{s.URL + "/cut", 0, "The connection was closed before the answer.", ""},
		{s.URL + "/redirect", 307, "The receiver answered 307. Redirects are not followed.", ""},
		{s.URL + "/redirect-inside", 301, "The receiver answered 301. Redirects are not followed.", ""},
		{s.URL + "/binary", 200, "", "\uFFFD\uFFFD\uFFFD<script>"},
		{selfSigned.URL, 0, "The host's certificate is not signed by a known authority.", ""},
		{tls11.URL, 0, "The TLS handshake failed.", ""},
		{"https" + strings.TrimPrefix(s.URL, "http"), 0, "The host does not speak TLS.", ""},
		{"http://127.0.0.1:1/", 0, "The connection was refused.", ""},
		{"http://169.254.169.254/", 0, "The address is not allowed.", ""},
		{"http://nobody.invalid/", 0, "The host's name ", ""},
	} {
		e := w.endpoint(shop, x.url)
		want[e.ID] = x
	}
	w.start(func(c *Config) {
		// Where time does not matter the timeout is generous, and no name is resolved on
		// the network.
		nobody := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }}
		c.Client = outbound.NewClient(outbound.Config{Rules: outbound.Rules{AllowPrivate: true}, Timeout: 15 * time.Second, Resolver: nobody})
	})
	w.emit(shop, order("o1"), credit.OrderCreatedEvent)
	until(t, "an attempt at each", func() bool {
		for id := range want {
			if list := w.deliveries(id); len(list) == 0 || list[0].Attempts == 0 {
				return false
			}
		}
		return true
	})
	for id, x := range want {
		d := w.deliveries(id)[0]
		a := w.attempts(d.ID)[0]
		if a.Status != x.status || !strings.HasPrefix(a.Error, x.reason) || x.reason == "" && a.Error != "" || !strings.HasPrefix(a.Answer, x.answer) {
			t.Errorf("%s: %+v", x.url, a)
		}
		if accepted := d.State == store.DeliverySucceeded; accepted != (x.reason == "") || a.Took < 0 || len(a.Answer) > keptAnswer {
			t.Errorf("%s: %+v, took %v", x.url, d, a.Took)
		}
		if strings.Contains(a.Error, "127.0.0.1") || strings.Contains(a.Error, "lookup") {
			t.Errorf("%s: the reason tells of the network: %s", x.url, a.Error)
		}
	}
}

// In live mode no connection is made to this machine or its network, whatever was
// registered; in a sandbox the same is delivered (A50, EV6).
func TestLiveAndSandbox(t *testing.T) {
	var reached atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(s.Close)
	for _, sandbox := range []bool{false, true} {
		w := newWorld(t)
		shop := w.merchant("Shop")
		var ids []string
		for _, url := range []string{s.URL, "https" + strings.TrimPrefix(s.URL, "http"), strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
			ids = append(ids, w.endpoint(shop, url).ID)
		}
		_, stop := w.start(func(c *Config) { c.Client, c.Sandbox = nil, sandbox })
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		for i, id := range ids {
			until(t, "an attempt", func() bool { list := w.deliveries(id); return len(list) > 0 && list[0].Attempts > 0 })
			d := w.deliveries(id)[0]
			if !sandbox && d.Error != "The address is not allowed." || sandbox && i != 1 && d.State != store.DeliverySucceeded {
				t.Errorf("sandbox %v: %+v", sandbox, d)
			}
		}
		stop()
		if n := reached.Load(); sandbox != (n == 2) || !sandbox && n != 0 {
			t.Errorf("sandbox %v: reached %d times", sandbox, n)
		}
	}
}

// However much is in progress, the number of goroutines is fixed.
func TestGoroutines(t *testing.T) {
	w := newWorld(t)
	shop := w.merchant("Shop")
	w.endpoint(shop, "https://shop.example/hook")
	w.net.answer("shop.example", func(*message) reply { return reply{after: 5 * time.Millisecond} })
	before := goroutines(t)
	s, stop := w.start(func(c *Config) { c.Workers = 20 })
	most := 0
	for i := range 500 {
		w.emit(shop, order(fmt.Sprint("o", i)), credit.OrderCreatedEvent)
		most = max(most, goroutines(t))
	}
	until(t, "all delivered", func() bool {
		most = max(most, goroutines(t))
		return s.Stats().Delivered == 500
	})
	stop()
	if own := most - before; own > 20+6 {
		t.Errorf("%d goroutines for 20 workers", own)
	}
}

// goroutines counts with the world stopped. runtime.NumGoroutine does not stop it, and is
// off by 32 while a processor hands its free goroutines to another.
func goroutines(t *testing.T) int {
	n, ok := runtime.GoroutineProfile(make([]runtime.StackRecord, 1000))
	if !ok {
		t.Errorf("%d goroutines", n)
	}
	return n
}
