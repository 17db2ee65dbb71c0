package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"tenor/client"
)

// EventRow returns an event as a table row.
func EventRow(e *client.Event) []any {
	return []any{e.CreatedAt, e.Type, e.Object.ID, e.Sequence, e.ID}
}

// EventNoun is how events of all objects are printed.
func EventNoun() Noun[client.Event] {
	return Noun[client.Event]{
		Head: []string{"AT", "TYPE", "OBJECT", ">SEQUENCE", "ID"}, Row: EventRow,
		Key: func(e *client.Event) string { return e.ID },
		Text: func(a *App, e *client.Event) error {
			if err := Facts(a.Out, "id", e.ID, "type", e.Type, "at", e.CreatedAt, "object", e.Object.Type+" "+e.Object.ID, "sequence", e.Sequence,
				"request", e.Request.ID, "idempotency key", e.Request.IdempotencyKey, "version", e.APIVersion); err != nil {
				return err
			}
			text, err := json.Marshal(e.Data)
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Out)
			return Document(a.Out, Indented(text))
		},
	}
}

// ObjectEventNoun is how the events of one object are printed.
func ObjectEventNoun() Noun[client.Event] {
	return Noun[client.Event]{
		Head: []string{">SEQUENCE", "AT", "TYPE", "ID", "REQUEST"},
		Row:  func(e *client.Event) []any { return []any{e.Sequence, e.CreatedAt, e.Type, e.ID, Maybe(e.Request.ID)} },
		Key:  func(e *client.Event) string { return e.ID },
	}
}

// Indented formats a document for people.
func Indented(body []byte) []byte {
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") != nil {
		return body
	}
	return pretty.Bytes()
}

// Line prints a document on one line.
func Line(w io.Writer, body []byte) error {
	var flat bytes.Buffer
	if err := json.Compact(&flat, body); err != nil {
		return err
	}
	return Document(w, flat.Bytes())
}

// Without removes a member from an object.
func Without(body []byte, name string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	delete(members, name)
	return json.Marshal(members)
}

// TellEvent prints one event of a stream as a line.
func TellEvent(a *App, o Output, e *client.Event) error {
	switch {
	case o.JSON:
		return Line(a.Out, e.JSON())
	case o.Plain:
		return Record(a.Out, EventRow(e))
	case o.Quiet:
		_, err := fmt.Fprintln(a.Out, Clean(e.ID))
		return err
	}
	_, err := fmt.Fprintf(a.Out, "%s  %-28s  %s #%d  %s\n", Instant(&e.CreatedAt), Clean(e.Type), Clean(e.Object.ID), e.Sequence, Clean(e.ID))
	return err
}
