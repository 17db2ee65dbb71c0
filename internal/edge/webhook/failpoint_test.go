package webhook

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/failpoint/armed"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// The environment of the process that dies.
const (
	dyingDatabase = "TENOR_TEST_DATABASE"
	dyingEvents   = "TENOR_TEST_EVENTS"
)

// A sender that is killed between an attempt and its mark sends again and loses nothing,
// whichever record it dies before (EN17, T6). The process that dies is this test in a
// process of its own, on SQLite.
func TestKilledBeforeMark(t *testing.T) {
	if os.Getenv(dyingDatabase) != "" {
		deliverUntilKilled(t)
		return
	}
	const events = 30
	sent, kills := 0, 0
	for n := 1; ; n++ {
		path := filepath.Join(t.TempDir(), "tenor.db")
		r := newReceiver(t)
		endpoint := prepare(t, path, r.URL, events)
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledBeforeMark$")
		cmd.Env = append(os.Environ(), dyingDatabase+"="+path, dyingEvents+"="+fmt.Sprint(events),
			fmt.Sprintf("%s=%s=kill@%d", armed.Environment, failpoint.BeforeMark, n))
		output, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
			kills++
		} else if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		before := len(r.messages())
		w := newWorldOn(t, openSQLite(t, path))
		w.start(func(c *Config) { c.Client = nil })
		until(t, "all is marked", func() bool { return slices.Equal(w.states(endpoint), repeat(events, store.DeliverySucceeded)) })
		r.check(t, events)
		sent += len(r.messages()) - events
		if err == nil {
			if before != events || len(r.messages()) != events {
				t.Errorf("without a kill: %d messages, then %d", before, len(r.messages()))
			}
			break
		}
	}
	t.Logf("kills %d, events %d each, lost 0, sent again %d", kills, events, sent)
	if kills == 0 || sent == 0 {
		t.Errorf("%d kills, %d sent again: the point was not reached", kills, sent)
	}
}

// prepare creates a database with an endpoint and unsent events.
func prepare(t *testing.T, path, url string, events int) string {
	t.Helper()
	db := openSQLite(t, path)
	defer func() { _ = db.Close() }()
	var id string
	t.Run("prepare", func(t *testing.T) {
		w := newWorldOn(t, db)
		shop := w.merchant("Shop")
		id = w.endpoint(shop, url).ID
		for i := range events {
			w.emit(shop, order(fmt.Sprint("o", i%3)), credit.OrderUpdatedEvent)
		}
	})
	return id
}

// deliverUntilKilled is the process that dies, unless it has nothing more to mark.
func deliverUntilKilled(t *testing.T) {
	if _, err := armed.Arm(os.Getenv(armed.Environment)); err != nil {
		t.Fatal(err)
	}
	w := newWorldOn(t, openSQLite(t, os.Getenv(dyingDatabase)))
	s, _ := w.start(func(c *Config) { c.Client = nil })
	until(t, "all delivered", func() bool { return fmt.Sprint(s.Stats().Delivered) == os.Getenv(dyingEvents) })
}

// receiver records what it was sent.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []string // object and sequence
}

func newReceiver(t *testing.T) *receiver {
	r := new(receiver)
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		text, _ := io.ReadAll(q.Body)
		time.Sleep(25 * time.Millisecond) // so that there are several records
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, q.Header.Get(HeaderID)+" "+string(text))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) messages() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// check checks that every event arrived, always with the same bytes.
func (r *receiver) check(t *testing.T, events int) {
	t.Helper()
	by := map[string]string{}
	for _, m := range r.messages() {
		id, text, _ := strings.Cut(m, " ")
		if by[id] != "" && by[id] != text {
			t.Errorf("event %s came with other bytes", id)
		}
		by[id] = text
	}
	if len(by) != events {
		t.Errorf("%d of %d events came", len(by), events)
	}
}

// A failpoint that only fails costs a round: what was sent is marked by the next one, and
// not sent again.
func TestMarkFailsOnce(t *testing.T) {
	defer armed.Disarm()
	points, err := armed.Arm("before-mark=error@2")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	shop := w.merchant("Shop")
	e := w.endpoint(shop, "https://shop.example/hook")
	w.start()
	for i := range 5 {
		w.emit(shop, order("o1"), credit.OrderUpdatedEvent)
		until(t, "delivered", func() bool { return len(w.net.received("shop.example")) == i+1 })
		time.Sleep(2 * gather)
	}
	until(t, "marked", func() bool { return slices.Equal(w.states(e.ID), repeat(5, store.DeliverySucceeded)) })
	if n := len(w.net.received("shop.example")); n != 5 || points.Hits(failpoint.BeforeMark) < 2 {
		t.Errorf("%d messages, %d hits", n, points.Hits(failpoint.BeforeMark))
	}
}
