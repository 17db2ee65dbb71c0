package signin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/office/buyer"
)

// Lifetimes of sessions, in wall-clock time.
const (
	idleLife  = 30 * time.Minute
	wholeLife = 12 * time.Hour
	stepLife  = 10 * time.Minute // between password and code
	freshLife = 5 * time.Minute  // a proof that is repeated before what cannot be undone
	// touchEvery is the minimum interval between writes of the last use.
	touchEvery = time.Minute
)

// Session is a browser in the console. Its token is in a cookie and is stored as a hash.
type Session struct {
	Token   string    `json:"-"` // as the browser has it
	Member  string    `json:"member"`
	Epoch   int       `json:"epoch"`              // of the member, when the password was right
	Signed  bool      `json:"signed,omitempty"`   // the second step is done too
	Proved  time.Time `json:"proved,omitzero"`    // when it was last done
	Form    string    `json:"form"`               // what each form must send back
	Codes   []string  `json:"recovery,omitempty"` // new recovery codes, until the member says that they are saved
	Started time.Time `json:"started"`
	Seen    time.Time `json:"seen,omitzero"`

	version int64
}

// Visitor is a signed-in browser: its session and whose it is.
type Visitor struct {
	*Session
	Staff *credit.StaffMember
	Contact
}

// May is how far the visitor has a permission.
func (v *Visitor) May(p permit.Permission) permit.Grant { return permit.May(v.Staff.Roles, p) }

const tokenLength = 54 // 256 bits

func sessionName(token string) string { return "staff session/" + Digest(token) }

// begin starts a session of a member, with a token that nobody has seen before.
func (d *Desk) begin(ctx context.Context, m *credit.StaffMember, signed bool) (*Session, error) {
	now := d.Wall()
	s := &Session{Token: buyer.Random(tokenLength), Member: m.ID, Epoch: m.Epoch, Signed: signed, Form: buyer.Random(32), Started: now}
	if signed {
		s.Proved = now
	}
	return s, d.save(ctx, s)
}

// ends is when a session expires unless it is used before.
func (s *Session) ends() time.Time {
	if !s.Signed {
		return s.Started.Add(stepLife)
	}
	idle, whole := s.Seen.Add(idleLife), s.Started.Add(wholeLife)
	if idle.Before(whole) {
		return idle
	}
	return whole
}

func (d *Desk) save(ctx context.Context, s *Session) error {
	s.Seen = d.Wall()
	kept, err := d.WriteScratch(ctx, sessionName(s.Token), s, s.ends(), s.version)
	if err != nil {
		return err
	}
	if !kept {
		return buyer.ErrRaced
	}
	s.version++
	return nil
}

// SignOut ends a session: its token opens nothing any more.
func (d *Desk) SignOut(ctx context.Context, s *Session) error {
	_, err := d.Store.Unscratch(ctx, sessionName(s.Token))
	return err
}

// Session finds a browser's session, whose member may still have to give a code; nil if there is
// none, if it has expired, or if the member's sign-ins were ended since.
func (d *Desk) Session(ctx context.Context, token string) (*Visitor, error) {
	if len(token) != tokenLength {
		return nil, nil
	}
	s := &Session{Token: token}
	version, found, err := d.ReadScratch(ctx, sessionName(token), s)
	if err != nil || !found || !d.Wall().Before(s.ends()) {
		return nil, err
	}
	s.version = version
	v := &Visitor{Session: s}
	if v.Staff, v.Contact, err = d.member(ctx, s.Member); err != nil || v.Staff == nil {
		return nil, err
	}
	if v.Staff.Status != credit.StaffActive || v.Staff.Epoch != s.Epoch {
		return nil, nil
	}
	return v, nil
}

// Touch extends a session in use, at most once a minute. It does not matter whether another
// request was faster.
func (d *Desk) Touch(ctx context.Context, s *Session) error {
	if !s.Signed || d.Wall().Sub(s.Seen) < touchEvery {
		return nil
	}
	if err := d.save(ctx, s); err != nil && err != buyer.ErrRaced { //nolint:errorlint // save returns it bare
		return err
	}
	return nil
}

// Fresh reports whether the second step was done in the last minutes.
func (d *Desk) Fresh(s *Session) bool { return s.Signed && d.Wall().Sub(s.Proved) < freshLife }

// renew gives a session another token: one seen before the step opens nothing.
func (d *Desk) renew(ctx context.Context, s *Session, change func(*Session)) (*Session, error) {
	next := *s
	next.Token, next.version, next.Codes = buyer.Random(tokenLength), 0, slices.Clone(s.Codes)
	change(&next)
	if err := d.save(ctx, &next); err != nil {
		return nil, err
	}
	return &next, d.SignOut(ctx, s)
}

// member reads a member with contact, nil if there is none.
func (d *Desk) member(ctx context.Context, id string) (m *credit.StaffMember, c Contact, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		if m, err = buyer.Load[*credit.StaffMember](v, id); err != nil || m == nil {
			return err
		}
		return d.Read(v, m.Contact, &c)
	})
	if err != nil {
		return nil, Contact{}, fmt.Errorf("signin: read member: %w", err)
	}
	return m, c, nil
}
