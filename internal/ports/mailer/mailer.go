// Package mailer is the port by which mail leaves Tenor, and its adapter to a mail server
// (SMTP).
//
//	Port       what an outbox sends with
//	New        a Port to the mail server that an address names
//	Permanent  whether there is any use in sending again
//
// Mail goes at least once: whoever is not told that a message was taken sends it again,
// with the same Message-ID, by which mailboxes know that they have it.
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
	ID       string // mail_…: letters, digits, - and _; a repeat has the same
	To       string // an address, with a name or without
	From     string // "": the port's own; else another name or address of the same domain
	ReplyTo  string // "": the port's own, if it has one
	Subject  string
	Text     string
	HTML     string // "": text alone
	Language string // such as en-US, of all that it says
	// Attachments are files that come with it.
	Attachments []Attachment
	At          time.Time // when it was written
}

// Attachment is a file that comes with a message.
type Attachment struct {
	Name string
	Type string // such as application/pdf
	Data []byte
}

// Port sends mail. It can be used by several goroutines at a time.
type Port interface {
	// Send hands a message over. nil: somebody else is responsible for it now. After an
	// error that is not Permanent it is to be sent again.
	Send(ctx context.Context, m Message) error
}

// Codes of messages that are refused before anybody is asked.
const (
	CodeAddress = "address" // the recipient's address is none that mail servers take
	CodeMessage = "message" // the message is none that may leave, such as one with a line break in its subject
)

// verdict is what an error says about the next attempt.
type verdict int

const (
	temporary verdict = iota // nothing was taken; it may be next time
	permanent                // it will never be taken
	unknown                  // it may have been taken: nobody said so before the connection was lost
)

// Error is why a message was not taken, or not told to be.
type Error struct {
	Stage string // what was being done: compose, connect, MAIL, RCPT, DATA, content
	Code  string // the server's answer, such as 550 5.1.1; CodeAddress, CodeMessage; "" without an answer

	verdict verdict
	err     error
}

func (e *Error) Error() string { return "mail: " + e.Stage + ": " + oneLine(e.err.Error()) }

func (e *Error) Unwrap() error { return e.err }

// Permanent reports whether an error of Send is final, and the code to keep with the
// message: what the recipient's server answered, CodeAddress or CodeMessage. Other errors
// mean that the message is to be sent again.
func Permanent(err error) (code string, ok bool) {
	var e *Error
	if errors.As(err, &e) && e.verdict == permanent {
		return e.Code, true
	}
	return "", false
}

// Unknown reports whether an error of Send leaves open if the message was taken. It is to
// be sent again all the same, and may then arrive twice.
func Unknown(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.verdict == unknown
}

// refused is the error of a message that is not sent.
func refused(code, format string, args ...any) error {
	return &Error{Stage: "compose", Code: code, verdict: permanent, err: fmt.Errorf(format, args...)}
}

// failed classifies what a server answered at a stage, or that it did not.
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

// aboutMessage reports whether a refusal is about this recipient or message. What is
// refused before, or for want of a login (530) or of order among commands (503), is about
// the server's settings or ours: that would bounce everything until somebody fixes it.
func aboutMessage(stage string, code int) bool {
	return (stage == stageRcpt || stage == stageData || stage == stageContent) && code != 503 && code != 530
}

// enhanced is the finer code that most servers put before their words (RFC 3463).
var enhanced = regexp.MustCompile(`^[245]\.[0-9]{1,3}\.[0-9]{1,3}\b`)

func codeOf(answer *textproto.Error) string {
	return strings.TrimSpace(strconv.Itoa(answer.Code) + " " + enhanced.FindString(answer.Msg))
}

// maxError is how much is kept of what a server says.
const maxError = 300

// oneLine makes a server's words fit for logs and tables.
func oneLine(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > maxError {
		text = string(runes[:maxError-1]) + "…"
	}
	return text
}
