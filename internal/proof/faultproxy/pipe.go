package faultproxy

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// maxQueue is how many bytes are queued in one direction before the sender is stopped.
const maxQueue = 8 << 20

// pipe is one direction of a connection: a reader, a queue and a writer.
type pipe struct {
	c      *conn
	i      int           // toServer or toClient
	news   chan struct{} // wakes the writer
	room   chan struct{} // wakes the reader
	queue  []item
	size   int        // bytes in the queue
	random *rand.Rand // for the latency, nil before the first use
	clear  time.Time  // when bandwidth and gap allow the next piece

	lost   bool // bytes are missing: swallow the rest and its end
	dead   bool // the receiver is gone: swallow the rest, not its end
	gentle bool // deliver an end as FIN, never as RST
	ended  bool // the sender has ended
	passed bool // and the receiver was told
}

// item is a chunk, or the end of a stream.
type item struct {
	data []byte
	end  Break
	due  time.Time // not sent before this, nor before the preceding item
	gate *Gate
	cut  *Cut
}

// step is what a writer does next. All zero: it waits for news.
type step struct {
	until time.Time       // wait no longer than this
	gate  <-chan struct{} // or until it opens
	dial  bool
	piece []byte
	cuts  []*Cut // applied after the piece
	end   Break
}

func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// read reads what the sender sends until it ends.
func (w *pipe) read() {
	buf := make([]byte, 64<<10)
	for w.waitRoom() {
		n, err := w.c.ends[1-w.i].Read(buf)
		if n > 0 {
			w.arrive(bytes.Clone(buf[:n]))
		}
		if err != nil {
			how := Reset
			if errors.Is(err, io.EOF) {
				how = Close
			}
			w.c.p.mu.Lock()
			w.ended = true
			w.push(item{end: how}, 0, time.Now())
			w.c.p.mu.Unlock()
			return
		}
	}
}

// waitRoom returns false when the connection is over.
func (w *pipe) waitRoom() bool {
	for w.c.ctx.Err() == nil {
		w.c.p.mu.Lock()
		full := w.size >= maxQueue
		w.c.p.mu.Unlock()
		if !full {
			return true
		}
		select {
		case <-w.room:
		case <-w.c.ctx.Done():
		}
	}
	return false
}

// arrive records a chunk, calls the hook, and queues it.
func (w *pipe) arrive(data []byte) {
	p, id := w.c.p, w.c.id
	p.mu.Lock()
	hook := p.hook
	if p.recording && w.i == toServer {
		p.records[id] = append(p.records[id], data...)
	}
	p.mu.Unlock()
	var action Action
	if hook != nil {
		action = hook(Direction(1<<w.i), id, data)
	}
	it := item{data: data, gate: action.gate}
	if action.how != 0 {
		it.cut = &Cut{left: max(0, min(action.at, len(data))), how: action.how, done: make(chan struct{})}
	}
	p.mu.Lock()
	w.push(it, action.delay, time.Now())
	p.mu.Unlock()
	if g := action.gate; g != nil {
		g.caughtOnce.Do(func() { close(g.caught) })
	}
}

// push queues an item. An end after bytes is always a close: a reset could discard them at the
// receiver. The caller holds the lock.
func (w *pipe) push(it item, extra time.Duration, now time.Time) {
	if it.gate != nil || it.end == Reset && len(w.queue) > 0 {
		w.gentle = true
	}
	if it.end == Reset && w.gentle {
		it.end = Close
	}
	it.due = now.Add(extra + w.latency())
	w.queue = append(w.queue, it)
	w.size += len(it.data)
	signal(w.news)
}

// latency generates the delay of a chunk.
func (w *pipe) latency() time.Duration {
	l := w.c.p.links[w.i]
	if l.jitter <= 0 {
		return l.latency
	}
	if w.random == nil {
		w.random = rand.New(rand.NewPCG(l.seed, uint64(w.c.id)<<1|uint64(w.i)))
	}
	return max(0, l.latency-l.jitter+time.Duration(w.random.Int64N(2*int64(l.jitter)+1)))
}

// write does one step after the other until the connection is over.
func (w *pipe) write() {
	for w.c.ctx.Err() == nil {
		s := w.next(time.Now())
		switch {
		case s.dial:
			w.c.dial()
		case s.end != 0:
			w.end(s.end)
		case s.piece == nil && s.cuts == nil:
			w.wait(s)
		default:
			w.forward(s)
		}
	}
}

// wait ends when the connection does, at the latest.
func (w *pipe) wait(s step) {
	var alarm <-chan time.Time
	if !s.until.IsZero() {
		timer := time.NewTimer(time.Until(s.until))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-w.news:
	case <-alarm:
	case <-s.gate:
	case <-w.c.ctx.Done():
	}
}

