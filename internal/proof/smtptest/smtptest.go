// Package smtptest is an SMTP server for tests. It listens on 127.0.0.1 with a certificate from
// its own authority, speaks STARTTLS or TLS and AUTH PLAIN, keeps the messages it accepts, and
// misbehaves the way servers do: it answers 4xx or 5xx at any stage, is slow, or hangs up, even
// after it has accepted a message. Tests only.
//
// It is our own because a test must say at which command, and how often, something fails; servers
// built to receive mail do not allow that.
package smtptest

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Security is how a server protects its connections.
type Security int

// The security modes.
const (
	StartTLS Security = iota // STARTTLS is offered, and AUTH only after it
	TLS                      // TLS from the first byte
	Plain                    // no TLS, and AUTH all the same
)

// Options configure a server. The zero value accepts mail from everybody, over STARTTLS.
type Options struct {
	Security       Security
	User, Password string // if User is set, only a client that gives both may send
	// Mechanisms are the SASL mechanisms offered: PLAIN, LOGIN, or both separated by a space; "":
	// PLAIN.
	Mechanisms string
}

// Stage is a point in a connection at which a server responds.
type Stage string

// The stages of a connection, in order.
const (
	Greeting Stage = "greeting"
	Hello    Stage = "EHLO"
	Upgrade  Stage = "STARTTLS"
	Auth     Stage = "AUTH"
	Mail     Stage = "MAIL"
	Rcpt     Stage = "RCPT"
	Data     Stage = "DATA"    // the command
	Middle   Stage = "middle"  // the first line of a message has arrived; nothing can be answered here
	Content  Stage = "content" // the end of the message
	Quit     Stage = "QUIT"
)

// Fault is what a server does at a stage instead of accepting.
type Fault struct {
	At    Stage
	Times int           // how often, 0: always
	Delay time.Duration // before it answers; with nothing else set it then answers as usual
	Code  int           // the response code, with Text
	Text  string
	// Cut hangs up without an answer. At Content the message has already been accepted.
	Cut bool
}

// Server is a server that runs until its test ends.
type Server struct {
	o        Options
	listener net.Listener
	config   *tls.Config
	ca       []byte // PEM
	over     chan struct{}

	mu       sync.Mutex
	faults   []Fault
	messages []Message
	commands []string
	conns    map[net.Conn]bool
}

// Start starts a server.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	config, ca, err := newAuthority()
	if err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	s := &Server{o: o, listener: l, config: config, ca: ca, over: make(chan struct{}), conns: map[net.Conn]bool{}}
	if o.Security == TLS {
		s.listener = tls.NewListener(l, config)
	}
	var running sync.WaitGroup
	running.Go(func() { s.accept(&running) })
	t.Cleanup(func() {
		close(s.over)
		s.listener.Close()
		s.HangUp()
		running.Wait()
	})
	return s
}

// Addr returns the address on which the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// URL returns the server's address in the form used in settings, with its user and password.
func (s *Server) URL() string {
	u := url.URL{Scheme: "smtp", Host: s.Addr()}
	if s.o.User != "" {
		u.User = url.UserPassword(s.o.User, s.o.Password)
	}
	switch s.o.Security {
	case TLS:
		u.Scheme = "smtps"
	case Plain:
		u.RawQuery = "starttls=never"
	}
	return u.String()
}

// Roots returns a pool with the authority that signed the server's certificate.
func (s *Server) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(s.ca)
	return pool
}

// RootsFile writes the authority to a file, for a program that reads SSL_CERT_FILE.
func (s *Server) RootsFile(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "smtp-ca.pem")
	if err := os.WriteFile(name, s.ca, 0o600); err != nil {
		t.Fatalf("smtptest: %v", err)
	}
	return name
}

// Fail adds a fault to those already set. Faults of one stage happen one after the other.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Mend removes all faults.
func (s *Server) Mend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// HangUp closes all connections.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		conn.Close()
	}
}

// Messages returns the accepted messages in order, including those after which the server hung
// up.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Commands returns the received commands in order, without secrets.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// fault returns the fault to apply at a stage now.
func (s *Server) fault(at Stage) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(f Fault) bool { return f.At == at })
	if i < 0 {
		return Fault{}, false
	}
	f := s.faults[i]
	if f.Times == 1 {
		s.faults = slices.Delete(s.faults, i, i+1)
	} else if f.Times > 1 {
		s.faults[i].Times--
	}
	return f, true
}

func (s *Server) keep(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
}

func (s *Server) note(command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if verb, _, _ := strings.Cut(command, " "); strings.EqualFold(verb, "AUTH") {
		command = "AUTH"
	}
	s.commands = append(s.commands, command)
}

func (s *Server) accept(running *sync.WaitGroup) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // it was closed
		}
		if !s.enter(conn) {
			return
		}
		running.Go(func() {
			(&session{s: s, conn: conn}).serve()
			s.mu.Lock()
			delete(s.conns, conn)
			s.mu.Unlock()
			conn.Close()
		})
	}
}

// enter registers a connection; false: the server is stopping, and the connection must end.
func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.over: // nobody would close it anymore
		conn.Close()
		return false
	default:
	}
	s.conns[conn] = true
	return true
}
