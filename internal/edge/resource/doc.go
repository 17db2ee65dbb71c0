// Package resource defines the JSON form of every resource that Tenor shows: in API
// responses, in events and to clients. The structs are the contract: their tags produce the
// OpenAPI document, and their order is the order of the members on the wire.
//
// A constructor such as NewOrder turns a record of package credit into its resource, and
// Encode encodes it. The same resource always encodes to the same bytes, so a stored
// response, an event and a replay can be compared byte for byte. A client decodes a
// resource into the same struct.
//
// These forms apply everywhere:
//
//   - money: a number with exactly two decimals
//   - rates: a string with six decimals; an APR: a string with two, in percent
//   - dates: YYYY-MM-DD in the business zone
//   - instants: RFC 3339 in UTC with Z, microseconds at most, without trailing
//     zeros in the fraction
//   - unset values: null; a text is never empty, an array or a map never null
//
// A resource may share memory with its record, so neither is changed afterwards.
package resource

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"tenor/internal/domain/calendar"
)

// APIVersion is the version of the contract that an event's payload follows.
const APIVersion = "2026-11-23"

// Decode decodes what Encode wrote. Members that T does not have are skipped, so that a
// client survives additions to the contract.
func Decode[T any](text []byte) (T, error) {
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		return v, fmt.Errorf("decode %T: %w", v, err)
	}
	return v, nil
}

// List is one page of resources, newest first unless the operation says otherwise.
type List[T any] struct {
	Data       []T     `json:"data" doc:"The resources of this page."`
	HasMore    bool    `json:"has_more" doc:"Whether another page follows." example:"false"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Value of the parameter cursor for the next page; null on the last one." example:"b3JkXzAxS0Y4"`
}

// NewList returns a page; next is "" on the last one.
func NewList[T any](data []T, next string) List[T] {
	return List[T]{Data: data, HasMore: next != "", NextCursor: text(next)}
}

// Text returns nil for an unset text, as optional members have it.
func Text(s string) *string { return text(s) }

// text returns nil for an unset text.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// textIn is text for a member of a record: it shares instead of copying.
func textIn(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}

func dateIn(d *calendar.Date) *calendar.Date {
	if *d == calendar.None {
		return nil
	}
	return d
}

func countIn(n *int) *int {
	if *n == 0 {
		return nil
	}
	return n
}

// instant returns an instant in its written form: UTC, microseconds.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func instantIn(t *time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	if t.Location() == time.UTC && t.Nanosecond()%1000 == 0 {
		return t
	}
	u := instant(*t)
	return &u
}

// convert makes resources from records; the result is never nil.
func convert[R, W any](records []R, to func(*R) W) []W {
	out := make([]W, len(records))
	for i := range records {
		out[i] = to(&records[i])
	}
	return out
}
