package telemetry

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tenor/internal/core/engine"
)

// scrape reads the metrics like Prometheus, in the text format, and returns the value of each
// series by its name and labels. The type of each one must have been declared.
func scrape(t *testing.T, h http.Handler) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("answered %d %s: %.200s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	return parse(t, w.Body.String())
}

var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\.)*",?)+\})? (\S+)$`)

func parse(t *testing.T, text string) map[string]float64 {
	t.Helper()
	types, out := map[string]string{}, map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if f := strings.Fields(line); strings.HasPrefix(line, "# TYPE ") && len(f) == 4 {
			types[f[2]] = f[3]
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a sample: %q", line)
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		family := m[1]
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if whole := strings.TrimSuffix(family, part); types[whole] == "histogram" || types[whole] == "summary" {
				family = whole
			}
		}
		if types[family] == "" {
			t.Errorf("%q has no type", line)
		}
		out[m[1]+m[2]] = v
	}
	return out
}

func want(t *testing.T, got map[string]float64, series string, value float64) {
	t.Helper()
	if v, there := got[series]; !there || v != value {
		t.Errorf("%s is %v (there: %t), want %v", series, v, there, value)
	}
}

// full is a reading with a distinct value for every figure.
func full() Reading {
	return Reading{
		Writable: true, QueueDepth: 2, QueueLimit: 3, Background: 4,
		Commands: map[string]int64{"accepted": 5}, Refused: map[string]int64{"overloaded": 6}, Commits: map[string]int64{"conflict": 7},
		Deliveries: map[string]int64{"delivered": 8}, InFlight: 9, Backlog: 10, DeliveryLag: 11 * time.Second, OldestDelivery: 12 * time.Second,
		ClockworkLag: 13 * time.Second, LastPayouts: time.Unix(14, 0), Returns: map[string]int{"R01": 15},
		ReadsLost: 20, Difference: 16, MemoDifference: 17, Commit: 18, BusinessTime: time.Unix(19, 0),
	}
}

// Everything counted and looked up is shown under its name, and the names follow the rules of
// Prometheus.
func TestEverythingIsShown(t *testing.T) {
	m := New("1.2.3", "live")
	m.Read(func(context.Context) (Reading, error) { return full(), nil }, 0)
	m.Request("createOrder", "POST", 201, "", 3*time.Millisecond)
	m.Request("createOrder", "POST", 409, "invalid_state", time.Millisecond)
	m.Request("", "BREW", 404, "not_found", time.Millisecond)
	m.Batch(3, 1, 4*time.Millisecond)
	m.Batch(0, 100, 30*time.Millisecond)
	m.Alarm(engine.AlarmCommit)
	m.Worked("order", 7)
	m.Worked("order", 0)
	m.Ran(time.Unix(1000, 0), 2*time.Second, false, 1, nil)
	m.Ran(time.Unix(1001, 0), 2*time.Millisecond, true, 0, nil)
	m.Ran(time.Unix(1002, 0), time.Second, false, 5, errors.New("no"))
	got := scrape(t, m.Handler())
	for series, value := range map[string]float64{
		`tenor_build_info{mode="live",version="1.2.3"}`:                                 1,
		`tenor_http_requests_total{method="POST",operation="createOrder",status="201"}`: 1,
		`tenor_http_requests_total{method="OTHER",operation="none",status="404"}`:       1,
		`tenor_http_request_seconds_count{operation="createOrder"}`:                     2,
		`tenor_http_request_seconds_bucket{operation="createOrder",le="0.002"}`:         1,
		`tenor_http_errors_total{code="invalid_state"}`:                                 1,
		`tenor_http_errors_total{code="not_found"}`:                                     1,
		`tenor_engine_batch_seconds_count{of="callers"}`:                                1,
		`tenor_engine_batch_commands_sum{of="callers"}`:                                 4,
		`tenor_engine_batch_commands_sum{of="background"}`:                              100,
		`tenor_alarms_total{what="commit"}`:                                             1,
		`tenor_clockwork_work_total{kind="order"}`:                                      7,
		`tenor_clockwork_work_total{kind="charge"}`:                                     0,
		`tenor_clockwork_stuck`:                                                         5,
		`tenor_clockwork_runs_total{result="ok"}`:                                       2,
		`tenor_clockwork_runs_total{result="failed"}`:                                   1,
		`tenor_clockwork_run_seconds_count`:                                             2,
		`tenor_clockwork_last_run_timestamp_seconds`:                                    1001,
		`tenor_reading_failed`:                                                          0,
		`tenor_engine_writable`:                                                         1,
		`tenor_engine_queue_depth`:                                                      2,
		`tenor_engine_queue_limit`:                                                      3,
		`tenor_reads_unrecorded_total`:                                                  20,
		`tenor_engine_background_depth`:                                                 4,
		`tenor_engine_commands_total{result="accepted"}`:                                5,
		`tenor_engine_refused_total{reason="overloaded"}`:                               6,
		`tenor_engine_commits_total{event="conflict"}`:                                  7,
		`tenor_webhook_deliveries_total{result="delivered"}`:                            8,
		`tenor_webhook_in_flight`:                                                       9,
		`tenor_webhook_backlog`:                                                         10,
		`tenor_webhook_lag_seconds`:                                                     11,
		`tenor_webhook_oldest_undelivered_seconds`:                                      12,
		`tenor_clockwork_lag_seconds`:                                                   13,
		`tenor_clockwork_last_payouts_timestamp_seconds`:                                14,
		`tenor_bank_notices{code="R01"}`:                                                15,
		`tenor_ledger_difference_cents`:                                                 16,
		`tenor_ledger_memo_difference_cents`:                                            17,
		`tenor_commit_sequence`:                                                         18,
		`tenor_business_time_seconds`:                                                   19,
	} {
		want(t, got, series, value)
	}
	if got["go_goroutines"] < 1 {
		t.Error("nothing is told of the process")
	}
	found, err := testutil.GatherAndLint(m.registry)
	if err != nil || len(found) > 0 {
		t.Errorf("the names: %v %v", found, err)
	}
}

