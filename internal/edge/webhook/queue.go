package webhook

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// endpoint is the desk's state of an endpoint: its waiting deliveries, as far as they are
// in memory. Only the desk's goroutine uses it.
type endpoint struct {
	id       string
	duty     *duty
	versions history
	gate     gate
	inFlight int
	leaving  int // the version that answered 410 and is being disabled; 0: none

	known  map[string]*item // by delivery; finished ones too until recorded
	lanes  map[laneKey]*lane
	ready  laneHeap // lanes whose first delivery is not in flight
	queued int      // items in lanes

	// more means that the database has unfinished deliveries that are not in memory. Then
	// new ones stay there too, so that none overtakes its predecessor.
	more    bool
	loading bool // they are being read
	active  bool // in the desk's list
}

// item is an unfinished delivery, or one whose end is not recorded yet.
type item struct {
	store.Delivery
	endpoint *endpoint
	payload  []byte // of the event; nil: it is read before the attempt
}

// laneKey identifies what is delivered in order: the events of one object (EV3). Resends
// have lanes of their own, so that they do not block new events.
type laneKey struct {
	object credit.ObjectRef
	resend string
}

// lane is the deliveries of a laneKey in order of their events. Only the first is
// attempted.
type lane struct {
	key   laneKey
	items []*item
	index int // in the heap, -1: the first is in flight
}

func newEndpoint(id string, d *duty, h history) *endpoint {
	return &endpoint{id: id, duty: d, versions: h, gate: gateOf(h.now()), known: map[string]*item{}, lanes: map[laneKey]*lane{}}
}

// add puts a delivery into its lane. A known one is left alone: false.
func (e *endpoint) add(d store.Delivery, payload []byte) bool {
	if e.known[d.ID] != nil {
		return false
	}
	it := &item{Delivery: d, endpoint: e, payload: payload}
	e.known[d.ID] = it
	e.queued++
	key := laneKey{d.Object, d.Resend}
	l := e.lanes[key]
	if l == nil {
		l = &lane{key: key, items: []*item{it}}
		e.lanes[key] = l
		heap.Push(&e.ready, l)
		return true
	}
	at := len(l.items)
	for at > 0 && comparePlaces(l.items[at-1].Place, d.Place) > 0 {
		at--
	}
	if at == 0 && l.index < 0 {
		at = 1 // the first is in flight
	}
	l.items = slices.Insert(l.items, at, it)
	if l.index >= 0 {
		heap.Fix(&e.ready, l.index)
	}
	return true
}

// nextAt is when the next delivery is due; false: none waits.
func (e *endpoint) nextAt() (time.Time, bool) {
	if len(e.ready) == 0 {
		return time.Time{}, false
	}
	return e.ready[0].items[0].NextAt, true
}

// take returns the delivery that is due first. Its lane waits for it.
func (e *endpoint) take() *item {
	l := heap.Pop(&e.ready).(*lane)
	e.inFlight++
	return l.items[0]
}

// back returns a taken delivery to its place, which is the head of its lane unless an
// earlier one has arrived meanwhile.
func (e *endpoint) back(it *item) {
	e.inFlight--
	l := e.lanes[laneKey{it.Object, it.Resend}]
	for i := 1; i < len(l.items) && comparePlaces(l.items[i].Place, it.Place) < 0; i++ {
		l.items[i-1], l.items[i] = l.items[i], it
	}
	heap.Push(&e.ready, l)
}

// finish removes a taken delivery from its lane: the next one's turn has come. It stays
// known until its end is recorded.
func (e *endpoint) finish(it *item) {
	e.inFlight--
	l := e.lanes[laneKey{it.Object, it.Resend}]
	l.items[0] = nil
	l.items = l.items[1:]
	e.queued--
	if len(l.items) == 0 {
		delete(e.lanes, l.key)
		return
	}
	heap.Push(&e.ready, l)
}

// remove removes the waiting deliveries that match, and returns them in order of their
// events.
func (e *endpoint) remove(match func(*item) bool) []*item {
	var out []*item
	for key, l := range e.lanes {
		kept := l.items[:0:0]
		for i, it := range l.items {
			if i == 0 && l.index < 0 || !match(it) { // in-flight ones stay
				kept = append(kept, it)
			} else {
				out = append(out, it)
			}
		}
		l.items = kept
		if len(kept) == 0 {
			delete(e.lanes, key)
		}
	}
	e.queued -= len(out)
	e.ready = slices.DeleteFunc(e.ready, func(l *lane) bool { return len(l.items) == 0 })
	for i, l := range e.ready {
		l.index = i
	}
	heap.Init(&e.ready)
	slices.SortFunc(out, beforeOf)
	return out
}

// beforeOf orders deliveries by their events, and those of one event by id.
func beforeOf(a, b *item) int {
	return cmp.Or(comparePlaces(a.Place, b.Place), cmp.Compare(a.ID, b.ID))
}

func comparePlaces(a, b store.Place) int {
	if a.Q != b.Q {
		return int(max(-1, min(1, a.Q-b.Q)))
	}
	return a.N - b.N
}

// laneHeap orders lanes by when their first delivery is due.
type laneHeap []*lane

func (h laneHeap) Len() int { return len(h) }

func (h laneHeap) Less(i, j int) bool {
	a, b := h[i].items[0], h[j].items[0]
	if !a.NextAt.Equal(b.NextAt) {
		return a.NextAt.Before(b.NextAt)
	}
	return beforeOf(a, b) < 0
}

func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is for package heap.
func (h *laneHeap) Push(x any) {
	l := x.(*lane)
	l.index = len(*h)
	*h = append(*h, l)
}

// Pop is for package heap.
func (h *laneHeap) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	l.index = -1
	return l
}
