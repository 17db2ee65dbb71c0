package credit

import (
	"encoding/json"

	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// Guarded is a command that takes a permission of the lender's staff. Staff can give no other.
type Guarded interface {
	Command
	// Guard says which permission, on the state that the command's keys name. It is called
	// after Admit has found what the command names.
	Guard(s *State) Guard
}

// Guard is what a command takes of whoever gives it.
type Guard struct {
	Permission permit.Permission
	Amount     money.Amount // what counts against the limit of somebody with permit.Limit
	Second     Second
	Of         ObjectRef // what the command changes; zero if it makes something new
	// Basis is what of the object the decision rests on, as text: an act that was requested on
	// another is stale. "": nothing, such as for settings, which replace what there is.
	Basis string
}

// Second is when a command takes a second person, whatever the grant.
type Second int

// The values of Second.
const (
	ByGrant Second = iota
	Never          // such as what stops a thief
	Always         // such as other bank details
)

// Takes reports whether the command takes two people, for somebody with a grant.
func (g Guard) Takes(p permit.Policy, grant permit.Grant) bool {
	return g.Second == Always || g.Second == ByGrant && p.Takes(g.Permission, g.Amount, grant)
}

// withGate adds what decides whether the actor may give a command alone: the member, and the
// lender's rules.
func withGate(k Keys, c Command, e Env) Keys {
	if !e.Actor.outside() {
		return k
	}
	if _, ok := c.(Guarded); !ok {
		return k
	}
	if len(k.Lenders) == 0 {
		k.Lenders = []string{TheLender}
	}
	if e.Actor.Staff() {
		k.Records = append(k.Records[:len(k.Records):len(k.Records)], RecordKey{NounStaffMember, e.Actor.Client})
	}
	return k
}

// admitStaff admits what the member's roles allow.
func admitStaff(s *State, e Env, c Command) *Rejection {
	if !e.Actor.Staff() {
		return nil
	}
	if g, ok := c.(Guarded); ok && s.Grant(e.Actor, g.Guard(s).Permission) > permit.None {
		return nil
	}
	return NotAllowed.Because("None of your roles allows this.")
}

// gate lets a decided command pass, or makes it a request for approval.
func gate(s *State, e Env, c Command, ch Changes) (Changes, *Rejection) {
	guarded, ok := c.(Guarded)
	if !ok || e.Preview || !e.Actor.outside() || ch.Empty() {
		return ch, nil
	}
	policy := s.TheLender().Settings.Approvals
	if !policy.Required && !e.Actor.Staff() {
		return ch, nil
	}
	g := guarded.Guard(s)
	if !g.Takes(policy, s.Grant(e.Actor, g.Permission)) {
		return ch, nil
	}
	if !policy.Required {
		ch.Alone = true
		return ch, nil
	}
	payload, err := json.Marshal(c)
	if err != nil {
		return Changes{}, ValidationFailed.Because("The request cannot wait for approval.")
	}
	d := NewDraft(s, e)
	a := AddRecord(d, &Approval{
		RecordHead: d.NewRecord(NounApproval), Act: c.Name(), Payload: string(payload), Permission: g.Permission, Amount: g.Amount, Basis: g.Basis,
		Maker: e.Actor.Client, Reason: e.Reason,
	})
	if a.NextAt = e.Now.Add(ApprovalLife); g.Of != (ObjectRef{}) {
		a.Of = g.Of.Type + "/" + g.Of.ID
	}
	return d.Done(a, true), nil
}
