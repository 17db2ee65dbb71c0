package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"tenor/client"
)

// script plays the steps of a scenario or of a trigger: how they make calls, and what they have
// learned. Only it interprets steps.
type script struct {
	send func(ctx context.Context, k call) (client.Response, error) // a refusal may be a response, or an error
	kept map[string]json.RawMessage                                 // responses by name
	// fixed are predefined references: ${server}.
	fixed map[string]string
	zone  *time.Location
	year  int       // of days and times; 0: none
	now   time.Time // business time, as last read

	from  string         // cursor after what happened before the steps
	last  string         // the last known event
	waits map[string]int // how often each type was awaited
}

// call is one call of the API.
type call struct {
	say, as, method, path string
	body                  json.RawMessage
}

// do plays a step that moves the clock or makes a call, and returns the response.
func (s *script) do(ctx context.Context, x *Step) (a client.Response, err error) {
	switch {
	case x.To != "":
		return a, s.moveTo(ctx, x.To, x.Say)
	case x.Until != "":
		return a, s.until(ctx, x.Until, x.Say)
	}
	text, err := s.fill(x.Call, false)
	if err != nil {
		return a, err
	}
	method, path, found := strings.Cut(text, " ")
	if !found {
		return a, fmt.Errorf("%q is no call", x.Call)
	}
	body, err := s.fill(string(x.Body), true)
	if err != nil {
		return a, err
	}
	if a, err = s.send(ctx, call{say: x.Say, as: x.As, method: method, path: path, body: json.RawMessage(body)}); err != nil {
		return a, err
	}
	if x.Name != "" {
		s.kept[x.Name] = bytes.Clone(a.Body)
	}
	return a, nil
}

// ask makes a call that is not a step, which must succeed, and decodes its response.
func ask[T any](ctx context.Context, s *script, k call) (T, error) {
	var x T
	a, err := s.send(ctx, k)
	if err != nil {
		return x, err
	}
	if a.Status >= http.StatusMultipleChoices {
		return x, fmt.Errorf("%s %s: %d %s", k.method, k.path, a.Status, a.Body)
	}
	if len(a.Body) == 0 {
		return x, nil
	}
	if err := json.Unmarshal(a.Body, &x); err != nil {
		return x, fmt.Errorf("%s %s: read answer: %w", k.method, k.path, err)
	}
	return x, nil
}

// reference is what is replaced in a step or a statement: ${order.key} is a member of a saved
// response, ${day 03-15} a day in the scenario's year, ${at 03-15T10:00} an instant in it.
var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// UnknownError means that a step refers to an unknown value: the step that creates it was left
// out.
type UnknownError struct{ Reference string }

func (e *UnknownError) Error() string { return e.Reference + " is not known" }

// fill replaces the references in a text. In JSON the reference is already in quotation marks, so
// the value is escaped.
func (s *script) fill(text string, inJSON bool) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(text, func(ref string) string {
		value, err := s.valueOf(ref[2 : len(ref)-1])
		if err != nil {
			failed = err
			return ""
		}
		if !inJSON {
			return value
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(value); err != nil {
			failed = err
			return ""
		}
		return b.String()[1 : b.Len()-2] // without its quotes and the line end
	})
	return out, failed
}

// valueOf resolves a reference.
func (s *script) valueOf(inner string) (string, error) {
	if day, found := strings.CutPrefix(inner, "day "); found && s.year > 0 {
		return fmt.Sprintf("%04d-%s", s.year, day), nil
	}
	if at, found := strings.CutPrefix(inner, "at "); found && s.year > 0 {
		t, err := s.moment(at)
		return t.UTC().Format("2006-01-02T15:04:05Z"), err
	}
	if value, found := s.fixed[inner]; found {
		return value, nil
	}
	name, path, _ := strings.Cut(inner, ".")
	value, found := member(s.kept[name], path)
	if !found || value == "null" {
		return "", &UnknownError{"${" + inner + "}"}
	}
	return value, nil
}

// moment parses a time in the scenario's year: 02-17T12:00 in New York.
func (s *script) moment(text string) (time.Time, error) {
	return time.ParseInLocation("2006-01-02T15:04", fmt.Sprintf("%04d-%s", s.year, text), s.zone)
}

// clockAnswer is what the script reads of the sandbox's clock.
type clockAnswer struct {
	Now    time.Time
	Status string
	Failed bool
}

// clock reads the sandbox's time.
func (s *script) clock(ctx context.Context) (clockAnswer, error) {
	c, err := ask[clockAnswer](ctx, s, call{as: asLender, method: "GET", path: "/v1/sandbox/clock"})
	if err == nil {
		s.now = c.Now
	}
	return c, err
}

// pollEvery is how often an ongoing move of the clock is polled.
const pollEvery = 250 * time.Millisecond

// ErrClock means that the sandbox aborted a move of its clock.
var ErrClock = errors.New("the move of the clock broke off")

// advance advances the clock, and waits until it has arrived.
func (s *script) advance(ctx context.Context, say string, to map[string]string) error {
	body, err := json.Marshal(to)
	if err != nil {
		return err
	}
	c, err := ask[clockAnswer](ctx, s, call{say: say, as: asLender, method: "POST", path: "/v1/sandbox/clock/advance", body: body})
	for err == nil && c.Status == "advancing" {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
		c, err = s.clock(ctx)
	}
	if err != nil {
		return err
	}
	if s.now = c.Now; c.Failed {
		return ErrClock
	}
	return nil
}

// moveTo advances the time to a moment in the scenario's year.
func (s *script) moveTo(ctx context.Context, text, say string) error {
	at, err := s.moment(text)
	if err != nil {
		return err
	}
	return s.advance(ctx, say, map[string]string{"to": at.UTC().Format(time.RFC3339)})
}

// until advances the clock until an event of a type arrives. The event may already have arrived,
// or arrive while the clock is being read: a sandbox does what is due now by itself.
func (s *script) until(ctx context.Context, kind, say string) error {
	s.waits[kind]++
	came, err := s.came(ctx, kind)
	if err != nil {
		return err
	}
	if came >= s.waits[kind] {
		_, err := s.clock(ctx)
		return err
	}
	to := map[string]string{"until": kind}
	if s.last != "" {
		to["after"] = s.last
	}
	return s.advance(ctx, say, to)
}

// came counts the events of a type since the steps started.
func (s *script) came(ctx context.Context, kind string) (n int, err error) {
	type page struct {
		Data []struct{ ID, Type string }
		More bool   `json:"has_more"`
		Next string `json:"next_cursor"`
	}
	for cursor := s.from; ; {
		path := "/v1/events?limit=100"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		p, err := ask[page](ctx, s, call{as: asShop, method: "GET", path: path})
		if err != nil {
			return n, err
		}
		for _, e := range p.Data {
			if s.last = e.ID; e.Type == kind {
				n++
			}
		}
		if !p.More {
			return n, nil
		}
		cursor = p.Next
	}
}
