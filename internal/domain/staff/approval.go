package staff

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// Approve does what a maker has requested, in the name of a second person, who has the same
// permission: another staff member, or another API client. It holds the command as the approval
// does, and changes nothing if that is not the one that waits. It is a way of giving that command,
// whose name it has: in the audit log it is the act itself, with the approval beside it. Result is
// what the command answers with.
type Approve struct {
	Approval     string
	Act, Payload string // as in the approval

	command credit.Command // Payload, read
}

// With is the approval of a command that was read of Payload.
func (c Approve) With(command credit.Command) Approve {
	c.command = command
	return c
}

// Command is the command that is approved, nil if it was not read.
func (c Approve) Command() credit.Command { return c.command }

func (c Approve) Name() string { return c.Act }

// Keys requests the approval, and what the command needs.
func (c Approve) Keys(s *credit.State, e credit.Env) credit.Keys {
	var k credit.Keys
	if c.command != nil {
		k = credit.KeysOf(c.command, s, e)
	}
	k.Records = append(k.Records[:len(k.Records):len(k.Records)], approvalKey(c.Approval))
	switch a := s.Approval(c.Approval); {
	case a == nil:
	case strings.HasPrefix(a.Maker, credit.PrefixStaffMember):
		k.Records = append(k.Records, member(a.Maker).Records...)
	default:
		k.Clients = append(k.Clients[:len(k.Clients):len(k.Clients)], a.Maker)
	}
	return k
}

func approvalKey(id string) credit.RecordKey {
	return credit.RecordKey{Noun: credit.NounApproval, ID: id}
}

// Guard implements credit.Guarded: whoever may give the command may approve it.
func (c Approve) Guard(s *credit.State) credit.Guard { return guardApproval(s, c.Approval) }

func guardApproval(s *credit.State, id string) credit.Guard {
	g := credit.Guard{Second: credit.Never}
	if a := s.Approval(id); a != nil {
		g.Permission = a.Permission
	}
	return g
}

func (c Approve) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := admitApproval(s, e, c.Approval); r != nil {
		return r
	}
	if c.command == nil {
		return credit.NotFound.Because("The approval is about nothing that is known.")
	}
	return c.command.Admit(s, e)
}

// admitApproval admits whoever acts for the lender, about an approval that exists.
func admitApproval(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if !e.Actor.Operator || s.Approval(id) == nil {
		return credit.NotFound.Because("There is no such approval.")
	}
	return nil
}

func (c Approve) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	a := s.Approval(c.Approval)
	guarded, ok := c.command.(credit.Guarded)
	switch {
	case a.Act != c.Act || a.Payload != c.Payload || !ok:
		return credit.Changes{}, credit.PreconditionFailed.Because("The approval is about something else.")
	case a.Status != credit.ApprovalWaiting:
		return credit.Changes{}, ended(a)
	case a.Maker == e.Actor.Client:
		return credit.Changes{}, credit.InvalidTransition.Because("Somebody else must approve what you have requested.")
	case !e.Now.Before(a.NextAt):
		return credit.Changes{}, credit.InvalidTransition.Because("Nobody approved this in time. Request it again.")
	case !may(s, a):
		return credit.Changes{}, credit.InvalidTransition.Because("Whoever requested this may not do it any more.")
	case guarded.Guard(s).Basis != a.Basis:
		return credit.Changes{}, credit.PreconditionFailed.Because("What this is about has changed since it was requested. Request it again.")
	}
	ch, r := c.command.Decide(s, e)
	if r != nil {
		return credit.Changes{}, r
	}
	end(&ch, a, e, credit.ApprovalApproved)
	return ch, nil
}

// may reports whether the maker may still request the act: suspended members and revoked clients
// leave nothing behind that only needs somebody to agree.
func may(s *credit.State, a *credit.Approval) bool {
	if x := s.Clients[a.Maker]; x != nil && !x.RevokedAt.IsZero() {
		return false
	}
	return s.Grant(credit.Actor{Client: a.Maker, Operator: true}, a.Permission) > permit.None
}

func ended(a *credit.Approval) *credit.Rejection {
	return credit.InvalidTransition.With("This was decided before.", map[string]any{"from": a.Status})
}

