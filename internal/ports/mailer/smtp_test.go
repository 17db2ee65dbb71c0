package mailer

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/smtptest"
)

func message() Message {
	return Message{
		ID: "mail_01JZX", To: "Bo Ångström <bo@example.net>", Subject: "Décision: café «Ünïcode»",
		Text: "Hello,\n\n.dot\n..two dots\nfine – thanks\n", HTML: "<p>Hello &amp; café</p>\n", Language: "en-US",
		At: time.Date(2026, 3, 2, 17, 4, 5, 0, time.FixedZone("", -5*3600)),
	}
}

// port returns a port to a test server.
func port(t *testing.T, s *smtptest.Server) *SMTP {
	t.Helper()
	p, err := New(Config{URL: s.URL(), From: "Tenor Lending <mail@lender.example>", ReplyTo: "help@lender.example", Roots: s.Roots(), Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The same message arrives by every kind of connection, and by the requested one.
func TestDelivers(t *testing.T) {
	for name, o := range map[string]smtptest.Options{
		"STARTTLS":           {},
		"STARTTLS and PLAIN": {User: "tenor@lender.example", Password: "p@ss:/?#%"},
		"TLS and PLAIN":      {Security: smtptest.TLS, User: "tenor", Password: "secret"},
		"TLS and LOGIN":      {Security: smtptest.TLS, User: "tenor", Password: "secret", Mechanisms: "LOGIN"},
		"neither":            {Security: smtptest.Plain},
	} {
		t.Run(name, func(t *testing.T) {
			s := smtptest.Start(t, o)
			p := port(t, s)
			if err := p.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := s.Commands(); len(s.Messages()) != 0 || got[len(got)-1] != "QUIT" {
				t.Errorf("a check says %q", got)
			}
			if err := p.Send(t.Context(), message()); err != nil {
				t.Fatal(err)
			}
			all := s.Messages()
			if len(all) != 1 {
				t.Fatalf("%d messages", len(all))
			}
			m := all[0]
			if m.TLS != (o.Security != smtptest.Plain) || m.User != o.User || m.Hello != "lender.example" || m.From != "mail@lender.example" || !slices.Equal(m.To, []string{"bo@example.net"}) {
				t.Errorf("envelope %+v", m)
			}
			compareMessage(t, m.Parse(t))
		})
	}
}

func compareMessage(t *testing.T, got smtptest.Parsed) {
	t.Helper()
	want := message()
	if got.Subject != want.Subject || got.Text != want.Text || got.HTML != want.HTML {
		t.Errorf("got %q, %q, %q", got.Subject, got.Text, got.HTML)
	}
	if got.To[0].Name != "Bo Ångström" || got.From[0].String() != `"Tenor Lending" <mail@lender.example>` || got.ReplyTo[0].Address != "help@lender.example" {
		t.Errorf("to %v, from %v, reply to %v", got.To, got.From, got.ReplyTo)
	}
	if !slices.Equal(got.Kinds, []string{"multipart/alternative", "text/plain", "text/html"}) {
		t.Errorf("parts %q", got.Kinds)
	}
	for header, value := range map[string]string{
		"Message-Id": "<mail_01JZX@lender.example>", "Date": "Mon, 02 Mar 2026 22:04:05 +0000", "Auto-Submitted": "auto-generated",
		"Content-Language": "en-US", "Mime-Version": "1.0", "User-Agent": "", "X-Mailer": "", "Bcc": "", "Cc": "",
	} {
		if got := got.Header.Get(header); got != value {
			t.Errorf("%s: %q, not %q", header, got, value)
		}
	}
}

// Lines of any length and files of any kind arrive unchanged; no line on the wire is longer than
// servers accept.
func TestLongLinesAndFiles(t *testing.T) {
	s := smtptest.Start(t, smtptest.Options{})
	m := message()
	m.Subject = strings.Repeat("Très long ", 40) + "end"
	m.Text = strings.Repeat("x", 5000) + "\n" + strings.Repeat("ü", 3000) + "\n.\n" + strings.Repeat("word ", 1000) + "end\n"
	m.HTML = ""
	m.ReplyTo, m.From = "Ana <ana@shop.example>", `"Harbor Supply, by Tenor" <orders@lender.example>`
	file := bytes.Repeat([]byte{0, '\r', '\n', '.', 255}, 3000)
	m.Attachments = []Attachment{{"agreement.pdf", "application/pdf", file}, {"two words.txt", "text/plain", []byte("hi\n")}}
	if err := port(t, s).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := s.Messages()[0].Parse(t)
	if got.Subject != m.Subject || got.Text != m.Text || got.ReplyTo[0].Address != "ana@shop.example" || got.From[0].Name != "Harbor Supply, by Tenor" {
		t.Errorf("got %q, %v, %v", got.Subject, got.From, got.ReplyTo)
	}
	if a := got.Attachments; len(a) != 2 || a[0].Name != "agreement.pdf" || a[0].Type != "application/pdf" || !bytes.Equal(a[0].Data, file) || a[1].Name != "two words.txt" || string(a[1].Data) != "hi\n" {
		t.Errorf("files: %.300v", a)
	}
	for _, line := range bytes.Split(s.Messages()[0].Raw, []byte("\r\n")) {
		if len(line) > 78 {
			t.Errorf("a line of %d: %.80s", len(line), line)
		}
	}
}

// Each reply of a server says whether to retry.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		at    smtptest.Stage
		code  int
		text  string
		final string // code of a permanent error
	}{
		{smtptest.Greeting, 421, "4.3.2 too busy", ""},
		{smtptest.Greeting, 554, "no service", ""},
		{smtptest.Hello, 421, "4.3.2 going down", ""},
		{smtptest.Upgrade, 454, "4.7.0 no TLS now", ""},
		{smtptest.Auth, 454, "4.7.0 cannot look it up", ""},
		{smtptest.Auth, 535, "5.7.8 wrong password", ""}, // ours to fix: nobody's mail bounces for it
		{smtptest.Mail, 451, "4.3.0 later", ""},
		{smtptest.Mail, 550, "5.7.1 not with this sender", ""},
		{smtptest.Rcpt, 450, "4.2.1 greylisted", ""},
		{smtptest.Rcpt, 421, "4.3.2 going down", ""},
		{smtptest.Rcpt, 550, "5.1.1 no such user", "550 5.1.1"},
		{smtptest.Rcpt, 553, "mailbox name not allowed", "553"},
		{smtptest.Rcpt, 530, "5.7.0 who are you?", ""},
		{smtptest.Data, 451, "4.3.0 later", ""},
		{smtptest.Data, 554, "5.5.1 no valid recipients", "554 5.5.1"},
		{smtptest.Content, 452, "4.3.1 disk full", ""},
		{smtptest.Content, 554, "5.6.0 looks like\x1b[31m spam", "554 5.6.0"},
	} {
		s := smtptest.Start(t, smtptest.Options{User: "tenor", Password: "secret"})
		s.Fail(smtptest.Fault{At: c.at, Times: 1, Code: c.code, Text: c.text})
		p := port(t, s)
		err := p.Send(t.Context(), message())
		code, final := Permanent(err)
		if err == nil || code != c.final || final != (c.final != "") || Unknown(err) {
			t.Errorf("%s %d: %v, permanent %v %q, unknown %v", c.at, c.code, err, final, code, Unknown(err))
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Code, strconv.Itoa(c.code)) || strings.ContainsAny(err.Error(), "\n\r\x1b") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s %d: %q, code %q", c.at, c.code, err, e.Code)
		}
		if len(s.Messages()) != 0 {
			t.Errorf("%s %d: it was taken", c.at, c.code)
		}
		if err := p.Send(t.Context(), message()); err != nil {
			t.Errorf("%s %d, again: %v", c.at, c.code, err)
		}
	}
}

