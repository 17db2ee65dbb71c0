package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenor/client"
	"tenor/internal/httpapi"
)

func TestStartedAs(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "tenor")
	if err := os.WriteFile(binary, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	found := func(string) (string, error) { return binary, nil }
	none := func(string) (string, error) { return "", errors.New("not found") }
	for _, x := range []struct {
		arg0 string
		look func(string) (string, error)
		want string
	}{
		{"/cache/go-build123/b001/exe/tenor", none, "go run ./cmd/tenor"},
		{"/cache/go-build/75/7544a1e0-d/tenor", none, "go run ./cmd/tenor"},
		{"tenor", found, "tenor"},
		{binary, found, "tenor"},
		{"./tenor", none, "./tenor"},
		{"/opt/other/tenor", found, "/opt/other/tenor"},
	} {
		if got := startedAs(x.arg0, x.look); got != x.want {
			t.Errorf("%s: %s, want %s", x.arg0, got, x.want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	var out pipe
	ended := make(chan int, 1)
	ctx, stop := interruptible(&out, func(code int) { ended <- code })
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skipf("no signals here: %v", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(longest):
		t.Fatal("the first signal did not end the context")
	}
	if out.String() != "Stopping… (again to force)\n" || !errors.Is(context.Cause(ctx), errInterrupted) {
		t.Errorf("printed %q, cause %v", out.String(), context.Cause(ctx))
	}
	if err := self.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-ended:
		if code != exitInterrupted {
			t.Errorf("the second signal ended with %d", code)
		}
	case <-time.After(longest):
		t.Fatal("the second signal did not end the process")
	}
}

// A client command that is interrupted ends with 130.
func TestInterruptedCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"orders", "list", "--url", "http://127.0.0.1:1"}, testApp(&out, &errs)); code != exitInterrupted || errs.Len() > 0 {
		t.Errorf("ended with %d: %s", code, &errs)
	}
}

// Every status of the contract has an exit code, by the table of the manual.
func TestExitCodes(t *testing.T) {
	want := map[int]int{
		400: exitRefused, 401: exitForbidden, 403: exitForbidden, 404: exitNotFound, 405: exitRefused, 406: exitRefused, 409: exitConflict,
		412: exitConflict, 413: exitRefused, 415: exitRefused, 422: exitRefused, 429: exitUnavailable, 500: exitUnavailable, 503: exitUnavailable,
	}
	for _, c := range httpapi.Codes() {
		code, known := want[c.Status]
		if got := exitOf(c.Status); !known || got != code {
			t.Errorf("%s (%d): exit code %d, want %d", c.Name, c.Status, got, code)
		}
	}
}

// Codes that say all by themselves and need no next step.
const plain = "malformed_request unknown_member unknown_parameter invalid_parameter invalid_header method_not_allowed " +
	"not_acceptable body_too_large unsupported_media_type idempotency_key_in_use validation_failed refund_window_closed limit_exceeded acceptance_required " +
	"checkout_not_accepted checkout_expired checkout_already_completed"

func TestEveryProblemHasANextStep(t *testing.T) {
	a := testApp(nil, nil)
	a.subject = "ord_1"
	for _, c := range httpapi.Codes() {
		hint := a.hint(&client.Problem{Code: c.Name, Status: c.Status})
		if listed := strings.Contains(" "+plain+" ", " "+c.Name+" "); (hint == "") != listed {
			t.Errorf("%s: hint %q", c.Name, hint)
		}
	}
}

