package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"
)

// mailbox is a mail server that accepts everything and keeps the last code for each address: the
// buyers of W8 sign in with mailed codes.
type mailbox struct {
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	codes map[string]string
}

// openMailbox listens on this machine.
func openMailbox() (*mailbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	m := &mailbox{listener: l, codes: map[string]string{}}
	m.running.Go(m.accept)
	return m, nil
}

// url is the mailbox's URL for the settings.
func (m *mailbox) url() string { return "smtp://" + m.listener.Addr().String() + "?starttls=never" }

func (m *mailbox) close() error {
	err := m.listener.Close()
	m.running.Wait()
	return err
}

func (m *mailbox) accept() {
	for {
		c, err := m.listener.Accept()
		if err != nil {
			return
		}
		m.running.Go(func() {
			defer c.Close()
			m.talk(c)
		})
	}
}

// idleMail is how long a connection may be idle: a killed server does not say goodbye.
const idleMail = 10 * time.Second

// talk is the server's side of SMTP (RFC 5321), as far as a sending client needs it.
func (m *mailbox) talk(c net.Conn) {
	in := bufio.NewReader(c)
	answer := "220 mailbox"
	var to string
	for {
		_ = c.SetDeadline(time.Now().Add(idleMail))
		if _, err := fmt.Fprintf(c, "%s\r\n", answer); err != nil || strings.HasPrefix(answer, "221") {
			return
		}
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch answer = "250 ok"; strings.ToUpper(verb) {
		case "RCPT":
			_, address, _ := strings.Cut(rest, "<")
			to, _, _ = strings.Cut(address, ">")
		case "QUIT":
			answer = "221 bye"
		case "DATA":
			if _, err := fmt.Fprint(c, "354 go on\r\n"); err != nil || m.take(in, to) != nil {
				return
			}
		}
	}
}

var codeLine = regexp.MustCompile(`^ +(\d{6})$`)

// take reads a message to its end. A code is on a line of its own.
func (m *mailbox) take(in *bufio.Reader, to string) error {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "." {
			return nil
		}
		if found := codeLine.FindStringSubmatch(line); found != nil {
			m.mu.Lock()
			m.codes[to] = found[1]
			m.mu.Unlock()
		}
	}
}

// mailWait is how long a buyer waits for a code.
const mailWait = 30 * time.Second

// code waits for the code sent to an address.
func (m *mailbox) code(ctx context.Context, to string) (string, error) {
	for limit := time.Now().Add(mailWait); time.Now().Before(limit) && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		m.mu.Lock()
		code := m.codes[to]
		m.mu.Unlock()
		if code != "" {
			return code, nil
		}
	}
	return "", errors.Join(ctx.Err(), fmt.Errorf("no code for %s came within %s", to, mailWait))
}
