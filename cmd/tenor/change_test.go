package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/app/exit"
)

// A change whose response was lost is retried under its key, and takes effect once.
func TestRetryLast(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	f.lose = 3 // the command itself tries three times
	_, errs, code := d.do("orders", "extend", "ord_2")
	if _, effects := f.told(); code != exit.Unavailable || effects != 1 || !strings.Contains(errs, "--retry-last") {
		t.Fatalf("ended with %d after %d effects: %s", code, effects, errs)
	}
	out := d.must("orders", "extend", "ord_2", "--retry-last")
	if _, effects := f.told(); effects != 1 || !strings.Contains(out, "already done under this idempotency key") {
		t.Errorf("%d effects: %s", effects, out)
	}
	d.must("orders", "extend", "ord_2")
	if _, effects := f.told(); effects != 2 {
		t.Errorf("without the flag it is another change: %d effects", effects)
	}
}

func TestLastKeyIsKept(t *testing.T) {
	f, other := newFake(t), newFake(t)
	d := newDesk(t, f.URL)
	if _, errs, code := d.do("orders", "extend", "ord_2", "--retry-last"); code != exit.Usage || !strings.Contains(errs, "no earlier change for "+f.URL+" is recorded here") {
		t.Errorf("nothing to repeat: %d, %s", code, errs)
	}
	d.must("orders", "extend", "ord_2", "--idempotency-key", "mine-1")
	files, err := filepath.Glob(filepath.Join(d.env["XDG_STATE_HOME"], "tenor", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept %v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("kept with %v, %v", info.Mode(), err)
	}
	if _, _, code := d.do("orders", "extend", "ord_2", "--retry-last", "--url="+other.URL); code != exit.Usage {
		t.Errorf("the key of another server was taken: %d", code)
	}
	d.must("orders", "extend", "ord_2", "--retry-last")
	if _, effects := f.told(); effects != 1 {
		t.Errorf("%d effects", effects)
	}
	// A dry run generates no key, and a user without a home directory can still make changes.
	d.must("orders", "capture", "ord_2", "--dry-run")
	d.must("orders", "extend", "ord_2", "--retry-last")
	d.env["XDG_STATE_HOME"], d.env["HOME"] = "", ""
	d.must("orders", "extend", "ord_2")
}

// A repeated deletion succeeds.
func TestDeletionAgain(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	d.must("webhooks", "delete", "whk_1", "--yes")
	f.now("DELETE /v1/webhooks/whk_1", 404, `{"code":"not_found","detail":"There is no such endpoint."}`)
	if _, _, code := d.do("webhooks", "delete", "whk_1", "--yes"); code != exit.NotFound {
		t.Errorf("of what is not there: %d", code)
	}
	d.must("webhooks", "delete", "whk_1", "--yes", "--retry-last")
}

// No dry run changes anything, and none asks for confirmation.
func TestDryRunChangesNothing(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	for _, line := range []string{
		"orders create --company 1 --amount 5", "orders update ord_2 --amount 5", "orders authorize ord_2", "orders capture ord_2", "orders partial ord_2 --amount 5",
		"orders cancel ord_2", "orders extend ord_2", "orders refund ord_1", "payments record --order ord_1 --amount 5", "payments refund pay_1", "payments cancel pay_1",
		"companies create X --limit 5 --reason 'approved by underwriting'", "companies hold 1000000001", "companies release 1000000001 --reason 'approved by underwriting'", "companies line 1000000001 5 --because 'audited financials'", "companies close 1000000001 --because 'approved by underwriting'",
		"companies link 1000000001 --merchant mch_1 --reason 'approved by underwriting'", "companies unlink 1000000001 --merchant mch_1 --reason 'approved by underwriting'", "merchants create X --reason 'approved by underwriting'",
		"merchants program mch_1 --from 2026-07-01 --settings testdata/program.json --reason 'approved by underwriting'", "clients create X --reason 'approved by underwriting'", "clients roll cli_1 --reason 'approved by underwriting'", "clients revoke cli_1 --reason 'approved by underwriting'",
		"webhooks create https://x.example", "webhooks update whk_1 --disable", "webhooks delete whk_1", "webhooks rotate whk_1", "webhooks test whk_1", "webhooks redeliver dlv_1",
		"webhooks replay whk_1 --from 2026-01-05 --to 2026-01-05",
		"companies authorize-method 1000000001 pm_1 --accepted-at 2026-01-02", "companies verify-method 1000000001 pm_1 --amounts 0.32,0.45", "companies add-method 1000000001 --routing 990000000 --account-file /dev/null --holder X --accepted-at 2026-01-02", "companies remove-method 1000000001 pm_1", "sandbox account 1000000001", "receipts record 5 --reason 'approved by underwriting'", "receipts identify rcp_1 --company 1000000001 --reason 'approved by underwriting'", "orders reschedule ord_1 --installment 3 --due 2026-04-30 --reason x", "receipts return rcp_1 --reference x --reason 'approved by underwriting'", "screenings confirm scr_1 --reason x", "screenings clear scr_1 --reason x", "notices sent ntc_1 --channel MAIL --evidence x", "lender set --provision DPD_30_59=0.1",
		"companies unfreeze 1000000001 --reason x", "api post /order", "api patch /v1/order/ord_2",
	} {
		_, errs, code := d.do(append(strings.Fields(line), "--dry-run")...)
		if code == exit.Canceled || strings.Contains(errs, "--yes") {
			t.Errorf("%s asks: %s", line, errs)
		}
	}
	if asked, effects := f.told(); effects != 0 || len(asked) < 25 {
		t.Errorf("%d requests, %d effects: %v", len(asked), effects, asked)
	}
}

// A server that ignores the dry run is detected.
func TestDryRunThatIsNone(t *testing.T) {
	f := newFake(t)
	f.now("DRY POST /v1/order/ord_2/extend", 200, `{}`)
	d := newDesk(t, f.URL)
	if _, errs, code := d.do("orders", "extend", "ord_2", "--dry-run"); code == exit.Done || errs == "" {
		t.Errorf("ended with %d: %s", code, errs)
	}
}

// When a change is interrupted, the user is told how to find out its outcome.
func TestInterruptedChange(t *testing.T) {
	f := newFake(t)
	f.arrived, f.hold = make(chan struct{}), make(chan struct{})
	d := newDesk(t, f.URL)
	ctx, interrupt := context.WithCancel(context.Background())
	go func() {
		<-f.arrived
		interrupt()
	}()
	_, errs, code := d.until(ctx, "orders", "extend", "ord_2", "--idempotency-key", "k-7")
	close(f.hold)
	if want := "The outcome is unknown. It is safe to repeat the command with --retry-last, or with\n  --idempotency-key k-7\n"; code != exit.Interrupted || errs != want {
		t.Errorf("ended with %d: %q, want %q", code, errs, want)
	}
}

// Output with --json is JSON: one document, or one per line.
func TestEveryDocumentParses(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	f := newFake(t)
	d := newDesk(t, f.URL)
	printed := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			rest, ok := strings.CutPrefix(line, "$ tenor ")
			if !ok || strings.HasPrefix(rest, "completion") || strings.HasPrefix(rest, "help") || strings.HasSuffix(rest, "-h\n") || rest == "\n" || strings.Contains(rest, "--progress plain") {
				continue
			}
			args := wordsOf(t, strings.TrimSpace(rest))
			out, errs, code := d.do(append(args, "--json")...)
			n, err := documents(out)
			if err != nil || code == exit.Done && n == 0 {
				t.Errorf("%v prints %d documents, %v: %s", args, n, err, out)
			}
			if _, err := documents(errs); err != nil {
				t.Errorf("%v says %v: %s", args, err, errs)
			}
			printed += n
		}
	}
	if printed < 100 {
		t.Errorf("only %d documents", printed)
	}
}

