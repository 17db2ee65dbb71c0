package signin

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/office/buyer"
)

// Act is a command that a member gives in the console.
type Act struct {
	Command credit.Command
	Reason  string
	Address string
	// Once is the value of the form: a second submission of it changes nothing and is answered
	// as the first was.
	Once string
}

// Foreseen is what an act would do.
type Foreseen struct {
	engine.Result
	Takes bool // a second person, by the lender's rules
	// Grave means that it would take one where two people act together: a fresh code is due, even
	// where they do not.
	Grave bool
	// Limit is up to what the member would do it alone, 0 if a second person is always due.
	Limit money.Amount
}

func (v *Visitor) actor() credit.Actor { return credit.Actor{Client: v.Member, Operator: true} }

// Foresee decides an act and changes nothing. What the act would be refused for is a
// *credit.Rejection.
func (d *Desk) Foresee(ctx context.Context, v *Visitor, a Act) (f Foreseen, err error) {
	f.Result, err = d.Submit.Submit(ctx, engine.Request{
		Command: a.Command, Actor: v.actor(), Address: a.Address, Reason: a.Reason, Seed: d.Seed(), DryRun: true,
		Encode: func(credit.Changes, *credit.Rejection) engine.Response { return engine.Response{Status: 200} },
	})
	if err != nil {
		return f, fmt.Errorf("signin: foresee %s: %w", a.Command.Name(), err)
	}
	if f.Rejection != nil {
		return f, f.Rejection
	}
	policy, err := d.Policy(ctx)
	if g, ok := a.Command.(credit.Guarded); ok && err == nil {
		guard := g.Guard(f.State)
		grant := v.May(guard.Permission)
		f.Grave = guard.Takes(policy, grant)
		if grant == permit.Limit {
			f.Limit = policy.Limit(guard.Permission)
		}
		f.Takes = policy.Required && f.Grave
	}
	return f, err
}

// acted is how an act's answer is stored.
type acted struct {
	Approval string `json:"approval,omitempty"`
}

// Act does what a member asks for, or makes it wait: approval is then its identifier. What it is
// refused for is a *credit.Rejection.
func (d *Desk) Act(ctx context.Context, v *Visitor, a Act) (approval string, err error) {
	text, err := json.Marshal(a.Command)
	if err != nil {
		return "", fmt.Errorf("signin: encode %s: %w", a.Command.Name(), err)
	}
	actor := v.actor()
	actor.Key = a.Once
	r, err := d.Submit.Submit(ctx, engine.Request{
		Command: a.Command, Actor: actor, Address: a.Address, Reason: a.Reason, Seed: d.Seed(),
		RequestHash: sha256.Sum256([]byte(a.Command.Name() + "\x00" + a.Reason + "\x00" + string(text))), Encode: answerOf,
	})
	switch {
	case errors.Is(err, engine.ErrKeyReused):
		return "", buyer.ErrRaced
	case err != nil:
		return "", fmt.Errorf("signin: %s: %w", a.Command.Name(), err)
	case r.Rejection != nil:
		return "", r.Rejection
	case r.Replayed && r.Status != 200:
		return "", buyer.ErrRaced // the first one was refused, and said so
	}
	var done acted
	if len(r.Body) > 0 {
		err = json.Unmarshal(r.Body, &done)
	}
	return done.Approval, err
}

func answerOf(ch credit.Changes, r *credit.Rejection) engine.Response {
	if r != nil {
		return engine.Response{Status: r.Status}
	}
	var done acted
	if x, ok := ch.Result.(*credit.Approval); ok && ch.Created {
		done.Approval = x.ID
	}
	text, err := json.Marshal(done)
	if err != nil {
		panic(err) // a string can be encoded
	}
	return engine.Response{Status: 200, Body: text, ContentType: "application/json"}
}

// Settle returns once everything that was given before is committed or refused.
func (d *Desk) Settle(ctx context.Context) error { return engine.Settle(ctx, d.Submit) }

// Record adds a member's read to the audit log: of personal data, or an export.
func (d *Desk) Record(ctx context.Context, v *Visitor, operation, object, address string) error {
	_, err := d.Do(ctx, engine.Request{
		Command: compliance.RecordRead{Operation: operation, Object: object, At: d.Wall()}, Actor: v.actor(), Address: address,
	})
	return err
}

// Approval reads what waits for a second person, nil if there is none.
func (d *Desk) Approval(ctx context.Context, id string) (x *credit.Approval, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		x, err = buyer.Load[*credit.Approval](v, id)
		return err
	})
	return x, err
}

// countedApprovals is up to how many approvals are counted.
const countedApprovals = 100

// Waiting is how much waits for a second person, up to countedApprovals.
func (d *Desk) Waiting(ctx context.Context) (n int, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounApproval, store.RecordFilter{Status: credit.ApprovalWaiting}, store.Page{Limit: countedApprovals})
		n = len(list)
		return err
	})
	return n, err
}
