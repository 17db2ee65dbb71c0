// Package staff decides who works at the lender: who is invited, with which roles, who has set
// up what to sign in with, and whose sign-ins end; and what two people do together: requests for
// approval are made by credit.Decide, and approved, declined or withdrawn here. What each role may
// do is a table of package credit.
//
// member.go has the commands of a member's life, sign_in.go those of its credentials and
// sign-ins, approval.go those on approvals.
package staff

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
)

// How long a set-up link can be used, in wall-clock time: a link that the server's own command
// line has printed is used at once, one that is sent takes longer.
const (
	PrintedLink = 30 * time.Minute
	SentLink    = 48 * time.Hour
)

// Invite gives somebody a one-time link to set up a password and one-time codes. Somebody who is
// unknown becomes a member with these roles; an invited member's earlier link ends, and the new
// one carries the new roles; an active member, who has lost what she signs in with, keeps her
// roles and her credentials until the link is used. It comes from the server's own command line.
// Result is the *StaffMember.
type Invite struct {
	Email   string          `json:"email"`   // keyed hash
	Contact string          `json:"contact"` // handle
	Roles   []permit.Role   `json:"roles,omitzero"`
	Link    string          `json:"link"` // SHA-256, in hex, of the link's token
	At      time.Time       `json:"at"`   // wall clock
	Until   time.Time       `json:"until"`
	Secrets []credit.Secret `json:"-"`
}

func (Invite) Name() string { return "staff.invite" }

// Keys requests whoever has the e-mail.
func (c Invite) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Claims: []credit.Claim{credit.StaffEmailClaim(c.Email)}}
	if id := s.Claims[credit.StaffEmailClaim(c.Email)]; id != "" {
		k.Records = []credit.RecordKey{{Noun: credit.NounStaffMember, ID: id}}
	}
	return k
}

func (c Invite) Admit(_ *credit.State, e credit.Env) *credit.Rejection { return admitConsole(e) }

// admitConsole admits the server's own command line alone. No token, however wide, makes anybody
// a member: its holder could give herself what only two people together may do.
func admitConsole(e credit.Env) *credit.Rejection {
	if e.Actor.Client != access.Console || !e.Actor.Operator {
		return credit.NotFound.Because("There is no such command.")
	}
	return nil
}

func (c Invite) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.StaffMember(s.Claims[credit.StaffEmailClaim(c.Email)])
	roles, known := sorted(c.Roles)
	at, until := credit.Stored(c.At), credit.Stored(c.Until)
	switch {
	case c.Email == "" || c.Contact == "":
		return credit.Changes{}, credit.ValidationFailed.Because("A staff member needs an e-mail address.")
	case !known || old == nil && len(roles) == 0:
		return credit.Changes{}, unknownRole()
	case !until.After(at) || until.Sub(at) > SentLink:
		return credit.Changes{}, credit.ValidationFailed.Because("A set-up link can be used for at most 48 hours.")
	case old != nil && old.Status == credit.StaffSuspended && old.Proved():
		return credit.Changes{}, credit.InvalidTransition.Because("This member is suspended: reinstate the member first.")
	case old != nil && old.Status == credit.StaffActive && len(roles) > 0 && !slices.Equal(roles, old.Roles):
		return credit.Changes{}, credit.InvalidTransition.Because("This member is active: change the roles by themselves.")
	}
	if r := credit.CheckHash(c.Link); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	var m *credit.StaffMember
	if old == nil {
		m = credit.AddRecord(d, &credit.StaffMember{RecordHead: d.NewRecord(credit.NounStaffMember), Roles: roles})
		m.Of = c.Email
		d.Claim(credit.StaffEmailClaim(m.Of), m.ID)
	} else {
		m = credit.EditRecord[*credit.StaffMember](d, old.ID)
		d.Changes.Erased = append(d.Changes.Erased, old.Contact)
	}
	if m.Status != credit.StaffActive {
		m.Status = credit.StaffInvited
		if len(roles) > 0 && !slices.Equal(roles, m.Roles) {
			m.Roles, m.Epoch = roles, m.Epoch+1
		}
	}
	m.Contact, m.Link, m.LinkEnd = c.Contact, c.Link, until
	return d.Done(m, old == nil), nil
}

