package webhook

import (
	"time"

	"tenor/internal/domain/credit"
)

const (
	// maxInFlight is the maximum number of concurrent attempts at one endpoint.
	maxInFlight = 32
	// firstWindow is the initial number, before the endpoint's behavior is known.
	firstWindow = 4
	// slow is how long an answer may take before concurrency is reduced: an endpoint that
	// accepts slowly holds few connections.
	slow = 5 * time.Second
	// shrinkAfter and shutAfter are how many consecutive failures halve the concurrency,
	// and leave only probes. One failure says nothing: the receiver may merely refuse one
	// object.
	shrinkAfter = 3
	shutAfter   = 5
	// The time between probes doubles from the first to the last of these.
	firstGap = time.Second
	lastGap  = time.Minute
	// deadAfter is how long an endpoint must have failed before its deliveries are given up
	// with fewer than ten attempts.
	deadAfter = time.Hour
)

// gate limits the concurrency at an endpoint. While it accepts, the window grows; while it
// fails, there is one probe at a time with growing gaps, so that a dead endpoint takes
// neither workers nor the database from the others.
type gate struct {
	window   int           // concurrent attempts
	failures int           // consecutive
	since    time.Time     // first of them; zero: none
	gap      time.Duration // between probes; 0: the gate is open
	shutAt   time.Time     // when it was shut
	next     time.Time     // when the next probe may begin
	steady   bool          // the window is fixed: failures of one URL say nothing about the next
}

func newGate() gate { return gate{window: firstWindow} }

// gateOf returns the gate of an endpoint. That of a merchant's checkouts has a URL for each
// delivery and stays open: each is tried as often as any other, whatever becomes of its
// neighbors.
func gateOf(x *credit.Endpoint) gate {
	if x.Kind == credit.EndpointCheckout {
		return gate{window: maxInFlight, steady: true}
	}
	return newGate()
}

// allows reports whether one more attempt may begin in addition to those in flight.
func (g *gate) allows(inFlight int, now time.Time) bool {
	if g.gap > 0 {
		return inFlight == 0 && !now.Before(g.next)
	}
	return inFlight < g.window
}

// shut reports whether only probes are sent.
func (g *gate) shut() bool { return g.gap > 0 }

// dead reports whether the endpoint has failed long enough to give up old deliveries.
func (g *gate) dead(now time.Time) bool { return g.gap > 0 && now.Sub(g.since) >= deadAfter }

// accepted records a successful attempt.
func (g *gate) accepted(took time.Duration) {
	if g.steady {
		return
	}
	if g.gap > 0 {
		g.window = firstWindow
	}
	g.failures, g.gap, g.since = 0, 0, time.Time{}
	if took < slow {
		g.window = min(g.window+1, maxInFlight)
	} else {
		g.window = max(g.window/2, firstWindow)
	}
}

// failed records an attempt that began at an instant and failed now.
func (g *gate) failed(began, now time.Time) {
	if g.steady {
		return
	}
	if g.failures == 0 {
		g.since = now
	}
	g.failures++
	switch {
	case g.gap > 0:
		if began.Before(g.shutAt) {
			return // sent before the gate was shut: not a probe
		}
		g.gap = min(2*g.gap, lastGap)
	case g.failures >= shutAfter:
		g.gap, g.shutAt = firstGap, now
	case g.failures >= shrinkAfter:
		g.window = max(g.window/2, 1)
		return
	default:
		return
	}
	g.next = now.Add(g.gap)
}