// A connection lost before the end of the message has sent nothing. One lost after it may have:
// the retry can be recognized as the same message.
func TestCuts(t *testing.T) {
	for _, at := range []smtptest.Stage{smtptest.Greeting, smtptest.Hello, smtptest.Upgrade, smtptest.Mail, smtptest.Rcpt, smtptest.Data, smtptest.Content} {
		s := smtptest.Start(t, smtptest.Options{})
		s.Fail(smtptest.Fault{At: at, Times: 1, Cut: true})
		p := port(t, s)
		err := p.Send(t.Context(), message())
		if _, final := Permanent(err); err == nil || final || Unknown(err) != (at == smtptest.Content) {
			t.Errorf("cut at %s: %v, permanent %v, unknown %v", at, err, final, Unknown(err))
		}
		if err := p.Send(t.Context(), message()); err != nil {
			t.Errorf("after a cut at %s: %v", at, err)
		}
		all := s.Messages()
		if at != smtptest.Content {
			if len(all) != 1 {
				t.Errorf("cut at %s: %d messages", at, len(all))
			}
			continue
		}
		if len(all) != 2 {
			t.Fatalf("cut after the message: %d messages", len(all))
		}
		first, second := all[0].Parse(t), all[1].Parse(t)
		for _, header := range []string{"Message-Id", "Date", "Subject", "From", "To"} {
			if first.Header.Get(header) != second.Header.Get(header) || first.Header.Get(header) == "" {
				t.Errorf("%s: %q, then %q", header, first.Header.Get(header), second.Header.Get(header))
			}
		}
		if first.Text != second.Text || first.HTML != second.HTML {
			t.Error("the repeat says something else")
		}
	}
	s := smtptest.Start(t, smtptest.Options{})
	s.Fail(smtptest.Fault{At: smtptest.Quit, Cut: true})
	if err := port(t, s).Send(t.Context(), message()); err != nil || len(s.Messages()) != 1 {
		t.Errorf("a server that does not say goodbye: %v", err)
	}
}

