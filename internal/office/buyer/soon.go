package buyer

import (
	"context"
	"time"
)

const (
	// decidedAtOnce is how many applications are decided concurrently in the background.
	decidedAtOnce = 8
	// decidedWithin is the longest that one of them takes: each source is queried twice.
	decidedWithin = time.Minute
)

// Soon decides an application in the background, if few others are being decided. What is
// left, or fails, waits for the next RunDue.
func (d *Desk) Soon(id string) {
	if d.Patient {
		return
	}
	if d.deciding.Add(1) > decidedAtOnce {
		d.deciding.Add(-1)
		return
	}
	go func() {
		defer d.deciding.Add(-1)
		ctx, cancel := context.WithTimeout(context.Background(), decidedWithin)
		defer cancel()
		if err := d.Decide(ctx, id); err != nil && d.Log != nil {
			d.Log.Warn("application is not decided yet", "application", id, "error", err.Error())
		}
	}()
}
