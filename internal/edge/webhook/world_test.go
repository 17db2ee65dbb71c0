package webhook

import (
	"context"
	crand "crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/ulid"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0 draws one")

func TestMain(m *testing.M) {
	flag.Parse()
	// The thread that starts PostgreSQL processes lives as long as this one.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("tenor/internal/proof/proctest.spawnAll"))
}

// seedOf is the seed of a random test, which it logs.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := *seedFlag
	for seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("again: go test ./internal/edge/webhook -run '^%s$' -seed %d", t.Name(), seed)
	return seed
}

// world is a database with an engine, merchants with endpoints, and the network of the
// endpoints.
type world struct {
	testing.TB
	db     store.Backend
	engine *engine.Engine
	net    *network
	holder sync.Map // of each lease, by name

	mu    sync.Mutex
	seeds uint64
	last  map[credit.ObjectRef]int64 // sequence
	sent  []store.EventRow           // every emitted event, in commit order
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	return newWorldOn(tb, memory.New())
}

func newWorldOn(tb testing.TB, db store.Backend) *world {
	tb.Helper()
	zone, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		tb.Fatal(err)
	}
	w := &world{TB: tb, db: db, net: newNetwork(), last: map[credit.ObjectRef]int64{}}
	w.engine, err = engine.New(engine.Config{
		Backend: w.db, Zone: calendar.NewZone(zone), Now: time.Now, Wire: "test",
		EncodeEvent: func(e credit.Event, _ time.Time, _ credit.Actor) ([]byte, error) { return body(e.ID, e.Sequence), nil },
		Alarm:       func(a engine.Alarm) { tb.Errorf("alarm: %s: %v\n%s", a.What, a.Err, a.Stack) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.engine.Run(ctx)
	}()
	tb.Cleanup(func() {
		cancel()
		<-done
	})
	return w
}

func body(event string, sequence int64) []byte {
	return fmt.Appendf(nil, `{"id":%q, "sequence": %d,  "text":"é \u00e9 <>&"}`, event, sequence)
}

// submit decides a command as the lender and returns its changes.
func (w *world) submit(c credit.Command) credit.Changes {
	w.Helper()
	return w.submitAs(credit.Actor{Client: "console", Operator: true}, c)
}

func (w *world) submitAs(by credit.Actor, c credit.Command) credit.Changes {
	w.Helper()
	var changes credit.Changes
	result, err := w.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: by, Seed: w.seed(),
		Encode: func(c credit.Changes, _ *credit.Rejection) engine.Response {
			changes = c
			return engine.Response{Status: 200}
		},
	})
	if err != nil || result.Rejection != nil {
		w.Fatalf("%s: %v, %v", c.Name(), err, result.Rejection)
	}
	return changes
}

func (w *world) seed() (seed [16]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seeds++
	binary.BigEndian.PutUint64(seed[8:], w.seeds)
	return seed
}

func (w *world) merchant(name string) string {
	w.Helper()
	return w.submit(merchants.CreateMerchant{Title: name, Settings: lending.DefaultSettings()}).Result.(*credit.Merchant).ID
}

// target is an endpoint with its secret.
type target struct {
	*credit.Endpoint
	secret string
}

func newSecret() string {
	raw := make([]byte, 32)
	_, _ = crand.Read(raw)
	return SecretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// seal and open replace the deployment's key.
func seal(secret, about string) []byte { return []byte(about + "\n" + secret) }

func open(sealed []byte, about string) ([]byte, error) {
	secret, ok := strings.CutPrefix(string(sealed), about+"\n")
	if !ok {
		return nil, errors.New("sealed about something else")
	}
	return []byte(secret), nil
}

func (w *world) endpoint(merchant, url string, types ...credit.EventType) target {
	w.Helper()
	secret := newSecret()
	id := credit.EndpointID([16]byte([]byte(secret)[len(secret)-16:]), time.Now())
	c := w.submit(access.CreateEndpoint{ID: id, Merchant: merchant, URL: url, EventTypes: types, Enabled: true, Sealed: seal(secret, credit.SigningSecretOf(id))})
	return target{c.Result.(*credit.Endpoint), secret}
}

func order(key string) credit.ObjectRef { return credit.ObjectRef{Type: "order", ID: key} }

// emit commits events of an object of a merchant, in one commit.
func (w *world) emit(merchant string, o credit.ObjectRef, types ...credit.EventType) {
	w.Helper()
	if err := w.tryEmit(merchant, nil, o, types...); err != nil {
		w.Fatal(err)
	}
}

func (w *world) tryEmit(merchant string, readers []string, o credit.ObjectRef, types ...credit.EventType) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var d store.Decided
	var company int64
	if merchant == "" {
		company = 1
	}
	for _, kind := range types {
		w.seeds++
		w.last[o]++
		d.Changes.Events = append(d.Changes.Events, credit.Event{
			Type: kind, Object: o, Sequence: w.last[o], Merchant: merchant, Readers: readers, Company: company,
		})
		d.Events = append(d.Events, nil)
	}
	q, at, err := w.commitLocked(&d)
	for n, e := range d.Changes.Events {
		if err == nil {
			w.sent = append(w.sent, store.EventRow{
				ID: e.ID, Type: e.Type, Object: o, Sequence: e.Sequence, Q: q, N: n, Merchant: merchant, At: at, Payload: d.Events[n],
			})
		}
	}
	return err
}

