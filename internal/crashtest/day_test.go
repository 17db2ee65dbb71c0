//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/proctest"
	"tenor/internal/store"
	"tenor/internal/store/sqlite"
)

// The days that are played: two installments of each order fall due, are debited at the
// cut-off and settle, and merchants are paid.
const (
	dayOrders   = 40
	dayTarget   = "2026-03-20T12:00:00-04:00"
	dayKills    = 15
	dayPatience = 2 * time.Minute
)

// TestKillInTheMiddleOfADay kills a sandbox with SIGKILL again and again while its
// clockwork plays days. What comes of it is the journal of a sandbox that nobody killed:
// every debit, settlement and payout once, on its day (TM2). Verify is clean.
func TestKillInTheMiddleOfADay(t *testing.T) {
	s := seed(t)
	random := rand.New(rand.NewPCG(s, 11))
	program := proctest.Build(t, "")
	template := worldIn(t.TempDir())
	dayWorld(t, program, template)

	calm := template.copyTo(t, filepath.Join(t.TempDir(), "calm"))
	p, c := play(t, program, calm)
	begin := time.Now()
	mustDo(t, c, advance())
	for end := time.Now().Add(dayPatience); !arrived(t, c); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the days do not end")
		}
	}
	took := time.Since(begin)
	p.Stop(t)
	want := dayJournal(t, calm.dir)
	debits := strings.Count(strings.Join(want, "\n"), "PAYMENT_INITIATED")
	payouts := strings.Count(strings.Join(want, "\n"), "MERCHANT_PAYOUT_INITIATED")
	if debits < dayOrders || payouts == 0 {
		t.Fatalf("too little happened for the test to mean anything: %d debits, %d payouts", debits, payouts)
	}

	killed := template.copyTo(t, filepath.Join(t.TempDir(), "killed"))
	kills, middle := 0, 0
	for done := false; !done; {
		p, c := play(t, program, killed)
		done = arrived(t, c)
		if kills < dayKills && !done {
			asked := make(chan struct{})
			go func() { defer close(asked); _, _ = c.do(advance()) }() // its answer may come or not
			time.Sleep(time.Duration(random.Int64N(int64(took / 4))))
			p.Kill()
			<-asked
			if kills++; len(dayJournal(t, killed.dir)) < len(want) {
				middle++
			}
			continue
		}
		if !done {
			mustDo(t, c, advance())
		}
		for end := time.Now().Add(dayPatience); !done; done = arrived(t, c) {
			if time.Now().After(end) {
				t.Fatal("the days do not end")
			}
			time.Sleep(20 * time.Millisecond)
		}
		p.Stop(t)
	}
	t.Logf("killed %d times, %d of them before the end; %d entries, %d debits, %d payouts; undisturbed it takes %s", kills, middle, len(want), debits, payouts, took.Round(time.Millisecond))
	if middle < 2 {
		t.Error("it was never killed in the middle")
	}
	got := dayJournal(t, killed.dir)
	if !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d; the first that differs: %s", len(got), len(want), firstOdd(got, want))
	}
	killed.Verify(t, program)
}

// dayWorld makes a sandbox whose clock stands, with orders that are captured.
func dayWorld(t *testing.T, program string, w world) {
	t.Helper()
	p, c := play(t, program, w)
	mustDo(t, c, request{Method: http.MethodPost, Path: "/v1/sandbox/clock/freeze"})
	for i := range dayOrders {
		company := []string{"1000000001", "1000000006", "1000000008"}[i%3]
		a := mustDo(t, c, request{fmt.Sprint("order-", i), http.MethodPost, "/order", fmt.Sprintf(
			`{"company_id":%q,"amount":"%d.00","installments":3,"status":"AUTHORIZED","merchant_order_id":"PO-%d"}`, company, 100+i, i)})
		var o order
		if err := json.Unmarshal([]byte(a.Body), &o); err != nil {
			t.Fatal(err)
		}
		mustDo(t, c, request{fmt.Sprint("capture-", i), http.MethodPatch, "/v1/order/" + o.Key, `{"status":"CAPTURED"}`})
	}
	p.Stop(t)
	if err := unlimited(w.dir); err != nil {
		t.Fatal(err)
	}
}

// play starts a sandbox on a world and waits until it answers.
func play(t *testing.T, program string, w world) (*proctest.Process, *client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := proctest.Begin(t, nil, program, "dev", "--data", w.dir, "--port", port)
	p.URL = "http://" + address
	if err := p.Ready(t); err != nil {
		t.Fatal(err)
	}
	c := newClient(p.URL, w.Run(t, program, "token", "-q"))
	t.Cleanup(c.close)
	return p, c
}

func mustDo(t *testing.T, c *client, r request) answer {
	t.Helper()
	a, err := c.do(r)
	if err != nil || a.Status >= 300 {
		t.Fatalf("%s %s: %v %d %s", r.Method, r.Path, err, a.Status, a.Body)
	}
	return a
}

// advance sends the clock on its way to the target.
func advance() request {
	return request{Method: http.MethodPost, Path: "/v1/sandbox/clock/advance", Body: `{"to":"` + dayTarget + `"}`}
}

// arrived reports that the clock is there.
func arrived(t *testing.T, c *client) bool {
	t.Helper()
	var clock struct {
		Now    time.Time
		Status string
		Failed bool
	}
	if err := c.get("/v1/sandbox/clock", &clock); err != nil {
		t.Fatal(err)
	}
	if clock.Failed {
		t.Fatal("a move of the clock broke off")
	}
	target, err := time.Parse(time.RFC3339, dayTarget)
	if err != nil {
		t.Fatal(err)
	}
	return clock.Status == "ready" && !clock.Now.Before(target)
}

// dayJournal is every entry of a book, by what and when it is and its sums by account,
// sorted: without identifiers, which are drawn.
func dayJournal(t *testing.T, dir string) (out []string) {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(context.Background(), func(v store.View) error {
		return v.EachEntry(func(e store.EntryRow) error {
			var lines []string
			for _, p := range e.Postings {
				lines = append(lines, fmt.Sprint(p.Account, " ", p.Amount, " ", p.Company))
			}
			slices.Sort(lines)
			out = append(out, fmt.Sprint(e.Event, " ", e.BookDate, " ", e.ValueDate, " ", strings.Join(lines, ", ")))
			return nil
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func firstOdd(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return "missing " + want[i]
		case i >= len(want):
			return "too much " + got[i]
		case got[i] != want[i]:
			return got[i] + " instead of " + want[i]
		}
	}
	return "none"
}
