package linear

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// Recorder records a history. It may be used from any goroutine; an entry costs a clock reading
// and an append.
type Recorder struct {
	run   string
	start time.Time

	mu    sync.Mutex
	calls History
}

// NewRecorder returns an empty recorder. Its clock starts now. It has a random name that is part
// of its calls' keys, so that two runs on one database never share a key.
func NewRecorder() *Recorder {
	return &Recorder{run: rand.Text()[:8], start: time.Now()}
}

// Run returns the recorder's random name.
func (r *Recorder) Run() string { return r.run }

// Begin records that a client is about to send a request, and returns the number of the call. A
// call without End is unanswered.
func (r *Recorder) Begin(client int, node string, q Request) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, Call{Client: client, Node: node, Request: q, Called: r.now()})
	return len(r.calls) - 1
}

// End records the definite response of a call.
func (r *Recorder) End(call int, a Answer) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[call].Returned, r.calls[call].Answer = now, a
}

// drop removes a call that was never sent.
func (r *Recorder) drop(call int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[call].Called = 0
}

// now is never 0, which means that a call has not returned.
func (r *Recorder) now() int64 { return int64(time.Since(r.start)) + 1 }

// History returns a copy of what has been recorded so far.
func (r *Recorder) History() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.calls), func(c Call) bool { return c.Called == 0 })
}

// unresolved returns the writes without a definite response to any of their calls: the first call
// of each.
func (h History) unresolved() []int {
	type id struct {
		caller int
		key    string
	}
	open, known := map[id]int{}, map[id]bool{}
	for i, c := range h {
		k := id{c.Request.Caller, c.Request.Key}
		if c.Request.Op.Read() {
			continue
		}
		if c.Returned != 0 {
			known[k] = true
			delete(open, k)
		} else if _, ok := open[k]; !ok && !known[k] {
			open[k] = i
		}
	}
	calls := make([]int, 0, len(open))
	for _, i := range open {
		calls = append(calls, i)
	}
	slices.Sort(calls)
	return calls
}
