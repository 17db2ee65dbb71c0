package smtptest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
)

// Message is a message as received.
type Message struct {
	Hello string // what the client called itself
	TLS   bool
	User  string   // the signed-in user
	From  string   // envelope
	To    []string // envelope
	Raw   []byte   // with CRLF, dots unstuffed
}

// Parsed is a message as its reader sees it.
type Parsed struct {
	Header      mail.Header
	Subject     string // decoded
	From, To    []*mail.Address
	ReplyTo     []*mail.Address
	Text, HTML  string   // with LF
	Kinds       []string // content types of all parts, from the outside in
	Attachments []Attachment
}

// Attachment is a file of a message.
type Attachment struct {
	Name, Type string
	Data       []byte
}

// Parse reads the message, and fails the test if it is malformed.
func (m Message) Parse(t testing.TB) Parsed {
	t.Helper()
	p, err := m.parse()
	if err != nil {
		t.Fatalf("smtptest: not a message: %v\n%s", err, m.Raw)
	}
	return p
}

func (m Message) parse() (p Parsed, err error) {
	in, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return p, err
	}
	p.Header = in.Header
	if p.Subject, err = new(mime.WordDecoder).DecodeHeader(in.Header.Get("Subject")); err != nil {
		return p, fmt.Errorf("subject: %w", err)
	}
	for name, list := range map[string]*[]*mail.Address{"From": &p.From, "To": &p.To, "Reply-To": &p.ReplyTo} {
		if in.Header.Get(name) == "" {
			continue
		}
		if *list, err = in.Header.AddressList(name); err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
	}
	return p, p.part(in.Header.Get("Content-Type"), in.Header.Get("Content-Transfer-Encoding"), "", in.Body)
}

// part reads a part and the parts in it.
func (p *Parsed) part(kind, encoding, disposition string, body io.Reader) error {
	what, values, err := mime.ParseMediaType(kind)
	if err != nil {
		return fmt.Errorf("content type %q: %w", kind, err)
	}
	p.Kinds = append(p.Kinds, what)
	if strings.HasPrefix(what, "multipart/") {
		return p.parts(multipart.NewReader(body, values["boundary"]))
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	switch shown, about, _ := mime.ParseMediaType(disposition); {
	case shown == "attachment":
		p.Attachments = append(p.Attachments, Attachment{about["filename"], what, data})
	case what == "text/plain" && strings.EqualFold(values["charset"], "utf-8"):
		p.Text = text
	case what == "text/html" && strings.EqualFold(values["charset"], "utf-8"):
		p.HTML = text
	default:
		return fmt.Errorf("a part of type %q", kind)
	}
	return nil
}

func (p *Parsed) parts(in *multipart.Reader) error {
	for {
		part, err := in.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		h := part.Header
		if err := p.part(h.Get("Content-Type"), h.Get("Content-Transfer-Encoding"), h.Get("Content-Disposition"), part); err != nil {
			return err
		}
	}
}
