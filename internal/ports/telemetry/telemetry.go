// Package telemetry exposes what a server does and its state as metrics for Prometheus. They have
// a separate listener, because they are for the operator and not for callers.
//
// Events are counted as they happen (Request, Batch, Worked, …), at the cost of an atomic
// addition. State is looked up on request (Reading), on one snapshot and at most once every few
// seconds. No label contains an ID, a name or an amount: labels are operations, codes and kinds,
// of which there are few.
package telemetry

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the metrics of one server. Its methods may be called from any goroutine, and on
// nil, where they do nothing.
type Metrics struct {
	registry *prometheus.Registry
	reader   *reader

	requests, errors, alarms, work, runs *prometheus.CounterVec
	answering, batches, sizes, run       *prometheus.HistogramVec
	stuck, looked                        *prometheus.GaugeVec
}

// namespace starts every name.
const namespace = "tenor"

// New returns the metrics of a server. version and mode (live or sandbox) are shown unchanged.
func New(version, mode string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), reader: newReader()}
	seconds := []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}
	m.requests = m.counter("http_requests_total", "Requests answered.", "operation", "method", "status")
	m.answering = m.histogram("http_request_seconds", "Time from a request to the end of its response.", seconds, "operation")
	m.errors = m.counter("http_errors_total", "Problem responses, by code.", "code")
	m.batches = m.histogram("engine_batch_seconds", "Time to load, decide, write and commit a batch, of callers or of background commands only.", seconds, "of")
	m.sizes = m.histogram("engine_batch_commands", "Commands per batch, of callers or of background commands only.", []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, "of")
	m.alarms = m.counter("alarms_total", "Bugs and database failures reported by the engine.", "what")
	m.work = m.counter("clockwork_work_total", "Objects processed by this process's clockwork.", "kind")
	m.runs = m.counter("clockwork_runs_total", "Runs of this process's clockwork, by result.", "result")
	m.run = m.histogram("clockwork_run_seconds", "Duration of clockwork runs that had work.", []float64{.01, .1, 1, 10, 60, 300, 600, 1800, 3600})
	m.stuck = m.gauge("clockwork_stuck", "Objects that the last clockwork run could not advance.")
	m.looked = m.gauge("clockwork_last_run_timestamp_seconds", "When this process's clockwork last succeeded.")
	m.gauge("build_info", "The running version and the kind of data it serves; always 1.", "version", "mode").WithLabelValues(version, mode).Set(1)
	m.registry.MustRegister(m.reader, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, kind := range Kinds() {
		m.work.WithLabelValues(kind) // an unused counter is 0, not missing
	}
	return m
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(v)
	return v
}

// unrouted is the operation of a request without a route.
const unrouted = "none"

// Request counts an answered request. operation is "" if there was no route, and code is "" if
// the response is not a problem. A method not defined by HTTP counts as OTHER, so that callers
// cannot create labels.
func (m *Metrics) Request(operation, method string, status int, code string, took time.Duration) {
	if m == nil {
		return
	}
	if operation == "" {
		operation = unrouted
	}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, method) {
		method = "OTHER"
	}
	m.requests.WithLabelValues(operation, method, strconv.Itoa(status)).Inc()
	m.answering.WithLabelValues(operation).Observe(took.Seconds())
	if code != "" {
		m.errors.WithLabelValues(code).Inc()
	}
}

// Batch counts a completed batch, with its commands from callers and from the background.
func (m *Metrics) Batch(callers, background int, took time.Duration) {
	if m == nil {
		return
	}
	of := "callers"
	if callers == 0 {
		of = "background"
	}
	m.batches.WithLabelValues(of).Observe(took.Seconds())
	m.sizes.WithLabelValues(of).Observe(float64(callers + background))
}

// Alarm counts an alarm of the engine. what is one of its constants.
func (m *Metrics) Alarm(what string) {
	if m != nil {
		m.alarms.WithLabelValues(what).Inc()
	}
}

// Expect makes an alarm count from 0: an alert on its growth sees the first one.
func (m *Metrics) Expect(what string) {
	if m != nil {
		m.alarms.WithLabelValues(what)
	}
}

// Kinds returns the kinds for Worked.
func Kinds() []string {
	return []string{"order", "transfer", "payout", "file", "notice", "charge", "credit", "provision", "screening"}
}

// Worked counts what the clockwork has processed. kind is one of Kinds.
func (m *Metrics) Worked(kind string, n int) {
	if m != nil && n > 0 {
		m.work.WithLabelValues(kind).Add(float64(n))
	}
}

// Ran counts a run of the clockwork that ended at an instant, with what it could not process. A
// run without work is not timed.
func (m *Metrics) Ran(at time.Time, took time.Duration, idle bool, stuck int, err error) {
	if m == nil {
		return
	}
	m.stuck.WithLabelValues().Set(float64(stuck))
	if !idle {
		m.run.WithLabelValues().Observe(took.Seconds())
	}
	if err != nil {
		m.runs.WithLabelValues("failed").Inc()
		return
	}
	m.runs.WithLabelValues("ok").Inc()
	m.looked.WithLabelValues().Set(float64(at.UnixMicro()) / 1e6)
}
