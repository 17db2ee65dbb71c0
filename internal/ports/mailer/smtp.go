package mailer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// dialTimeout is how long a connection may take, look-up of the name included.
const dialTimeout = 15 * time.Second

// quitTimeout is how long a server may take to say goodbye: nothing depends on it.
const quitTimeout = 2 * time.Second

// The stages of errors.
const (
	stageConnect = "connect"
	stageMail    = "MAIL"
	stageRcpt    = "RCPT"
	stageData    = "DATA"
	stageContent = "content"
)

// SMTP is a Port to a mail server. Each message has a connection of its own.
type SMTP struct {
	to      server
	from    *mail.Address
	replyTo *mail.Address // nil: there is none
	roots   *x509.CertPool
	timeout time.Duration
}

// String names the server, without its user.
func (s *SMTP) String() string {
	if s.to.tls {
		return "smtps://" + s.to.address()
	}
	return "smtp://" + s.to.address()
}

// Send is Port's. The message has been taken by the server when it returns nil.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	l, err := s.compose(m)
	if err != nil {
		return err
	}
	return s.session(ctx, l.transfer)
}

// Check connects to the server as for a message: greeting, TLS, certificate and login.
func (s *SMTP) Check(ctx context.Context) error {
	return s.session(ctx, func(*smtp.Client) error { return nil })
}

// session runs fn on a connection that is ready to take messages.
func (s *SMTP) session(ctx context.Context, fn func(*smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return failed(stageConnect, err)
	}
	// The library looks at no context once there is a connection, and leaves it open if it
	// fails on it.
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	client, err := s.open(ctx, conn)
	if err != nil {
		return failed(stageConnect, because(ctx, err))
	}
	err = fn(client)
	var e *Error
	if errors.As(err, &e) {
		e.err = because(ctx, e.err)
		if e.Stage == stageContent {
			return err // another command now would end the message, as far as it came
		}
	}
	if conn.SetDeadline(time.Now().Add(quitTimeout)) == nil {
		_ = client.Quit() // nothing depends on it
	}
	return err
}

// because is an error with its reason, if that is that the time is over or nobody waits
// anymore: the connection was closed for it.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// dial connects, with TLS if the server begins with it.
func (s *SMTP) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.to.address())
	if err != nil || !s.to.tls {
		return conn, err
	}
	secure := tls.Client(conn, s.tls())
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

func (s *SMTP) tls() *tls.Config {
	return &tls.Config{ServerName: s.to.host, MinVersion: tls.VersionTLS12, RootCAs: s.roots}
}

// open greets the server, has the connection protected and says who we are.
func (s *SMTP) open(ctx context.Context, conn net.Conn) (*smtp.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.to.port), gomail.WithTimeout(s.timeout), gomail.WithTLSConfig(s.tls()), gomail.WithoutSMTPUTF8(),
		gomail.WithHELO(domainOf(s.from)), // the machine's own name is nobody's business
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
	}
	switch {
	case s.to.tls:
		options = append(options, gomail.WithSSL())
	case s.to.plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.to.user != "" { // over TLS only, as the settings have it
		options = append(options, gomail.WithUsername(s.to.user), gomail.WithPassword(s.to.password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	client, err := gomail.NewClient(s.to.host, options...)
	if err != nil {
		return nil, err
	}
	return client.DialToSMTPClientWithContext(ctx)
}

// transfer hands the message over. We do not leave it to the library, which after an error
// tells neither the server's own answer nor for certain how far it came.
func (l letter) transfer(client *smtp.Client) error {
	if err := client.Mail(l.from); err != nil {
		return failed(stageMail, err)
	}
	if err := client.Rcpt(l.to); err != nil {
		return failed(stageRcpt, err)
	}
	w, err := client.Data()
	if err != nil {
		return failed(stageData, err)
	}
	if _, err := w.Write(l.data); err != nil {
		// Without its end nobody takes a message.
		return &Error{Stage: stageContent, err: err}
	}
	if err := w.Close(); err != nil {
		return failed(stageContent, err)
	}
	return nil
}
