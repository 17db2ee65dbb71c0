package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"tenor/client"
)

// Who makes a call.
const (
	asShop   = "shop"   // the merchant's client
	asLender = "lender" // the user who runs the scenario
)

// Caller makes API calls as somebody (client.Client).
type Caller interface {
	Do(ctx context.Context, method, path string, body any, options ...client.Option) (*client.Response, error)
}

// Config is the input of a run. All of it except Tell and Patience is required.
type Config struct {
	// Lender has every permission: the operator's scopes and sandbox.
	Lender Caller
	// Shop returns a caller with the credentials of a merchant's client.
	Shop func(id, secret string) (Caller, error)
	// Zone is the business zone, New York.
	Zone *time.Location
	// Wall is the clock that signs webhooks, and distinguishes runs.
	Wall func() time.Time
	// Patience is how long to wait for a webhook, by the machine's clock; 0: two minutes. It only
	// prevents a hang.
	Patience time.Duration
	// Tell is called with every act as it is done; it may be nil.
	Tell func(Line)
}

// Line is one act of a run: a call and its response, or what the webhook receiver did.
type Line struct {
	Scenario string          `json:"scenario"`
	Step     int             `json:"step"` // in the file, from 1; 0: the runner's own preparation
	Say      string          `json:"say,omitempty"`
	At       time.Time       `json:"at"` // business time when it began, if known
	As       string          `json:"as,omitempty"`
	Method   string          `json:"method,omitempty"`
	Path     string          `json:"path,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   int             `json:"status,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Event    string          `json:"event,omitempty"` // awaited by the receiver
}

// Result is the outcome of a run.
type Result struct {
	Scenario    string       `json:"scenario"`
	Passed      bool         `json:"passed"`
	Calls       int          `json:"calls"`
	MerchantID  string       `json:"merchant_id"` // created by the run
	CompanyID   string       `json:"company_id"`
	Differences []Difference `json:"differences"`
}

// Difference is a member of a statement with an unexpected value, or a step with an unexpected
// response.
type Difference struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// errBroken means that a step got an unexpected response, so the following ones have not been
// played. The Result contains the difference.
var errBroken = errors.New("a step did not get the expected response")

// Run plays a scenario: it advances the sandbox's clock to the next day on which the scenario
// begins, creates a merchant, a company and a webhook receiver, makes the calls, and compares the
// final state with the statement. An unexpected response is a Difference and ends the run; an
// error means that the sandbox could not be called.
func Run(ctx context.Context, c Config, s Scenario) (Result, error) {
	r := &run{Config: c, s: s, heard: map[Await]int{}}
	r.script = &script{send: r.call, kept: map[string]json.RawMessage{}, waits: map[string]int{}, zone: c.Zone}
	r.Patience = cmp.Or(r.Patience, 2*time.Minute)
	r.result = Result{Scenario: s.Name, Differences: []Difference{}}
	var err error
	if r.hook, err = listen(c.Wall); err != nil {
		return r.result, err
	}
	err = errors.Join(r.play(ctx), r.hook.close())
	if err != nil && !errors.Is(err, errBroken) {
		return r.result, fmt.Errorf("scenario %s, step %d: %w", s.Name, r.step, err)
	}
	r.result.Passed = len(r.result.Differences) == 0
	return r.result, nil
}

// run is a scenario that is being played.
type run struct {
	Config
	*script
	s      Scenario
	shop   Caller
	hook   *receiver
	step   int
	told   string        // cursor after the events already checked
	heard  map[Await]int // how many of each were checked
	saying string        // what the next call is for, unless it says so itself
	result Result
}

func (r *run) play(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if r.listens() || r.waitsForEvents() {
		if _, err := r.news(ctx); err != nil { // from the preparation
			return err
		}
		r.from = r.told
	}
	for i := range r.s.Steps {
		r.step = i + 1
		if err := r.do(ctx, &r.s.Steps[i]); err != nil {
			return err
		}
	}
	return r.compare(ctx)
}

// do plays one step: it handles those for the receiver, and leaves the rest to the script.
func (r *run) do(ctx context.Context, x *Step) error {
	switch {
	case x.Receiver != "":
		r.hook.answer(x.Receiver == "up")
		r.tell(Line{Say: x.Say})
		return nil
	case x.Await != nil:
		return r.await(ctx, x)
	case x.Events != nil:
		return r.events(ctx, x)
	}
	a, err := r.script.do(ctx, x)
	if err != nil || x.Call == "" {
		return err
	}
	if wanted := a.Status == x.Status || x.Status == 0 && a.Status < 300; !wanted {
		want := "success"
		if x.Status != 0 {
			want = fmt.Sprint(x.Status)
		}
		r.differ(fmt.Sprintf("step %d: %s: status", r.step, x.Call), want, strings.TrimSpace(fmt.Sprint(a.Status, " ", textOf(a.Body, "code"))))
	}
	r.members(fmt.Sprintf("step %d: ", r.step), a.Body, x.Members)
	if len(r.result.Differences) > 0 {
		return errBroken
	}
	return nil
}

// call makes a call and reports it. A refusal is a response like any other.
func (r *run) call(ctx context.Context, k call) (client.Response, error) {
	who, as := r.shop, asShop
	if k.as == asLender {
		who, as = r.Lender, asLender
	}
	var body any
	if len(k.body) > 0 {
		body = k.body
	}
	var a client.Response
	_, err := who.Do(ctx, k.method, k.path, body, client.Record(&a))
	var refused *client.Problem
	if err != nil && !errors.As(err, &refused) {
		return a, err
	}
	r.result.Calls++
	k.say, r.saying = cmp.Or(k.say, r.saying), ""
	r.tell(Line{Say: k.say, As: as, Method: k.method, Path: k.path, Request: k.body, Status: a.Status, Answer: shown(a)})
	return a, nil
}

// shown returns a response for a line: JSON, without secrets.
func shown(a client.Response) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(a.Body, &members) != nil {
		return nil
	}
	secret := false
	for _, name := range []string{"secret", "client_secret"} {
		if _, there := members[name]; there {
			members[name], secret = json.RawMessage(`"…"`), true
		}
	}
	if !secret {
		return a.Body
	}
	b, err := json.Marshal(members)
	if err != nil { // what was decoded can be encoded
		return nil
	}
	return b
}

func (r *run) tell(l Line) {
	if r.Tell == nil {
		return
	}
	l.Scenario, l.Step, l.At = r.s.Name, r.step, r.now
	r.Tell(l)
}

func (r *run) differ(what, expected, got string) {
	if expected != got {
		r.result.Differences = append(r.result.Differences, Difference{what, expected, got})
	}
}