func unknownRole() *credit.Rejection {
	return credit.ValidationFailed.Because("A staff member needs one or more of the roles.")
}

// sorted are roles in order, each once, and whether all are known.
func sorted(roles []permit.Role) ([]permit.Role, bool) {
	out := slices.Clone(roles)
	slices.Sort(out)
	known := !slices.ContainsFunc(out, func(r permit.Role) bool { return !slices.Contains(permit.Roles(), r) })
	return slices.Compact(out), known
}

// member requests one member by ID.
func member(id string) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounStaffMember, ID: id}}}
}

// SetRoles gives a member other roles, and ends the member's sign-ins. It comes from the server's
// own command line, or from another member. Result is the *StaffMember.
type SetRoles struct {
	Member string        `json:"member"`
	Roles  []permit.Role `json:"roles"`
}

func (SetRoles) Name() string { return "staff.roles" }

// Keys requests the member.
func (c SetRoles) Keys(*credit.State, credit.Env) credit.Keys { return member(c.Member) }

// Guard implements credit.Guarded.
func (c SetRoles) Guard(s *credit.State) credit.Guard { return guardMember(s, c.Member) }

// guardMember is a guard on a member. It rests on roles and status alone: sign-ins change
// neither.
func guardMember(s *credit.State, id string) credit.Guard {
	g := credit.Guard{Permission: permit.ManageStaff, Of: credit.ObjectRef{Type: string(credit.NounStaffMember), ID: id}}
	if m := s.StaffMember(id); m != nil {
		g.Basis = fmt.Sprint(m.Status, m.Roles)
	}
	return g
}

func (c SetRoles) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitKnown(s, e, c.Member)
}

// admitKnown is admitDesk for a member who must exist, and be somebody else.
func admitKnown(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if r := admitDesk(e); r != nil {
		return r
	}
	if s.StaffMember(id) == nil || e.Actor.Client == id {
		return credit.NotFound.Because("There is no such staff member.")
	}
	return nil
}

func (c SetRoles) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.StaffMember(c.Member)
	roles, known := sorted(c.Roles)
	switch {
	case !known || len(roles) == 0:
		return credit.Changes{}, unknownRole()
	case slices.Equal(roles, old.Roles):
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	m := credit.EditRecord[*credit.StaffMember](d, c.Member)
	m.Roles, m.Epoch = roles, m.Epoch+1
	return d.Done(m, false), nil
}

// Suspend ends a member's sign-ins and allows no new one, takes an open invitation back, or lets
// a suspended member sign in again with the same credentials. It comes from the server's own
// command line, or from another member. Result is the *StaffMember.
type Suspend struct {
	Member string `json:"member"`
	Lift   bool   `json:"lift,omitzero"` // ends the suspension
}

func (Suspend) Name() string { return "staff.suspend" }

// Keys requests the member.
func (c Suspend) Keys(*credit.State, credit.Env) credit.Keys { return member(c.Member) }

// Guard implements credit.Guarded: one person is enough to stop a thief.
func (c Suspend) Guard(s *credit.State) credit.Guard {
	g := guardMember(s, c.Member)
	if !c.Lift {
		g.Second = credit.Never
	}
	return g
}

func (c Suspend) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitKnown(s, e, c.Member)
}

func (c Suspend) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.StaffMember(c.Member)
	suspended := old.Status == credit.StaffSuspended
	switch {
	case suspended != c.Lift:
		return credit.Changes{Result: old}, nil
	case c.Lift && !old.Proved():
		return credit.Changes{}, credit.InvalidTransition.Because("This member has never set up a password: invite the member again.")
	}
	d := credit.NewDraft(s, e)
	m := credit.EditRecord[*credit.StaffMember](d, c.Member)
	if c.Lift {
		m.Status = credit.StaffActive
		return d.Done(m, false), nil
	}
	m.Status, m.Epoch, m.Link, m.LinkEnd = credit.StaffSuspended, m.Epoch+1, "", time.Time{}
	return d.Done(m, false), nil
}