// commit writes what no command has decided.
func (w *world) commit(d *store.Decided) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _, err := w.commitLocked(d)
	return err
}

func (w *world) commitLocked(d *store.Decided) (q int64, at time.Time, err error) {
	d.Audit = store.Audit{At: time.Now(), Command: "test", Payload: []byte(`{}`), Result: "ok"}
	for {
		b := store.Batch{Node: "test"}
		w.seeds++
		binary.BigEndian.PutUint64(b.ID[8:], w.seeds)
		b.ID[0] = 0xee // an engine generates its own randomly
		c, err := w.db.Update(context.Background(), func(tx store.Tx) error {
			head, err := tx.Head()
			b.Epoch, b.BusinessDate, b.At = head.Epoch, head.BusinessDate, time.Now().UTC()
			if b.At.Before(head.At) {
				b.At = head.At
			}
			d.Audit.At = b.At
			for i := range d.Changes.Events { // an event is found by the instant in its identifier
				e := &d.Changes.Events[i]
				e.ID = ulid.New("evt_", b.At, [10]byte(binary.BigEndian.AppendUint64([]byte{byte(i), 0}, w.seeds)))
				d.Events[i] = body(e.ID, e.Sequence)
			}
			b.Decided = []store.Decided{*d}
			return errors.Join(err, tx.Apply(b))
		})
		if !errors.Is(err, store.ErrBehind) {
			return c.FirstQ, b.At, err
		}
	}
}

// event is the i-th emitted event, none if there are fewer.
func (w *world) event(i int) store.EventRow {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i < len(w.sent) {
		return w.sent[i]
	}
	return store.EventRow{}
}

// start runs a sender until the test ends or stop is called.
func (w *world) start(change ...func(*Config)) (s *Sender, stop func()) {
	w.Helper()
	cfg := Config{
		Backend: w.db, Submit: w.engine, Open: open, Client: &http.Client{Transport: w.net}, Node: "node", Sandbox: true, Alone: true, Workers: 64,
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Run(ctx); err != nil {
			w.Error(err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	w.Cleanup(stop)
	return s, stop
}

// deliveries lists an endpoint's deliveries in order of their events, then by id.
func (w *world) deliveries(endpoint string) []store.Delivery {
	w.Helper()
	var out []store.Delivery
	if err := w.db.View(context.Background(), func(v store.View) (err error) {
		out, err = store.ListDeliveries(v, store.DeliveryFilter{Endpoint: endpoint}, store.Page{Limit: 1_000_000})
		return err
	}); err != nil {
		w.Fatal(err)
	}
	slices.SortFunc(out, func(a, b store.Delivery) int {
		if c := comparePlaces(a.Place, b.Place); c != 0 {
			return c
		}
		return strings.Compare(a.Resend+a.ID, b.Resend+b.ID)
	})
	return out
}

func (w *world) attempts(delivery string) []store.Attempt {
	w.Helper()
	var out []store.Attempt
	if err := w.db.View(context.Background(), func(v store.View) (err error) {
		_, out, err = store.DeliveryOf(v, delivery)
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return out
}

// states lists the states of an endpoint's deliveries in order of their events.
func (w *world) states(endpoint string) []store.DeliveryState {
	w.Helper()
	var out []store.DeliveryState
	for _, d := range w.deliveries(endpoint) {
		out = append(out, d.State)
	}
	return out
}

func repeat[T any](n int, x T) []T { return slices.Repeat([]T{x}, n) }

// until waits for a condition. How long it takes does not matter.
func until(tb testing.TB, what string, done func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatalf("never: %s", what)
		}
	}
}

// network answers requests without a connection. A host without an answer accepts.
type network struct {
	mu      sync.Mutex
	answers map[string]func(*message) reply // by host
	got     []message
	times   map[string]int // number of times that an id arrived at a host
	from    net.Addr       // source address of answers
}

// message is a request as it arrived.
type message struct {
	host, id string
	target   string // path and query
	header   http.Header
	body     string
	at       time.Time
	n        int // number of earlier messages with this id at the host
}

// reply is a receiver's answer.
type reply struct {
	status int           // 204 if 0
	after  time.Duration // or never, if the caller gives up first
	header http.Header
	body   string
	err    error
}

func newNetwork() *network {
	return &network{answers: map[string]func(*message) reply{}, times: map[string]int{}, from: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443}}
}

func (n *network) answer(host string, f func(*message) reply) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[host] = f
}

// received lists what arrived at a host, in order.
func (n *network) received(host string) []message {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []message
	for _, m := range n.got {
		if m.host == host {
			out = append(out, m)
		}
	}
	return out
}

type conn struct {
	net.Conn
	from net.Addr
}

func (c conn) RemoteAddr() net.Addr { return c.from }

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m := message{host: r.URL.Host, target: r.URL.RequestURI(), id: r.Header.Get(HeaderID), header: r.Header.Clone(), body: string(text), at: time.Now()}
	n.mu.Lock()
	m.n = n.times[m.host+" "+m.id]
	n.times[m.host+" "+m.id]++
	n.got = append(n.got, m)
	answer := n.answers[m.host]
	n.mu.Unlock()
	var a reply
	if answer != nil {
		a = answer(&m)
	}
	if a.after > 0 {
		select {
		case <-time.After(a.after):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: conn{from: n.from}})
	}
	if a.status == 0 {
		a.status = 204
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}
