package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/buyer"
	"tenor/internal/office/credential"
)

// Password is the first step: an e-mail address and a password, from a network address. The
// session that it returns opens nothing until Code. Unknown, invited and suspended members and
// wrong passwords are one error, and take as long (A6).
func (d *Desk) Password(ctx context.Context, email, password, network string) (*Session, error) {
	counters, err := d.passwordCounters(ctx, email, network)
	if err != nil {
		return nil, err
	}
	if err := d.attempt(ctx, counters); err != nil {
		return nil, err
	}
	m, hash, err := d.byEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	right, err := d.Hasher.Matches(ctx, password, hash)
	if err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	if !right || m == nil {
		return nil, ErrWrong
	}
	if err := d.succeeded(ctx, counters); err != nil {
		return nil, err
	}
	return d.begin(ctx, m, false)
}

// byEmail finds an active member and the hash of the password; nil and "" if there is none.
func (d *Desk) byEmail(ctx context.Context, email string) (m *credit.StaffMember, hash string, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		m, err = d.claimed(v, email)
		if err != nil || m == nil || m.Status != credit.StaffActive {
			m = nil
			return err
		}
		text, err := d.ReadBytes(v, m.Password)
		hash = string(text)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("signin: find member: %w", err)
	}
	return m, hash, nil
}

// claimed finds whoever has an e-mail address, nil if nobody does.
func (d *Desk) claimed(v store.View, email string) (*credit.StaffMember, error) {
	claim := credit.StaffEmailClaim(d.EmailHash(email))
	s := credit.NewState()
	if err := v.Load(s, credit.Keys{Claims: []credit.Claim{claim}}); err != nil || s.Claims[claim] == "" {
		return nil, err
	}
	return buyer.Load[*credit.StaffMember](v, s.Claims[claim])
}

// Code is the second step: a one-time code, or one of the recovery codes. It returns the session
// under a new token. After too many wrong ones the session is over.
func (d *Desk) Code(ctx context.Context, v *Visitor, code, network string) (*Session, error) {
	recovery, err := d.check(ctx, v, code, v.Staff.Recovery)
	if errors.Is(err, ErrSlow) {
		return nil, errors.Join(err, d.SignOut(ctx, v.Session))
	}
	if err != nil {
		return nil, err
	}
	_, err = d.decide(ctx, staff.SignIn{Member: v.Member, Epoch: v.Epoch, Recovery: recovery, At: d.Wall()}, network)
	if refused(err) { // the recovery code was used by another browser, or the sign-ins were ended
		return nil, ErrWrong
	}
	if err != nil {
		return nil, err
	}
	if err := d.remember(ctx, v.Staff.Of, network); err != nil {
		return nil, err
	}
	return d.renew(ctx, v.Session, func(s *Session) {
		s.Signed, s.Started = true, d.Wall()
		if recovery == "" { // else it is no fresh proof, see Again
			s.Proved = d.Wall()
		}
	})
}

// Again repeats the second step in a session, before what cannot be undone. A recovery code is
// not enough: whoever has found one could use it for everything.
func (d *Desk) Again(ctx context.Context, v *Visitor, code string) (*Session, error) {
	if _, err := d.check(ctx, v, code, nil); err != nil {
		return nil, err
	}
	return d.renew(ctx, v.Session, func(s *Session) { s.Proved = d.Wall() })
}

// check checks a code, and returns the hash of the recovery code that it is, "" if it is a
// one-time code. allowed are the recovery codes that count.
func (d *Desk) check(ctx context.Context, v *Visitor, code string, allowed []string) (recovery string, err error) {
	tries := []counter{{"staff codes/" + v.Member, codeTries}}
	if err := d.attempt(ctx, tries); err != nil {
		return "", err
	}
	secret, err := d.secret(ctx, v.Staff)
	if err != nil {
		return "", err
	}
	step, right := credential.Step(secret, code, d.Wall())
	if !right {
		hash := Digest(credential.FoldRecovery(code))
		for _, left := range allowed {
			if left == hash {
				return hash, d.succeeded(ctx, tries)
			}
		}
		return "", ErrWrong
	}
	first, err := d.spend(ctx, v.Member, step)
	if err != nil || !first { // whoever has watched it being typed cannot use it again
		return "", cmp.Or(err, ErrWrong)
	}
	return "", d.succeeded(ctx, tries)
}

// spend uses the code of a step up: only the first call for it gets true.
func (d *Desk) spend(ctx context.Context, member string, step int64) (first bool, err error) {
	return d.WriteScratch(ctx, "staff step/"+member+"/"+strconv.FormatInt(step, 10), true, d.Wall().Add(5*time.Minute), 0)
}

// secret reads the secret of a member's one-time codes.
func (d *Desk) secret(ctx context.Context, m *credit.StaffMember) (secret string, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		text, err := d.ReadBytes(v, m.Codes)
		secret = string(text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("signin: read one-time codes: %w", err)
	}
	return secret, nil
}

// refused reports whether an error is a rejection.
func refused(err error) bool {
	var r *credit.Rejection
	return errors.As(err, &r)
}
