package outbound

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sandboxed returns a client that may reach this machine, with a test server's authority.
func sandboxed(s *httptest.Server, timeout time.Duration) *http.Client {
	c := Config{Rules: Rules{AllowPrivate: true}, Timeout: timeout}
	if s != nil && s.Certificate() != nil {
		c.Roots = x509.NewCertPool()
		c.Roots.AddCert(s.Certificate())
	}
	return NewClient(c)
}

// A redirect is a response. Its target is not followed (A52).
func TestRedirectsAreNotFollowed(t *testing.T) {
	var inside atomic.Int64
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer secret.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{secret.URL, "http://169.254.169.254/", "file:///etc/passwd", "/", ""} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			}))
			answer, err := get(t, sandboxed(s, 0), s.URL)
			if err != nil || answer.StatusCode != status {
				t.Errorf("%d to %q: %v, %v", status, to, answer, err)
			}
			s.Close()
		}
	}
	if inside.Load() != 0 {
		t.Errorf("%d redirects were followed", inside.Load())
	}
}

// A proxy from the environment would see what is sent, and dial what the guard does not see
// (A53).
func TestNoProxy(t *testing.T) {
	var proxied atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	d := new(dialled)
	s := newNameServer(t, map[string][]answers{"shop.example": {{v4: []string{"93.184.216.34"}}}})
	c := Config{Resolver: s.resolver()}
	if _, err := get(t, c.client(d.permit), "https://shop.example/"); !errors.Is(err, errStop) {
		t.Errorf("ended with %v", err)
	}
	// net/http reads the environment once per process, so check the setting too.
	if next := NewClient(c).Transport.(*transport).next; next.Proxy != nil || next.OnProxyConnectResponse != nil {
		t.Error("the client has a proxy")
	}
	if proxied.Load() != 0 || len(d.addresses()) != 1 {
		t.Errorf("%d requests went to the proxy; dialled %v", proxied.Load(), d.addresses())
	}
}

func TestTLSIsVerified(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	s := quiet(ok)
	s.StartTLS()
	defer s.Close()
	if answer, err := get(t, sandboxed(s, 0), s.URL); err != nil || answer.StatusCode != 204 {
		t.Fatalf("a good certificate: %v, %v", answer, err)
	}
	_, err := get(t, NewClient(Config{Rules: Rules{AllowPrivate: true}}), s.URL)
	if Reason(err) != "The host's certificate is not signed by a known authority." {
		t.Errorf("an unknown authority: %q (%v)", Reason(err), err)
	}
	u, _ := url.Parse(s.URL)
	names := newNameServer(t, map[string][]answers{"other.test": {{v4: []string{"127.0.0.1"}}}})
	c := Config{Rules: Rules{AllowPrivate: true}, Roots: x509.NewCertPool(), Resolver: names.resolver()}
	c.Roots.AddCert(s.Certificate())
	if _, err = get(t, NewClient(c), "https://other.test:"+u.Port()); Reason(err) != "The host's certificate is for another name." {
		t.Errorf("another name: %q (%v)", Reason(err), err)
	}
	later := NewClient(c)
	later.Transport.(*transport).next.TLSClientConfig.Time = func() time.Time { return s.Certificate().NotAfter.Add(time.Hour) }
	if _, err = get(t, later, s.URL); Reason(err) != "The host's certificate has expired or is not valid yet." {
		t.Errorf("an expired certificate: %q (%v)", Reason(err), err)
	}
	old := quiet(ok)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	defer old.Close()
	if _, err = get(t, sandboxed(old, 0), old.URL); Reason(err) != "The TLS handshake failed." {
		t.Errorf("TLS 1.1: %q (%v)", Reason(err), err)
	}
	plain := httptest.NewServer(http.HandlerFunc(ok))
	defer plain.Close()
	if _, err = get(t, sandboxed(nil, 0), "https"+strings.TrimPrefix(plain.URL, "http")); Reason(err) != "The host does not speak TLS." {
		t.Errorf("no TLS: %q (%v)", Reason(err), err)
	}
}

