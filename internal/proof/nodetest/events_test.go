//go:build linux

package nodetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/webhook"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
)

// Parameters of the event test.
const (
	eventWriters   = 2 // at each server
	eventsEach     = 2 // endpoints in each server's share
	eventDuties    = 16
	eventDutiesOwn = eventDuties / 2
)

// sending is two sandboxes on one database, both of which take orders and send events: a live
// server would refuse a receiver on this machine.
type sending struct {
	proctest.World
	t         *testing.T
	program   string
	url       string // of the database
	db        *postgres.DB
	servers   [2]*node
	receiver  *receiver
	endpoints []*address
	client    *client
	accepted  sync.Map // commit sequences of acknowledged writes
	writes    atomic.Int64
	logs      string // of the servers before any disturbance
}

// TestEvents is T21: orders are written through two servers that both send events, one is killed
// with SIGKILL after a receiver has an event and before it could be marked, and the other loses
// its leases at the same point. No event is missing or invented, each arrived with the stored
// bytes, and those of each object in order (EV1 to EV4).
func TestEvents(t *testing.T) {
	begin := time.Now()
	random := rand.New(rand.NewPCG(seed(t), 21))
	s := openSending(t)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range s.servers {
		for k := range eventWriters {
			own := rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
			writers.Go(func() { s.write(i, fmt.Sprintf("writer-%d-%d", i, k), own, stop) })
		}
	}
	time.Sleep(*sendingFlag / 4)
	victim := random.IntN(2)
	s.die(victim)
	time.Sleep(*sendingFlag / 4)
	s.steal(1 - victim)
	time.Sleep(*sendingFlag / 2)
	close(stop)
	writers.Wait()

	events := s.events()
	s.arrive(events)
	figures := s.check(events)
	for _, p := range figures.problems {
		t.Error(p)
	}
	s.control(events)
	s.Verify(t, s.program)
	for _, n := range s.servers {
		n.process.Stop(t)
	}
	t.Logf("events: writes %d / events %d, missing %d, out of order %d / messages %d, duplicates %d: %d over the kill, %d over the theft, %d before both / %s",
		s.writes.Load(), len(events), figures.missing, figures.disordered, figures.messages, figures.duplicates,
		figures.overKill, figures.overTheft, figures.undisturbed,
		time.Since(begin).Round(time.Millisecond))
	// A process that the machine had suspended for as long as a lease lasts says so.
	if figures.undisturbed > 0 && !strings.Contains(s.logs, "lost a lease to another process") {
		t.Errorf("%d messages came twice before anything was done", figures.undisturbed)
	}
	if figures.overKill == 0 || figures.overTheft == 0 {
		t.Error("what was sent and not marked was not sent again")
	}
}

// openSending starts both servers on an empty database and creates endpoints in each one's share.
func openSending(t *testing.T) *sending {
	t.Helper()
	s := &sending{t: t, program: proctest.Build(t, ""), url: pgtest.Database(t), receiver: newReceiver(t)}
	for i := range s.servers {
		s.servers[i] = &node{
			name: fmt.Sprintf("server-%d", i+1), address: proctest.FreeAddress(t),
		}
		s.start(s.servers[i]) // the first one creates the database
	}
	s.World = proctest.NewWorld(t, s.program, 3, "--database", s.url)
	var err error
	if s.db, err = postgres.Open(t.Context(), s.url, postgres.Options{Shared: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := proctest.LiftLimits(t.Context(), s.db); err != nil {
		t.Fatal(err)
	}
	s.client = newClient(t.Context(), s.Token, s.servers[0].base(), s.servers[1].base())
	t.Cleanup(s.client.close)
	s.until("each server has half of the duties", func() bool { return len(s.duties(0)) == eventDutiesOwn && len(s.duties(1)) == eventDutiesOwn })
	for i := range s.servers {
		for n := 0; n < eventsEach; {
			if e := s.endpoint(); slices.Contains(s.duties(i), e.duty) {
				n++
			}
		}
	}
	return s
}

// start starts a server and waits until it answers.
func (s *sending) start(n *node) {
	s.t.Helper()
	_, port, err := net.SplitHostPort(n.address)
	if err != nil {
		s.t.Fatal(err)
	}
	n.process = proctest.Begin(s.t, nil, s.program, "dev", "--json", "--empty", "--clock", "now", "--port", port, "--database", s.url)
	c := newClient(s.t.Context(), "", n.base())
	defer c.close()
	s.until(n.name+" is ready", func() bool {
		select {
		case <-n.process.Ended():
			s.t.Fatalf("%s ended: %v\n%s", n.name, n.process.Err(), n.process.Log())
		default:
		}
		a, err := c.do(request{Method: "GET", Path: "/readyz"})
		return err == nil && a.accepted()
	})
}

// until waits for something. How long it takes decides nothing.
func (s *sending) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("never: %s\n%s\n%s", what, s.servers[0].process.Log(), s.servers[1].process.Log())
		}
	}
}

