package buyer

import (
	"context"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// freshLife is for how long after somebody has proved her e-mail the pages believe her what
// another one could use: a stolen session is not enough to take an account over.
const freshLife = time.Hour

// Fresh reports that the e-mail was proved a short while ago.
func (d *Desk) Fresh(s *Session) bool { return s.Person != "" && d.Wall().Sub(s.Proved) < freshLife }

// SendChangeCode sends a code to another e-mail of the signed-in person. She stays signed in
// with the one that she has.
func (d *Desk) SendChangeCode(ctx context.Context, s *Session, email, network string) error {
	return d.mailCode(ctx, s, email, network, func() { s.Change = strings.TrimSpace(email) })
}

// Speak keeps the language of a person who has proved her e-mail: mails from now on are
// in it.
func (d *Desk) Speak(ctx context.Context, p *credit.Person, language, address string) (*credit.Person, error) {
	result, err := d.do(ctx, people.SetLanguage{Person: p.ID, Language: language}, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.Person), nil
}

// ProveChange takes that code and returns the e-mail that it proves.
func (d *Desk) ProveChange(ctx context.Context, s *Session, code string) (email string, err error) {
	if s.Change == "" {
		return "", ErrNoCode
	}
	email = s.Change
	return email, d.take(ctx, s, code)
}

// Renamed notes in the session that she signs in with another e-mail from now on.
func (d *Desk) Renamed(ctx context.Context, s *Session, email string) error {
	s.Email, s.Change, s.Proved = email, "", d.Wall()
	return d.Save(ctx, s)
}

// SendAgain sends a code to the e-mail of the signed-in person. She stays signed in.
func (d *Desk) SendAgain(ctx context.Context, s *Session, network string) error {
	return d.mailCode(ctx, s, s.Email, network, func() { s.Change = "" })
}

// ProveAgain takes that code. The session goes on under a new token.
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