func TestErrorsAreShown(t *testing.T) {
	for _, x := range []struct {
		err  error
		code int
		want string
	}{
		{&failure{code: exitUsage, text: "wrong", hint: "one\n  two"}, exitUsage, "error: wrong\n  one\n    two\n"},
		{errors.New("Load order: timeout."), exitRefused, "error: load order: timeout\n"},
		{fmt.Errorf("x: %w", &failure{code: exitForbidden, text: "mode", err: errors.New("cause")}), exitForbidden, "error: mode: cause\n"},
		{&client.Problem{Status: 502, Detail: "the server answered 502 Bad Gateway"}, exitUnavailable,
			"error: the server answered 502 Bad Gateway\n  Is TENOR_URL the address of a Tenor server?\n"},
		{&repeatable{key: "k-1", err: &client.Problem{Code: "outcome_unknown", Status: 503, Detail: "Not known.", RequestID: "req_1", Type: "http://x/y"}}, exitUnavailable,
			"error: not known\n  The server does not know yet whether it took effect.\n  The same command can be sent again without harm with --retry-last, or with\n    --idempotency-key k-1\n  code outcome_unknown · request req_1 · http://x/y\n"},
		{&repeatable{key: "k-1", err: &client.Problem{Code: "order_locked", Status: 409, Detail: "Locked."}}, exitConflict,
			"error: locked\n  Only metadata and the merchant status can still change. See it with:\n    tenor orders get ord_…\n  code order_locked\n"},
	} {
		var errs bytes.Buffer
		if code := testApp(nil, &errs).fail(x.err, false); code != x.code || errs.String() != x.want {
			t.Errorf("%v: exit code %d\n%s\nwant %d\n%s", x.err, code, &errs, x.code, x.want)
		}
	}
}

func TestConsent(t *testing.T) {
	for _, x := range []struct {
		answer string
		there  bool
		yes    bool
		code   int
	}{
		{"y\n", true, false, exitDone}, {"YES\n", true, false, exitDone}, {"n\n", true, false, exitCanceled}, {"\n", true, false, exitCanceled},
		{"", true, false, exitCanceled}, {"y\n", false, false, exitUsage}, {"", false, true, exitDone},
	} {
		var errs bytes.Buffer
		a := testApp(nil, &errs)
		a.in, a.interactive = strings.NewReader(x.answer), x.there
		err := consent{Yes: x.yes}.ask(a, "Cancel it?")
		code := exitDone
		var f *failure
		if errors.As(err, &f) {
			code = f.code
		}
		if code != x.code || x.there != (errs.String() == "Cancel it? [y/N] ") {
			t.Errorf("%q, somebody there %v, --yes %v: %d after %q, want %d", x.answer, x.there, x.yes, code, &errs, x.code)
		}
	}
}

func TestDollars(t *testing.T) {
	for in, want := range map[client.Amount]string{
		"1200.00": "$1,200.00", "0": "$0.00", "999.99": "$999.99", "1000": "$1,000.00", "10000000.00": "$10,000,000.00",
		"-5": "-$5.00", "-1234567.8": "-$1,234,567.80", "": "",
	} {
		if got := dollars(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// What others have written stays on its line and cannot steer the terminal.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	list := newTable("NAME", ">AMOUNT", "NOTE")
	list.row("Café", "$5.00", "")
	list.row("x\x1b[2Jy\nz", "$1,200.00", "n")
	if err := list.print(&out); err != nil {
		t.Fatal(err)
	}
	want := "NAME        AMOUNT  NOTE\nCafé         $5.00\nx?[2Jy?z  $1,200.00  n\n"
	if got := out.String(); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") || strings.Contains(got, "\x1b") {
		t.Errorf("got\n%s", got)
	}
	lines := strings.Split(out.String(), "\n")
	if strings.Index(lines[1], "$5.00")+len("$5.00")-1 != strings.Index(lines[2], "$1,200.00")+len("$1,200.00") {
		t.Errorf("amounts are not aligned:\n%s", &out) // é is two bytes
	}
	out.Reset()
	if err := newTable("A").print(&out); err != nil || out.Len() > 0 {
		t.Errorf("an empty table prints %q, %v", &out, err)
	}
}

func TestLiterals(t *testing.T) {
	for in, want := range map[string]string{
		"1200.00": "1200.00", "true": "true", "null": "null", "CAPTURED": `"CAPTURED"`, `"42"`: `"42"`, `{"a":1}`: `{"a":1}`, "PO-1": `"PO-1"`,
		"": `""`, "007": `"007"`, `a"b`: `"a\"b"`,
	} {
		if got := string(literal(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
