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

// dialTimeout is how long connecting may take, including the name lookup.
const dialTimeout = 15 * time.Second

// quitTimeout is how long a server may take to reply to QUIT, which does not matter.
const quitTimeout = 2 * time.Second

// The stages of errors.
const (
	stageConnect = "connect"
	stageMail    = "MAIL"
	stageRcpt    = "RCPT"
	stageData    = "DATA"
	stageContent = "content"
)

// SMTP is a Port to a mail server. Each message uses a connection of its own.
type SMTP struct {
	to      server
	from    *mail.Address
	replyTo *mail.Address // nil if there is none
	roots   *x509.CertPool
	timeout time.Duration
}

// String returns the server's address, without the user.
func (s *SMTP) String() string {
	if s.to.tls {
		return "smtps://" + s.to.address()
	}
	return "smtp://" + s.to.address()
}

// Send implements Port. When it returns nil, the server has accepted the message.
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

// session runs fn on a connection that is ready to accept messages.
func (s *SMTP) session(ctx context.Context, fn func(*smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return failed(stageConnect, err)
	}
	// Once connected, the library ignores contexts, and it leaves the connection open if it fails on
	// it.
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
			return err // another command would end the incomplete message
		}
	}
	if conn.SetDeadline(time.Now().Add(quitTimeout)) == nil {
		_ = client.Quit() // the reply does not matter
	}
	return err
}

// because adds the reason to an error if the connection was closed for a timeout or a
// cancellation.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// dial connects, with TLS if the server starts with it.
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

// open exchanges greetings, secures the connection and identifies us.
func (s *SMTP) open(ctx context.Context, conn net.Conn) (*smtp.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.to.port), gomail.WithTimeout(s.timeout), gomail.WithTLSConfig(s.tls()), gomail.WithoutSMTPUTF8(),
		gomail.WithHELO(domainOf(s.from)), // the machine's own name is private
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
	if s.to.user != "" { // over TLS only, as the settings require
		options = append(options, gomail.WithUsername(s.to.user), gomail.WithPassword(s.to.password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	client, err := gomail.NewClient(s.to.host, options...)
	if err != nil {
		return nil, err
	}
	return client.DialToSMTPClientWithContext(ctx)
}

// transfer hands the message over. The library cannot do this: after an error it reports neither
// the server's own reply nor reliably how far it got.
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
		// Without its end, no server accepts a message.
		return &Error{Stage: stageContent, err: err}
	}
	if err := w.Close(); err != nil {
		return failed(stageContent, err)
	}
	return nil
}