// next returns what the writer does now. What it will write has left the queue.
func (w *pipe) next(now time.Time) step {
	w.c.p.mu.Lock()
	defer w.c.p.mu.Unlock()
	if w.dead {
		return w.swallow(true)
	}
	if w.lost {
		return w.swallow(false)
	}
	var shut *Gate
	if len(w.queue) > 0 && w.queue[0].gate != nil && !w.queue[0].gate.isOpen() {
		shut = w.queue[0].gate
	}
	hole := w.c.p.links[w.i].hole
	switch {
	case hole == Drop && shut == nil && len(w.queue) > 0:
		w.lost = true
		return w.swallow(false)
	case hole == 0 && w.c.ends[w.i] == nil:
		return step{dial: true}
	case shut != nil:
		return step{gate: shut.open}
	case hole != 0 || len(w.queue) == 0:
		return step{}
	}
	return w.take(&w.queue[0], now)
}

// swallow empties the queue, up to the end of the stream if that counts.
func (w *pipe) swallow(ends bool) step {
	defer signal(w.room)
	for ends && len(w.queue) > 0 {
		it := w.queue[0]
		w.queue = w.queue[1:]
		if it.end != 0 {
			return step{end: it.end}
		}
	}
	w.queue, w.size = nil, 0
	return step{}
}

// take splits from the first item what may be sent now.
func (w *pipe) take(it *item, now time.Time) step {
	if at := later(it.due, w.clear); at.After(now) {
		return step{until: at}
	}
	if it.end != 0 {
		defer w.pop()
		return step{end: it.end}
	}
	l, n := w.c.p.links[w.i], len(it.data)
	if l.slice > 0 {
		n = min(n, l.slice)
	}
	if l.rate > 0 {
		n = min(n, max(1, l.rate/50)) // a piece every 20 ms
	}
	n, cuts := w.cut(it, n)
	s := step{piece: it.data[:n], cuts: cuts}
	it.data = it.data[n:]
	w.size -= n
	if l.slice > 0 {
		w.clear = now.Add(l.gap)
	}
	if l.rate > 0 {
		w.clear = later(w.clear, now).Add(time.Duration(n) * time.Second / time.Duration(l.rate))
	}
	if len(it.data) == 0 {
		w.pop()
	}
	signal(w.room)
	return s
}

func (w *pipe) pop() { w.queue = w.queue[1:] }

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// cut shortens a piece to what the cuts allow, and returns those that apply after it.
func (w *pipe) cut(it *item, n int) (int, []*Cut) {
	p := w.c.p
	var mine, fired []*Cut
	for _, cut := range p.cuts {
		if cut.dir.has(w.i) && (len(cut.of) == 0 || slices.Contains(cut.of, w.c.id)) {
			cut.of = []ConnID{w.c.id} // it counts on this one from now on
			mine = append(mine, cut)
		}
	}
	if it.cut != nil {
		mine = append(mine, it.cut)
	}
	for _, cut := range mine {
		n = min(n, cut.left)
	}
	for _, cut := range mine {
		if cut.left -= n; cut.left == 0 {
			fired = append(fired, cut)
		}
	}
	if len(fired) > 0 {
		p.cuts = slices.DeleteFunc(p.cuts, func(cut *Cut) bool { return slices.Contains(fired, cut) })
		w.c.pipes[1-w.i].lost = true // nothing more passes in the other direction, either
	}
	return n, fired
}

// forward writes a piece, and breaks the connection if a cut says so.
func (w *pipe) forward(s step) {
	if len(s.piece) > 0 {
		count := &w.c.p.bytes[w.i]
		count.Add(int64(len(s.piece))) // before the write: a receiver finds its bytes counted
		if n, err := w.c.ends[w.i].Write(s.piece); err != nil {
			count.Add(int64(n - len(s.piece)))
			w.broken()
		}
	}
	for _, cut := range s.cuts {
		w.c.sever(cut.how)
		close(cut.done)
	}
}

// broken tells the sender that the receiver is gone, unless the proxy itself has closed the
// receiver's end.
func (w *pipe) broken() {
	w.c.p.mu.Lock()
	defer w.c.p.mu.Unlock()
	if !w.dead {
		w.dead = true
		w.c.pipes[1-w.i].push(item{end: Reset}, 0, time.Now())
	}
}

// end tells the receiver that the stream is over. When both know, and both senders have ended,
// the connection is over.
func (w *pipe) end(how Break) {
	if how == Reset {
		w.c.finish(Reset)
		return
	}
	w.c.p.mu.Lock()
	if end := w.c.ends[w.i]; end != nil {
		_ = end.CloseWrite()
	}
	w.passed = true
	over := w.c.over()
	w.c.p.mu.Unlock()
	if over {
		w.c.finish(Close)
	}
}