// A large message whose connection is lost in the middle was not accepted, and nothing makes the
// server think that it is complete.
func TestCutInTheMiddle(t *testing.T) {
	s := smtptest.Start(t, smtptest.Options{Security: smtptest.Plain})
	s.Fail(smtptest.Fault{At: smtptest.Middle, Cut: true})
	m := message()
	m.Attachments = []Attachment{{"big.pdf", "application/pdf", bytes.Repeat([]byte("x"), 8<<20)}}
	if err := port(t, s).Send(t.Context(), m); err == nil || Unknown(err) || len(s.Messages()) != 0 {
		t.Errorf("%v, %d messages", err, len(s.Messages()))
	}
}

// A server that does not reply delays nobody for longer than the timeout.
func TestSlowServers(t *testing.T) {
	for _, at := range []smtptest.Stage{smtptest.Greeting, smtptest.Rcpt, smtptest.Content} {
		s := smtptest.Start(t, smtptest.Options{})
		s.Fail(smtptest.Fault{At: at, Times: 1, Delay: time.Hour})
		p := port(t, s)
		p.timeout = 300 * time.Millisecond
		began := time.Now()
		err := p.Send(t.Context(), message())
		if err == nil || Unknown(err) != (at == smtptest.Content) || time.Since(began) > 10*time.Second {
			t.Errorf("slow at %s: %v after %s", at, err, time.Since(began))
		}
		if _, final := Permanent(err); final {
			t.Errorf("slow at %s is final", at)
		}
	}
	s := smtptest.Start(t, smtptest.Options{})
	s.Fail(smtptest.Fault{At: smtptest.Rcpt, Delay: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	if err := port(t, s).Send(ctx, message()); !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
		t.Errorf("nobody waits anymore: %v after %s", err, time.Since(began))
	}
	s.Mend()
	s.Fail(smtptest.Fault{At: smtptest.Content, Delay: 300 * time.Millisecond})
	if err := port(t, s).Send(t.Context(), message()); err != nil {
		t.Errorf("a server that thinks first: %v", err)
	}
}

// Nothing is sent to a server that cannot prove its identity, or that does without TLS.
func TestServerIsVerified(t *testing.T) {
	for name, o := range map[string]smtptest.Options{"STARTTLS": {User: "tenor", Password: "secret"}, "TLS": {Security: smtptest.TLS, User: "tenor", Password: "secret"}} {
		s := smtptest.Start(t, o)
		p := port(t, s)
		p.roots = x509.NewCertPool()
		for what, err := range map[string]error{"send": p.Send(t.Context(), message()), "check": p.Check(t.Context())} {
			var unknown x509.UnknownAuthorityError
			if !errors.As(err, &unknown) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if got := s.Commands(); slices.Contains(got, "AUTH") || slices.ContainsFunc(got, func(c string) bool { return strings.HasPrefix(c, "MAIL") }) {
			t.Errorf("%s: it was told %q", name, got)
		}
	}
	// An attacker between us and the server strips STARTTLS from its reply.
	s := smtptest.Start(t, smtptest.Options{Security: smtptest.Plain, User: "tenor", Password: "secret"})
	p, err := New(Config{URL: "smtp://tenor:secret@" + s.Addr(), From: "mail@lender.example", Roots: s.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Send(t.Context(), message()); err == nil || !strings.Contains(err.Error(), "STARTTLS") || slices.Contains(s.Commands(), "AUTH") {
		t.Errorf("without TLS: %v, it was told %q", err, s.Commands())
	}
}

func TestCheckFails(t *testing.T) {
	s := smtptest.Start(t, smtptest.Options{User: "tenor", Password: "secret"})
	for what, url := range map[string]string{
		"535":         strings.Replace(s.URL(), "secret", "Secret", 1),
		"refused":     "smtp://127.0.0.1:1",
		"certificate": strings.Replace(s.URL(), "127.0.0.1", "127.0.0.2", 1), // another name for the same server
	} {
		p, err := New(Config{URL: url, From: "mail@lender.example", Roots: s.Roots()})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(t.Context()); err == nil || !strings.Contains(err.Error(), what) && what != "certificate" || strings.Contains(err.Error(), "Secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Many goroutines may send concurrently.
func TestSendsAtOnce(t *testing.T) {
	s := smtptest.Start(t, smtptest.Options{})
	p, done := port(t, s), make(chan error)
	for range 20 {
		go func() { done <- p.Send(t.Context(), message()) }()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := len(s.Messages()); n != 20 {
		t.Errorf("%d messages", n)
	}
}
