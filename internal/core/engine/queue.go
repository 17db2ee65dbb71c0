package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tenor/internal/core/store"
)

// mode is which commands the queue accepts.
type mode int

const (
	open   mode = iota
	full        // the database has no room: none, until a probe succeeds
	broken      // an invariant failed: none, until a restart
	closed      // none ever again
)

func (m mode) refusal() error {
	switch m {
	case open:
		return nil
	case closed:
		return ErrClosed
	default:
		return ErrReadOnly
	}
}

// place is a ticket's stage. It only moves forward, except when a batch puts the ticket
// back.
type place int

const (
	waiting place = iota
	taken
	gone
)

// queue holds the tickets that no batch has taken: one lane per merchant, served in turn,
// so that a flood delays only its own merchant (EN11).
//
// Room is shared fairly too. A lane may grow to laneShare times the free room, so that the
// others always find some however hard a few push.
type queue struct {
	limit int
	wake  chan struct{} // holds one token when there is news for the writer
	count func(error)   // counts the tickets that end with an error

	mu    sync.Mutex
	state mode
	depth int              // tickets in all lanes except background
	lanes map[string]*lane // nonempty ones
	ring  []*lane          // the same, in order of service
	turn  int              // index in ring of the lane to serve next
	keys  map[store.KeyID]*Ticket

	background lane   // commands nobody waits for; it has room of its own
	passed     int    // batches in a row that left it waiting
	left       int    // callers' tickets left waiting by the last batch
	giveWay    func() // called when a caller arrives; nil: the current batch is finished
}

// laneShare lets a lone merchant use four fifths of the queue.
const laneShare = 4

// lane is a merchant's tickets, oldest first.
type lane struct {
	name       string
	head, tail *Ticket
	length     int
}

func newQueue(limit int, count func(error)) *queue {
	return &queue{
		limit: limit, wake: make(chan struct{}, 1), count: count,
		lanes: map[string]*lane{}, keys: map[store.KeyID]*Ticket{},
	}
}

// laneName is the merchant, or the client if there is none: operator staff and the
// clockwork do not wait for each other.
func laneName(t *Ticket) string {
	if m := t.request.Actor.Merchant; m != "" {
		return m
	}
	return "\x00" + t.request.Actor.Client
}

// push queues a ticket, or returns why not.
func (q *queue) push(t *Ticket) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.state.refusal(); err != nil {
		return err
	}
	if !q.roomFor(t) {
		return ErrOverloaded
	}
	if t.key != (store.KeyID{}) {
		if t.first = q.keys[t.key]; t.first == nil {
			q.keys[t.key] = t
		}
	}
	if t.request.Background {
		q.background.append(t)
	} else {
		q.laneFor(t).append(t)
		q.depth++
		if q.giveWay != nil {
			q.giveWay()
		}
	}
	q.signal()
	return nil
}

// onCaller sets the function to call as soon as a caller has arrived since the last batch
// was taken, possibly at once; nil removes it. A batch that was taken although callers
// waited had its turn, and is finished.
func (q *queue) onCaller(giveWay func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.left > 0 {
		giveWay = nil
	}
	q.giveWay = giveWay
	if giveWay != nil && q.depth > 0 {
		giveWay()
	}
}

// take removes up to n tickets: callers' first, then as many background ones as room allows
// next to so many callers. Tickets whose callers' time has ended are answered, not taken
// (EN6).
func (q *queue) take(n int, room func(callers int) int) (batch []*Ticket, callers int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	batch = q.turns(make([]*Ticket, 0, min(n, q.depth+q.background.length)), q.callersOf(n))
	callers, q.left = len(batch), q.depth
	if q.background.length == 0 {
		q.passed = 0
		return batch, callers
	}
	more := room(callers)
	if q.passed++; q.passed > maxPassed {
		more = max(more, 1)
	}
	most := min(n, callers+more)
	for len(batch) < most && q.background.length > 0 {
		q.passed = 0
		batch = q.keep(batch, q.background.head)
	}
	return batch, callers
}

// back returns a taken ticket to the front of its lane, regardless of the limit.
func (q *queue) back(t *Ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state != open && q.state != closed {
		q.end(t, Result{}, q.state.refusal())
		return
	}
	t.place = waiting
	if t.request.Background {
		q.background.prepend(t)
	} else {
		q.laneFor(t).prepend(t)
		q.depth++
	}
	q.signal()
}

// withdraw answers a ticket that is still queued and reports whether it was.
func (q *queue) withdraw(t *Ticket, err error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.place != waiting {
		return false
	}
	q.remove(t)
	q.end(t, Result{}, err)
	return true
}

