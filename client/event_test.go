package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// events is a page of events with the given numbers.
func events(more bool, cursor string, ids ...string) answer {
	var list []string
	for _, id := range ids {
		list = append(list, `{"id":"`+id+`","type":"order.created"}`)
	}
	return ok(`{"data":[` + strings.Join(list, ",") + `],"has_more":` + map[bool]string{true: "true", false: "false"}[more] + `,"next_cursor":"` + cursor + `"}`)
}

func TestPollerFollows(t *testing.T) {
	s := newStub(t, events(true, "c2", "1", "2"), events(false, "c3", "3"), events(false, "c3"), events(false, "c4", "4"))
	p := s.EventPoller("c0")
	p.Filter.CreatedFrom = "2026-01-05"
	seen, cursors := "", ""
	for e, err := range p.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		seen, cursors = seen+e.ID, cursors+p.Cursor+" "
		if e.ID == "4" {
			break
		}
	}
	if seen != "1234" || cursors != "c0 c0 c2 c3 " {
		t.Errorf("seen %s at the cursors %s", seen, cursors)
	}
	calls, _ := s.asked()
	for i, want := range []string{"c0", "c2", "c3", "c3"} {
		if line := "GET /v1/events?created_from=2026-01-05&cursor=" + want + "&limit=100"; calls[i].line != line {
			t.Errorf("call %d was %s, want %s", i+1, calls[i].line, line)
		}
	}
	if len(s.waits) != 2 || s.waits[0] != 2*time.Second {
		t.Errorf("waits %v", s.waits)
	}
}

func TestPollerSkips(t *testing.T) {
	s := newStub(t, events(true, "c1", "1", "2"), events(false, "c2", "3"), events(false, "c3", "4"))
	p := s.EventPoller("")
	if n, err := p.Skip(context.Background()); n != 3 || err != nil {
		t.Errorf("skipped %d, %v", n, err)
	}
	for e, err := range p.Events(context.Background()) {
		if err != nil || e.ID != "4" {
			t.Errorf("then %v, %v", e, err)
		}
		break
	}
}

func TestPollerEnds(t *testing.T) {
	s := newStub(t, events(false, "c1", "1"), problem(403, "insufficient_scope"))
	n, last := 0, error(nil)
	for _, err := range s.EventPoller("").Events(context.Background()) {
		n, last = n+1, err
	}
	if n != 2 || !errors.Is(last, CodeInsufficientScope) {
		t.Errorf("%d events, %v", n, last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s = newStub(t, events(false, "c1", "1"))
	for e, err := range s.EventPoller("").Events(ctx) {
		cancel()
		if e == nil {
			last = err
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v", last)
	}
	s = newStub(t, problem(401, "unauthorized"))
	if _, err := s.EventPoller("").Skip(context.Background()); !errors.Is(err, CodeUnauthorized) {
		t.Errorf("skipping ended with %v", err)
	}
}
