package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Behavior is how a receiver answers.
type Behavior string

// What a receiver can be told to do with what it is sent. It stores all of it.
const (
	Accept       Behavior = "accept"        // 204
	Fail         Behavior = "fail"          // 500
	Gone         Behavior = "gone"          // 410: the endpoint is disabled
	Redirect     Behavior = "redirect"      // 302, which is a failure
	Busy         Behavior = "busy"          // 503 with Retry-After
	Slow         Behavior = "slow"          // 204 after SlowAfter
	TimeOut      Behavior = "time_out"      // no answer until the sender gives up
	LoseResponse Behavior = "lose_response" // accepted, but the connection breaks before the answer
)

// Behaviors lists what a receiver can be told to do.
func Behaviors() []Behavior {
	return []Behavior{Accept, Fail, Gone, Redirect, Busy, Slow, TimeOut, LoseResponse}
}

// SlowAfter is how long a slow receiver takes.
const SlowAfter = 3 * time.Second

// What receivers store is bounded: the oldest makes room.
const (
	MaxReceivers = 50       // names that have been told how to answer
	maxKept      = 50       // deliveries per name
	maxKeptBytes = 32 << 20 // of all deliveries together
	maxReceived  = 1 << 20  // bytes of one body
)

// Manner is how a receiver answers, and how often.
type Manner struct {
	Behavior   Behavior
	RetryAfter int // seconds, for a busy one
	Times      int // after so many deliveries it accepts again; 0: until told otherwise
}

// Receiver is a webhook receiver with a name.
type Receiver struct {
	Name   string
	Manner Manner
	Kept   int // deliveries that one merchant may see
}

// Received is one delivery to a receiver.
type Received struct {
	ID       string // rcv_…
	Receiver string
	At       time.Time // wall clock
	Header   []Field   // in order of name
	Body     []byte
	Answer   Behavior
	merchant string // its owner
}

// Field is a header field.
type Field struct{ Name, Value string }

// Get returns the value of a header field, and whether it occurs exactly once.
func (r *Received) Get(name string) (string, bool) {
	value, n := "", 0
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			value, n = f.Value, n+1
		}
	}
	return value, n == 1
}

// Owner is an endpoint that sends to a receiver, with its currently valid signing secrets.
type Owner struct {
	Merchant, Endpoint string
	Secrets            []string
	// Any means that it sends to whatever URL a checkout names: what it has signed is
	// accepted under every name, and what it has not signed reveals nothing about a name.
	Any bool
}

// Errors of receivers.
var (
	// ErrReceiverUnknown means that there is no such receiver or delivery, or that it is
	// somebody else's.
	ErrReceiverUnknown = errors.New("sandbox: no such receiver")
	// ErrReceivers means that the maximum number of receivers exists.
	ErrReceivers = errors.New("sandbox: too many receivers")
)

// Receivers are the webhook receivers of a sandbox, one per name. They store what they are
// sent in memory. What is signed for a merchant's endpoint is shown only to that merchant;
// what no endpoint has signed, to whoever has the name. It is safe for concurrent use.
type Receivers struct {
	owners func(ctx context.Context, name string) ([]Owner, error)
	now    func() time.Time // the wall clock
	guard  *http.CrossOriginProtection
	ended  chan struct{}
	end    sync.Once

	mu      sync.Mutex
	manners map[string]told
	kept    []*Received // oldest first
	bytes   int
}

// told is how a receiver was told to answer, and by whom.
type told struct {
	Manner
	merchant string
}

// NewReceivers makes receivers. owners lists the endpoints that send to a name, oldest
// first; now is the wall clock.
func NewReceivers(owners func(ctx context.Context, name string) ([]Owner, error), now func() time.Time) *Receivers {
	return &Receivers{owners: owners, now: now, guard: http.NewCrossOriginProtection(), ended: make(chan struct{}), manners: map[string]told{}}
}

// Release ends the requests that wait for an answer that never comes.
func (x *Receivers) Release() { x.end.Do(func() { close(x.ended) }) }

// ReceivePath is the path of receivers: followed by a name.
const ReceivePath = "/sandbox/receive/"

var receiverName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Loopback reports whether a request names this machine as its host. A foreign page whose
// name was rebound to 127.0.0.1 has its own name there.
func Loopback(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]"
}

