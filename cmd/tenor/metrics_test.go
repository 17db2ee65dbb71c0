package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/release"
	"tenor/internal/core/clock"
	"tenor/internal/ports/telemetry"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/proctest"
)

// series parses metrics in the text format, by name and labels.
func series(t *testing.T, text string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	line := regexp.MustCompile(`(?m)^([a-z_:]+(?:\{.*\})?) (\S+)$`)
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatalf("%q: %v", m[0], err)
		}
		out[m[1]] = v
	}
	return out
}

// scrapeAt reads the metrics of a running server.
func scrapeAt(t *testing.T, address string) map[string]float64 {
	t.Helper()
	client := http.Client{Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	r, err := client.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("%d %v: %.200s", r.StatusCode, err, b)
	}
	return series(t, string(b))
}

// A live server's metrics show its responses and decisions, and that its books balance; its
// public address shows none of it.
func TestMetricsOfALiveServer(t *testing.T) {
	n, err := node.Open(context.Background(), node.Config{
		Place: &node.Place{Dir: t.TempDir()}, Mode: node.Live, Wall: clock.Wall{}.Now, Log: node.QuietLog(t.Output()), Keys: true, Clock: node.WallClock,
		Metrics: telemetry.New(release.Version, string(node.Live)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	if s.Work, err = n.Scheduler(node.Carriers{}, clock.Wall{}.Now, node.QuietLog(t.Output())); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Work.RunDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	ask(s, "GET", "/v1/orders")
	if code, body := ask(s, "GET", "/metrics"); code != http.StatusUnauthorized || strings.Contains(body, "tenor_") {
		t.Errorf("the public address: %d %.100s", code, body)
	}
	flag := node.MetricsFlag{Metrics: proctest.FreeAddress(t)}
	s.Watched(clock.Wall{}.Now)
	end, err := flag.Show(context.Background(), n.Metrics, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	got := scrapeAt(t, flag.Metrics)
	for name, want := range map[string]float64{
		`tenor_build_info{mode="live",version="` + release.Version + `"}`:       1,
		`tenor_http_requests_total{method="GET",operation="none",status="401"}`: 2,
		`tenor_http_errors_total{code="unauthorized"}`:                          2,
		`tenor_engine_writable`:                           1,
		`tenor_engine_queue_depth`:                        0,
		`tenor_ledger_difference_cents`:                   0,
		`tenor_clockwork_lag_seconds`:                     0,
		`tenor_clockwork_stuck`:                           0,
		`tenor_clockwork_runs_total{result="ok"}`:         1,
		`tenor_webhook_backlog`:                           0,
		`tenor_reading_failed`:                            0,
		`tenor_engine_refused_total{reason="overloaded"}`: 0,
	} {
		if v, there := got[name]; !there || v != want {
			t.Errorf("%s is %v (there: %t), want %v", name, v, there, want)
		}
	}
	n.Engine.Halt(io.ErrUnexpectedEOF)
	if got := scrapeAt(t, flag.Metrics); got[`tenor_alarms_total{what="invariant"}`] != 1 {
		t.Error("an alarm is not counted")
	}
}

// After its clock was advanced, a sandbox's metrics show the clockwork's work, the returns of its
// bank and the day of its last payouts.
func TestMetricsOfASandbox(t *testing.T) {
	address := proctest.FreeAddress(t)
	w := devtest.Sandbox(t, t.Cleanup, "--metrics", address)
	before := scrapeAt(t, address)
	if before[`tenor_build_info{mode="sandbox",version="`+release.Version+`"}`] != 1 || before["tenor_engine_commands_total{result=\"accepted\"}"] < 10 {
		t.Errorf("at the start: %v", before)
	}
	t.Setenv("TENOR_URL", w.URL)
	t.Setenv("TENOR_TOKEN", w.Token)
	do := func(args ...string) string {
		t.Helper()
		var out, errs devtest.Pipe
		if code := cli.Run(context.Background(), args, devtest.App(&out, &errs)); code != exit.Done {
			t.Fatalf("%v ended with %d: %s", args, code, errs.String())
		}
		return strings.TrimSpace(out.String())
	}
	do("orders", "capture", do("orders", "create", "--company", "1000000001", "--amount", "1200", "--installments", "6", "--authorize", "-q"))
	var out, errs devtest.Pipe
	if code := cli.Run(context.Background(), []string{"orders", "create", "--company", "1000000002", "--amount", "1200", "--installments", "6", "--authorize"}, devtest.App(&out, &errs)); code == exit.Done {
		t.Fatalf("an order above the line: %s", out.String())
	}
	do("clock", "advance", "40d", "-q")
	deadline := time.Now().Add(2 * time.Minute)
	for {
		got := scrapeAt(t, address)
		if got[`tenor_http_errors_total{code="insufficient_credit"}`] == 1 && got["tenor_clockwork_last_payouts_timestamp_seconds"] > 0 && got[`tenor_clockwork_work_total{kind="order"}`] > 0 &&
			got[`tenor_engine_batch_seconds_count{of="background"}`] > 0 && got["tenor_business_time_seconds"] > before["tenor_business_time_seconds"] {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after forty days: %v", got)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