// quiet is a server that does not print handshake errors.
func quiet(h http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// Live mode checks each request against the rules, whatever was once registered.
func TestSchemeAndPortOfEachRequest(t *testing.T) {
	d := new(dialled)
	s := newNameServer(t, map[string][]answers{"shop.example": {{v4: []string{"93.184.216.34"}}}})
	for _, to := range []string{"http://shop.example/", "https://shop.example:22/", "https://x@shop.example/", "https://127.0.0.1/", "file:///etc/passwd"} {
		_, err := get(t, Config{Resolver: s.resolver()}.client(d.permit), to)
		if err == nil || errors.Is(err, errStop) {
			t.Errorf("%s: %v", to, err)
		}
	}
	if len(d.addresses()) != 0 {
		t.Errorf("dialled %v", d.addresses())
	}
	if c := NewClient(Config{}); c.Timeout != 20*time.Second || c.Jar != nil {
		t.Errorf("timeout %v", c.Timeout)
	}
}

// Endless responses are cut off: by size, by time, and without decompression.
func TestHostileAnswers(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 10<<20))
	_ = z.Close()
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			for range 1600 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/headers":
			for i := range 10_000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		case "/drip":
			for range 10_000 {
				_, _ = w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				select {
				case <-release:
					return
				case <-r.Context().Done():
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		case "/hang":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
	}))
	defer s.Close()
	defer close(release)
	c := sandboxed(s, time.Minute) // what is limited by size has plenty of time
	defer c.CloseIdleConnections()

	answer, err := get(t, c, s.URL+"/large")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); len(body) != MaxBody || !errors.Is(err, ErrTooLarge) {
		t.Errorf("large: %d bytes, %v", len(body), err)
	}
	_ = answer.Body.Close() // the server writes no more
	answer, err = get(t, c, s.URL+"/bomb")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); len(body) != bomb.Len() || err != nil {
		t.Errorf("bomb: %d bytes of %d, %v", len(body), bomb.Len(), err)
	}
	if _, err = get(t, c, s.URL+"/headers"); Reason(err) != "The answer's headers are too large." {
		t.Errorf("headers: %q (%v)", Reason(err), err)
	}
	soon := sandboxed(s, 500*time.Millisecond)
	defer soon.CloseIdleConnections()
	if _, err = get(t, soon, s.URL+"/hang"); Reason(err) != "No answer came in time." {
		t.Errorf("hang: %q (%v)", Reason(err), err)
	}
	later := sandboxed(s, 10*time.Second) // the first bytes arrive before the deadline, the last ones minutes later
	defer later.CloseIdleConnections()
	answer, err = get(t, later, s.URL+"/drip")
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("drip: %v, %v", answer, err)
	}
	if text := Excerpt(answer.Body, 1024); text == "" || strings.Trim(text, "x") != "" || len(text) >= 1024 {
		t.Errorf("drip: read %d bytes", len(text))
	}
}

func TestExcerpt(t *testing.T) {
	for _, x := range []struct{ body, want string }{
		{"", ""}, {"thanks", "thanks"}, {strings.Repeat("a", 3000), strings.Repeat("a", 16)}, {"ok\x00ok", "ok\uFFFDok"},
		{"\xff\xfe", "\uFFFD"}, {strings.Repeat("ä", 10), strings.Repeat("ä", 8)}, {"a" + strings.Repeat("ä", 10), "a" + strings.Repeat("ä", 7)},
		{strings.Repeat("\x00", 16), strings.Repeat("\uFFFD", 5)}, {"<script>", "<script>"},
	} {
		if got := Excerpt(io.NopCloser(strings.NewReader(x.body)), 16); got != x.want {
			t.Errorf("%q: %q, want %q", x.body, got, x.want)
		}
	}
}

// Reasons contain no address, and distinguish the usual cases.
func TestReason(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	_ = closed.Close()
	cut := serveRaw(t, "")
	broken := serveRaw(t, "SSH-2.0-OpenSSH\r\n\r\n")
	names := newNameServer(t, map[string][]answers{"dead.test": {{dead: true}}, "inside.test": {{v4: []string{"10.9.8.7"}}}})
	for _, x := range []struct {
		config Config
		url    string
		want   string
	}{
		{Config{Rules: Rules{AllowPrivate: true}}, "http://" + address, "The connection was refused."},
		{Config{Rules: Rules{AllowPrivate: true}}, "http://" + cut, "The connection was closed before the answer."},
		{Config{Rules: Rules{AllowPrivate: true}}, "http://" + broken, "The answer is not HTTP."},
		{Config{Resolver: names.resolver()}, "https://nobody.test", "The host's name does not exist."},
		{Config{Resolver: names.resolver(), Timeout: 200 * time.Millisecond}, "https://dead.test", "No answer came in time."},
		{Config{Resolver: names.resolver()}, "https://inside.test", "The address is not allowed."},
		{Config{}, "https://127.0.0.1", "The address is not allowed."},
	} {
		_, err := get(t, NewClient(x.config), x.url)
		if got := Reason(err); got != x.want && !(x.want == "No answer came in time." && got == "The host's name was not resolved in time.") {
			t.Errorf("%s: %q, want %q (%v)", x.url, got, x.want, err)
		}
	}
	if Reason(nil) != "" || Reason(errors.New("10.0.0.1: odd")) != "The request failed." {
		t.Error("no error, or an unknown one")
	}
	if got := Reason(&net.DNSError{Err: "server misbehaving", Name: "x", Server: "10.0.0.2:53"}); got != "The host's name could not be resolved." {
		t.Error(got)
	}
}

// serveRaw sends every connection the text and closes it.
func serveRaw(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, text)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return netip.MustParseAddrPort(l.Addr().String()).String()
}
