package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Report is the result of a run. In its JSON form, names include units.
type Report struct {
	Release   string    `json:"release,omitempty"`
	Version   string    `json:"version,omitempty"`
	Commit    string    `json:"commit,omitempty"`
	StartedAt time.Time `json:"started_at"`
	Seconds   float64   `json:"seconds"`
	Machine   Machine   `json:"machine"`
	Settings  Settings  `json:"settings"`
	Rows      []*Row    `json:"measurements"`
	Targets   []*Target `json:"targets"`
	// Acknowledged is how many acknowledged writes were looked for.
	Acknowledged int      `json:"acknowledged_writes"`
	Invalid      []string `json:"invalid"` // why the run is invalid; empty if it is valid
	Notes        []string `json:"notes"`
}

// Settings are the sizes of a run.
type Settings struct {
	Rounds    int     `json:"rounds"`
	Seconds   float64 `json:"seconds_per_measurement"`
	Companies int     `json:"companies"`
	Orders    int     `json:"orders"`     // in the full book; 0 if there was none
	DayOrders []int   `json:"day_orders"` // active financings of each book of W6; empty if it was not measured
	Seed      uint64  `json:"seed"`
	Quick     bool    `json:"quick"`
}

// Row is one measurement: a variant of a workload, with one value per round.
type Row struct {
	Database    string    `json:"database"`
	Workload    string    `json:"workload"`
	Variant     string    `json:"variant"`
	Connections int       `json:"connections"` // 0 if it uses none
	Unit        string    `json:"unit"`
	Value       spread    `json:"value"`
	Rounds      []float64 `json:"rounds"`
	Requests    int64     `json:"requests"`
	Errors      int64     `json:"errors"`
	P50         spread    `json:"p50_ms"` // all 0 if no latency was measured
	P99         spread    `json:"p99_ms"`
	P999        spread    `json:"p999_ms"`

	p50, p99, p999 []float64 // one value per round
}

// Target is a figure that Tenor must reach, and what it reached.
type Target struct {
	ID       string  `json:"id"`
	Database string  `json:"database"`
	What     string  `json:"what"`
	AtMost   bool    `json:"at_most"` // otherwise at least
	Limit    float64 `json:"limit"`
	Unit     string  `json:"unit"` // "x" for a ratio
	Value    spread  `json:"value"`
	Reached  bool    `json:"reached"` // by the median
}

// Valid reports whether the run is valid.
func (r *Report) Valid() bool { return len(r.Invalid) == 0 }

// row returns a measurement, creating it the first time.
func (r *Report) row(database, workload, variant string, connections int, unit string) *Row {
	if x := r.find(database, workload, variant, connections); x != nil {
		return x
	}
	x := &Row{Database: database, Workload: workload, Variant: variant, Connections: connections, Unit: unit}
	r.Rows = append(r.Rows, x)
	return x
}

// find returns a measurement, nil if there is none.
func (r *Report) find(database, workload, variant string, connections int) *Row {
	for _, x := range r.Rows {
		if x.Database == database && x.Workload == workload && x.Variant == variant && x.Connections == connections {
			return x
		}
	}
	return nil
}

// add records a round of requests.
func (x *Row) add(res *result) {
	x.put(res.rate())
	x.Requests += res.requests
	x.Errors += res.errors
	x.p50 = append(x.p50, milliseconds(res.latency.quantile(0.50)))
	x.p99 = append(x.p99, milliseconds(res.latency.quantile(0.99)))
	x.p999 = append(x.p999, milliseconds(res.latency.quantile(0.999)))
}

// put records one round's value.
func (x *Row) put(v float64) { x.Rounds = append(x.Rounds, v) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// atLeast records a target with a lower bound; without values it records nothing.
func (r *Report) atLeast(database, id, what string, limit float64, unit string, values []float64) {
	r.target(&Target{ID: id, Database: database, What: what, Limit: limit, Unit: unit}, values)
}

// atMost records a target with an upper bound; without values it records nothing.
func (r *Report) atMost(database, id, what string, limit float64, unit string, values []float64) {
	r.target(&Target{ID: id, Database: database, What: what, Limit: limit, Unit: unit, AtMost: true}, values)
}

func (r *Report) target(t *Target, values []float64) {
	if len(values) == 0 {
		return
	}
	t.Value = spreadOf(values)
	t.Reached = t.Value.Median >= t.Limit
	if t.AtMost {
		t.Reached = t.Value.Median <= t.Limit
	}
	r.Targets = append(r.Targets, t)
}

// finish summarizes the rounds.
func (r *Report) finish(took time.Duration) {
	r.Seconds = took.Seconds()
	for _, x := range r.Rows {
		x.Value = spreadOf(x.Rounds)
		x.P50, x.P99, x.P999 = spreadOf(x.p50), spreadOf(x.p99), spreadOf(x.p999)
	}
	slices.SortStableFunc(r.Targets, func(a, b *Target) int { return cmp.Compare(order(a.ID), order(b.ID)) })
}

// order returns the position of a target's workload.
func order(id string) int {
	return slices.IndexFunc(Workloads(), func(w string) bool { return len(id) >= len(w) && id[:len(w)] == w })
}

func (r *runner) invalid(format string, args ...any) {
	const most = 20
	switch n := len(r.report.Invalid); {
	case n < most:
		r.report.Invalid = append(r.report.Invalid, fmt.Sprintf(format, args...))
	case n == most:
		r.report.Invalid = append(r.report.Invalid, "and more")
	}
}

func (r *runner) note(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}