// ServeHTTP accepts what is sent to a receiver. An unknown name is not found: invented
// names take no memory.
func (x *Receivers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	name := strings.TrimPrefix(r.URL.Path, ReceivePath)
	switch {
	case !Loopback(r) || x.guard.Check(r) != nil:
		http.Error(w, "This receiver accepts nothing from pages of other sites.", http.StatusForbidden)
		return
	case !receiverName.MatchString(name):
		http.Error(w, "There is no such receiver.", http.StatusNotFound)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Webhooks come by POST.", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReceived))
	if err != nil {
		http.Error(w, "The body is too large.", http.StatusRequestEntityTooLarge)
		return
	}
	owners, err := x.owners(r.Context(), name)
	if err != nil {
		http.Error(w, "The receiver's owner cannot be determined.", http.StatusServiceUnavailable)
		return
	}
	m, found := x.take(name, "", fieldsOf(r), body, owners)
	if !found {
		http.Error(w, "There is no such receiver: no endpoint sends to it.", http.StatusNotFound)
		return
	}
	x.answer(w, r, m)
}

// fieldsOf lists the header of a request by name.
func fieldsOf(r *http.Request) []Field {
	list := []Field{{"Host", r.Host}}
	for name, values := range r.Header {
		for _, v := range values {
			list = append(list, Field{name, v})
		}
	}
	slices.SortStableFunc(list, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// take stores a delivery and returns how to answer it; false: the name is unknown. merchant
// is its owner, "": determined by the signature.
func (x *Receivers) take(name, merchant string, header []Field, body []byte, owners []Owner) (Manner, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d := &Received{ID: "rcv_" + rand.Text(), Receiver: name, At: x.now().UTC(), Header: header, Body: body}
	signer := ""
	for _, o := range owners {
		if merchant == "" && check(d, o.Secrets, d.At).signed() {
			signer = o.Merchant
		}
	}
	m, found := x.manners[name]
	if !found {
		switch own := named(owners); {
		case len(own) > 0:
			m = told{Manner{Behavior: Accept}, own[0].Merchant}
		case signer == "":
			return Manner{}, false
		default:
			m = told{Manner{Behavior: Accept}, signer}
		}
	}
	d.Answer, d.merchant = m.Behavior, cmp.Or(merchant, signer, m.merchant)
	x.keep(d)
	if found && m.Times > 0 {
		after := m
		if after.Times--; after.Times == 0 {
			after.Manner = Manner{Behavior: Accept}
		}
		x.manners[name] = after
	}
	return m.Manner, true
}

// keep makes room for a delivery.
func (x *Receivers) keep(d *Received) {
	x.kept = append(x.kept, d)
	x.bytes += d.size()
	same := 0
	for _, k := range x.kept {
		if k.Receiver == d.Receiver {
			same++
		}
	}
	for i := 0; i < len(x.kept)-1 && (same > maxKept || x.bytes > maxKeptBytes); {
		if old := x.kept[i]; old.Receiver == d.Receiver || x.bytes > maxKeptBytes {
			if old.Receiver == d.Receiver {
				same--
			}
			x.bytes -= old.size()
			x.kept = slices.Delete(x.kept, i, i+1)
			continue
		}
		i++
	}
}

func (r *Received) size() int {
	n := len(r.Body)
	for _, f := range r.Header {
		n += len(f.Name) + len(f.Value)
	}
	return n
}

// answer does what the receiver was told to do.
func (x *Receivers) answer(w http.ResponseWriter, r *http.Request, m Manner) {
	switch m.Behavior {
	case Fail:
		http.Error(w, "The receiver was told to fail.", http.StatusInternalServerError)
	case Gone:
		http.Error(w, "The receiver was told to be gone.", http.StatusGone)
	case Redirect:
		http.Redirect(w, r, ReceivePath+"elsewhere", http.StatusFound)
	case Busy:
		w.Header().Set("Retry-After", itoa(m.RetryAfter))
		http.Error(w, "The receiver was told to be busy.", http.StatusServiceUnavailable)
	case Slow:
		x.wait(r.Context(), SlowAfter)
		w.WriteHeader(http.StatusNoContent)
	case TimeOut:
		x.wait(r.Context(), time.Minute)
		panic(http.ErrAbortHandler) // the server closes the connection
	case LoseResponse:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (x *Receivers) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-x.ended:
	}
}
