package mailer

import (
	"strings"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	for url, want := range map[string]server{
		"smtp://mail.example.com":                            {host: "mail.example.com", port: 587},
		"smtp://mail.example.com:2525/?starttls=required":    {host: "mail.example.com", port: 2525},
		"smtps://mail.example.com":                           {host: "mail.example.com", port: 465, tls: true},
		"smtps://user%40example.com:p%40s%3As@[2001:db8::1]": {host: "2001:db8::1", port: 465, tls: true, user: "user@example.com", password: "p@s:s"},
		"smtp://127.0.0.1:25?starttls=never":                 {host: "127.0.0.1", port: 25, plain: true},
		"smtp://[::1]?starttls=never":                        {host: "::1", port: 587, plain: true},
		"smtp://localhost?starttls=never":                    {host: "localhost", port: 587, plain: true},
	} {
		s, err := New(Config{URL: url, From: "Tenor <mail@lender.example>"})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if s.to != want || s.timeout != DefaultTimeout || s.replyTo != nil {
			t.Errorf("%s: %+v", url, s)
		}
		if text := s.String(); strings.Contains(text, "p@s") || strings.Contains(text, "user") || !strings.Contains(text, want.address()) {
			t.Errorf("%s is called %s", url, text)
		}
	}
	s, err := New(Config{URL: "smtps://user@mail.example.com", Password: "from a file", From: "mail@lender.example", Timeout: time.Second})
	if err != nil || s.to.password != "from a file" || s.timeout != time.Second {
		t.Errorf("%+v, %v", s, err)
	}
}

// Each mistake is identified, and no error contains a password.
func TestConfigErrors(t *testing.T) {
	from := "mail@lender.example"
	for _, c := range []struct {
		Config
		want string
	}{
		{Config{URL: "", From: from}, "must begin with smtp:// or smtps://"},
		{Config{URL: "mail.example.com:587", From: from}, "must begin with smtp:// or smtps://"},
		{Config{URL: "https://hush:hush@mail.example.com", From: from}, "must begin with smtp:// or smtps://"},
		{Config{URL: "smtps://user:hush%zz@mail.example.com", From: from}, "percent-encoded"},
		{Config{URL: "smtps://user:hu#sh@mail.example.com", From: from}, "cannot be read"},
		{Config{URL: "smtp://", From: from}, "no host"},
		{Config{URL: "smtp://:587", From: from}, "no host"},
		{Config{URL: "smtp://mail.example.com:0", From: from}, "1 to 65535"},
		{Config{URL: "smtp://mail.example.com:65536", From: from}, "1 to 65535"},
		{Config{URL: "smtp://mail.example.com/inbox", From: from}, "must end after host and port"},
		{Config{URL: "smtp://mail.example.com#x", From: from}, "must end after host and port"},
		{Config{URL: "smtp://mail.example.com?starttls=maybe", From: from}, "required or never"},
		{Config{URL: "smtp://mail.example.com?verify=no", From: from}, "starttls=required or starttls=never"},
		{Config{URL: "smtp://localhost?starttls=never&starttls=required", From: from}, "starttls=required or starttls=never"},
		{Config{URL: "smtps://mail.example.com?starttls=required", From: from}, "always uses TLS"},
		{Config{URL: "smtp://mail.example.com?starttls=never", From: from}, "on this machine"},
		{Config{URL: "smtp://10.0.0.1?starttls=never", From: from}, "on this machine"},
		{Config{URL: "smtp://localhost.example.com?starttls=never", From: from}, "on this machine"},
		{Config{URL: "smtp://user:hush@localhost?starttls=never", From: from}, "would be readable"},
		{Config{URL: "smtps://user@mail.example.com", From: from}, "has no password"},
		{Config{URL: "smtps://:hush@mail.example.com", From: from}, "no user"},
		{Config{URL: "smtps://mail.example.com", Password: "hush", From: from}, "no user"},
		{Config{URL: "smtps://user:hush@mail.example.com", Password: "hush", From: from}, "given twice"},
		{Config{URL: "smtps://user:hu%00sh@mail.example.com", From: from}, "NUL"},
		{Config{URL: "smtps://mail.example.com", From: ""}, "from: it is not an address"},
		{Config{URL: "smtps://mail.example.com", From: "lender.example"}, "from: it is not an address"},
		{Config{URL: "smtps://mail.example.com", From: from + "\r\nBcc: x@example.com"}, "from: the address has a line break"},
		{Config{URL: "smtps://mail.example.com", From: from, ReplyTo: "a@b, c@d"}, "reply-to: it is not an address"},
		{Config{URL: "smtps://mail.example.com", From: from, Timeout: -1}, "negative"},
	} {
		_, err := New(c.Config)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "mailer: ") {
			t.Errorf("%s, from %q: %v, not %q", c.URL, c.From, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hu") {
			t.Errorf("%s: the error tells the password: %v", c.URL, err)
		}
	}
}
