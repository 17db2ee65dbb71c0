package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tenor/client"
	"tenor/internal/app/demo"
	"tenor/internal/app/node"
	"tenor/internal/app/stage"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/devtest"
)

// toy is a private sandbox with a caller.
type toy struct {
	*stage.Private
	t    *testing.T
	desk *client.Client
}

// openToy opens a private sandbox with a stopped clock.
func openToy(t *testing.T, seed func() [16]byte) *toy {
	t.Helper()
	zone, err := clock.BusinessZone()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs devtest.Pipe
	x, err := stage.OpenPrivate(t.Context(), devtest.App(&out, &errs).Wall, &errs, demo.Makers(), zone.At(calendar.MustParse("2026-01-05"), 9, 0), seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Shut(); err != nil {
			t.Error(err)
		}
	})
	p := &toy{Private: x, t: t}
	p.desk = p.caller(x.Desk)
	return p
}

func (p *toy) caller(token string) *client.Client {
	p.t.Helper()
	c, err := client.New(p.URL, token)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// token issues another token of the lender.
func (p *toy) token() string {
	p.t.Helper()
	secret, _, _, err := node.Issue(p.t.Context(), p.Node().Issuer(p.Wall), node.TokenWish{Operator: true, TTL: time.Hour})
	if err != nil {
		p.t.Fatal(err)
	}
	return secret
}

// do makes a call that must succeed, and returns the text of the response.
func (p *toy) do(method, path string, body any) string {
	p.t.Helper()
	r, err := p.desk.Do(p.t.Context(), method, path, body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return string(r.Body)
}

// member reads a string member from a response.
func member(t *testing.T, text, name string) string {
	t.Helper()
	var x map[string]any
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return fmt.Sprint(x[name])
}

// order creates an order of the first company and captures it.
func (p *toy) order(amount int) string {
	p.t.Helper()
	key := member(p.t, p.do("POST", "/order", map[string]any{"company_id": 1000000001, "amount": amount, "installments": 6, "status": "AUTHORIZED"}), "key")
	p.do("PATCH", "/v1/order/"+key, map[string]any{"status": "CAPTURED"})
	return key
}

// advance advances the clock and waits until it has arrived.
func (p *toy) advance(days int) {
	p.t.Helper()
	text := p.do("POST", "/v1/sandbox/clock/advance", map[string]any{"duration": fmt.Sprintf("%dh", 24*days)})
	for member(p.t, text, "status") == "advancing" {
		time.Sleep(terminal.PollEvery)
		text = p.do("GET", "/v1/sandbox/clock", nil)
	}
	if member(p.t, text, "failed") != "false" {
		p.t.Fatalf("the move broke off: %s", text)
	}
}

// state returns everything there is: the tables, the journal, the clock.
func (p *toy) state() string {
	p.t.Helper()
	var b bytes.Buffer
	if err := store.WriteDump(p.t.Context(), p.Node().DB, &b); err != nil {
		p.t.Fatal(err)
	}
	return b.String() + p.do("GET", "/v1/operator/ledger/entries", nil) + member(p.t, p.do("GET", "/v1/sandbox/clock", nil), "now")
}

// verified recomputes the books.
func (p *toy) verified() {
	p.t.Helper()
	n := p.Node()
	r, err := verify.Run(p.t.Context(), n.DB, verify.Options{Scratch: node.Temporary, Zone: n.Zone, EncodeEvent: node.EncodeEvent, Wire: resource.APIVersion, Open: n.Ring.Open})
	if err != nil || !r.Clean() {
		p.t.Errorf("%v, %+v", err, r.Violations)
	}
}

// asShop makes further calls as the demo merchant.
func (p *toy) asShop() {
	p.t.Helper()
	merchant := member(p.t, p.do("POST", "/v1/sandbox/seed", nil), "merchant_id")
	secret, _, _, err := node.Issue(p.t.Context(), p.Node().Issuer(p.Wall), node.TokenWish{Merchant: merchant, TTL: time.Hour})
	if err != nil {
		p.t.Fatal(err)
	}
	p.desk.HTTP = &http.Client{Transport: forked{secret}, Timeout: time.Minute}
}

// forked sends the shop's calls with the shop's token and the others with the lender's.
type forked struct{ shop string }

func (f forked) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Path, "/order") || strings.HasPrefix(r.URL.Path, "/v1/order") {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+f.shop)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A restore brings back every table, the journal and the clock; work continues after it, and
// nothing of the old sandbox stays in the process.
func TestRestore(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	t.Run("story", func(t *testing.T) {
		p := openToy(t, nil)
		p.asShop()
		first := p.order(1200)
		p.advance(40)
		copied := p.do("POST", "/v1/sandbox/snapshots", map[string]any{"name": "before"})
		id := member(t, copied, "id")
		before := p.state()

		p.do("PATCH", "/v1/order/"+first+"/refund", map[string]any{"amount": 300})
		p.order(500)
		later := p.token()
		p.advance(30)
		after := p.state()
		if after == before {
			t.Fatal("nothing has happened")
		}
		p.do("POST", "/v1/sandbox/snapshots", nil)

		if got := p.do("POST", "/v1/sandbox/snapshots/"+id+"/restore", nil); got != copied {
			t.Errorf("restored %s, copied %s", got, copied)
		}
		if got := withoutTokens(p.state()); got != withoutTokens(before) {
			t.Errorf("it is not what it was: %s", firstDifference(withoutTokens(before), got))
		}
		if _, err := p.caller(later).Do(t.Context(), "GET", "/v1/sandbox/clock", nil); err != nil {
			t.Errorf("a token that was made since: %v", err)
		}
		if n := strings.Count(p.do("GET", "/v1/sandbox/snapshots", nil), `"id":"snp_`); n != 2 {
			t.Errorf("%d snapshots are there", n)
		}

		p.do("PATCH", "/v1/order/"+first+"/refund", map[string]any{"amount": 200})
		p.order(700)
		p.advance(60)
		p.inSequence(first)
		p.verified()
	})
	var left error
	if !devtest.Comes(func() bool {
		left = goleak.Find(leaks, goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
		return left == nil
	}) {
		t.Error(left)
	}
}

// withoutTokens leaves out the sandbox's access data, which is carried over, who has duties, and
// the log, which records it.
func withoutTokens(state string) string {
	var out []string
	in := ""
	for _, line := range strings.Split(state, "\n") {
		if name, found := strings.CutPrefix(line, "== "); found {
			in, _, _ = strings.Cut(name, " ")
		}
		if !slices.Contains([]string{"tokens", "books", "batches", "audit", "leases"}, in) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// inSequence checks the sequence numbers of an order's events.
func (p *toy) inSequence(order string) {
	p.t.Helper()
	var list struct{ Data []client.Event }
	if err := json.Unmarshal([]byte(p.do("GET", "/v1/order/"+order+"/events?limit=100", nil)), &list); err != nil {
		p.t.Fatal(err)
	}
	for i, e := range list.Data {
		if e.Sequence != int64(i+1) {
			p.t.Errorf("event %d of the order has the number %d", i+1, e.Sequence)
		}
	}
	if len(list.Data) < 5 {
		p.t.Errorf("only %d events", len(list.Data))
	}
}

// An emptied sandbox contains only who may call it; its clock starts like a new one's, and the
// demo data are those of a new sandbox.
func TestResetAndSeed(t *testing.T) {
	p := openToy(t, nil)
	p.asShop()
	merchant := member(t, p.do("POST", "/v1/sandbox/seed", nil), "merchant_id")
	begun := member(t, p.do("GET", "/v1/sandbox/clock", nil), "now")
	p.order(1200)
	p.advance(20)
	full := member(t, p.do("POST", "/v1/sandbox/snapshots", nil), "id")
	for _, left := range []string{"next.db", "next.db-wal", filepath.Join("empty", "tenor.db")} { // left by a killed process
		if err := errors.Join(os.MkdirAll(filepath.Join(p.Dir, "empty"), 0o700), os.WriteFile(filepath.Join(p.Dir, left), []byte("half"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if c := p.do("POST", "/v1/sandbox/reset", nil); member(t, c, "now") != begun || member(t, c, "frozen") != "true" || member(t, c, "next_event") != "<nil>" {
		t.Errorf("the clock after it: %s", c)
	}
	if text := p.do("GET", "/v1/operator/ledger/entries", nil) + p.do("GET", "/v1/operator/merchants", nil); strings.Contains(text, "ent_") || strings.Contains(text, "mch_") {
		t.Errorf("it is not empty: %s", text)
	}
	p.verified()
	p.do("POST", "/v1/sandbox/snapshots/"+full+"/restore", nil)
	p.order(1200)
	if c := p.do("POST", "/v1/sandbox/reset", map[string]bool{"seed": true}); member(t, c, "now") != begun || member(t, c, "frozen") != "true" {
		t.Errorf("the clock after it: %s", c)
	}
	if again := member(t, p.do("POST", "/v1/sandbox/seed", nil), "merchant_id"); again != merchant {
		t.Errorf("the demo merchant is %s, was %s", again, merchant)
	}
	p.order(1200) // with the shop's old token
	p.advance(20)
	p.verified()
	for _, left := range []string{"next.db", "next.db-wal", "empty"} {
		if _, err := os.Stat(filepath.Join(p.Dir, left)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", left, err)
		}
	}
}

// While a request is running, the sandbox is not replaced; requests that arrive meanwhile wait,
// and are told to retry if it takes too long.
func TestStageIsBusy(t *testing.T) {
	p := openToy(t, nil)
	p.desk.Retries = 0
	p.Stage.Patience = 50 * time.Millisecond
	id := member(t, p.do("POST", "/v1/sandbox/snapshots", nil), "id")
	p.Stage.Enter(t.Context()) // a request that does not finish
	var refused *client.Problem
	if _, err := p.desk.Do(t.Context(), "POST", "/v1/sandbox/snapshots/"+id+"/restore", nil); !errors.As(err, &refused) || refused.Status != 503 || refused.RetryAfter != time.Second || refused.RequestID == "" {
		t.Errorf("%v", err)
	}
	p.Stage.Exit()
	p.do("POST", "/v1/sandbox/snapshots/"+id+"/restore", nil)

	inside, gone := make(chan struct{}), make(chan error, 1)
	go func() {
		gone <- p.Stage.Change(context.Background(), func(context.Context) error { inside <- struct{}{}; <-inside; return nil })
	}()
	<-inside
	if _, err := p.desk.Do(t.Context(), "GET", "/v1/sandbox/clock", nil); !errors.As(err, &refused) || refused.Status != 503 || refused.RetryAfter != time.Second || refused.RequestID == "" {
		t.Errorf("meanwhile: %v", err)
	}
	if err := p.Stage.Change(t.Context(), nil); !errors.Is(err, serve.ErrSandboxBusy) {
		t.Errorf("two at a time: %v", err)
	}
	inside <- struct{}{}
	if err := <-gone; err != nil {
		t.Error(err)
	}
	p.do("GET", "/v1/sandbox/clock", nil)
}

// journal lists what was booked, without IDs, in a defined order.
func (p *toy) journal() []string {
	p.t.Helper()
	var list struct{ Data []client.Entry }
	if err := json.Unmarshal([]byte(p.do("GET", "/v1/operator/ledger/entries", nil)), &list); err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, e := range list.Data {
		line := e.BookDate + " " + e.ValueDate + " " + e.Event
		for _, x := range e.Postings {
			line += fmt.Sprintf(" %d %s %s", x.Account, x.Debit, x.Credit)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// Ninety days in one jump equal ninety jumps of a day (scorecard E6).
func TestOneJumpIsManyDays(t *testing.T) {
	var journals [2][]string
	for i, jumps := range []int{1, 90} {
		p := openToy(t, node.Seeds(42))
		p.asShop()
		p.order(1200) // two equal ones: it does not matter whose debit is returned
		p.order(1200)
		p.do("POST", "/v1/sandbox/bank/fail-next", map[string]any{"return_code": "R01"})
		for range jumps {
			p.advance(90 / jumps)
		}
		journals[i] = p.journal()
		p.verified()
	}
	if len(journals[0]) < 25 || !slices.Equal(journals[0], journals[1]) {
		t.Errorf("one jump:\n%s\nninety:\n%s", strings.Join(journals[0], "\n"), strings.Join(journals[1], "\n"))
	}
}

// until advances the clock until an event, and returns the clock's time and whether the event
// arrived.
func (p *toy) until(event string) (now string, came bool) {
	p.t.Helper()
	r, err := p.desk.Do(p.t.Context(), "POST", "/v1/sandbox/clock/advance", map[string]any{"until": event})
	var refused *client.Problem
	if err != nil && (!errors.As(err, &refused) || refused.Status != 422 || !strings.Contains(refused.Detail, "400 days")) {
		p.t.Fatal(err)
	}
	text := p.do("GET", "/v1/sandbox/clock", nil)
	if err == nil {
		text = string(r.Body)
	}
	for member(p.t, text, "status") == "advancing" { // on a busy machine
		time.Sleep(terminal.PollEvery)
		text = p.do("GET", "/v1/sandbox/clock", nil)
	}
	return member(p.t, text, "now"), member(p.t, text, "failed") == "false"
}

// The clock advances until an event of a type is emitted, and no further (scorecard E6).
func TestUntilAnEvent(t *testing.T) {
	p := openToy(t, nil)
	p.asShop()
	key := p.order(1200)
	if now, came := p.until("payment.succeeded"); now != "2026-02-05T13:30:00Z" || !came {
		t.Errorf("the first debit settles at %s: %v", now, came)
	}
	if got := p.do("GET", "/payments?order_key="+key, nil); strings.Count(got, `"status":"SUCCEEDED"`) != 1 {
		t.Errorf("%s", got)
	}
	if now, came := p.until("payment.succeeded"); now != "2026-03-05T13:30:00Z" || !came {
		t.Errorf("the second settles at %s: %v", now, came)
	}
	p.do("POST", "/v1/sandbox/reset", nil)
	if now, came := p.until("payment.succeeded"); now != "2027-02-09T14:00:00Z" || came {
		t.Errorf("nothing will come: %s, %v", now, came)
	}
}
