package credit

import (
	"slices"
	"tenor/internal/domain/permit"
	"time"
)

// StaffMember is somebody who works at the lender and signs in to the console. The name and
// e-mail are in the vault under Contact; Of is the keyed hash of the e-mail, by which a member is
// found. Password and one-time codes prove who signs in; the vault keeps both, sealed. Times of
// sign-ins are wall-clock times.
type StaffMember struct {
	RecordHead `json:"-"`
	Contact    string        `json:"contact"`           // handle: email, first_name, last_name
	Roles      []permit.Role `json:"roles"`             // sorted
	Link       string        `json:"link,omitzero"`     // SHA-256, in hex, of the token of an open set-up link; "": none
	LinkEnd    time.Time     `json:"link_end,omitzero"` // until when it can be used
	Password   string        `json:"password,omitzero"` // handle: its argon2id hash
	Codes      string        `json:"codes,omitzero"`    // handle: the secret of the one-time codes
	Recovery   []string      `json:"recovery,omitzero"` // SHA-256, in hex, of the recovery codes left
	// Epoch ends sign-ins: a session holds the epoch in which it began, and any other is over.
	Epoch    int       `json:"epoch"`
	SignedIn time.Time `json:"signed_in,omitzero"` // last time
}

// The statuses of a member: invited until the set-up link was used, then active; suspended
// members cannot sign in.
const (
	StaffInvited   = "INVITED"
	StaffActive    = "ACTIVE"
	StaffSuspended = "SUSPENDED"
)

// staffMoves are the moves of a member's status. An invitation can be taken back; a suspended
// member who never set anything up is invited again.
var staffMoves = map[string][]string{
	StaffInvited:   {StaffActive, StaffSuspended},
	StaffActive:    {StaffSuspended},
	StaffSuspended: {StaffActive, StaffInvited},
}

// StaffRecovery is how many recovery codes a member gets.
const StaffRecovery = 10

// Noun implements Record.
func (*StaffMember) Noun() Noun { return NounStaffMember }

// Claims implements Record.
func (m *StaffMember) Claims() []Claim { return []Claim{StaffEmailClaim(m.Of)} }

// Secrets implements Record.
func (m *StaffMember) Secrets() []string { return present(m.Contact, m.Password, m.Codes) }

// Proved reports whether the member has set up a password and one-time codes.
func (m *StaffMember) Proved() bool { return m.Password != "" && m.Codes != "" }

// Sound describes the first problem with a member; see Record.
func (m *StaffMember) Sound(old Record) string {
	switch {
	case m.Of == "" || m.Contact == "":
		return "has no e-mail"
	case m.Merchant != "" || m.Company != 0:
		return "belongs to a merchant or company"
	case len(m.Roles) == 0 || !slices.IsSorted(m.Roles) || len(slices.Compact(slices.Clone(m.Roles))) != len(m.Roles):
		return "roles are missing, repeated or out of order"
	case slices.ContainsFunc(m.Roles, func(r permit.Role) bool { return !slices.Contains(permit.Roles(), r) }):
		return "a role is unknown"
	case (m.Link == "") != m.LinkEnd.IsZero():
		return "set-up link and its end do not match"
	case (m.Password == "") != (m.Codes == "") || len(m.Recovery) > StaffRecovery || !m.Proved() && len(m.Recovery) > 0:
		return "password, codes and recovery codes do not match"
	case m.Status == StaffActive && !m.Proved(), m.Status == StaffInvited && (m.Proved() || m.Link == ""), m.Status == StaffSuspended && m.Link != "":
		return "status and credentials do not match"
	}
	if was, ok := old.(*StaffMember); ok {
		switch {
		case was.Of != m.Of:
			return "e-mail has changed"
		case m.Epoch < was.Epoch:
			return "epoch has gone back"
		case m.Epoch == was.Epoch && (m.Password != was.Password || m.Codes != was.Codes || m.Status == StaffSuspended && was.Status != m.Status || !slices.Equal(m.Roles, was.Roles)):
			return "credentials, roles or status have changed, but sign-ins continue"
		}
	}
	return ""
}

// StaffEmailClaim is a member's claim on an e-mail address, identified by its hash.
func StaffEmailClaim(hash string) Claim { return Claim{Kind: ClaimStaffEmail, Name: hash} }

// StaffMember is a loaded staff member, nil if there is none.
func (s *State) StaffMember(id string) *StaffMember { return recordIn[*StaffMember](s, id) }
