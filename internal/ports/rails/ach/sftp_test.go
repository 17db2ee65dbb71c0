//go:build unix

package ach

import (
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"tenor/internal/ports/rails"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

var _ rails.Bank = (*SFTP)(nil)

// server is an OpenSSH server started by the test.
type server struct {
	address string
	dir     string
	hostKey string // public
	key     []byte // of the user, private
	user    string
}

// sshd finds the server's program, or skips the test.
func sshd(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs(suite.Program(t, "openssh-server", "sshd", "/usr/sbin/sshd", "/usr/local/sbin/sshd"))
	if err != nil {
		t.Fatal(err)
	}
	return file // it restarts itself by its path
}

// pair generates a key pair: the private one as PEM, the public one as a line.
func pair(t *testing.T) (private []byte, public string) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(priv, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// startServer starts a server on loopback that accepts the test user's key.
func startServer(t *testing.T) server {
	t.Helper()
	program := sshd(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // as root it confines the process that talks before login
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := server{dir: t.TempDir(), user: me.Username}
	etc := t.TempDir()
	hostKey, public := pair(t)
	userKey, userPublic := pair(t)
	s.hostKey, s.key = public, userKey
	s.address = proctest.FreeAddress(t)
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`ListenAddress 127.0.0.1
Port %s
HostKey %s/host
AuthorizedKeysFile %s/users
PidFile none
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
`, port, etc, etc)
	for name, content := range map[string]string{"host": string(hostKey), "users": userPublic + "\n", "config": config} {
		if err := os.WriteFile(filepath.Join(etc, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"out", "in", "done", "sent"} {
		if err := os.Mkdir(filepath.Join(s.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	cmd := exec.Command(program, "-D", "-e", "-f", filepath.Join(etc, "config"))
	cmd.Stderr = &log
	if err := proctest.Spawn(cmd); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("sshd:\n%s", log.String())
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = c.Close()
			return s
		}
		select {
		case <-ended:
			t.Fatalf("sshd has ended:\n%s", log.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not answer: %v", err)
		}
	}
}

func (s server) config(address string) SFTPConfig {
	in := func(d string) string { return filepath.Join(s.dir, d) }
	return SFTPConfig{Address: address, User: s.user, Key: s.key, HostKey: s.hostKey, Out: in("out"), In: in("in"), Done: in("done"), Sent: in("sent")}
}

func connectTo(t *testing.T, c SFTPConfig) *SFTP {
	t.Helper()
	bank, err := NewSFTP(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bank.Close)
	return bank
}

func TestSFTP(t *testing.T) {
	s := startServer(t)
	exchange(t, connectTo(t, s.config(s.address)), bankSide{t, s.dir})
}

// A different host key, another user's key, a missing directory: each is an error that says so,
// and nothing is sent.
func TestSFTPRefusals(t *testing.T) {
	s := startServer(t)
	_, otherHost := pair(t)
	otherKey, _ := pair(t)
	for _, x := range []struct {
		name, want string
		wreck      func(*SFTPConfig)
	}{
		{"host key", "host key", func(c *SFTPConfig) { c.HostKey = otherHost }},
		{"user key", "unable to authenticate", func(c *SFTPConfig) { c.Key = otherKey }},
		{"directory", "not exist", func(c *SFTPConfig) { c.Out = "/nowhere" }},
		{"address", "refused", func(c *SFTPConfig) { c.Address = "127.0.0.1:1" }},
	} {
		c := s.config(s.address)
		x.wreck(&c)
		err := connectTo(t, c).Send(t.Context(), "f", []byte("x"))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if got := (bankSide{t, s.dir}).take("out"); len(got) != 0 {
		t.Errorf("sent: %v", got)
	}
	for name, wreck := range map[string]func(*SFTPConfig){
		"no key":     func(c *SFTPConfig) { c.Key = []byte("secret words") },
		"no host":    func(c *SFTPConfig) { c.HostKey = "" },
		"no address": func(c *SFTPConfig) { c.Address = "" },
	} {
		c := s.config(s.address)
		wreck(&c)
		if _, err := NewSFTP(c); err == nil || strings.Contains(err.Error(), "secret words") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A connection that breaks between two calls is reopened; one that breaks within a call is
// reopened once, and the file arrives once.
func TestSFTPReconnects(t *testing.T) {
	s := startServer(t)
	line := startLine(t, s.address)
	side := bankSide{t, s.dir}
	bank := connectTo(t, s.config(line.address))
	content := []byte(strings.Repeat("x", 1<<20))
	if err := bank.Send(t.Context(), "a", content); err != nil {
		t.Fatal(err)
	}
	line.cut()
	if err := bank.Send(t.Context(), "b", content); err != nil {
		t.Fatal(err)
	}
	line.cutAfter(300_000) // in the middle of the next file
	if err := bank.Send(t.Context(), "c", content); err != nil {
		t.Fatal(err)
	}
	if line.connections() < 3 {
		t.Errorf("%d connections", line.connections())
	}
	got := side.take("out")
	for _, name := range []string{"a", "b", "c"} {
		if got[name] != string(content) {
			t.Errorf("%s has %d bytes", name, len(got[name]))
		}
	}
}

// A silent server costs no more than the call's timeout.
func TestSFTPSilence(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, host := pair(t)
	key, _ := pair(t)
	bank := connectTo(t, SFTPConfig{Address: l.Addr().String(), User: "x", Key: key, HostKey: host, Out: "o", In: "i", Done: "d", Timeout: 50 * time.Millisecond})
	if _, err := bank.Fetch(t.Context()); err == nil {
		t.Error("it answers")
	}
}

// line forwards bytes and can be cut.
type line struct {
	address string

	mu    sync.Mutex
	open  []net.Conn
	count int
	left  int // bytes until it is cut, 0: never
}

func startLine(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &line{address: l.Addr().String()}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = c.Close()
				continue
			}
			x.mu.Lock()
			x.open = append(x.open, c, far)
			x.count++
			x.mu.Unlock()
			wg.Go(func() { _, _ = io.Copy(c, far); x.end(c, far) })
			wg.Go(func() { _, _ = io.Copy(far, counted{c, x}); x.end(c, far) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); x.cut(); wg.Wait() })
	return x
}

func (x *line) end(a, b net.Conn) { _ = errors.Join(a.Close(), b.Close()) }

func (x *line) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.open {
		_ = c.Close()
	}
	x.open = nil
}

func (x *line) cutAfter(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = n
}

func (x *line) connections() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.count
}

// counted reads from a connection until its line is cut.
type counted struct {
	net.Conn
	line *line
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.line.mu.Lock()
	cut := c.line.left > 0 && n >= c.line.left
	c.line.left = max(0, c.line.left-n)
	c.line.mu.Unlock()
	if cut {
		c.line.cut()
	}
	return n, err
}
