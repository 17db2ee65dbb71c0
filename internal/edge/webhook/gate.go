package webhook

import (
	"time"

	"tenor/internal/domain/credit"
)

const (
	// maxInFlight is the most attempts at a time at one endpoint.
	maxInFlight = 32
	// firstWindow is how many there are at first, before it is known how the endpoint
	// does.
	firstWindow = 4
	// slow is how long an answer may take before less is sent at a time: an endpoint
	// that accepts slowly holds few connections.
	slow = 5 * time.Second
	// shrinkAfter and shutAfter are how many failures in a row halve what is sent at a
	// time, and leave only probes. One failure says nothing: an object may be refused
	// that the receiver does not like.
	shrinkAfter = 3
	shutAfter   = 5
	// The time between probes doubles from the first to the last of these.
	firstGap = time.Second
	lastGap  = time.Minute
	// deadAfter is how long an endpoint must have failed before deliveries are given
	// up for it that were not tried ten times.
	deadAfter = time.Hour
)

// gate says how much an endpoint may be sent at a time. While it accepts, the window
// grows; while it fails, there is one probe at a time with longer and longer gaps, so
// that a dead endpoint takes neither workers nor the database from the others.
type gate struct {
	window   int           // attempts at a time
	failures int           // in a row
	since    time.Time     // of the first of them; zero: there is none
	gap      time.Duration // between probes; 0: the gate is open
	shutAt   time.Time     // when it was shut
	next     time.Time     // when the next probe may begin
	steady   bool          // the window stays: failures of one address say nothing of the next
}

func newGate() gate { return gate{window: firstWindow} }

// gateOf is the gate of an endpoint. That of a merchant's checkouts has an address for
// each delivery and stays open: each is tried as often as any other, whatever becomes of
// its neighbors.
func gateOf(x *credit.Endpoint) gate {
	if x.Kind == credit.EndpointCheckout {
		return gate{window: maxInFlight, steady: true}
	}
	return newGate()
}

// allows reports whether one more attempt may begin beside those in flight.
func (g *gate) allows(inFlight int, now time.Time) bool {
	if g.gap > 0 {
		return inFlight == 0 && !now.Before(g.next)
	}
	return inFlight < g.window
}

// shut reports that only probes are sent.
func (g *gate) shut() bool { return g.gap > 0 }

// dead reports that the endpoint has failed long enough for old deliveries to be given
// up.
func (g *gate) dead(now time.Time) bool { return g.gap > 0 && now.Sub(g.since) >= deadAfter }

// accepted notes an attempt that succeeded.
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

// failed notes an attempt that began at an instant and failed now.
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
			return // sent before the gate was shut: it is no probe
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
