package smtptest

import (
	"cmp"
	"crypto/tls"
	"encoding/base64"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"
)

// patience limits how long a connection may take in all.
const patience = time.Minute

// session is one connection.
type session struct {
	s    *Server
	conn net.Conn
	text *textproto.Conn

	tls   bool
	hello string
	user  string
	from  *string
	to    []string
}

// serve talks to a client until one of them closes the connection.
func (c *session) serve() {
	if c.conn.SetDeadline(time.Now().Add(patience)) != nil {
		return
	}
	c.tls = c.s.o.Security == TLS
	c.text = textproto.NewConn(c.conn)
	if went, _ := c.try(Greeting); !went || !c.say(220, "smtptest at your service") {
		return
	}
	for {
		line, err := c.text.ReadLine()
		if err != nil {
			return
		}
		c.s.note(line)
		verb, rest, _ := strings.Cut(line, " ")
		if !c.do(strings.ToUpper(verb), rest) {
			return
		}
	}
}

// try goes through a stage. went: as usual; open: the connection still exists.
func (c *session) try(at Stage) (went, open bool) {
	f, ok := c.s.fault(at)
	if !ok {
		return true, true
	}
	return c.suffer(f)
}

// suffer does what a fault says, and returns what try returns.
func (c *session) suffer(f Fault) (went, open bool) {
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-c.s.over:
			return false, false
		}
	}
	switch {
	case f.Cut:
		return false, false
	case f.Code != 0: // 421 says that the connection ends (RFC 5321)
		return false, c.say(f.Code, f.Text) && f.Code != 421
	}
	return true, true
}

func (c *session) say(code int, lines ...string) bool {
	for i, line := range lines {
		sign := "-"
		if i == len(lines)-1 {
			sign = " "
		}
		if c.text.PrintfLine("%d%s%s", code, sign, line) != nil {
			return false
		}
	}
	return true
}

// do carries out a command; false: the connection is over.
func (c *session) do(verb, rest string) bool {
	at := map[string]Stage{"EHLO": Hello, "HELO": Hello, "STARTTLS": Upgrade, "AUTH": Auth, "MAIL": Mail, "RCPT": Rcpt, "DATA": Data, "QUIT": Quit}[verb]
	if at != "" {
		if went, open := c.try(at); !went {
			return open
		}
	}
	switch verb {
	case "EHLO", "HELO":
		return c.greet(verb, rest)
	case "STARTTLS":
		return c.upgrade()
	case "AUTH":
		return c.auth(rest)
	case "MAIL":
		return c.mail(rest)
	case "RCPT":
		return c.rcpt(rest)
	case "DATA":
		return c.data()
	case "RSET":
		c.from, c.to = nil, nil
		return c.say(250, "2.0.0 forgotten")
	case "NOOP":
		return c.say(250, "2.0.0 nothing done")
	case "QUIT":
		c.say(221, "2.0.0 bye")
		return false
	}
	return c.say(500, "5.5.1 unknown command")
}

func (c *session) greet(verb, name string) bool {
	c.hello, c.from, c.to = name, nil, nil
	lines := []string{"smtptest"}
	if verb == "EHLO" {
		lines = append(lines, "8BITMIME", "ENHANCEDSTATUSCODES")
		if c.s.o.Security == StartTLS && !c.tls {
			lines = append(lines, "STARTTLS")
		}
		if c.mayAuth() {
			lines = append(lines, "AUTH "+c.s.mechanisms())
		}
	}
	return c.say(250, lines...)
}

// mechanisms returns the SASL mechanisms offered.
func (s *Server) mechanisms() string { return cmp.Or(s.o.Mechanisms, "PLAIN") }

// mayAuth reports whether the server offers authentication on this connection now.
func (c *session) mayAuth() bool {
	return c.s.o.User != "" && (c.tls || c.s.o.Security == Plain)
}

func (c *session) upgrade() bool {
	if c.s.o.Security != StartTLS || c.tls {
		return c.say(503, "5.5.1 not here")
	}
	if !c.say(220, "2.0.0 go ahead") {
		return false
	}
	secure := tls.Server(c.conn, c.s.config)
	if secure.Handshake() != nil {
		return false
	}
	// What was said before is void (RFC 3207).
	c.text, c.tls, c.hello, c.user, c.from, c.to = textproto.NewConn(secure), true, "", "", nil, nil
	return true
}

