package mailer

import (
	"bytes"
	"mime"
	"net/mail"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// letter is a complete message. It is written before a server is contacted: one interrupted in
// the middle could be accepted as it is.
type letter struct {
	from, to string // of the envelope, in angle brackets
	data     []byte
}

// idText matches an ID: it becomes part of the Message-ID unchanged.
var idText = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// languageText matches a language tag in a header.
var languageText = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$`)

// compose writes a message. A message that it refuses will always be refused.
func (s *SMTP) compose(m Message) (letter, error) {
	if err := checkMessage(m); err != nil {
		return letter{}, err
	}
	to, err := readAddress(m.To)
	if err != nil {
		return letter{}, refused(CodeAddress, "to: %w", err)
	}
	from, replyTo, err := s.sender(m)
	if err != nil {
		return letter{}, err
	}
	msg := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8), gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(from)
	msg.ToMailAddress(to)
	if replyTo != nil {
		msg.ReplyToMailAddress(replyTo)
	}
	// The same message has the same ID, date and content, however often it is sent.
	msg.SetMessageIDWithValue(m.ID + "@" + domainOf(s.from))
	msg.SetDateWithValue(m.At.UTC())
	msg.Subject(m.Subject)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // no automatic replies (RFC 3834)
	if m.Language != "" {
		msg.SetGenHeader(gomail.HeaderContentLang, m.Language)
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	for _, a := range m.Attachments {
		if err := msg.AttachReader(a.Name, bytes.NewReader(a.Data), gomail.WithFileContentType(gomail.ContentType(a.Type))); err != nil {
			return letter{}, refused(CodeMessage, "attachment: %w", err)
		}
	}
	var data bytes.Buffer
	if _, err := msg.WriteTo(&data); err != nil {
		return letter{}, refused(CodeMessage, "%w", err)
	}
	envelope := func(a *mail.Address) string { return (&mail.Address{Address: a.Address}).String() }
	return letter{from: envelope(s.from), to: envelope(to), data: data.Bytes()}, nil
}

// sender returns the author and the reply address. Mailboxes would not accept a domain other than
// ours (SPF, DMARC), and it would let a caller write in anyone's name.
func (s *SMTP) sender(m Message) (from, replyTo *mail.Address, err error) {
	from, replyTo = s.from, s.replyTo
	if m.From != "" {
		if from, err = readAddress(m.From); err != nil {
			return nil, nil, refused(CodeMessage, "from: %w", err)
		}
		if domainOf(from) != domainOf(s.from) {
			return nil, nil, refused(CodeMessage, "from: the domain is not %s", domainOf(s.from))
		}
	}
	if m.ReplyTo != "" {
		if replyTo, err = readAddress(m.ReplyTo); err != nil {
			return nil, nil, refused(CodeMessage, "reply-to: %w", err)
		}
	}
	return from, replyTo, nil
}

// checkMessage refuses messages that are incomplete or would inject headers.
func checkMessage(m Message) error {
	switch {
	case !idText.MatchString(m.ID):
		return refused(CodeMessage, "the ID may contain only letters, digits, - and _")
	case m.At.IsZero():
		return refused(CodeMessage, "the date is missing")
	case strings.TrimSpace(m.Subject) == "" || strings.TrimSpace(m.Text) == "":
		return refused(CodeMessage, "the subject or text is missing")
	case strings.ContainsFunc(m.Subject, isControl):
		return refused(CodeMessage, "the subject has a line break or another control character")
	case m.Language != "" && !languageText.MatchString(m.Language):
		return refused(CodeMessage, "the language is not valid")
	case !utf8.ValidString(m.Subject) || !utf8.ValidString(m.Text) || !utf8.ValidString(m.HTML):
		return refused(CodeMessage, "the message is not UTF-8")
	}
	for _, a := range m.Attachments {
		if a.Name == "" || !utf8.ValidString(a.Name) || strings.ContainsFunc(a.Name, isControl) {
			return refused(CodeMessage, "an attachment has no name, or one with a control character")
		}
		// The type is written unchanged: it has no parameters, and so no quotes.
		kind, values, err := mime.ParseMediaType(a.Type)
		if err != nil || len(values) > 0 || kind != a.Type || strings.Count(kind, "/") != 1 {
			return refused(CodeMessage, "an attachment has no valid type")
		}
	}
	return nil
}

// isControl finds what is not allowed in a header. Unicode line separators mean nothing in SMTP,
// but the programs behind it may interpret them.
func isControl(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
