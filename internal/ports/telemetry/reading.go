package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ReturnDays is the period over which returns are counted: that of the network's rules on return
// rates.
const ReturnDays = 60

// Reading is looked up when the metrics are requested. Counts are since the start of the process.
// Labels from a map are used unchanged, so there must be few of them.
type Reading struct {
	Writable   bool // commands are accepted
	QueueDepth int  // waiting commands of callers
	QueueLimit int
	Background int              // waiting background commands
	Commands   map[string]int64 // answered commands, by result
	Refused    map[string]int64 // undecided commands, by reason
	Commits    map[string]int64 // events of commits

	Deliveries     map[string]int64 // attempts to deliver an event, by result
	InFlight       int              // of them, in progress
	Backlog        int              // unfinished deliveries in the whole database
	DeliveryLag    time.Duration    // of the delivery that has been due longest at a working endpoint
	OldestDelivery time.Duration    // age of the oldest unfinished delivery; 0 if there is none

	ClockworkLag time.Duration  // how long the oldest due object has been due, by the business clock; 0 if none is
	LastPayouts  time.Time      // start of the last day on which merchants were paid; zero: never
	Returns      map[string]int // notices of banks and processors of the last ReturnDays, by code

	ReadsLost int64 // reads of personal data missing from the log
	CallsLost int64 // API calls missing from the request log
	// CallsSkipped are successful ones left out of it, beyond so many a second.
	CallsSkipped int64

	Difference     int64     // cents by which the books do not balance: must be 0
	MemoDifference int64     // the same for the memo accounts
	Commit         int64     // sequence of the last commit
	BusinessTime   time.Time // of this process
}

// figure is one metric of a reading.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	// one returns its value, or many its values by label.
	one  func(*Reading) float64
	many func(*Reading) map[string]float64
}

// reader is the collector of what is looked up. It looks it up at most once every few seconds,
// however often and by however many it is asked.
type reader struct {
	figures []figure
	failed  *prometheus.Desc

	mu    sync.Mutex // held during a lookup: concurrent callers get the same result
	read  func(context.Context) (Reading, error)
	every time.Duration
	last  *Reading
	err   error
	at    time.Time
}

// patience is how long a lookup may take. A scrape has ten seconds by default.
const patience = 5 * time.Second

// Read sets how a reading is made from now on, and how long it is reused. Without it, only
// counted events are shown.
func (m *Metrics) Read(read func(context.Context) (Reading, error), every time.Duration) {
	if m == nil {
		return
	}
	m.reader.mu.Lock()
	defer m.reader.mu.Unlock()
	m.reader.read, m.reader.every, m.reader.at = read, every, time.Time{}
}

