package clock

import (
	"fmt"
	"time"
	_ "time/tzdata" // the machine may have none

	"tenor/internal/domain/calendar"
)

// BusinessZone loads the time zone of business dates.
func BusinessZone() (calendar.Zone, error) {
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		return calendar.Zone{}, fmt.Errorf("load business zone: %w", err)
	}
	return calendar.NewZone(location), nil
}
