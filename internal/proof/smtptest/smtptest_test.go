package smtptest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/smtp"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const letter = "From: Ana <ana@example.com>\r\nTo: bo@example.net\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n.\r\n..two\r\nend\r\n"

// dial connects to a server with the standard library's client, which is not the one that Tenor
// sends with.
func dial(t *testing.T, s *Server) *smtp.Client {
	t.Helper()
	c, err := smtp.Dial(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// send goes through all stages of a message and returns the stage that failed, with its error.
func send(c *smtp.Client, text string) (Stage, error) {
	if err := c.Mail("ana@example.com"); err != nil {
		return Mail, err
	}
	if err := c.Rcpt("bo@example.net"); err != nil {
		return Rcpt, err
	}
	w, err := c.Data()
	if err != nil {
		return Data, err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return Data, err
	}
	if err := w.Close(); err != nil {
		return Content, err
	}
	return "", nil
}

func TestTakesMail(t *testing.T) {
	s := Start(t, Options{User: "ana", Password: "secret"})
	c := dial(t, s)
	if ok, _ := c.Extension("AUTH"); ok {
		t.Error("AUTH is offered without TLS")
	}
	if err := c.StartTLS(&tls.Config{ServerName: "127.0.0.1", RootCAs: s.Roots()}); err != nil {
		t.Fatal(err)
	}
	if at, err := send(c, letter); at != Mail || err == nil {
		t.Errorf("without a user: %s, %v", at, err)
	}
	if err := c.Auth(smtp.PlainAuth("", "ana", "secret", "127.0.0.1")); err != nil {
		t.Fatal(err)
	}
	if at, err := send(c, letter); err != nil {
		t.Fatal(at, err)
	}
	got := s.Messages()
	if len(got) != 1 || string(got[0].Raw) != letter || !got[0].TLS || got[0].User != "ana" || got[0].From != "ana@example.com" || !slices.Equal(got[0].To, []string{"bo@example.net"}) {
		t.Fatalf("%+v", got)
	}
	p := got[0].Parse(t)
	if p.Subject != "Café" || p.Text != ".\n..two\nend\n" || p.From[0].Name != "Ana" || !slices.Equal(p.Kinds, []string{"text/plain"}) {
		t.Errorf("%+v", p)
	}
	if said := strings.Join(s.Commands(), "\n"); strings.Contains(said, "AUTH PLAIN") || !strings.Contains(said, "\nAUTH\n") {
		t.Errorf("commands:\n%s", said)
	}
}

// A client that trusts only other authorities rejects the server, and a wrong password is
// refused.
func TestRefusesStrangers(t *testing.T) {
	s := Start(t, Options{Security: TLS, User: "ana", Password: "secret"})
	if _, err := tls.Dial("tcp", s.Addr(), &tls.Config{ServerName: "127.0.0.1", RootCAs: x509.NewCertPool()}); err == nil {
		t.Error("another authority is trusted")
	}
	pem, err := os.ReadFile(s.RootsFile(t))
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		t.Fatal(err)
	}
	conn, err := tls.Dial("tcp", s.Addr(), &tls.Config{ServerName: "127.0.0.1", RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	c, err := smtp.NewClient(conn, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var answer *textproto.Error
	if err := c.Auth(smtp.PlainAuth("", "ana", "Secret", "127.0.0.1")); !errors.As(err, &answer) || answer.Code != 535 {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestFaults(t *testing.T) {
	for _, at := range []Stage{Mail, Rcpt, Data, Content} {
		s := Start(t, Options{})
		s.Fail(Fault{At: at, Times: 1, Code: 451, Text: "4.3.0 later"})
		s.Fail(Fault{At: at, Times: 1, Cut: true})
		c := dial(t, s)
		var answer *textproto.Error
		if where, err := send(c, letter); where != at || !errors.As(err, &answer) || answer.Code != 451 {
			t.Errorf("%s: %s, %v", at, where, err)
		}
		if err := c.Reset(); err != nil {
			t.Fatal(err)
		}
		if where, err := send(c, letter); where != at || err == nil || errors.As(err, &answer) && answer.Code != 451 {
			t.Errorf("cut at %s: %s, %v", at, where, err)
		}
		taken := 0
		if at == Content {
			taken = 1 // the message whose connection was cut
		}
		if got := len(s.Messages()); got != taken {
			t.Errorf("%s: %d messages were taken", at, got)
		}
		if where, err := send(dial(t, s), letter); err != nil {
			t.Errorf("after %s: %s, %v", at, where, err)
		}
	}
}

func TestIsSlow(t *testing.T) {
	s := Start(t, Options{})
	s.Fail(Fault{At: Greeting, Times: 1, Delay: 50 * time.Millisecond})
	s.Fail(Fault{At: Greeting, Delay: time.Hour}) // the end of the test does not wait for it
	began := time.Now()
	if dial(t, s); time.Since(began) < 50*time.Millisecond {
		t.Error("it was not slow")
	}
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s.Mend()
	dial(t, s)
}

// Lines that other servers would not accept, or that could smuggle in a second message, are
// detected.
func TestRefusesBadLines(t *testing.T) {
	for _, bad := range []string{"bare\n.\r\n", "bare\r.\r\n", strings.Repeat("x", 999) + "\r\n"} {
		s := Start(t, Options{})
		conn, err := textproto.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, line := range []string{"EHLO me", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.com>", "DATA"} {
			if err := conn.PrintfLine("%s", line); err != nil {
				t.Fatal(err)
			}
		}
		if err := conn.PrintfLine("%s\r\n.", bad); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = conn.ReadLine()
		}
		if len(s.Messages()) != 0 {
			t.Errorf("%.20q was taken", bad)
		}
	}
}
