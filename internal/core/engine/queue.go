package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tenor/internal/core/store"
)

// mode says which commands the queue accepts.
type mode int

const (
	open   mode = iota
	full        // the database has no room: none, until a probe succeeds
	broken      // an invariant failed: none, until a restart
	closed      // none any more
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

// place is where a ticket is. It only moves on, but for a ticket that a batch
// puts back.
type place int

const (
	waiting place = iota
	taken
	gone
)

// queue holds the tickets that no batch has taken: one lane a merchant, served in
// turn, so that a merchant's flood delays only itself (EN11).
//
// Room is fair too. A lane may grow to laneShare times what is still free, so
// that some room is always left for the others however hard a few push.
type queue struct {
	limit int
	wake  chan struct{} // holds one token when there is news for the writer
	count func(error)   // counts the tickets that end with an error

	mu    sync.Mutex
	state mode
	depth int              // tickets in all lanes but background
	lanes map[string]*lane // that are not empty
	ring  []*lane          // the same, in order of service
	turn  int              // index in ring of the lane that is served next
	keys  map[store.KeyID]*Ticket

	background lane   // of which nobody waits for the commands; it has room of its own
	passed     int    // batches in a row that have left it waiting
	left       int    // callers' tickets that the last batch has left waiting
	giveWay    func() // called when a caller comes; nil: the batch under way is finished
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

// laneName is the merchant, or the client if it has none: the operator's people
// and the clockwork do not wait for each other.
func laneName(t *Ticket) string {
	if m := t.request.Actor.Merchant; m != "" {
		return m
	}
	return "\x00" + t.request.Actor.Client
}

// push queues a ticket, or says why not.
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

// onCaller names what is called as soon as a caller has come since the last batch was
// taken, which may be now; nil ends that. A batch that was taken although callers waited
// had its turn, and is finished.
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

// take removes up to n tickets: callers' first, then as many of the background as room
// says beside so many callers. Tickets whose callers' time has ended are answered and
// not taken (EN6).
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

// back returns a taken ticket to the front of its lane, whatever the limit.
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

// answer ends a taken ticket.
func (q *queue) answer(t *Ticket, r Result, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(t, r, err)
}

// setMode opens the queue or makes it read-only; a queue that is broken stays so.
// Closing goes before everything.
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

// close refuses what comes from now on and keeps what is queued.
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

// wanted reports whether the writer must not rest: a caller waits, or it is to end.
func (q *queue) wanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state != open || q.depth > 0
}

// length is how many callers' commands wait, and how many of the background.
func (q *queue) length() (callers, background int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.depth, q.background.length
}

// The methods below need q.mu.

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

// callersOf is how many of the n places of a batch are for callers.
func (q *queue) callersOf(n int) int {
	switch {
	case q.background.length == 0:
		return n
	case n < backgroundShare && q.passed >= maxPassed:
		return n - 1
	}
	return n - n/backgroundShare
}

// turns takes callers' tickets, one of each lane in turn.
func (q *queue) turns(batch []*Ticket, n int) []*Ticket {
	for len(batch) < n && q.depth > 0 {
		q.turn %= len(q.ring)
		l := q.ring[q.turn]
		t := l.head
		served := l.length > 1
		if batch = q.keep(batch, t); served {
			q.turn++ // else the next lane has moved to this index
		}
	}
	return batch
}

// keep takes a ticket out of its lane and into a batch, unless its caller's time has
// ended.
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

// end gives a ticket its answer and its key to the next.
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

// remove takes a ticket out of its lane. A caller's lane that is empty is served no
// more.
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