// endpoint creates a separate address at the receiver.
func (s *sending) endpoint() *address {
	s.t.Helper()
	path := fmt.Sprintf("/%d", len(s.endpoints))
	a, _, err := s.client.until(post("endpoint"+path, "/v1/webhooks", fmt.Sprintf(`{"url":%q}`, s.receiver.url+path)))
	var made struct{ ID, Secret string }
	if err == nil {
		err = a.read(&made)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	h := fnv.New32a()
	h.Write([]byte(made.ID))
	e := &address{path: path, id: made.ID, secret: made.Secret, since: a.seq(), duty: fmt.Sprintf("webhook/duty/%02d", h.Sum32()%eventDuties)}
	s.endpoints = append(s.endpoints, e)
	s.receiver.expect(e)
	return e
}

// duties lists which shares of the endpoints a server currently holds.
func (s *sending) duties(i int) (names []string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(ctx)
	// The holder is named by machine, process and a number generated at its start.
	holder := fmt.Sprintf("%%:%d#%%", s.servers[i].process.PID())
	rows, err := conn.Query(ctx, `SELECT name FROM leases WHERE name LIKE 'webhook/duty/%' AND holder LIKE $1 AND until > now() ORDER BY name`, holder)
	if err == nil {
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return names
}

// write processes orders at one server, which may be killed meanwhile.
func (s *sending) write(server int, name string, random *rand.Rand, stop <-chan struct{}) {
	c := newClient(s.t.Context(), s.Token, s.servers[server].base())
	defer c.close()
	shop := newShop(name, s.Companies, random)
	for {
		r := shop.next()
		a, _, err := c.until(r)
		if err == nil {
			err = shop.apply(r.Key, a)
		}
		if err != nil {
			s.t.Error(err)
			return
		}
		s.writes.Add(1)
		s.accepted.Store(a.seq(), r.String())
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(random.IntN(60)) * time.Millisecond):
		}
	}
}

// die kills a server that has sent an event but not learned that it was accepted.
func (s *sending) die(i int) {
	s.t.Helper()
	n, held := s.servers[i], s.duties(i)
	s.receiver.hold(s.of(held))
	s.until("a message to the server that is to die is on its way", s.receiver.holds)
	n.process.Signal(syscall.SIGKILL)
	if n.process.Kill(); !n.process.Killed() {
		s.t.Fatalf("%s ended by itself: %v\n%s", n.name, n.process.Err(), n.process.Log())
	}
	s.logs += n.process.Log()
	s.receiver.note(killed)
	s.receiver.release()
	s.take(held, "the one that lays out", 0) // skip 15 seconds for the leases of the dead server
	s.start(n)
}

// steal takes the leases of a server that has sent an event but not marked it, until the event
// has been answered and two seconds more: it must not write what it learns then.
func (s *sending) steal(i int) {
	s.t.Helper()
	held := s.duties(i)
	s.logs += s.servers[i].process.Log()
	s.receiver.hold(s.of(held))
	s.until("a message of the server that is robbed is on its way", s.receiver.holds)
	s.take(held, "thief", time.Minute) // the disk may be slow
	s.receiver.note(robbed)
	s.receiver.release()
	s.take(held, "thief", 2*time.Second)
}

// take takes over leases like a process whose clock is an hour ahead.
func (s *sending) take(names []string, holder string, keep time.Duration) {
	s.t.Helper()
	for _, name := range names {
		now := time.Now()
		if _, ok, err := s.db.Lease(s.t.Context(), name, holder, now.Add(time.Hour), now.Add(keep)); !ok || err != nil {
			s.t.Fatalf("take %s: %v, %v", name, ok, err)
		}
	}
}

// of lists the endpoints of duties.
func (s *sending) of(duties []string) (paths []string) {
	for _, e := range s.endpoints {
		if slices.Contains(duties, e.duty) {
			paths = append(paths, e.path)
		}
	}
	return paths
}

