//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// dayPoints are where the sandbox kills itself while days pass, and at which hits: after sending
// a file, after reading one, after processing a bank's message but before marking it; and in the
// middle of scheduled commands. Those in more are for the nightly run.
var dayPoints = []struct {
	at         failpoint.Point
	hits, more []int
}{
	{failpoint.BeforeMark, []int{3}, []int{1, 2, 5, 8, 12}},
	{failpoint.MidApply, []int{9}, []int{2}},
	{failpoint.BeforeCommit, []int{5}, []int{14}},
	{failpoint.BeforeAnswer, []int{11}, []int{3}},
}

// TestCrashInTheDay lets days pass in a sandbox: debits, a payout, a return and its retry, a card
// charge. It kills the process in the middle, restarts it, and lets the days continue. The books
// must be those of undisturbed days: no debit, payout or charge duplicated or forgotten, each on
// its date.
func TestCrashInTheDay(t *testing.T) {
	program := proctest.Build(t, "failpoint")
	template := dayWorld(t, program)
	calm, killed := passDays(t, program, template, "")
	if killed {
		t.Fatal("it was killed without a failpoint")
	}
	for _, event := range []string{"MERCHANT_PAYOUT_SETTLED", "ACH_RETURNED", "ACH_SETTLED", "CARD_SETTLED", "NSF_FEE_ASSESSED"} {
		if !slices.ContainsFunc(calm, func(e string) bool { return strings.Contains(e, " "+event+" ") }) {
			t.Fatalf("nothing was booked as %s:\n%s", event, strings.Join(calm, "\n"))
		}
	}
	kills := 0
	for _, point := range dayPoints {
		for _, n := range suite.By(point.hits, slices.Concat(point.hits, point.more)) {
			books, killed := passDays(t, program, template, fmt.Sprintf("%s=kill@%d", point.at, n))
			if !killed {
				t.Errorf("%s was not hit %d times", point.at, n)
			}
			kills++
			if d := differ(strings.Join(calm, "\n"), strings.Join(books, "\n")); d != "" {
				t.Errorf("killed at %s, hit %d, the books differ:\n%s", point.at, n, d)
			}
		}
	}
	t.Logf("crash points of the day: %d kills / %d entries / differences 0", kills, len(calm))
}

const dayBegins = "2026-01-10T09:00"

// dayEnds is after the first installments and their retries; at night also after the next ones.
func dayEnds() string { return suite.By("2026-02-24T16:00:00Z", "2026-03-24T16:00:00Z") }

// dayWorld is a stopped sandbox in which money is about to move.
func dayWorld(t *testing.T, program string) world {
	t.Helper()
	w := worldIn(t.TempDir())
	p, err := w.play(t, program, "")
	if err != nil {
		t.Fatal(err)
	}
	w.Token = w.Run(t, program, "token", "--operator", "-q")
	desk := newClient(p.URL, w.Token)
	defer desk.close()
	shop := newClient(p.URL, w.Run(t, program, "token", "-q"))
	defer shop.close()
	must := func(c *client, method, path, body string) answer {
		t.Helper()
		a, err := c.do(request{Method: method, Path: path, Body: body})
		if err != nil || a.Status/100 != 2 {
			t.Fatalf("%s %s: %v %d %s", method, path, err, a.Status, a.Body)
		}
		return a
	}
	must(desk, "POST", "/v1/sandbox/clock/freeze", "")
	for i, amount := range []string{"1200.00", "210.00"} {
		body := fmt.Sprintf(`{"company_id":%d,"amount":%q,"installments":3,"status":"AUTHORIZED","merchant_order_id":"day-%d"}`, 1000000001+i, amount, i)
		made := must(shop, "POST", "/order", body)
		must(shop, "PATCH", strings.TrimPrefix(made.Location, p.URL), `{"status":"CAPTURED"}`)
	}
	must(desk, "POST", "/v1/sandbox/bank/fail-next", `{"return_code":"R01","company_id":1000000001}`)
	card := must(desk, "POST", "/v1/companies/1000000002/payment_methods",
		`{"type":"CARD","card":{"token":"tok_ok","mandate":"m","brand":"visa","last4":"4242","exp_month":12,"exp_year":2030,"debit":true},
		"authorization":{"channel":"WEB","accepted_at":"2026-01-10T14:00:00Z"}}`)
	var method struct{ ID string }
	decode(t, card.Body, &method)
	must(desk, "POST", "/payment", fmt.Sprintf(`{"company_id":1000000002,"amount":"77.77","method":"CARD","payment_method_id":%q}`, method.ID))
	p.Stop(t)
	return w
}

