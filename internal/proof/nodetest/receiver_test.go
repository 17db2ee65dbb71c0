//go:build linux

package nodetest

import (
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"tenor/internal/edge/webhook"
)

// address is an endpoint at the receiver.
type address struct {
	path, id, secret string
	duty             string // its share of the endpoints
	since            int64  // commit that created it: it receives what comes later
}

// disturbance is what was done to a server.
type disturbance int

const (
	killed disturbance = iota
	robbed
)

// message is one received request.
type message struct {
	event string
	hash  [sha256.Size]byte // of its body
	wrong error             // of its signature
	place int               // among all messages and disturbances
	seen  *receiver
}

// crosses returns 1 if a disturbance lies between a message and an earlier one.
func (m message) crosses(earlier message, d disturbance) int {
	if at, was := m.seen.notes[d]; was && earlier.place < at && at < m.place {
		return 1
	}
	return 0
}

// receiver records and accepts every message, per address in order. It can be told to hold its
// responses back.
type receiver struct {
	url string

	mu      sync.Mutex
	secrets map[string]string // by path
	got     map[string][]message
	ids     map[string]bool // path and event
	count   int
	notes   map[disturbance]int
	held    []string // paths whose messages are not answered
	holding int      // messages waiting for their response
	free    chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{secrets: map[string]string{}, got: map[string][]message{}, ids: map[string]bool{}, notes: map[disturbance]int{}, free: make(chan struct{})}
	s := httptest.NewServer(r)
	r.url = s.URL
	t.Cleanup(func() {
		r.release()
		s.Close()
	})
	return r
}

// expect sets the secret that signs messages to an address.
func (r *receiver) expect(e *address) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[e.path] = e.secret
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the sender left before it had sent everything
	}
	path := q.URL.Path
	m := message{event: q.Header.Get(webhook.HeaderID), hash: sha256.Sum256(body), seen: r}
	r.mu.Lock()
	m.wrong = webhook.Verify(r.secrets[path], q.Header, body, time.Now())
	r.count++
	m.place = r.count
	r.got[path] = append(r.got[path], m)
	r.ids[path+" "+m.event] = true
	held, free := slices.Contains(r.held, path), r.free
	if held {
		r.holding++
	}
	r.mu.Unlock()
	if held {
		<-free
	}
	w.WriteHeader(http.StatusNoContent)
}

// hold holds back the responses to messages to these paths.
func (r *receiver) hold(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.holding = paths, 0
}

// holds reports whether a message is waiting for its response.
func (r *receiver) holds() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.holding > 0
}

// release answers all waiting messages.
func (r *receiver) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.free)
	r.held, r.free = nil, make(chan struct{})
}

// note records the position of a disturbance among the messages.
func (r *receiver) note(d disturbance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	r.notes[d] = r.count
}

// has reports whether an event was received on a path.
func (r *receiver) has(path, event string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[path+" "+event]
}

// messages lists what was received on a path, in order.
func (r *receiver) messages(path string) []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got[path])
}