// answer completes a taken ticket.
func (q *queue) answer(t *Ticket, r Result, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(t, r, err)
}

// setMode opens the queue or makes it read-only; a broken queue stays broken. Closing
// overrides everything.
func (q *queue) setMode(m mode) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state != closed && q.state != broken {
		q.state = m
	}
	if m == broken || q.state == full {
		q.refuseAll(ErrReadOnly)
	}
}

func (q *queue) mode() mode {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state
}

// close refuses new tickets and keeps queued ones.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state = closed
	q.signal()
}

// abandon closes the queue and answers everything in it.
func (q *queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state = closed
	q.refuseAll(ErrClosed)
}

func (q *queue) drained() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state == closed && q.depth == 0 && q.background.length == 0
}

// wanted reports whether the writer must not rest: a caller waits, or the writer is to
// stop.
func (q *queue) wanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state != open || q.depth > 0
}

// length returns how many callers' and how many background commands wait.
func (q *queue) length() (callers, background int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.depth, q.background.length
}

// The methods below require q.mu.

// roomFor reports whether a ticket may wait.
func (q *queue) roomFor(t *Ticket) bool {
	if t.request.Background {
		return q.background.length < BackgroundQueue
	}
	free, length := q.limit-q.depth, 0
	if l := q.lanes[laneName(t)]; l != nil {
		length = l.length
	}
	return free >= 1 && length < laneShare*free
}

// callersOf is how many of a batch's n places are for callers.
func (q *queue) callersOf(n int) int {
	switch {
	case q.background.length == 0:
		return n
	case n < backgroundShare && q.passed >= maxPassed:
		return n - 1
	}
	return n - n/backgroundShare
}

// turns takes callers' tickets, one from each lane in turn.
func (q *queue) turns(batch []*Ticket, n int) []*Ticket {
	for len(batch) < n && q.depth > 0 {
		q.turn %= len(q.ring)
		l := q.ring[q.turn]
		t := l.head
		served := l.length > 1
		if batch = q.keep(batch, t); served {
			q.turn++ // otherwise the next lane has moved to this index
		}
	}
	return batch
}

// keep moves a ticket from its lane into a batch, unless its caller's time has ended.
func (q *queue) keep(batch []*Ticket, t *Ticket) []*Ticket {
	q.remove(t)
	if t.ctx.Err() != nil {
		q.end(t, Result{}, fmt.Errorf("%w: %w", ErrExpired, context.Cause(t.ctx)))
		return batch
	}
	t.place = taken
	return append(batch, t)
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) refuseAll(err error) {
	for q.depth > 0 {
		t := q.ring[0].head
		q.remove(t)
		q.end(t, Result{}, err)
	}
	for q.background.length > 0 {
		t := q.background.head
		q.remove(t)
		q.end(t, Result{}, err)
	}
}

// end gives a ticket its answer and passes its key on to the next.
func (q *queue) end(t *Ticket, r Result, err error) {
	if t.place == gone {
		return
	}
	t.place, t.result, t.err = gone, r, err
	if err != nil {
		q.count(err)
	}
	if q.keys[t.key] == t {
		delete(q.keys, t.key)
	}
	close(t.done)
}

func (q *queue) laneFor(t *Ticket) *lane {
	name := laneName(t)
	l := q.lanes[name]
	if l == nil {
		l = &lane{name: name}
		q.lanes[name] = l
		q.ring = append(q.ring, l)
	}
	return l
}

// remove takes a ticket out of its lane. An empty caller's lane leaves the rotation.
func (q *queue) remove(t *Ticket) {
	l := t.lane
	l.unlink(t)
	if l == &q.background {
		return
	}
	q.depth--
	if l.length > 0 {
		return
	}
	delete(q.lanes, l.name)
	i := slices.Index(q.ring, l)
	q.ring = slices.Delete(q.ring, i, i+1)
	if i < q.turn {
		q.turn--
	}
}

func (l *lane) append(t *Ticket) {
	t.lane, t.prev, t.next = l, l.tail, nil
	if l.tail != nil {
		l.tail.next = t
	} else {
		l.head = t
	}
	l.tail = t
	l.length++
}

func (l *lane) prepend(t *Ticket) {
	t.lane, t.prev, t.next = l, nil, l.head
	if l.head != nil {
		l.head.prev = t
	} else {
		l.tail = t
	}
	l.head = t
	l.length++
}

func (l *lane) unlink(t *Ticket) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		l.head = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		l.tail = t.prev
	}
	t.lane, t.prev, t.next = nil, nil, nil
	l.length--
}