// passDays lets the days pass on a copy of the world, through every crash, and returns the books.
func passDays(t *testing.T, program string, template world, failpoints string) (books []string, killed bool) {
	t.Helper()
	w := template.copyTo(t, t.TempDir())
	for starts := 0; ; starts++ {
		armed := failpoints
		if starts > 0 {
			armed = ""
		}
		p, err := w.play(t, program, armed)
		if err == nil && w.advance(t, p) {
			p.Stop(t)
			break
		}
		if p.Wait(t); !p.Killed() { // it may die before it serves: what is due is done at once
			t.Fatalf("%s: ended with %v\n%s", failpoints, p.Err(), p.Log())
		}
		killed = true
	}
	w.Verify(t, program)
	books, err := w.books()
	if err != nil {
		t.Fatal(err)
	}
	return books, killed
}

// play starts the sandbox of a directory. An error means that it exited before serving.
func (w world) play(t *testing.T, program, failpoints string) (*proctest.Process, error) {
	t.Helper()
	_, port, err := net.SplitHostPort(proctest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	p := proctest.Begin(t, []string{"TENOR_FAILPOINTS=" + failpoints}, program, "dev", "--data", w.dir, "--clock", dayBegins, "--port", port)
	p.URL = "http://localhost:" + port
	return p, p.Ready(t)
}

// advance advances the clock to the end and reports whether it got there: false if the process
// died.
func (w world) advance(t *testing.T, p *proctest.Process) bool {
	t.Helper()
	desk := newClient(p.URL, w.Token)
	defer desk.close()
	r := request{Method: "POST", Path: "/v1/sandbox/clock/advance", Body: fmt.Sprintf(`{"to":%q}`, dayEnds())}
	at, end := "", time.Now()
	for end = end.Add(proctest.Timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		a, err := desk.do(r)
		if err != nil {
			return false
		}
		var x struct {
			Now, Status string
			Failed      bool
		}
		if a.Status/100 != 2 {
			t.Fatalf("%s: %d %s", r.Path, a.Status, a.Body)
		}
		if decode(t, a.Body, &x); x.Failed {
			t.Fatalf("the move of the clock broke off: %s\n%s", a.Body, p.Log())
		}
		if x.Status == "ready" {
			return true
		}
		if x.Now != at { // days pass, however slowly
			at, end = x.Now, time.Now().Add(proctest.Timeout)
		}
		r = request{Method: "GET", Path: "/v1/sandbox/clock"}
	}
	t.Fatal("the days do not pass")
	return false
}

// books lists the entries without their IDs, by date, event and lines.
func (w world) books() (out []string, err error) {
	db, err := sqlite.Open(filepath.Join(w.dir, "tenor.db"), sqlite.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(context.Background(), func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			var lines []string
			for _, p := range e.Postings {
				lines = append(lines, fmt.Sprintf("%d %d %d %s", p.Account, p.Amount, p.Company, p.Order))
			}
			slices.Sort(lines)
			out = append(out, fmt.Sprintf("%s %s %s %s", e.BookDate, e.ValueDate, e.Event, strings.Join(lines, ", ")))
			return nil
		})
	})
	slices.Sort(out)
	return out, err
}

func decode(t *testing.T, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
}
