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
	asLender = "lender" // whoever runs the scenario
)

// Caller makes calls of the API in somebody's name (client.Client).
type Caller interface {
	Do(ctx context.Context, method, path string, body any, options ...client.Option) (*client.Response, error)
}

// Config is what a run needs. All but Tell and Patience is needed.
type Config struct {
	// Lender may do everything: the operator's scopes and sandbox.
	Lender Caller
	// Shop returns who calls with the credentials of a merchant's client.
	Shop func(id, secret string) (Caller, error)
	// Zone is the business zone, New York.
	Zone *time.Location
	// Wall is the time by which webhooks are signed, and tells one run from another.
	Wall func() time.Time
	// Patience is how long a webhook is waited for, by the machine's clock; 0: two minutes. It
	// only ends a hang.
	Patience time.Duration
	// Tell is told every act as it is done; nil: nobody is.
	Tell func(Line)
}

// Line is one act of a run: a call and its answer, or what the receiver of webhooks did.
type Line struct {
	Scenario string          `json:"scenario"`
	Step     int             `json:"step"` // of the file, from 1; 0: the runner's own preparation
	Say      string          `json:"say,omitempty"`
	At       time.Time       `json:"at"` // business time when it began, as far as it is known
	As       string          `json:"as,omitempty"`
	Method   string          `json:"method,omitempty"`
	Path     string          `json:"path,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   int             `json:"status,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Event    string          `json:"event,omitempty"` // that the receiver waited for
}

// Result is what became of a run.
type Result struct {
	Scenario    string       `json:"scenario"`
	Passed      bool         `json:"passed"`
	Calls       int          `json:"calls"`
	MerchantID  string       `json:"merchant_id"` // that it made
	CompanyID   string       `json:"company_id"`
	Differences []Difference `json:"differences"`
}

// Difference is a member of a statement that is not what it must be, or a step that did
// not answer as it must.
type Difference struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// errBroken says that a step did not answer as the file says: what follows has not been
// played. The Result names the difference.
var errBroken = errors.New("a step did not get the expected response")

// Run plays a scenario: it moves the sandbox's clock to the next day on which the
// scenario begins, makes a merchant, a company and a receiver of webhooks, makes the
// calls, and compares the end with the statement. An answer that is not the expected one
// is a Difference and ends the run; an error says that the sandbox could not be asked.
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
	told   string        // cursor behind the events that have been looked at
	heard  map[Await]int // of these, how many of each
	saying string        // what the next call is for, if it does not say so itself
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
		if _, err := r.news(ctx); err != nil { // of the preparation
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

// do plays one step: what is the receiver's here, the rest as any step.
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

// call makes a call and tells it. A refusal is an answer as any other.
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

// shown is an answer as a line shows it: JSON, without secrets.
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
	if err != nil { // what was read can be written
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