// documents counts the JSON documents of a text.
func documents(text string) (n int, err error) {
	in := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		err := in.Decode(&v)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n++
	}
}

// A secret that is shown only once can go into a file instead, and then nowhere else.
func TestSecretFile(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	path := filepath.Join(t.TempDir(), "new", "shop.secret")
	out := d.must("clients", "create", "shop", "--reason", "x", "--secret-file", path, "--json")
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "tns_4XQJ7N2M5P6R3S8T1V9W0Y4Z6B\n" || strings.Contains(out, "tns_") || !strings.Contains(out, `"id":"cli_2"`) {
		t.Errorf("kept %q, %v, printed %s", text, err, out)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("kept with %v, %v", info, err)
	}
	_, before := f.told()
	if _, errs, code := d.do("webhooks", "rotate", "whk_1", "--yes", "--secret-file", path); code != exit.Usage || !strings.Contains(errs, "already exists") {
		t.Errorf("a file that is there: %d, %s", code, errs)
	}
	if _, after := f.told(); after != before {
		t.Error("a secret was made that nobody has")
	}
	out = d.must("webhooks", "create", "https://shop.example/new", "--secret-file", path+"2")
	if !strings.Contains(out, "Its secret is in "+path+"2.") || strings.Contains(out, "whsec_") {
		t.Errorf("printed %s", out)
	}
}

// An empty setting clears it, and a decision on a screening can require its version.
func TestWhatTheOfficeSends(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	for line, want := range map[string]string{
		"lender set --contact  --creditor ":                                                `{"contact":null,"creditor":null}`,
		"lender set --regulator FTC --regulator-address Washington":                        `{"regulator":{"name":"FTC","address":"Washington"}}`,
		"lender set --retention owner_months=84 --retention draft_days=7 --reason counsel": `{"retention":{"draft_days":7,"owner_months":84},"reason":"counsel"}`,
		"lender set --provision DPD_30_59=none":                                            `{"provision_rates":{"DPD_30_59":null}}`,
	} {
		args := strings.Split(line, " ")
		d.must(append(args, "--yes")...)
		f.mu.Lock()
		if got := f.bodies[len(f.bodies)-1]; got != want {
			t.Errorf("%s: %s", line, got)
		}
		f.mu.Unlock()
	}
	for _, line := range []string{"lender set --retention owner_months=84", "lender set --retention years=7 --reason counsel", "lender set --retention owner_months=0 --reason counsel"} {
		if _, _, code := d.do(strings.Split(line, " ")...); code != exit.Usage {
			t.Errorf("%s: exit %d", line, code)
		}
	}
	d.must("screenings", "clear", "scr_1", "--reason", "another", "--yes", "--if-version", "1")
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := f.matches[len(f.matches)-1]; got != `"1"` {
		t.Errorf("If-Match: %s", got)
	}
}
