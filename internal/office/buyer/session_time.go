package buyer

import (
	"context"
	"errors"
	"time"
)

// Lifetimes of sessions, in wall-clock time.
const (
	idleLife  = 30 * time.Minute
	wholeLife = 12 * time.Hour
	// lateLife is how long after its end a session with a proved email address is still
	// known as expired. It grants no access, but keeps what its person sends.
	lateLife = 24 * time.Hour
	// touchEvery is the minimum interval between writes of the last use.
	touchEvery = time.Minute
)

// IdleMinutes is how many minutes a session lasts without a click, for the pages.
func IdleMinutes() int { return int(idleLife / time.Minute) }

// WholeHours is how many hours a session lasts in any case.
func WholeHours() int { return int(wholeLife / time.Hour) }

// Ends is when the session expires unless it is used before. last reports that use no
// longer extends it.
func (s *Session) Ends() (at time.Time, last bool) {
	seen := s.Seen
	if seen.IsZero() {
		seen = s.Started
	}
	idle, whole := seen.Add(idleLife), s.Started.Add(wholeLife)
	if idle.Before(whole) {
		return idle, false
	}
	return whole, true
}

// Left is how long a session lasts unless it is used, and whether that can no longer be
// extended.
func (d *Desk) Left(s *Session) (left time.Duration, last bool) {
	at, last := s.Ends()
	return max(at.Sub(d.Wall()), 0), last
}

// Session finds a browser's session, nil if there is none or it has expired.
func (d *Desk) Session(ctx context.Context, token string) (*Session, error) {
	s, over, err := d.Known(ctx, token)
	if over {
		return nil, err
	}
	return s, err
}

// Known finds a browser's session, including one that expired recently, for which over is
// true.
func (d *Desk) Known(ctx context.Context, token string) (s *Session, over bool, err error) {
	if len(token) != sessionLength {
		return nil, false, nil
	}
	s = &Session{Token: token}
	version, found, err := d.ReadScratch(ctx, sessionName(token), s)
	if err != nil || !found {
		return nil, false, err
	}
	s.version = version
	if left, _ := d.Left(s); left > 0 {
		return s, false, nil
	}
	if s.Person == "" {
		return nil, false, nil
	}
	return s, true, nil
}

// Save extends a session by half an hour, up to its twelve hours.
func (d *Desk) Save(ctx context.Context, s *Session) error {
	s.Seen = d.Wall()
	until, _ := s.Ends()
	if s.Person != "" {
		until = until.Add(lateLife)
	}
	kept, err := d.WriteScratch(ctx, sessionName(s.Token), s, until, s.version)
	if err != nil {
		return err
	}
	if !kept {
		return ErrRaced
	}
	s.version++
	return nil
}

// Touch extends a session in use, at most once a minute. It does not matter whether another
// request was faster.
func (d *Desk) Touch(ctx context.Context, s *Session) error {
	if d.Wall().Sub(s.Seen) < touchEvery {
		return nil
	}
	return d.Stay(ctx, s)
}

// Stay extends a session on request.
func (d *Desk) Stay(ctx context.Context, s *Session) error {
	if err := d.Save(ctx, s); !errors.Is(err, ErrRaced) {
		return err
	}
	return nil
}