func newReader() *reader {
	r := &reader{failed: describe("reading_failed", "1 if the last read of the database failed; metrics read from it are absent then.")}
	gauge := func(name, help string, one func(*Reading) float64) {
		r.figures = append(r.figures, figure{desc: describe(name, help), kind: prometheus.GaugeValue, one: one})
	}
	counts := func(name, help, label string, of func(*Reading) map[string]int64) {
		r.figures = append(r.figures, figure{desc: describe(name, help, label), kind: prometheus.CounterValue, many: func(x *Reading) map[string]float64 { return floats(of(x)) }})
	}
	gauge("engine_writable", "1 while commands are accepted, 0 if the node is read only or stopping.", func(x *Reading) float64 { return truth(x.Writable) })
	gauge("engine_queue_depth", "Commands of callers in the queue.", func(x *Reading) float64 { return float64(x.QueueDepth) })
	gauge("engine_queue_limit", "Queue limit for callers; further commands are rejected as overloaded.", func(x *Reading) float64 { return float64(x.QueueLimit) })
	gauge("engine_background_depth", "Background commands in the queue.", func(x *Reading) float64 { return float64(x.Background) })
	counts("engine_commands_total", "Commands answered, by result.", "result", func(x *Reading) map[string]int64 { return x.Commands })
	counts("engine_refused_total", "Commands not decided, by reason.", "reason", func(x *Reading) map[string]int64 { return x.Refused })
	counts("engine_commits_total", "Batches that did not commit on the first attempt, by event.", "event", func(x *Reading) map[string]int64 { return x.Commits })
	counts("webhook_deliveries_total", "Attempts to deliver an event, by result.", "result", func(x *Reading) map[string]int64 { return x.Deliveries })
	gauge("webhook_in_flight", "Attempts in progress.", func(x *Reading) float64 { return float64(x.InFlight) })
	gauge("webhook_backlog", "Unfinished deliveries in the whole database.", func(x *Reading) float64 { return float64(x.Backlog) })
	gauge("webhook_lag_seconds", "How long the longest-waiting delivery to a working endpoint has been due.", func(x *Reading) float64 { return x.DeliveryLag.Seconds() })
	gauge("webhook_oldest_undelivered_seconds", "Age of the oldest unfinished delivery.", func(x *Reading) float64 { return x.OldestDelivery.Seconds() })
	gauge("clockwork_lag_seconds", "How long the oldest object has been due, by the business clock.", func(x *Reading) float64 { return x.ClockworkLag.Seconds() })
	gauge("clockwork_last_payouts_timestamp_seconds", "Start of the last day on which merchants were paid, 0 before the first.", func(x *Reading) float64 { return unix(x.LastPayouts) })
	r.figures = append(r.figures, figure{desc: describe("bank_notices", "Returns, rejections, corrections and disputes of the last 60 days, by code.", "code"), kind: prometheus.GaugeValue, many: func(x *Reading) map[string]float64 { return floats(x.Returns) }})
	r.figures = append(r.figures, figure{desc: describe("reads_unrecorded_total", "Reads of personal data that were answered but could not be recorded."), kind: prometheus.CounterValue, one: func(x *Reading) float64 { return float64(x.ReadsLost) }})
	r.figures = append(r.figures, figure{desc: describe("requests_unlogged_total", "API calls missing from the request log because it was full or could not be written."), kind: prometheus.CounterValue, one: func(x *Reading) float64 { return float64(x.CallsLost) }})
	r.figures = append(r.figures, figure{desc: describe("requests_skipped_total", "Successful API calls left out of the request log, beyond its rate."), kind: prometheus.CounterValue, one: func(x *Reading) float64 { return float64(x.CallsSkipped) }})
	gauge("ledger_difference_cents", "Cents by which the trial balance is off; must be 0.", func(x *Reading) float64 { return float64(x.Difference) })
	gauge("ledger_memo_difference_cents", "Cents by which the memo accounts are off; must be 0.", func(x *Reading) float64 { return float64(x.MemoDifference) })
	gauge("commit_sequence", "Sequence of the last commit of the book.", func(x *Reading) float64 { return float64(x.Commit) })
	gauge("business_time_seconds", "The business clock of this process.", func(x *Reading) float64 { return unix(x.BusinessTime) })
	return r
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (r *reader) Describe(to chan<- *prometheus.Desc) {
	to <- r.failed
	for _, f := range r.figures {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (r *reader) Collect(to chan<- prometheus.Metric) {
	x, err := r.look()
	to <- prometheus.MustNewConstMetric(r.failed, prometheus.GaugeValue, truth(err != nil))
	if x == nil {
		return
	}
	for _, f := range r.figures {
		if f.one != nil {
			to <- prometheus.MustNewConstMetric(f.desc, f.kind, f.one(x))
			continue
		}
		for label, value := range f.many(x) {
			to <- prometheus.MustNewConstMetric(f.desc, f.kind, value, label)
		}
	}
}

// look returns a reading, nil if there is none.
func (r *reader) look() (*Reading, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil {
		return nil, nil
	}
	if !r.at.IsZero() && time.Since(r.at) < r.every {
		return r.last, r.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	x, err := r.read(ctx)
	r.last, r.err, r.at = &x, err, time.Now()
	if err != nil {
		r.last = nil
	}
	return r.last, r.err
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMicro()) / 1e6
}

func floats[N int | int64](m map[string]N) map[string]float64 {
	out := make(map[string]float64, len(m))
	for k, v := range m {
		out[k] = float64(v)
	}
	return out
}
