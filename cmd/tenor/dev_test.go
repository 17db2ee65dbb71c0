package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/client"
	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/release"
	"tenor/internal/app/terminal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/devtest"
)

// banner runs dev until it prints its banner, stops it like Ctrl+C does, and returns the output.
func banner(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e devtest.Pipe
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, append([]string{"dev"}, args...), devtest.App(&o, &e)) }()
	if !devtest.Comes(func() bool { return len(done) > 0 || strings.HasSuffix(o.String(), "Ctrl+C\n") }) {
		t.Errorf("no banner: %s", o.String())
	}
	cancel()
	code = <-done
	return o.String(), e.String(), code
}

func TestBanner(t *testing.T) {
	out, errs, code := banner(t)
	if code != exit.Done || errs != "" {
		t.Fatalf("ended with %d: %s", code, errs)
	}
	for _, want := range []string{
		`^tenor ` + regexp.QuoteMeta(release.Version) + ` · sandbox · data: temporary, removed at exit \(keep it with --data \./tenor-data\)\n\n`,
		`(?m)^  API +http://localhost:\d+ +reference /docs · OpenAPI /openapi\.json$`,
		`(?m)^  Sandbox +http://localhost:\d+/sandbox/enter/[A-Z2-7]{26} clock, orders, mailbox, scenarios; the link works once$`,
		`(?m)^  Webhooks +http://localhost:\d+/sandbox/webhooks +every delivery, verified step by step$`,
		`(?m)^  export TENOR_CLIENT_ID=cli_\w+\n  export TENOR_CLIENT_SECRET=tns_\w+$`,
		`(?m)^  Clock +2026-01-05 09:00 Eastern +to advance it: tenor clock advance 30d$`,
		`(?m)^  export TENOR_URL=http://localhost:\d+$`,
		`(?m)^  export TENOR_TOKEN=tnr_[A-Z2-7]{26}$`,
		`(?m)new one: tenor token --data (\S+)$`,
		`(?m)^Stop   Ctrl\+C$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	dir := regexp.MustCompile(`new one: tenor token --data (\S+)`).FindStringSubmatch(out)[1]
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary data are still there: %v", err)
	}
}

func TestDemoDataComeFromTheSeed(t *testing.T) {
	merchant := func(args ...string) string { return devtest.Sandbox(t, t.Cleanup, args...).Merchant }
	first, same, other := merchant(), merchant(), merchant("--seed", "7")
	if first != same || first == other || !strings.HasPrefix(first, "mch_") {
		t.Errorf("seed 42: %s and %s, seed 7: %s", first, same, other)
	}
}

func TestKeptDataGoOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	out, errs, code := banner(t, "--data", dir, "--clock", "2026-03-02T10:30")
	if code != exit.Done || !strings.Contains(out, "2026-03-02 10:30 Eastern") || !strings.Contains(out, "data: "+dir) {
		t.Fatalf("ended with %d: %s%s", code, out, errs)
	}
	// The clock never goes back before what is stored.
	out, errs, code = banner(t, "--data", dir, "--clock", "2026-01-05T09:00")
	if code != exit.Done || !strings.Contains(out, "2026-03-02 10:30 Eastern") || !strings.Contains(out, "TENOR_TOKEN=tnr_") {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	db, err := (&node.Place{Dir: dir}).Share(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	companies, merchants := 0, 0
	err = db.View(context.Background(), func(v store.View) error {
		return errors.Join(
			store.EachOf(v, store.CompanyNoun, func(*credit.Company) error { companies++; return nil }),
			func() error { list, err := store.AllMerchants(v); merchants = len(list); return err }())
	})
	if err != nil || companies != len(demo.ReadyCompanies()) || merchants != 2 {
		t.Errorf("%d companies and %d merchants, %v: the demo data were made again", companies, merchants, err)
	}
}

// A sandbox is a lender with a bank: what is captured is paid to the merchant and collected from
// the company while the clock advances. The clock continues where it was left, and so does the
// bank.
func TestSandboxMovesMoney(t *testing.T) {
	dir := t.TempDir()
	story := func(fn func(ctx context.Context, c *client.Client)) {
		ctx, stop := context.WithCancel(context.Background())
		var ends []func()
		defer func() {
			for _, end := range ends {
				end()
			}
			stop()
		}()
		w := devtest.Sandbox(t, func(end func()) { ends = append(ends, end) }, "--data", dir, "--clock", "2026-01-10T09:00")
		c, err := client.New(w.URL, w.Token)
		if err != nil {
			t.Fatal(err)
		}
		fn(ctx, c)
	}
	key := ""
	story(func(ctx context.Context, c *client.Client) {
		o, err := c.CreateOrder(ctx, client.OrderRequest{CompanyID: 1000000001, Amount: "1200.00", Installments: 6, Status: "AUTHORIZED"})
		if err == nil {
			key = o.Key
			_, err = c.CaptureOrder(ctx, key, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		sandboxCall(t, c, "bank/fail-next", `{"return_code":"R01","company_id":1000000001}`)
		sandboxCall(t, c, "clock/freeze", "")
		sandboxCall(t, c, "clock/advance", `{"to":"2026-02-09T22:00:00Z"}`)
		if got := statuses(t, ctx, c, key); got != "PENDING" {
			t.Errorf("on its way: %s", got)
		}
	})
	story(func(ctx context.Context, c *client.Client) {
		clock := sandboxCall(t, c, "clock/advance", `{"duration":"1h"}`)
		if !strings.Contains(clock, `"now":"2026-02-09T23:00:00Z"`) || !strings.Contains(clock, `"frozen":true`) {
			t.Errorf("the clock was left at 22:00, standing still; an hour later: %s", clock)
		}
		sandboxCall(t, c, "bank/settle", "")
		sandboxCall(t, c, "clock/advance", `{"duration":"240h"}`)
		if got := statuses(t, ctx, c, key); got != "SUCCEEDED RETURNED" {
			t.Errorf("the debit that was to fail came back, the next one did not: %s", got)
		}
		r, err := c.Do(ctx, "GET", "/v1/payouts", nil)
		if err != nil || !strings.Contains(string(r.Body), `"status":"SETTLED"`) || !strings.Contains(string(r.Body), `"net":1164.00`) {
			t.Errorf("the merchant was not paid: %v, %s", err, r.Body)
		}
	})
}

// sandboxCall calls the sandbox and returns its response; for a move of the clock, the one after
// its end.
func sandboxCall(t *testing.T, c *client.Client, path, body string) string {
	t.Helper()
	var b any
	if body != "" {
		b = json.RawMessage(body)
	}
	r, err := c.Do(context.Background(), "POST", "/v1/sandbox/"+path, b)
	for err == nil && strings.Contains(string(r.Body), `"status":"advancing"`) { // on a busy machine
		time.Sleep(terminal.PollEvery)
		r, err = c.Do(context.Background(), "GET", "/v1/sandbox/clock", nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(r.Body)
}

// statuses are those of an order's payments, newest first.
func statuses(t *testing.T, ctx context.Context, c *client.Client, order string) string {
	t.Helper()
	p, err := c.ListPayments(ctx, client.PaymentFilter{OrderKey: order}, client.Paging{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range p.Data {
		out = append(out, x.Status)
	}
	return strings.Join(out, " ")
}

func TestEmptySandbox(t *testing.T) {
	out, errs, code := banner(t, "--empty", "--clock", "now")
	if code != exit.Done || strings.Contains(out, "TENOR_TOKEN") || !strings.Contains(out, "tenor token --operator --data ") {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
}

func TestPorts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	if _, errs, code := banner(t, "--port", port); code != exit.Refused || !strings.Contains(errs, "port "+port+" is not available") {
		t.Errorf("a port that was asked for and is taken: %d, %s", code, errs)
	}
	first := devtest.Dev(t, t.Cleanup)
	second := devtest.Dev(t, t.Cleanup)
	if first.URL == second.URL {
		t.Errorf("two sandboxes at %s", first.URL)
	}
	for _, w := range []operate.World{first, second} {
		if !strings.HasPrefix(w.URL, "http://localhost:") {
			t.Errorf("address %s", w.URL)
		}
	}
}

func TestDataAreHeldOnce(t *testing.T) {
	dir := t.TempDir()
	devtest.Sandbox(t, t.Cleanup, "--data", dir)
	_, errs, code := banner(t, "--data", dir)
	if code != exit.Conflict || !strings.Contains(errs, "is locked by a running server") {
		t.Errorf("ended with %d: %s", code, errs)
	}
}

// A shared opening works alongside the process that has the data open, and creates none.
func TestSharedOpening(t *testing.T) {
	dir := t.TempDir()
	devtest.Sandbox(t, t.Cleanup, "--data", dir)
	db, err := (&node.Place{Dir: dir}).Share(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PutSetting(context.Background(), "note", []byte("x")); err != nil {
		t.Errorf("a setting: %v", err)
	}
	if _, err := sqlite.Open(filepath.Join(dir, "none.db"), sqlite.Options{Shared: true}); err == nil {
		t.Error("a shared opening made a database")
	}
}