// end adds the approval's end to the changes of a command that are done.
func end(ch *credit.Changes, a *credit.Approval, e credit.Env, status string) {
	next := *a
	next.Status, next.NextAt, next.UpdatedAt, next.Version = status, time.Time{}, e.Now, a.Version+1
	if status != credit.ApprovalExpired {
		next.Checker, next.Note = e.Actor.Client, e.Reason
	}
	ch.Records = append(slices.Clone(ch.Records), &next)
}

// EndApproval ends what waits without doing it: its maker withdraws it, and anybody else who
// could approve it declines it. Result is the *Approval.
type EndApproval struct {
	Approval string `json:"approval"`
}

func (EndApproval) Name() string { return "approval.end" }

// Keys requests the approval.
func (c EndApproval) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{approvalKey(c.Approval)}}
}

// Guard implements credit.Guarded.
func (c EndApproval) Guard(s *credit.State) credit.Guard { return guardApproval(s, c.Approval) }

func (c EndApproval) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitApproval(s, e, c.Approval)
}

func (c EndApproval) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	a := s.Approval(c.Approval)
	if a.Status != credit.ApprovalWaiting {
		return credit.Changes{}, ended(a)
	}
	status := credit.ApprovalDeclined
	if a.Maker == e.Actor.Client {
		status = credit.ApprovalWithdrawn
	}
	return only(a, e, status), nil
}

// only are changes that end an approval and do nothing else.
func only(a *credit.Approval, e credit.Env, status string) credit.Changes {
	var ch credit.Changes
	end(&ch, a, e, status)
	ch.Result = ch.Records[0]
	return ch
}

// ServiceApproval ends an approval that nobody decided in time. Result is the *Approval.
type ServiceApproval struct {
	Approval string `json:"approval"`
}

func (ServiceApproval) Name() string { return "approval.service" }

// Keys requests the approval.
func (c ServiceApproval) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{approvalKey(c.Approval)}}
}

func (c ServiceApproval) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitApproval(s, e, c.Approval)
}

func (c ServiceApproval) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	a := s.Approval(c.Approval)
	if a.NextAt.IsZero() || a.NextAt.After(e.Now) {
		return credit.Changes{Result: a}, nil
	}
	return only(a, e, credit.ApprovalExpired), nil
}

// SetPolicy says what takes two people. Once it is required, changing it takes two people too,
// except on the server's own command line, which is the way back for a lender who has locked
// itself out. Result is the *Lender.
type SetPolicy struct {
	Required *bool                              `json:"required,omitzero"` // nil: unchanged
	Limits   map[permit.Permission]money.Amount `json:"limits,omitzero"`   // of these permissions; others keep theirs
}

func (SetPolicy) Name() string { return "approval.policy" }

// Keys requests the lender.
func (SetPolicy) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Lenders: []string{credit.TheLender}}
}

// Guard implements credit.Guarded.
func (SetPolicy) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Settings, Of: credit.ObjectRef{Type: "lender", ID: credit.TheLender}}
}

func (SetPolicy) Admit(_ *credit.State, e credit.Env) *credit.Rejection { return admitDesk(e) }

// admitDesk admits the server's own command line, and staff in the console: no token.
func admitDesk(e credit.Env) *credit.Rejection {
	if e.Actor.Operator && (e.Actor.Client == access.Console || e.Actor.Staff()) {
		return nil
	}
	return credit.NotFound.Because("There is no such command.")
}

func (c SetPolicy) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	usual := permit.UsualLimits()
	for p, limit := range c.Limits { // unordered: all are checked
		if _, ok := usual[p]; !ok {
			return credit.Changes{}, credit.ValidationFailed.Because("This permission has no limit.")
		}
		if limit < 0 || limit > money.Max {
			return credit.Changes{}, credit.ValidationFailed.Because("A limit is an amount of money, 0 or more.")
		}
	}
	d := credit.NewDraft(s, e)
	x := d.Lender()
	was := x.Settings.Approvals
	now := permit.Policy{Required: was.Required, Limits: map[permit.Permission]money.Amount{}}
	if c.Required != nil {
		now.Required = *c.Required
	}
	for p := range usual { // unordered: into a map
		if limit, ok := c.Limits[p]; ok {
			now.Limits[p] = limit
		} else if limit, ok := was.Limits[p]; ok {
			now.Limits[p] = limit
		}
	}
	x.Settings.Approvals = now
	return d.Done(x, false), nil
}
