package buyer

import (
	"context"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// freshLife is how long after the email address was proved the pages allow what an attacker
// could exploit: a stolen session is not enough to take over an account.
const freshLife = time.Hour

// Fresh reports whether the email address was proved recently.
func (d *Desk) Fresh(s *Session) bool { return s.Person != "" && d.Wall().Sub(s.Proved) < freshLife }

// SendChangeCode sends a code to another email address of the signed-in person, who stays
// signed in with the current one.
func (d *Desk) SendChangeCode(ctx context.Context, s *Session, email, network string) error {
	return d.mailCode(ctx, s, email, network, func() { s.Change = strings.TrimSpace(email) })
}

// Speak stores the language of a person with a proved email address: mails from now on are
// in it.
func (d *Desk) Speak(ctx context.Context, p *credit.Person, language, address string) (*credit.Person, error) {
	result, err := d.do(ctx, people.SetLanguage{Person: p.ID, Language: language}, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.Person), nil
}

// ProveChange accepts that code and returns the email address it proves.
func (d *Desk) ProveChange(ctx context.Context, s *Session, code string) (email string, err error) {
	if s.Change == "" {
		return "", ErrNoCode
	}
	email = s.Change
	return email, d.take(ctx, s, code)
}

// Renamed records in the session that the person signs in with another email address from
// now on.
func (d *Desk) Renamed(ctx context.Context, s *Session, email string) error {
	s.Email, s.Change, s.Proved = email, "", d.Wall()
	return d.Save(ctx, s)
}

// SendAgain sends a code to the email address of the signed-in person, who stays signed in.
func (d *Desk) SendAgain(ctx context.Context, s *Session, network string) error {
	return d.mailCode(ctx, s, s.Email, network, func() { s.Change = "" })
}

// ProveAgain accepts that code. The session continues with a new token.
func (d *Desk) ProveAgain(ctx context.Context, s *Session, code string) error {
	if s.Change != "" {
		return ErrNoCode
	}
	if err := d.take(ctx, s, code); err != nil {
		return err
	}
	old := *s
	s.Token, s.Proved, s.version = Random(sessionLength), d.Wall(), 0
	if err := d.Save(ctx, s); err != nil {
		return err
	}
	return d.EndSession(ctx, &old)
}