// A failed lookup omits its values, says so, and leaves the rest.
func TestFailedReading(t *testing.T) {
	m := New("1", "live")
	fails := true
	m.Read(func(context.Context) (Reading, error) {
		if fails {
			return full(), errors.New("the database is away")
		}
		return full(), nil
	}, 0)
	m.Request("getOrder", "GET", 200, "", time.Millisecond)
	got := scrape(t, m.Handler())
	want(t, got, "tenor_reading_failed", 1)
	want(t, got, `tenor_http_requests_total{method="GET",operation="getOrder",status="200"}`, 1)
	if _, there := got["tenor_ledger_difference_cents"]; there {
		t.Error("a look that failed shows figures")
	}
	fails = false
	want(t, scrape(t, m.Handler()), "tenor_ledger_difference_cents", 16)
}

// However many ask, the database is queried only occasionally.
func TestReadingsAreShared(t *testing.T) {
	m := New("1", "live")
	looks := 0
	m.Read(func(context.Context) (Reading, error) { looks++; return full(), nil }, time.Hour)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { scrape(t, m.Handler()) })
	}
	all.Wait()
	scrape(t, m.Handler())
	if looks != 1 {
		t.Errorf("looked %d times", looks)
	}
}

// Without a reading only counted events are shown; without metrics nothing happens.
func TestWithout(t *testing.T) {
	got := scrape(t, New("1", "sandbox").Handler())
	if _, there := got["tenor_engine_writable"]; there {
		t.Error("shows what nobody has looked up")
	}
	var none *Metrics
	none.Request("a", "GET", 200, "x", 1)
	none.Batch(1, 1, 1)
	none.Alarm("x")
	none.Worked("order", 1)
	none.Read(nil, 0)
	none.Ran(time.Now(), 1, false, 0, nil)
}

// The listener answers GET /metrics and nothing else, and ends with its context.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	m := New("1", "live")
	go func() { ended <- m.Serve(ctx, l) }()
	client := &http.Client{Timeout: 30 * time.Second}
	for path, code := range map[string]int{"/metrics": 200, "/": 404, "/debug/pprof/": 404, "/v1/orders": 404} {
		r, err := client.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != code || code == 200 && !strings.Contains(string(body), "tenor_build_info") {
			t.Errorf("%s: %d %v", path, r.StatusCode, err)
		}
	}
	r, err := client.Post("http://"+l.Addr().String()+"/metrics", "text/plain", nil)
	if err != nil || r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v %v", r, err)
	}
	r.Body.Close()
	client.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
