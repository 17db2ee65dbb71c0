// Package scenario plays named stories in a sandbox: a purchase that is refunded, a debit that is
// returned, a webhook that nobody accepts. A scenario is one JSON file: API calls with the
// required responses, and the statement that describes the final state, down to the cent. The
// runner uses only Tenor's API. The steps that trigger an event of each type are played by the
// same interpreter.
//
// The amounts of a statement were computed manually from the rules that its comment names, and
// not copied from the output.
package scenario

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed scenarios/*.json
var files embed.FS

// Scenario is one story. Dates are written without a year, such as 02-15: the story begins on the
// next such day of the sandbox's clock, and all of it happens in that year.
type Scenario struct {
	Name      string    `json:"name"`    // of the file and on the command line: nsf-then-cure
	Purpose   string    `json:"purpose"` // one sentence: what it shows
	Begins    string    `json:"begins"`  // 01-12T10:00, New York
	Buyer     Buyer     `json:"buyer"`
	Steps     []Step    `json:"steps"`
	Statement Statement `json:"statement"`
}

// Buyer is the company created by the scenario, linked to a merchant of its own.
type Buyer struct {
	Limit   string `json:"limit"`   // of its credit line
	Account string `json:"account"` // its account number at the sandbox's bank; "": no account
	Autopay bool   `json:"autopay"` // installments are debited from the account
}

// Step is one act: a call, a move of the clock, a step for the merchant's webhook receiver, or a
// check of its events. Exactly one of Call, To, Until, Receiver, Await and Events is set. The
// steps of a trigger are calls, and moves until an event.
type Step struct {
	Name string `json:"name,omitempty"` // name by which later steps refer to the response: ${order.key}
	Say  string `json:"say,omitempty"`  // what happens, in a sentence

	Call    string            `json:"call,omitempty"`    // POST /order
	As      string            `json:"as,omitempty"`      // who calls: shop (the default) or lender; in a trigger, a client created by a step
	Body    json.RawMessage   `json:"body,omitempty"`    //
	Status  int               `json:"status,omitempty"`  // of the response; 0: any success
	Members map[string]string `json:"members,omitempty"` // of the response: path such as terms.plan, and value as text

	To    string `json:"to,omitempty"`    // advances the clock: 02-17T12:00, New York
	Until string `json:"until,omitempty"` // advances the clock until an event of this type arrives

	Receiver string `json:"receiver,omitempty"` // down: it answers 500 from now on; up: it accepts events

	Await *Await `json:"await,omitempty"`

	// Events are the merchant's events since the last such step, each with its type and the ID of
	// its object: exactly these, in this order. When the step ends, the receiver has accepted them.
	// A scenario with such a step must end without further events.
	Events [][2]string `json:"events,omitempty"`
}

// Await waits until the receiver has accepted an event, the given number of times.
type Await struct {
	Type   string `json:"type"`            // order.captured
	Object string `json:"object"`          // ID of the object
	Times  int    `json:"times,omitempty"` // 0: once
	// Refused means that the event was sent but not accepted.
	Refused bool `json:"refused,omitempty"`
}

// Statement is the final state of a scenario. Maps of orders and checkouts are keyed by the names
// under which steps saved them.
type Statement struct {
	Orders map[string]map[string]string `json:"orders"` // member and value
	// Checkouts are also members and values, as the merchant reads them.
	Checkouts map[string]map[string]string `json:"checkouts,omitempty"`
	// Schedules list the installments of an order: due date, amount, status.
	Schedules map[string][][3]string `json:"schedules,omitempty"`
	// Payments of the company: amount, method, status, attempt. Oldest first, and at the
	// same instant by attempt and amount.
	Payments [][4]string `json:"payments"`
	// Payouts of the merchant, oldest first: net, status.
	Payouts [][2]string       `json:"payouts"`
	Company map[string]string `json:"company"`
	// Received is an order's status as known to the receiver, which trusts the event with the
	// highest sequence.
	Received map[string]string `json:"received,omitempty"`
	// TrialBalance contains the accounts of everything posted for the merchant and the company;
	// debits are positive. Zero balances are left out.
	TrialBalance map[string]string `json:"trial_balance"`
	Comment      []string          `json:"comment"` // which rule determines which cent
}

// All returns the scenarios in order of their names.
func All() ([]Scenario, error) {
	names, err := fs.Glob(files, "scenarios/*.json")
	if err != nil {
		return nil, err
	}
	var out []Scenario
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := read(text)
		if err == nil && s.Name+".json" != path.Base(name) {
			err = fmt.Errorf("its name is %q", s.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", name, err)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Scenario) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Find returns a scenario by its name, false if there is none.
func Find(name string) (Scenario, bool, error) {
	all, err := All()
	if err != nil {
		return Scenario{}, false, err
	}
	i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })
	if i < 0 {
		return Scenario{}, false, nil
	}
	return all[i], true, nil
}

// read reads a file. An unknown member is an error.
func read(text []byte) (s Scenario, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	return s, s.check()
}

var (
	moment = regexp.MustCompile(`^[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]$`)
	called = regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) /.+$`)
)

// check reports the first thing that the runner could not play.
func (s *Scenario) check() error {
	switch {
	case s.Name == "" || s.Purpose == "" || len(s.Steps) == 0 || len(s.Statement.Comment) == 0:
		return fmt.Errorf("name, purpose, steps and a comment of the statement are needed")
	case !moment.MatchString(s.Begins):
		return fmt.Errorf("begins %q is not like 01-12T10:00", s.Begins)
	}
	last := s.Begins
	for i, x := range s.Steps {
		kinds := 0
		for _, given := range []bool{x.To != "", x.Until != "", x.Call != "", x.Receiver != "", x.Await != nil, x.Events != nil} {
			if given {
				kinds++
			}
		}
		switch {
		case kinds != 1:
			return fmt.Errorf("step %d: one of to, until, call, receiver, await and events is needed", i+1)
		case x.To != "" && (!moment.MatchString(x.To) || x.To < last):
			return fmt.Errorf("step %d: to %q is not a moment like 02-17T12:00 behind %s", i+1, x.To, last)
		case x.Call != "" && !called.MatchString(x.Call):
			return fmt.Errorf("step %d: call %q is not like POST /order", i+1, x.Call)
		case x.As != "" && x.As != asShop && x.As != asLender:
			return fmt.Errorf("step %d: as %q is neither shop nor lender", i+1, x.As)
		case x.Receiver != "" && x.Receiver != "down" && x.Receiver != "up":
			return fmt.Errorf("step %d: receiver %q is neither down nor up", i+1, x.Receiver)
		}
		if x.To != "" {
			last = x.To
		}
	}
	return nil
}
