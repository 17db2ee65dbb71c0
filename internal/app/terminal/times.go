package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/domain/calendar"
)

// NewYork formats an instant in the business zone, to the minute, as pages do.
func NewYork(t time.Time) string {
	zone, err := clock.BusinessZone()
	if err != nil { // the zone's data is built into this program
		return Instant(&t)
	}
	return t.In(zone.Location()).Format("2006-01-02 15:04") + " Eastern"
}

// SpanFlag is a span of time: days, hours, minutes and seconds.
type SpanFlag time.Duration

// UnmarshalText parses 30d, 12h or 1d12h30m.
func (f *SpanFlag) UnmarshalText(text []byte) error {
	days, rest, found := strings.Cut(string(text), "d")
	if !found {
		days, rest = "0", string(text)
	}
	n, err := strconv.Atoi(days)
	var more time.Duration
	if err == nil && rest != "" {
		more, err = time.ParseDuration(rest)
	}
	span := time.Duration(n)*24*time.Hour + more
	if err != nil || n < 0 || n > 36500 || span <= 0 {
		return fmt.Errorf("%q is not a span such as 30d, 12h or 1d12h", text)
	}
	*f = SpanFlag(span)
	return nil
}

// InstantFlag is an instant, a minute in New York or the start of a business day.
type InstantFlag time.Time

// UnmarshalText parses 2026-02-17T15:00:00Z, 2026-02-17T15:00 or 2026-02-17.
func (f *InstantFlag) UnmarshalText(text []byte) error {
	zone, err := clock.BusinessZone()
	if err != nil {
		return err
	}
	if t, err := time.Parse(time.RFC3339, string(text)); err == nil {
		*f = InstantFlag(t)
		return nil
	}
	for _, form := range []string{"2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(form, string(text)); err == nil {
			*f = InstantFlag(zone.At(calendar.Of(t.Year(), t.Month(), t.Day()), t.Hour(), t.Minute()))
			return nil
		}
	}
	return fmt.Errorf("%q is not a time such as 2026-02-17T15:00 (Eastern time) or 2026-02-17", text)
}

// Such returns the first example.
func Such(e Exampled) string { return "Such as: tenor " + e.Examples()[0] }

// PollEvery is how often an ongoing clock move is polled.
const PollEvery = 200 * time.Millisecond
