package calendar

import "time"

// Zone is the business zone: it turns instants into business dates. The edge loads the
// location, so that this package reads no file or environment.
type Zone struct{ location *time.Location }

// NewYork is the name of the default business zone.
const NewYork = "America/New_York"

// NewZone returns the zone of a location.
func NewZone(location *time.Location) Zone { return Zone{location} }

// Date returns the business date of an instant.
func (z Zone) Date(t time.Time) Date {
	y, m, d := t.In(z.location).Date()
	return Of(y, m, d)
}

// Start returns the first instant of a business date, by At's rule for midnight.
func (z Zone) Start(d Date) time.Time { return z.At(d, 0, 0) }

// End returns the last microsecond before the next business date starts.
func (z Zone) End(d Date) time.Time { return z.Start(d + 1).Add(-time.Microsecond) }

// At returns the instant of a wall-clock time on a business date: the first of two if the
// clock is set back over it, and the instant of the change if the clock is set forward over
// it. A date that the zone skipped starts and ends with the next one.
func (z Zone) At(d Date, hour, minute int) time.Time {
	y, m, day := d.Civil()
	t := time.Date(y, m, day, hour, minute, 0, 0, z.location)
	wall := int64(d)*86400 + int64(hour)*3600 + int64(minute)*60
	// Near a clock change time.Date uses one of the two offsets, and does not say which.
	start, end := t.ZoneBounds()
	switch got := t.Unix() + offset(t); {
	case got < wall:
		return end.UTC()
	case got > wall:
		return start.UTC()
	}
	if !start.IsZero() {
		first := wall - offset(start.Add(-time.Second))
		if first < start.Unix() {
			return time.Unix(first, 0).UTC()
		}
	}
	return t.UTC()
}

// offset returns the seconds east of UTC at an instant in its location.
func offset(t time.Time) int64 {
	_, seconds := t.Zone()
	return int64(seconds)
}

// Location returns the zone for display.
func (z Zone) Location() *time.Location { return z.location }
