package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/proof/devtest"
)

// Without a token the command requests one with client credentials.
func TestClientCredentials(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("tns_SECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.env["TENOR_CLIENT_ID"], d.env["TENOR_CLIENT_SECRET_FILE"] = "cli_1", file
	d.must("orders", "get", "ord_1") // TENOR_TOKEN takes precedence
	d.env["TENOR_TOKEN"] = ""
	d.must("orders", "get", "ord_1")
	asked, _ := f.told()
	if strings.Join(asked, ", ") != "GET /v1/order/ord_1, POST /oauth/token, GET /v1/order/ord_1" {
		t.Errorf("asked %v", asked)
	}
	if f.tokens[0] != "Bearer tnr_TOKEN" || f.tokens[1] != "" || f.tokens[2] != "Bearer tnr_FRESH" || !strings.Contains(f.bodies[1], "client_secret=tns_SECRET") {
		t.Errorf("tokens %v, body %s", f.tokens, f.bodies[1])
	}
	f.now("POST /oauth/token", 401, `{"error":"invalid_client","error_description":"The client's credentials are not valid."}`)
	out, errs, code := d.do("orders", "get", "ord_1")
	if code != exit.Forbidden || !strings.Contains(errs, "TENOR_CLIENT_SECRET_FILE") || strings.Contains(out+errs, "tns_") {
		t.Errorf("wrong credentials: %d, %s", code, errs)
	}
	for name, value := range map[string]string{"nothing": "", "no file": file + "2"} {
		d.env["TENOR_CLIENT_SECRET_FILE"] = value
		if _, errs, code := d.do("orders", "get", "ord_1"); code != exit.Usage || errs == "" {
			t.Errorf("%s: %d, %s", name, code, errs)
		}
	}
}

func TestTokenFile(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("tnr_FILE\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.must("orders", "get", "ord_1", "--token-file", file)
	if f.tokens[0] != "Bearer tnr_FILE" {
		t.Errorf("sent %v", f.tokens)
	}
}

// Colors are for terminals, unless configured otherwise.
func TestColors(t *testing.T) {
	for _, x := range []struct {
		terminal       bool
		env, flag      string
		coloured, name string
	}{
		{true, "", "", "yes", "a terminal"}, {false, "", "", "no", "no terminal"}, {true, "NO_COLOR=1", "", "no", "NO_COLOR"}, {true, "NO_COLOR=", "", "yes", "an empty NO_COLOR"},
		{true, "TERM=dumb", "", "no", "a dumb terminal"}, {false, "FORCE_COLOR=1", "", "yes", "FORCE_COLOR"}, {true, "FORCE_COLOR=0", "", "no", "FORCE_COLOR=0"},
		{true, "", "--no-color", "no", "--no-color"}, {false, "FORCE_COLOR=1", "--no-color", "no", "--no-color over FORCE_COLOR"},
	} {
		f := newFake(t)
		d := newDesk(t, f.URL)
		d.terminal, d.env["TERM"] = x.terminal, "xterm"
		if name, value, ok := strings.Cut(x.env, "="); ok {
			d.env[name] = value
		}
		args := []string{"orders", "list"}
		if x.flag != "" {
			args = append(args, x.flag)
		}
		if out := d.must(args...); strings.Contains(out, "\x1b[") != (x.coloured == "yes") {
			t.Errorf("%s: %q", x.name, out)
		}
	}
}

// watching an order ends when it has the awaited status, and prints each event once.
func TestWatch(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	const first = `{"id":"evt_1","type":"order.created","created_at":"2026-01-05T14:00:00Z","sequence":1,"object":{"type":"order","id":"ord_9"}}`
	const second = `{"id":"evt_2","type":"order.authorized","created_at":"2026-01-05T14:00:00Z","sequence":2,"object":{"type":"order","id":"ord_9"}}`
	order := func(status string) string {
		return `{"key":"ord_9","status":"` + status + `","financing_status":"NONE"}`
	}
	list := func(events string) string { return `{"data":[` + events + `],"has_more":false,"next_cursor":null}` }
	f.now("GET /v1/order/ord_9", 200, order("CREATED"))
	f.now("GET /v1/order/ord_9/events", 200, list(first))
	f.arrived = make(chan struct{}, 1000)
	go func() {
		for range 6 { // three looks
			<-f.arrived
		}
		f.now("GET /v1/order/ord_9/events", 200, list(first+","+second))
		f.now("GET /v1/order/ord_9", 200, order("AUTHORIZED"))
	}()
	if out := d.must("orders", "watch", "ord_9", "--until", "authorized", "--every", "1ms", "-q"); out != "evt_1\nevt_2\n" {
		t.Errorf("told %q", out)
	}
	if f.unchanged == 0 {
		t.Error("the order was read anew although it had not changed")
	}
}

// After interrupting a stream, the user is told where to continue.
func TestStreamIsInterrupted(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	f.now("GET /v1/events?cursor=p1&limit=100", 200, `{"data":[],"has_more":false,"next_cursor":"p1"}`)
	f.arrived = make(chan struct{}, 1000)
	ctx, interrupt := context.WithCancel(context.Background())
	go func() {
		for range 4 {
			<-f.arrived
		}
		interrupt()
	}()
	out, errs, code := d.until(ctx, "events", "tail", "--every", "1ms")
	if code != exit.Interrupted || out != "" || errs != "Continue from here with --cursor p1\n" {
		t.Errorf("ended with %d: %q, %q", code, out, errs)
	}
}

// A long call shows a spinner, and nothing of it is left afterwards.
func TestSpinner(t *testing.T) {
	f := newFake(t)
	f.hold = make(chan struct{})
	d := newDesk(t, f.URL)
	d.terminal = true
	var out, errs devtest.Pipe
	a := d.app(&out, &errs)
	a.Waits = time.Nanosecond
	ended := make(chan int)
	go func() {
		ended <- cli.Run(context.Background(), []string{"orders", "get", "ord_1", "--url=" + f.URL}, a)
	}()
	devtest.Comes(func() bool { return strings.Contains(errs.String(), "| waiting for 127.0.0.1:") })
	close(f.hold)
	if code := <-ended; code != exit.Done || !strings.Contains(errs.String(), "waiting for") || !strings.HasSuffix(errs.String(), "\r\x1b[K") {
		t.Errorf("ended with %d: %q", code, errs.String())
	}
	if strings.Contains(out.String(), "waiting") {
		t.Errorf("printed %q", out.String())
	}
}

func TestMeter(t *testing.T) {
	begin := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		form       string
		terminal   bool
		o          terminal.Output
		took       time.Duration
		want, name string
	}{
		{"auto", true, terminal.Output{}, 2 * time.Second, "\r\x1b[KSending [###############...............]  50 %  1.0 kB  512 B/s  2s left" +
			"\r\x1b[KSending [##############################] 100 %  2.0 kB  1.0 kB/s  0s left\r\x1b[K", "a terminal"},
		{"auto", false, terminal.Output{}, 2 * time.Second, "Sending 50 %\nSending 100 %\n", "no terminal"},
		{"auto", false, terminal.Output{}, 100 * time.Millisecond, "", "done soon"},
		{"plain", true, terminal.Output{JSON: true}, 0, "Sending 50 %\nSending 100 %\n", "asked for"},
		{"auto", true, terminal.Output{JSON: true}, 2 * time.Second, "", "--json"},
		{"json", false, terminal.Output{}, 0, `{"progress":{"what":"Sending","done":1024,"total":2048}}` + "\n" + `{"progress":{"what":"Sending","done":2048,"total":2048}}` + "\n", "json"},
		{"off", true, terminal.Output{}, 2 * time.Second, "", "off"},
	} {
		var out devtest.Pipe
		now := begin
		a := &terminal.App{Err: &out, Screen: &out, ErrTerminal: x.terminal, Getenv: func(string) string { return "" }, Wall: func() time.Time { return now }}
		m := terminal.ProgressFlag{Progress: x.form}.Meter(a, x.o, "Sending")
		now = now.Add(x.took)
		m.At(1024, 2048)
		m.At(1025, 2048)
		m.At(2048, 2048)
		m.End()
		if out.String() != x.want {
			t.Errorf("%s: %q, want %q", x.name, out.String(), x.want)
		}
	}
	for n, want := range map[int]string{5: "5 B", 2048: "2.0 kB", 3 << 20: "3.0 MB"} {
		if terminal.Size(n) != want {
			t.Errorf("%d is %s", n, terminal.Size(n))
		}
	}
}
