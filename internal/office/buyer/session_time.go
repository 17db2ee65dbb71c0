package buyer

import (
	"context"
	"errors"
	"time"
)

// Times of sessions, by the wall clock.
const (
	idleLife  = 30 * time.Minute
	wholeLife = 12 * time.Hour
	// lateLife is for how long after its end a session of somebody who had proved her e-mail
	// is still known: as one that is over. It opens nothing, and keeps what she sends.
	lateLife = 24 * time.Hour
	// touchEvery is how often being in use is written down at most.
	touchEvery = time.Minute
)

// IdleMinutes is for how many minutes a session lasts without a click, as pages say it.
func IdleMinutes() int { return int(idleLife / time.Minute) }

// WholeHours is for how many hours a session lasts in any case.
func WholeHours() int { return int(wholeLife / time.Hour) }

// Ends is when the session's time is over unless it is used before. last says that using it
// moves that no more.
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

// Left is for how long a session goes on unless it is used, and whether that is its last.
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

// Known finds a browser's session, also one whose time is over a short while ago: with that
// the session is over.
func (d *Desk) Known(ctx context.Context, token string) (s *Session, over bool, err error) {
	if len(token) != sessionLength {
		return nil, false, nil
	}
	s = &Session{Token: token}
	version, found, err := d.scratched(ctx, sessionName(token), s)
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

// Save keeps a session for another half hour, but not beyond its twelve hours.
func (d *Desk) Save(ctx context.Context, s *Session) error {
	s.Seen = d.Wall()
	until, _ := s.Ends()
	if s.Person != "" {
		until = until.Add(lateLife)
	}
	kept, err := d.scratch(ctx, sessionName(s.Token), s, until, s.version)
	if err != nil {
		return err
	}
	if !kept {
		return ErrRaced
	}
	s.version++
	return nil
}

// Touch keeps a session that is in use, at most once a minute. Whether another request was
// quicker does not matter.
func (d *Desk) Touch(ctx context.Context, s *Session) error {
	if d.Wall().Sub(s.Seen) < touchEvery {
		return nil
	}
	return d.Stay(ctx, s)
}

// Stay keeps a session when asked.
func (d *Desk) Stay(ctx context.Context, s *Session) error {
	if err := d.Save(ctx, s); !errors.Is(err, ErrRaced) {
		return err
	}
	return nil
}