// events reads what happened, in commit order: the truth with which the receiver's data is
// compared.
func (s *sending) events() (all []store.EventRow) {
	s.t.Helper()
	err := s.db.View(s.t.Context(), func(v store.View) error {
		for after := (store.Place{}); ; {
			rows, err := store.Stream(v, s.Merchant, after, 1000)
			if err != nil || len(rows) == 0 {
				return err
			}
			all = append(all, rows...)
			after = store.Place{Q: rows[len(rows)-1].Q, N: rows[len(rows)-1].N}
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	commits := map[int64]bool{}
	for _, e := range all {
		commits[e.Q] = true
	}
	s.accepted.Range(func(q, what any) bool {
		if !commits[q.(int64)] {
			s.t.Errorf("%s was acknowledged as commit %d and has no event", what, q)
		}
		return true
	})
	return all
}

// arrive waits until every endpoint has received its events, and until that is marked.
func (s *sending) arrive(events []store.EventRow) {
	s.t.Helper()
	s.until("every event has come", func() bool {
		for _, e := range s.endpoints {
			for _, x := range events {
				if x.Q > e.since && !s.receiver.has(e.path, x.ID) {
					return false
				}
			}
		}
		return true
	})
	s.until("every delivery is marked", func() bool {
		pending := 0
		if err := s.db.View(s.t.Context(), func(v store.View) error {
			counts, err := store.Backlog(v)
			for _, n := range counts {
				pending += n
			}
			return err
		}); err != nil {
			s.t.Fatal(err)
		}
		return pending == 0
	})
}

// found is the result of checking the messages.
type found struct {
	missing, disordered, messages, duplicates, overKill, overTheft int
	undisturbed                                                    int // duplicates before any disturbance

	problems []string
}

func (f *found) object(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// checkMessages compares what an endpoint received with what happened since it was created.
func (f *found) checkMessages(e *address, got []message, events []store.EventRow) {
	owed := map[string]store.EventRow{}
	begins := map[credit.ObjectRef]int64{} // first sequence
	for _, x := range events {
		if x.Q > e.since {
			owed[x.ID] = x
			if k, known := begins[x.Object]; !known || x.Sequence < k {
				begins[x.Object] = x.Sequence
			}
		}
	}
	first, next := map[string]message{}, begins
	for _, m := range got {
		f.messages++
		x, known := owed[m.event]
		switch before, again := first[m.event]; {
		case m.wrong != nil:
			f.object("%s: %s: %v", e.path, m.event, m.wrong)
		case !known:
			f.object("%s: event %s is not for it", e.path, m.event)
		case m.hash != sha256.Sum256(x.Payload):
			f.object("%s: event %s came with other bytes", e.path, m.event)
		case again:
			f.duplicates++
			if m.place < m.seen.notes[killed] {
				f.undisturbed++
			}
			f.overKill += m.crosses(before, killed)
			f.overTheft += m.crosses(before, robbed)
		default:
			if k := next[x.Object]; x.Sequence != k {
				f.disordered++
				f.object("%s: sequence %d of %s %s came in the place of %d", e.path, x.Sequence, x.Object.Type, x.Object.ID, k)
			}
			first[m.event], next[x.Object] = m, x.Sequence+1
		}
	}
	for id, x := range owed {
		if _, got := first[id]; !got {
			f.missing++
			f.object("%s: event %s, sequence %d of %s %s, is missing", e.path, id, x.Sequence, x.Object.Type, x.Object.ID)
		}
	}
}

// check compares what each endpoint received with what happened.
func (s *sending) check(events []store.EventRow) (f found) {
	for _, e := range s.endpoints {
		f.checkMessages(e, s.receiver.messages(e.path), events)
	}
	return f
}

// control requires that the check rejects messages with one modified.
func (s *sending) control(events []store.EventRow) {
	s.t.Helper()
	e := s.endpoints[0]
	var good []message // each event once
	for _, m := range s.receiver.messages(e.path) {
		if !slices.ContainsFunc(good, func(x message) bool { return x.event == m.event }) {
			good = append(good, m)
		}
	}
	again := func(list []message, change func(*message)) []message {
		m := list[0]
		change(&m)
		return append(list, m)
	}
	for name, change := range map[string]func([]message) []message{
		"one is missing":   func(list []message) []message { return list[:len(list)-1] },
		"one was invented": func(list []message) []message { return again(list, func(m *message) { m.event = "evt_NONE" }) },
		"other bytes":      func(list []message) []message { return again(list, func(m *message) { m.hash[0] ^= 1 }) },
		"with a bad signature": func(list []message) []message {
			return again(list, func(m *message) { m.wrong = webhook.ErrSignature })
		},
		"in the wrong order": func(list []message) []message { slices.Reverse(list); return list },
	} {
		var f found
		if f.checkMessages(e, change(slices.Clone(good)), events); len(f.problems) == 0 {
			s.t.Errorf("control: %s, and the check found nothing", name)
		}
	}
	var f found
	if f.checkMessages(e, good, events); len(f.problems) > 0 {
		s.t.Errorf("control: without a change the check found %q", f.problems)
	}
}
