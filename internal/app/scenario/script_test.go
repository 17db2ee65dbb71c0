package scenario

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// A move until an event starts after the last known event, and only happens if the event has not
// arrived by itself. Events of the preparation do not count.
func TestUntilAnEvent(t *testing.T) {
	for _, x := range []struct {
		name, later string // the events after the order
		advances    string
	}{
		{"it comes later", `{"data":[{"id":"evt_2","type":"order.created"}],"has_more":false}`, `POST /v1/sandbox/clock/advance {"after":"evt_2","until":"order.captured"}`},
		{"it has come", `{"data":[{"id":"evt_2","type":"order.captured"}],"has_more":false}`, ""},
		{"on a second page", `{"data":[{"id":"evt_2","type":"order.created"}],"has_more":true,"next_cursor":"c2"}`, ""},
	} {
		s := &server{answers: map[string]string{
			"GET /v1/events?limit=100":           `{"data":[{"id":"evt_1","type":"order.captured"}],"has_more":false,"next_cursor":"c1"}`,
			"GET /v1/events?limit=100&cursor=c1": x.later,
			"GET /v1/events?limit=100&cursor=c2": `{"data":[{"id":"evt_3","type":"order.captured"}],"has_more":false}`,
		}}
		r, _, err := s.play(t, story(Step{Call: "POST /order"}, Step{Until: "order.captured"}))
		if err != nil || !r.Passed {
			t.Fatalf("%s: %+v, %v", x.name, r, err)
		}
		moved := ""
		for _, asked := range s.asked {
			if strings.Contains(asked, `"until"`) {
				moved = asked
			}
		}
		if moved != x.advances {
			t.Errorf("%s: asked %q, want %q", x.name, moved, x.advances)
		}
	}
}

// An aborted move is reported as such.
func TestClockBreaksOff(t *testing.T) {
	s := &server{answers: map[string]string{"POST /v1/sandbox/clock/advance": `{"now":"2027-01-12T15:00:00Z","status":"ready","failed":true}`}}
	if _, _, err := s.play(t, story(Step{To: "02-01T10:00"})); !errors.Is(err, ErrClock) {
		t.Errorf("%v", err)
	}
}

// A value filled into a body stays inside its quotation marks, whatever a response contains; a
// path gets it unchanged.
func TestFilledIn(t *testing.T) {
	s := &script{kept: map[string]json.RawMessage{"company": json.RawMessage(`{"name":"Cedar & \"Sons\"\n<Ltd>","none":null,"id":7}`)}, fixed: map[string]string{"run": "R1"}}
	body, err := s.fill(`{"name":"${company.name}","id":"${company.id}","run":"${run}"}`, true)
	if want := `{"name":"Cedar & \"Sons\"\n<Ltd>","id":"7","run":"R1"}`; err != nil || body != want {
		t.Errorf("%s, want %s: %v", body, want, err)
	}
	if path, err := s.fill("/x?name=${company.name}", false); err != nil || path != "/x?name=Cedar & \"Sons\"\n<Ltd>" {
		t.Errorf("%s, %v", path, err)
	}
	for _, text := range []string{"${company.none}", "${order.key}", "${day 02-01}"} {
		var unknown *UnknownError
		if _, err := s.fill(text, true); !errors.As(err, &unknown) || unknown.Reference != text {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The steps of an event type come after those that they build on, and each one can be played.
func TestTriggers(t *testing.T) {
	all, err := ReadTriggers()
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		steps, err := all.Steps(name)
		if err != nil || len(steps) == 0 {
			t.Errorf("%s: %d steps, %v", name, len(steps), err)
		}
		for _, x := range steps {
			if x.Name == "" || (x.Call == "") == (x.Until == "") || x.Call != "" && !called.MatchString(x.Call) {
				t.Errorf("%s: %+v", name, x)
			}
		}
	}
	circle := Triggers{"a": {After: "b"}, "b": {After: "a"}}
	if _, err := circle.Steps("a"); err == nil || !strings.Contains(err.Error(), "after itself") {
		t.Errorf("a circle: %v", err)
	}
}
