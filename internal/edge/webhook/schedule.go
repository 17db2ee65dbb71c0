package webhook

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"time"
)

// waits are the times before each attempt, counted from the previous one: 75 hours and 35
// minutes in all (docs/guides/webhooks.md).
var waits = []time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is by which part of a wait the next attempt may be early or late, so that what
	// failed together is not retried together.
	jitter = 10
	// maxRetryAfter bounds what a receiver may ask for.
	maxRetryAfter = 24 * time.Hour
	// patience is how long an event is tried at an endpoint that accepts nothing: all waits
	// with their jitter. Deliveries that only wait for a probe to succeed end with it.
	patience = 84 * time.Hour
)

// nextAttempt is when to retry a delivery that has failed so many times, most recently at
// an instant; false: it is parked. The jitter is derived from the delivery and the attempt,
// so that a restart does not move it.
func nextAttempt(delivery string, made int, at time.Time, retryAfter time.Duration) (time.Time, bool) {
	if made >= len(waits) {
		return time.Time{}, false
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(delivery + strconv.Itoa(made))) // a hash accepts everything
	const steps = 2001
	part := int64(h.Sum64()%steps) - steps/2 // −1000 … 1000 thousandths
	wait := waits[made]
	wait += time.Duration(int64(wait) / jitter / (steps / 2) * part)
	return at.Add(max(wait, min(retryAfter, maxRetryAfter))), true
}

// parseRetryAfter parses the header Retry-After, seconds or a date. Anything else counts as
// none; long waits are bounded.
func parseRetryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	if isDigits(value) {
		return maxRetryAfter // more seconds than an integer can represent
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
