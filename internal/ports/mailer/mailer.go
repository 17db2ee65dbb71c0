// Package mailer is the port through which Tenor sends mail, and its adapter to a mail server
// (SMTP).
//
//	Port       used by an outbox to send
//	New        a Port to the mail server at a URL
//	Permanent  whether a retry is pointless
//
// Mail is sent at least once: if it is unknown whether a message was accepted, it is sent
// again with the same Message-ID, by which mailboxes recognize duplicates.
package mailer

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Message is one message to one person.
type Message struct {
	ID       string // mail_…: letters, digits, - and _; the same for a retry
	To       string // an address, with or without a name
	From     string // "": the port's own; otherwise another name or address of the same domain
	ReplyTo  string // "": the port's own, if it has one
	Subject  string
	Text     string
	HTML     string // "": text only
	Language string // such as en-US, of the whole message
	// Attachments are files attached to the message.
	Attachments []Attachment
	At          time.Time // when it was written
}

// Attachment is a file attached to a message.
type Attachment struct {
	Name string
	Type string // such as application/pdf
	Data []byte
}

// Port sends mail. It is safe for concurrent use.
type Port interface {
	// Send hands a message over. nil: the server is now responsible for it. After an error that is
	// not Permanent, send it again.
	Send(ctx context.Context, m Message) error
}

// Codes of messages refused before a server is contacted.
const (
	CodeAddress = "address" // the recipient's address is not one that mail servers accept
	CodeMessage = "message" // the message must not be sent, for example because of a line break in its subject
)

// verdict is what an error means for a retry.
type verdict int

const (
	temporary verdict = iota // nothing was accepted; a retry may succeed
	permanent                // it will never be accepted
	unknown                  // it may have been accepted: the connection was lost before the reply
)

// Error is why a message was not accepted, or not confirmed.
type Error struct {
	Stage string // what was being done: compose, connect, MAIL, RCPT, DATA, content
	Code  string // the server's reply, such as 550 5.1.1; CodeAddress, CodeMessage; "" without a reply

	verdict verdict
	err     error
}

func (e *Error) Error() string { return "mail: " + e.Stage + ": " + oneLine(e.err.Error()) }

func (e *Error) Unwrap() error { return e.err }

// Permanent reports whether an error of Send is final, and the code to store with the message:
// the recipient server's reply, CodeAddress or CodeMessage. After other errors, send the message
// again.
func Permanent(err error) (code string, ok bool) {
	var e *Error
	if errors.As(err, &e) && e.verdict == permanent {
		return e.Code, true
	}
	return "", false
}

// Unknown reports whether an error of Send leaves open if the message was accepted. Send it again
// all the same; it may then arrive twice.
func Unknown(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.verdict == unknown
}

// refused returns the error of a message that is not sent.
func refused(code, format string, args ...any) error {
	return &Error{Stage: "compose", Code: code, verdict: permanent, err: fmt.Errorf(format, args...)}
}

// failed classifies a server's reply at a stage, or its absence.
func failed(stage string, err error) error {
	e := &Error{Stage: stage, err: err}
	var answer *textproto.Error
	if errors.As(err, &answer) {
		e.Code = codeOf(answer)
	}
	switch {
	case answer == nil && stage == stageContent:
		e.verdict = unknown
	case answer != nil && answer.Code >= 500 && aboutMessage(stage, answer.Code):
		e.verdict = permanent
	}
	return e
}

// aboutMessage reports whether a refusal is about this recipient or message. Earlier refusals, a
// missing login (530) or commands out of order (503) are about the server's settings or ours:
// treating them as final would bounce everything until somebody fixes it.
func aboutMessage(stage string, code int) bool {
	return (stage == stageRcpt || stage == stageData || stage == stageContent) && code != 503 && code != 530
}

// enhanced is the more specific code that most servers put before their text (RFC 3463).
var enhanced = regexp.MustCompile(`^[245]\.[0-9]{1,3}\.[0-9]{1,3}\b`)

func codeOf(answer *textproto.Error) string {
	return strings.TrimSpace(strconv.Itoa(answer.Code) + " " + enhanced.FindString(answer.Msg))
}

// maxError is how much of a server's text is kept.
const maxError = 300

// oneLine makes a server's text fit for logs and tables.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > maxError {
		text = string(runes[:maxError-1]) + "…"
	}
	return text
}
