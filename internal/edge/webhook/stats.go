package webhook

import (
	"sync/atomic"
	"time"
)

// Stats is what a Sender has done since it started, and what waits.
type Stats struct {
	Delivered uint64 // deliveries that were accepted
	Failed    uint64 // attempts that were not
	Parked    uint64 // deliveries that were given up
	Canceled  uint64 // deliveries whose endpoint was disabled or deleted
	InFlight  int    // attempts in progress
	Backlog   int    // unfinished deliveries in the whole database, as of the last count
	// Lag is how long the longest-waiting due delivery at an endpoint that is not failing
	// has been due; 0: none waits.
	Lag time.Duration
}

type counters struct {
	delivered, failed, parked, canceled atomic.Uint64
	inFlight, backlog, lag              atomic.Int64
}

// Stats may be called from any goroutine.
func (s *Sender) Stats() Stats {
	return Stats{
		Delivered: s.stats.delivered.Load(), Failed: s.stats.failed.Load(), Parked: s.stats.parked.Load(), Canceled: s.stats.canceled.Load(),
		InFlight: int(s.stats.inFlight.Load()), Backlog: int(s.stats.backlog.Load()), Lag: time.Duration(s.stats.lag.Load()),
	}
}
