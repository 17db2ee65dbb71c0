package mailer

import (
	"bytes"
	"net/mail"
	"strings"
	"testing"
	"time"
)

func composer(t testing.TB) *SMTP {
	t.Helper()
	s, err := New(Config{URL: "smtp://127.0.0.1:1?starttls=never", From: "Tenor <mail@lender.example>"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hostileFields puts a text into each field that becomes a header.
func hostileFields(text string) map[string]Message {
	all := map[string]Message{}
	for name, set := range map[string]func(*Message){
		"id": func(m *Message) { m.ID = text }, "to": func(m *Message) { m.To = text }, "from": func(m *Message) { m.From = text },
		"reply-to": func(m *Message) { m.ReplyTo = text }, "subject": func(m *Message) { m.Subject = text }, "language": func(m *Message) { m.Language = text },
		"file":      func(m *Message) { m.Attachments = []Attachment{{Name: text, Type: "text/plain"}} },
		"file type": func(m *Message) { m.Attachments = []Attachment{{Name: "a", Type: text}} },
	} {
		m := message()
		set(&m)
		all[name] = m
	}
	return all
}

// A line break in any field that becomes a header is refused permanently.
func TestLineBreaksAreRefused(t *testing.T) {
	s := composer(t)
	for _, text := range []string{"a\r\nBcc: x@example.com", "a\nb", "a\rb", "bo@example.net\r\nBcc: x@example.com", "Bo\r\nX: y <bo@example.net>", "=?utf-8?q?a=0D=0AX:?= <bo@example.net>", "text/plain\r\nX: y", "a\x00b", "a\u2028b", "text/plain; x=\"\r\n\""} {
		for field, m := range hostileFields(text) {
			if (field == "subject" || field == "file") && strings.HasPrefix(text, "=?") {
				continue // there it is ordinary text
			}
			_, err := s.compose(m)
			code, final := Permanent(err)
			if want := map[bool]string{true: CodeAddress, false: CodeMessage}[field == "to"]; !final || code != want {
				t.Errorf("%s %q: %v, %q", field, text, err, code)
			}
		}
	}
}

func TestMessagesThatAreNone(t *testing.T) {
	s := composer(t)
	for what, change := range map[string]func(*Message){
		"no ID": func(m *Message) { m.ID = "" }, "no recipient": func(m *Message) { m.To = "" }, "two recipients": func(m *Message) { m.To = "a@example.com, b@example.com" },
		"no domain": func(m *Message) { m.To = "bo" }, "a domain of other letters": func(m *Message) { m.To = "bo@bücher.example" }, "an address by number": func(m *Message) { m.To = "bo@[127.0.0.1]" },
		"no subject": func(m *Message) { m.Subject = " " }, "no text": func(m *Message) { m.Text = "" }, "no date": func(m *Message) { m.At = time.Time{} },
		"bytes": func(m *Message) { m.Text = "\xff" }, "bytes in HTML": func(m *Message) { m.HTML = "\xff" }, "bytes in the subject": func(m *Message) { m.Subject = "\xff" },
		"another sender": func(m *Message) { m.From = "head@bank.example" }, "a file without a type": func(m *Message) { m.Attachments = []Attachment{{Name: "a"}} },
	} {
		m := message()
		change(&m)
		if _, err := s.compose(m); err == nil {
			t.Errorf("%s: it is sent", what)
		} else if _, final := Permanent(err); !final {
			t.Errorf("%s: %v is tried again", what, err)
		}
	}
}

// FuzzHeaders puts a text into each field: what is not refused produces the same headers as
// harmless texts do.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"plain", "a\r\nBcc: x@y.z", "=?utf-8?q?=0D=0ABcc:_x?=", "bo@example.net", `"a\"b" <c@lender.example>`, "é\u2028", "text/html", strings.Repeat("x", 2000), "a;b=\"c\"", "<>", "a\\"} {
		f.Add(seed)
	}
	known := "|Auto-Submitted|Content-Language|Content-Type|Date|From|Message-Id|Mime-Version|Reply-To|Subject|To|"
	f.Fuzz(func(t *testing.T, text string) {
		s := composer(t)
		for field, m := range hostileFields(text) {
			l, err := s.compose(m)
			if err != nil {
				continue
			}
			in, err := mail.ReadMessage(bytes.NewReader(l.data))
			if err != nil {
				t.Fatalf("%s %q: %v\n%s", field, text, err, l.data)
			}
			for name, values := range in.Header {
				if len(values) != 1 || !strings.Contains(known, "|"+name+"|") {
					t.Errorf("%s %q: header %s: %q", field, text, name, values)
				}
			}
			if strings.ContainsAny(l.to+l.from, "\r\n") || strings.Count(l.to, ">") != 1 || !strings.HasSuffix(l.from, "@lender.example>") {
				t.Errorf("%s %q: envelope %q, %q", field, text, l.from, l.to)
			}
		}
	})
}