func (c *session) auth(rest string) bool {
	mechanism, initial, _ := strings.Cut(rest, " ")
	if !c.mayAuth() || !slices.Contains(strings.Fields(c.s.mechanisms()), strings.ToUpper(mechanism)) {
		return c.say(504, "5.5.4 not this way")
	}
	user, password, open := c.credentials(strings.ToUpper(mechanism), initial)
	if !open {
		return false
	}
	if user != c.s.o.User || password != c.s.o.Password {
		return c.say(535, "5.7.8 it is not you")
	}
	c.user = user
	return c.say(235, "2.7.0 welcome")
}

// credentials reads the client's credentials; open: the connection still exists.
func (c *session) credentials(mechanism, initial string) (user, password string, open bool) {
	if mechanism == "LOGIN" {
		if user, open = c.ask("Username:"); open {
			password, open = c.ask("Password:")
		}
		return user, password, open
	}
	plain, open := initial, true
	if initial == "" {
		plain, open = c.ask("")
	} else if decoded, err := base64.StdEncoding.DecodeString(initial); err == nil {
		plain = string(decoded)
	}
	if parts := strings.Split(plain, "\x00"); len(parts) == 3 {
		user, password = parts[1], parts[2]
	}
	return user, password, open
}

// ask requests something in base64, as AUTH does. Anything that is not base64 is not an answer.
func (c *session) ask(what string) (answer string, open bool) {
	if !c.say(334, base64.StdEncoding.EncodeToString([]byte(what))) {
		return "", false
	}
	line, err := c.text.ReadLine()
	if err != nil {
		return "", false
	}
	decoded, _ := base64.StdEncoding.DecodeString(line)
	return string(decoded), true
}

func (c *session) mail(rest string) bool {
	from, ok := path(rest, "FROM:")
	switch {
	case c.hello == "" || c.from != nil:
		return c.say(503, "5.5.1 not now")
	case c.s.o.User != "" && c.user == "":
		return c.say(530, "5.7.0 who are you?")
	case !ok:
		return c.say(501, "5.5.4 no address")
	}
	c.from = &from
	return c.say(250, "2.1.0 fine")
}

func (c *session) rcpt(rest string) bool {
	to, ok := path(rest, "TO:")
	switch {
	case c.from == nil:
		return c.say(503, "5.5.1 not now")
	case !ok || to == "":
		return c.say(501, "5.5.4 no address")
	}
	c.to = append(c.to, to)
	return c.say(250, "2.1.5 fine")
}

func (c *session) data() bool {
	if len(c.to) == 0 {
		return c.say(503, "5.5.1 for whom?")
	}
	if !c.say(354, "go on") {
		return false
	}
	raw, err := c.content()
	if err != nil {
		return false
	}
	m := Message{Hello: c.hello, TLS: c.tls, User: c.user, From: *c.from, To: c.to, Raw: raw}
	c.from, c.to = nil, nil
	f, _ := c.s.fault(Content)
	if f.Code == 0 {
		c.s.keep(m) // accepted, whatever the response
	}
	if went, open := c.suffer(f); !went {
		return open
	}
	return c.say(250, "2.0.0 taken as "+strconv.Itoa(len(raw))+" bytes")
}

// content reads a message up to its final dot as received: with CRLF, and with the stuffed dots
// removed. Lines that a server need not accept (RFC 5321, 4.5.3.1.6), and bare CR or LF, end the
// connection.
func (c *session) content() ([]byte, error) {
	var raw []byte
	for {
		line, err := c.text.R.ReadString('\n')
		if err != nil {
			return nil, err
		}
		body, crlf := strings.CutSuffix(line, "\r\n")
		if !crlf || strings.Contains(body, "\r") || len(body) > 998 {
			return nil, io.ErrUnexpectedEOF
		}
		if raw == nil {
			if went, _ := c.try(Middle); !went {
				return nil, io.ErrUnexpectedEOF
			}
		}
		if body == "." {
			return raw, nil
		}
		raw = append(raw, strings.TrimPrefix(line, ".")...)
	}
}

// path reads <address>, which may be followed by parameters.
func path(rest, before string) (string, bool) {
	if len(rest) < len(before) || !strings.EqualFold(rest[:len(before)], before) {
		return "", false
	}
	inside, ok := strings.CutPrefix(strings.TrimSpace(rest[len(before):]), "<")
	if !ok {
		return "", false
	}
	address, _, ok := strings.Cut(inside, ">")
	return address, ok
}
