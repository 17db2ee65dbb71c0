// Package outbound is the only way in which Tenor connects to an address that
// somebody else has chosen (EN20).
//
//	CheckURL    why an address is refused when it is registered
//	NewClient   an HTTP client that checks the address it actually dials
//	Excerpt     the beginning of a response, read with a limit
//	Reason      why a request failed, without revealing anything internal
//
// The check at registration is a courtesy: it reports a mistake at once. What protects
// the network behind Tenor is the guard in the dialer, which sees the address after
// the name was resolved, at every connection: a name that pointed to the internet
// yesterday and to 127.0.0.1 today is not dialled.
package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Limits of a request.
const (
	// Timeout is how long a request may take, from the name lookup to the last byte of the response.
	Timeout = 20 * time.Second
	// MaxBody is how much of a response is read.
	MaxBody = 64 << 10

	maxHeader    = 16 << 10         // of a response
	dialTimeout  = 10 * time.Second // lookup and connection, for all addresses of a name together
	idleTimeout  = 30 * time.Second // how long a connection is kept for the next request
	idlePerHost  = 32
	idleConnects = 512
)

// ErrBlocked means that Tenor does not connect to the address. Nothing was sent.
var ErrBlocked = errors.New("outbound: the address is not allowed")

// ErrTooLarge means that a response is longer than MaxBody. What came before the limit was read.
var ErrTooLarge = errors.New("outbound: the answer is too large")

// Config is how a client connects.
type Config struct {
	Rules
	// Resolver looks up names; nil: the system's.
	Resolver *net.Resolver
	// Roots are the authorities that verify certificates; nil: the system's.
	Roots *x509.CertPool
	// Timeout bounds a whole request; 0: the constant Timeout.
	Timeout time.Duration
	// Idle is the maximum number of connections kept for the next request; 0: 512.
	Idle int
}

// NewClient returns a client that connects only to what the rules allow, follows no redirect (a
// 3xx is a response like any other), uses no proxy and no cookies, requires TLS 1.2 or later with
// a verified certificate, and times out. It does not decompress: the body is what came over the
// network. The caller closes its idle connections at the end.
func NewClient(c Config) *http.Client { return c.client(nil) }

// client is NewClient with a final check of each allowed address, for tests.
func (c Config) client(permit func(netip.AddrPort) error) *http.Client {
	if c.Timeout == 0 {
		c.Timeout = Timeout
	}
	if c.Idle == 0 {
		c.Idle = idleConnects
	}
	g := newGuard(c.Rules, permit)
	dialer := &net.Dialer{Timeout: min(dialTimeout, c.Timeout), Resolver: c.Resolver, Control: g.control}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // a slow response holds only its own connection
	return &http.Client{
		Timeout:       c.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &transport{rules: c.Rules, next: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots},
			TLSHandshakeTimeout:    dialTimeout,
			ResponseHeaderTimeout:  c.Timeout,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true,
			MaxIdleConns:           c.Idle,
			MaxIdleConnsPerHost:    idlePerHost,
			IdleConnTimeout:        idleTimeout,
			Protocols:              protocols,
		}},
	}
}

// transport checks each request against the rules, and limits what is read.
type transport struct {
	rules Rules
	next  *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.rules.CheckURL(r.URL.String()) != "" {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it, even if it fails
		}
		return nil, ErrBlocked
	}
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = &limited{ReadCloser: answer.Body, left: MaxBody}
	return answer, nil
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (t *transport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// limited is a body from which at most left bytes are read.
type limited struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		var one [1]byte
		if n, err := l.ReadCloser.Read(one[:]); n == 0 {
			return 0, err // it ends at the limit
		}
		return 0, ErrTooLarge
	}
	n, err := l.ReadCloser.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// guard decides on each address that is about to be dialed.
type guard struct {
	rules   Rules
	special *ssrf.Guardian
	own     func() ([]net.Addr, error)
	permit  func(netip.AddrPort) error
}

func newGuard(r Rules, permit func(netip.AddrPort) error) *guard {
	return &guard{rules: r, special: ssrf.New(ssrf.WithAnyPort()), own: net.InterfaceAddrs, permit: permit}
}

// control is net.Dialer.Control: it gets the address passed to connect(2).
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return ErrBlocked
	}
	if err := g.check(to); err != nil {
		return err
	}
	if g.permit != nil {
		return g.permit(to)
	}
	return nil
}

// check checks an address against two lists, ours and that of package ssrf, which is generated
// from IANA's registries, and against this machine's own addresses.
func (g *guard) check(to netip.AddrPort) error {
	if !g.rules.allows(to) {
		return ErrBlocked
	}
	if g.rules.AllowPrivate {
		return nil
	}
	a := to.Addr().Unmap()
	if !g.rules.opened(a) && g.special.SafeAddr(a) != nil {
		return ErrBlocked
	}
	own, err := g.own()
	if err != nil {
		return ErrBlocked // it is unknown whether it is our own
	}
	for _, x := range own {
		if p, err := netip.ParsePrefix(x.String()); err != nil || p.Addr().Unmap() == a {
			return ErrBlocked
		}
	}
	return nil
}
