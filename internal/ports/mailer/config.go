package mailer

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// DefaultTimeout is how long a message may take unless Config says otherwise. A server may
// examine a message for a while before it accepts it, and a client that hangs up earlier sends it
// twice.
const DefaultTimeout = 2 * time.Minute

// Config is the server by which mail leaves, and the sender.
type Config struct {
	// URL of the server:
	//
	//	smtp://host:587                          TLS by STARTTLS, which must succeed
	//	smtps://user:password@host:465           TLS from the beginning
	//	smtp://127.0.0.1:25?starttls=never       no TLS, to this machine only
	//
	// Ports may be left out. User and password are percent-encoded.
	URL string
	// Password is that of the URL's user if the URL contains none: the caller reads it from a file,
	// so that it need not be in an address that others may see.
	Password string
	From     string // the sender: an address, with or without a name
	ReplyTo  string // where replies go, "": From
	// Roots are the authorities that verify the server's certificate; nil: the system's.
	Roots   *x509.CertPool
	Timeout time.Duration // of one message; 0: DefaultTimeout
}

// server is a parsed URL.
type server struct {
	tls            bool // from the beginning
	plain          bool // never
	host           string
	port           int
	user, password string
}

// New returns the port of a server. It does not connect; Check does.
func New(c Config) (*SMTP, error) {
	to, err := readURL(c.URL, c.Password)
	if err != nil {
		return nil, err
	}
	s := &SMTP{to: to, roots: c.Roots, timeout: cmp.Or(c.Timeout, DefaultTimeout)}
	if s.timeout < 0 {
		return nil, errors.New("mailer: the time limit is negative")
	}
	if s.from, err = readAddress(c.From); err != nil {
		return nil, fmt.Errorf("mailer: from: %w", err)
	}
	if c.ReplyTo != "" {
		if s.replyTo, err = readAddress(c.ReplyTo); err != nil {
			return nil, fmt.Errorf("mailer: reply-to: %w", err)
		}
	}
	return s, nil
}

// readURL parses the URL of a server. No error repeats it: it may contain a password.
func readURL(text, password string) (to server, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return to, errors.New("mailer: the address of the mail server cannot be read; a password in it is percent-encoded")
	}
	switch u.Scheme {
	case "smtp":
		to.port = 587
	case "smtps":
		to.port, to.tls = 465, true
	default:
		return to, errors.New("mailer: the address of the mail server must begin with smtp:// or smtps://")
	}
	if to.host = u.Hostname(); to.host == "" || strings.ContainsAny(to.host, "% ") {
		return to, errors.New("mailer: the address of the mail server has no host")
	}
	if u.Port() != "" {
		if to.port, err = strconv.Atoi(u.Port()); err != nil || to.port < 1 || to.port > 65535 {
			return to, errors.New("mailer: the port of the mail server must be 1 to 65535")
		}
	}
	if u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Opaque != "" {
		return to, errors.New("mailer: the address of the mail server must end after host and port")
	}
	if err := to.readQuery(u.RawQuery); err != nil {
		return to, err
	}
	return to, to.readUser(u.User, password)
}

func (to *server) readQuery(text string) error {
	query, err := url.ParseQuery(text)
	if err != nil {
		return errors.New("mailer: the query of the mail server's address cannot be parsed")
	}
	for name, values := range query {
		if name != "starttls" || len(values) != 1 {
			return errors.New("mailer: the query of the mail server's address may only be starttls=required or starttls=never")
		}
		switch {
		case to.tls:
			return errors.New("mailer: smtps:// always uses TLS: leave starttls out")
		case values[0] == "never":
			to.plain = true
		case values[0] != "required":
			return errors.New("mailer: starttls must be required or never")
		}
	}
	if to.plain && !loopback(to.host) {
		return errors.New("mailer: starttls=never is only for a mail server on this machine: localhost or a loopback address")
	}
	return nil
}

func (to *server) readUser(user *url.Userinfo, password string) error {
	to.user = user.Username()
	inside, both := user.Password()
	switch {
	case both && password != "":
		return errors.New("mailer: the mail server's password is given twice: in its address and separately")
	case to.user == "" && (both || password != ""):
		return errors.New("mailer: there is a password for the mail server, but no user in its address")
	}
	to.password = cmp.Or(inside, password)
	switch {
	case to.user == "":
		return nil
	case to.password == "":
		return errors.New("mailer: the mail server's user has no password")
	case to.plain:
		return errors.New("mailer: with starttls=never a password would be readable: leave user and password out, or use TLS")
	case strings.ContainsFunc(to.user+to.password, func(r rune) bool { return r == 0 }):
		return errors.New("mailer: user and password must not contain NUL")
	}
	return nil
}

// loopback reports whether a host is certainly this machine.
func loopback(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return host == "localhost"
}

func (to server) address() string { return net.JoinHostPort(to.host, strconv.Itoa(to.port)) }

// readAddress parses an address that every mail server accepts: ASCII except for the name.
func readAddress(text string) (*mail.Address, error) {
	if strings.ContainsFunc(text, isControl) {
		return nil, errors.New("the address has a line break or another control character")
	}
	a, err := mail.ParseAddress(text)
	if err != nil {
		return nil, errors.New("it is not an address")
	}
	if strings.ContainsFunc(a.Address, func(r rune) bool { return r > 126 || r < 33 }) {
		return nil, errors.New("an address must be ASCII without spaces")
	}
	if domain := domainOf(a); len(a.Address) > 254 || len(domain) == len(a.Address)-1 || strings.ContainsAny(domain, "[]<>()") {
		return nil, errors.New("it is not an address at a domain")
	}
	if strings.ContainsFunc(a.Name, isControl) { // decoded from an encoded word
		return nil, errors.New("the name has a line break or another control character")
	}
	return a, nil
}

// domainOf returns the part after the @.
func domainOf(a *mail.Address) string {
	return strings.ToLower(a.Address[strings.LastIndexByte(a.Address, '@')+1:])
}
