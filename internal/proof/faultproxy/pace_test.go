package faultproxy

import (
	"net"
	"slices"
	"testing"
	"time"
)

// Latency, bandwidth and slices are a plan of what may be written when. These tests read the plan
// at given instants, so no clock affects them.

// drawn returns the delays of a direction of a connection, in order.
func drawn(seed uint64, id ConnID, i int) []time.Duration {
	p := &Proxy{}
	p.links[i] = link{latency: 500, jitter: 400, seed: seed}
	w := newConn(p, id, nil).pipes[i]
	out := make([]time.Duration, 1000)
	for k := range out {
		out[k] = w.latency()
	}
	return out
}

func TestJitterComesFromTheSeed(t *testing.T) {
	a := drawn(1, 1, toServer)
	if lowest, highest := slices.Min(a), slices.Max(a); lowest < 100 || lowest > 140 || highest < 860 || highest > 900 {
		t.Errorf("delays from %d to %d, want 500 ± 400", lowest, highest)
	}
	if !slices.Equal(a, drawn(1, 1, toServer)) {
		t.Error("the same seed gives other delays")
	}
	for name, b := range map[string][]time.Duration{
		"seed": drawn(2, 1, toServer), "connection": drawn(1, 2, toServer), "direction": drawn(1, 1, toClient),
	} {
		if slices.Equal(a, b) {
			t.Errorf("another %s gives the same delays", name)
		}
	}
}

// planned is a pipe to a client without a running writer, and its proxy.
func planned() (*Proxy, *pipe) {
	p := &Proxy{conns: map[ConnID]*conn{}}
	c := newConn(p, 1, &net.TCPConn{})
	p.conns[1] = c
	return p, c.pipes[toClient]
}

// piece is one write of a plan, and when it is allowed.
type piece struct {
	at   time.Duration
	text string
}

// plan runs a pipe's writer on a simulated clock.
func plan(w *pipe, begin time.Time) (out []piece) {
	now := begin
	for {
		s := w.next(now)
		switch {
		case len(s.piece) > 0:
			out = append(out, piece{now.Sub(begin), string(s.piece)})
		case !s.until.IsZero():
			now = s.until
		default:
			return out
		}
	}
}

func TestPlanOfPieces(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		set  func(*Proxy)
		want []piece
	}{
		"no fault": {func(*Proxy) {}, []piece{{0, "abcd"}, {10 * ms, "ef"}}},
		"latency":  {func(p *Proxy) { p.Latency(ToClient, 500*ms, 0, 1) }, []piece{{500 * ms, "abcd"}, {510 * ms, "ef"}}},
		"the other direction": {func(p *Proxy) {
			p.Latency(ToServer, 500*ms, 0, 1)
			p.Slice(ToServer, 1, 0)
			p.Bandwidth(ToServer, 1)
			p.BlackHole(ToServer, Drop)
		}, []piece{{0, "abcd"}, {10 * ms, "ef"}}},
		"slices":                {func(p *Proxy) { p.Slice(Both, 3, 0) }, []piece{{0, "abc"}, {0, "d"}, {10 * ms, "ef"}}},
		"slices with a gap":     {func(p *Proxy) { p.Slice(Both, 3, 7*ms) }, []piece{{0, "abc"}, {7 * ms, "d"}, {14 * ms, "ef"}}},
		"100 bytes a second":    {func(p *Proxy) { p.Bandwidth(Both, 100) }, []piece{{0, "ab"}, {20 * ms, "cd"}, {40 * ms, "ef"}}},
		"bandwidth and latency": {func(p *Proxy) { p.Latency(Both, 15*ms, 0, 1); p.Bandwidth(Both, 200) }, []piece{{15 * ms, "abcd"}, {35 * ms, "ef"}}},
		"a black hole":          {func(p *Proxy) { p.BlackHole(Both, Hold) }, nil},
		"a cut":                 {func(p *Proxy) { p.CutAfter(Both, 5, Reset) }, []piece{{0, "abcd"}, {10 * ms, "e"}, {10 * ms, "f"}}}, // the writer breaks after e
	} {
		t.Run(name, func(t *testing.T) {
			p, w := planned()
			c.set(p)
			w.push(item{data: []byte("abcd")}, 0, begin)
			w.push(item{data: []byte("ef")}, 0, begin.Add(10*ms))
			if got := plan(w, begin); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// A chunk with a short delay does not overtake one with a long delay.
func TestDelayKeepsTheOrder(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, w := planned()
	w.push(item{data: []byte("slow")}, time.Second, begin)
	w.push(item{data: []byte("fast")}, 0, begin)
	if got, want := plan(w, begin), []piece{{time.Second, "slow"}, {time.Second, "fast"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What a gate holds is not on the line yet: a black hole takes it only after the gate has opened.
func TestGateComesBeforeTheHole(t *testing.T) {
	p, w := planned()
	gate := NewGate()
	w.push(item{data: []byte("kept"), gate: gate}, 0, time.Now())
	p.BlackHole(Both, Drop)
	if s := w.next(time.Now()); s.gate == nil || w.lost || w.size != 4 {
		t.Errorf("%+v, lost %v, %d bytes", s, w.lost, w.size)
	}
	gate.Release()
	if s := w.next(time.Now()); s.piece != nil || !w.lost || w.size != 0 {
		t.Errorf("%+v, lost %v, %d bytes", s, w.lost, w.size)
	}
}

// A cut that counts both directions lets no byte pass the other way afterwards.
func TestCutStopsBothDirections(t *testing.T) {
	p, w := planned()
	other := w.c.pipes[toServer]
	w.c.ends[toServer] = w.c.ends[toClient]
	p.CutAfter(Both, 1, Reset)
	w.push(item{data: []byte("ab")}, 0, time.Now())
	other.push(item{data: []byte("cd")}, 0, time.Now())
	if s := w.next(time.Now()); string(s.piece) != "a" || len(s.cuts) != 1 {
		t.Errorf("%q is forwarded, %d cuts happen", s.piece, len(s.cuts))
	}
	if s := other.next(time.Now()); len(s.piece) != 0 {
		t.Errorf("%q is forwarded after the cut", s.piece)
	}
}

// Heal immediately delivers what latency and bandwidth have delayed.
func TestHealDeliversNow(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p, w := planned()
	p.Latency(Both, time.Hour, 0, 1)
	w.push(item{data: []byte("late")}, time.Hour, begin)
	p.Bandwidth(Both, 1)
	w.clear = begin.Add(time.Hour)
	p.Heal()
	w.push(item{data: []byte("new")}, 0, begin)
	if got, want := plan(w, begin), []piece{{0, "late"}, {0, "new"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
