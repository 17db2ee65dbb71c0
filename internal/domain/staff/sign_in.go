package staff

import (
	"crypto/subtle"
	"slices"
	"time"

	"tenor/internal/domain/credit"
)

// Enroll sets up what a member signs in with, by the link of an invitation, which is used up.
// Whatever the member had before ends, and so do all sign-ins. Result is the *StaffMember.
type Enroll struct {
	Member string    `json:"member"`
	Link   string    `json:"link"` // SHA-256, in hex, of the token in the link
	At     time.Time `json:"at"`   // wall clock
	Credentials
}

// Credentials are what a member signs in with.
type Credentials struct {
	Password string          `json:"password"` // handle: its argon2id hash
	Codes    string          `json:"codes"`    // handle: the secret of the one-time codes
	Recovery []string        `json:"recovery"` // SHA-256, in hex, of the recovery codes
	Secrets  []credit.Secret `json:"-"`
}

func (Enroll) Name() string { return "staff.enroll" }

// Keys requests the member.
func (c Enroll) Keys(*credit.State, credit.Env) credit.Keys { return member(c.Member) }

func (c Enroll) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitPages(s, e, c.Member)
}

// admitPages admits the console's pages, about a member who exists.
func admitPages(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if s.StaffMember(id) == nil {
		return credit.NotFound.Because("There is no such staff member.")
	}
	return nil
}

func (c Enroll) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.StaffMember(c.Member)
	switch {
	case old.Link == "" || !same(old.Link, c.Link) || !credit.Stored(c.At).Before(old.LinkEnd):
		return credit.Changes{}, credit.InvalidTransition.Because("The set-up link was used before, replaced, or is too old.")
	case c.Password == "" || c.Codes == "" || len(c.Recovery) != credit.StaffRecovery:
		return credit.Changes{}, credit.ValidationFailed.Because("A staff member needs a password, one-time codes and ten recovery codes.")
	}
	d := credit.NewDraft(s, e)
	m := credit.EditRecord[*credit.StaffMember](d, c.Member)
	c.replace(d, m)
	m.Status, m.Link, m.LinkEnd = credit.StaffActive, "", time.Time{}
	return d.Done(m, false), nil
}

// replace gives a member, whom the draft may edit, other credentials, and ends all sign-ins.
func (c Credentials) replace(d *credit.Draft, m *credit.StaffMember) {
	for _, was := range []string{m.Password, m.Codes} {
		if was != "" && was != c.Password && was != c.Codes {
			d.Changes.Erased = append(d.Changes.Erased, was)
		}
	}
	d.Changes.Secrets = c.Secrets
	m.Password, m.Codes, m.Recovery, m.Epoch = c.Password, c.Codes, c.Recovery, m.Epoch+1
}

// same compares two hashes in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// SignIn records that a member has signed in, in the epoch whose credentials the pages have
// checked; a recovery code is used up. Result is the *StaffMember.
type SignIn struct {
	Member   string    `json:"member"`
	Epoch    int       `json:"epoch"`
	Recovery string    `json:"recovery,omitzero"` // SHA-256, in hex, of the code used instead of a one-time code
	At       time.Time `json:"at"`                // wall clock
}

func (SignIn) Name() string { return "staff.sign_in" }

// Keys requests the member.
func (c SignIn) Keys(*credit.State, credit.Env) credit.Keys { return member(c.Member) }

func (c SignIn) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitPages(s, e, c.Member)
}

func (c SignIn) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.StaffMember(c.Member)
	used := slices.IndexFunc(old.Recovery, func(hash string) bool { return same(hash, c.Recovery) })
	if old.Status != credit.StaffActive || old.Epoch != c.Epoch || c.Recovery != "" && used < 0 {
		return credit.Changes{}, credit.InvalidTransition.Because("The member cannot sign in with these credentials.")
	}
	d := credit.NewDraft(s, e)
	m := credit.EditRecord[*credit.StaffMember](d, c.Member)
	if m.SignedIn = credit.Stored(c.At); c.Recovery != "" {
		m.Recovery = slices.Delete(slices.Clone(m.Recovery), used, used+1)
	}
	return d.Done(m, false), nil
}

// ChangeCredentials replaces a member's password or recovery codes, at the member's own request,
// and ends all sign-ins. Result is the *StaffMember.
type ChangeCredentials struct {
	Member string `json:"member"`
	Epoch  int    `json:"epoch"` // in which the member has signed in
	Credentials
}

func (ChangeCredentials) Name() string { return "staff.credentials" }

// Keys requests the member.
func (c ChangeCredentials) Keys(*credit.State, credit.Env) credit.Keys { return member(c.Member) }

func (c ChangeCredentials) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return admitPages(s, e, c.Member)
}

func (c ChangeCredentials) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.StaffMember(c.Member)
	switch {
	case old.Status != credit.StaffActive || old.Epoch != c.Epoch:
		return credit.Changes{}, credit.InvalidTransition.Because("The sign-in is over.")
	case c.Password == "" || c.Codes == "" || len(c.Recovery) > credit.StaffRecovery:
		return credit.Changes{}, credit.ValidationFailed.Because("A staff member needs a password and one-time codes.")
	}
	d := credit.NewDraft(s, e)
	m := credit.EditRecord[*credit.StaffMember](d, c.Member)
	c.replace(d, m)
	return d.Done(m, false), nil
}
