package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ControlConfig says which two builds to compare, and with what.
type ControlConfig struct {
	Binary  string   // this build
	Control string   // the build it is held against
	Args    []string // flags of `bench` for both: which workloads, databases and sizes
	Rounds  int      // 5 if 0
	Seed    uint64   // of the first round; by the clock if 0
	// Progress is told which build is being measured, and how many measurements are done; it
	// may be nil.
	Progress func(what string, done, total int)
}

// Comparison is what two builds reached in one run. A ratio is that of two measurements of
// the same round, so what slows the machine for a while slows both.
type Comparison struct {
	StartedAt time.Time `json:"started_at"`
	Seconds   float64   `json:"seconds"`
	Machine   Machine   `json:"machine"`
	Build     Build     `json:"build"`
	Control   Build     `json:"control"`
	Rounds    int       `json:"rounds"`
	Rows      []*Ratio  `json:"ratios"`
	Invalid   []string  `json:"invalid"` // why the run does not count; empty if it does
}

// Build names a build.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// Ratio is a measurement that both builds made. A ratio above 1 says that this build did
// more a second; of a latency or a cost, that it took more.
type Ratio struct {
	Database    string `json:"database"`
	Workload    string `json:"workload"`
	Variant     string `json:"variant"`
	Connections int    `json:"connections"`
	Unit        string `json:"unit"`
	Build       spread `json:"build"`
	Control     spread `json:"control"`
	Ratio       spread `json:"ratio"`

	build, control []float64 // of each round
}

// Compare measures two builds in turn. Each is driven by its own `bench`, since the way a
// build is called changes with it; their reports are compared. The one that begins changes
// with each round.
func Compare(ctx context.Context, c ControlConfig) (*Comparison, error) {
	if c.Progress == nil {
		c.Progress = func(string, int, int) {}
	}
	defaults(&c.Rounds, 5, 0, false)
	defaults(&c.Seed, uint64(time.Now().UnixNano()), 0, false)
	begin := time.Now()
	out := &Comparison{StartedAt: begin.UTC(), Rounds: c.Rounds, Invalid: []string{}}
	for n := range c.Rounds {
		binaries := []string{c.Binary, c.Control}
		if n%2 == 1 {
			slices.Reverse(binaries)
		}
		for i, binary := range binaries {
			name := "this build"
			if binary == c.Control {
				name = "the control"
			}
			c.Progress("measure "+name, 2*n+i, 2*c.Rounds)
			report, err := measured(ctx, binary, append(slices.Clone(c.Args), "--rounds", "1", "--json", "--quiet", "--seed", strconv.FormatUint(c.Seed+uint64(n), 10)))
			if err != nil {
				return nil, fmt.Errorf("bench: measure %s: %w", name, err)
			}
			out.add(report, binary == c.Control, name)
		}
	}
	for _, x := range out.Rows {
		x.Build, x.Control, x.Ratio = spreadOf(x.build), spreadOf(x.control), spreadOf(ratios(x.build, x.control))
	}
	out.Rows = slices.DeleteFunc(out.Rows, func(x *Ratio) bool { return len(x.build) == 0 || len(x.control) == 0 })
	out.Seconds = time.Since(begin).Seconds()
	return out, nil
}

// measured runs the `bench` of a build. A report that does not count comes with an exit code
// of its own, and is returned all the same.
func measured(ctx context.Context, binary string, args []string) (*Report, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, append([]string{"bench"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it removes its databases
	cmd.WaitDelay = stopTimeout
	ran := cmd.Run()
	var r Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || len(r.Rows) == 0 {
		return nil, errors.Join(fmt.Errorf("it printed no report: %s", strings.TrimSpace(stderr.String())), ran)
	}
	return &r, nil
}

// add takes what one build reached in a round.
func (c *Comparison) add(r *Report, control bool, name string) {
	b := &c.Build
	if control {
		b = &c.Control
	}
	*b, c.Machine = Build{r.Version, r.Commit}, r.Machine
	for _, why := range r.Invalid {
		c.Invalid = append(c.Invalid, name+": "+why)
	}
	for _, m := range r.Rows {
		c.put(m, control, m.Unit, m.Value.Median)
		if m.P99.Median > 0 {
			c.put(m, control, "ms, p50", m.P50.Median)
			c.put(m, control, "ms, p99", m.P99.Median)
		}
	}
}

func (c *Comparison) put(m *Row, control bool, unit string, value float64) {
	i := slices.IndexFunc(c.Rows, func(x *Ratio) bool {
		return x.Database == m.Database && x.Workload == m.Workload && x.Variant == m.Variant && x.Connections == m.Connections && x.Unit == unit
	})
	if i < 0 {
		i = len(c.Rows)
		c.Rows = append(c.Rows, &Ratio{Database: m.Database, Workload: m.Workload, Variant: m.Variant, Connections: m.Connections, Unit: unit})
	}
	if x := c.Rows[i]; control {
		x.control = append(x.control, value)
	} else {
		x.build = append(x.build, value)
	}
}

// Valid reports whether the run counts.
func (c *Comparison) Valid() bool { return len(c.Invalid) == 0 }

func (c *Comparison) grid() grid {
	g := grid{head: []string{"Database", "Workload", "Variant", "Connections", "Unit", "This build", "Control", "Ratio", "Min–max"}}
	for _, x := range c.Rows {
		connections := ""
		if x.Connections > 0 {
			connections = fmt.Sprint(x.Connections)
		}
		g.rows = append(g.rows, []string{x.Database, x.Workload, x.Variant, connections, x.Unit, number(x.Build.Median), number(x.Control.Median), number(x.Ratio.Median), minMax(x.Ratio)})
	}
	return g
}

// about says what was compared, in lines.
func (c *Comparison) about() []string {
	return []string{
		fmt.Sprintf("tenor %s, commit %s, against tenor %s, commit %s", c.Build.Version, c.Build.Commit, c.Control.Version, c.Control.Commit),
		c.Machine.line(),
		c.Machine.disk(),
		fmt.Sprintf("%s UTC, took %s s, %d rounds in which both took turns", c.StartedAt.Format("2006-01-02 15:04"), number(c.Seconds), c.Rounds),
	}
}

func (c *Comparison) verdict() string {
	if c.Valid() {
		return "VALID: each run of both builds was."
	}
	return "INVALID: " + strings.Join(c.Invalid, "\nINVALID: ")
}

// Table writes the comparison for people.
func (c *Comparison) Table(w io.Writer) error {
	for _, line := range c.about() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	if err := c.grid().print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", c.verdict())
	return err
}

// JSON writes the comparison as one document. Its names are stable.
func (c *Comparison) JSON(w io.Writer) error {
	b, err := json.MarshalIndent(struct {
		Valid bool `json:"valid"`
		*Comparison
	}{c.Valid(), c}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Markdown writes the comparison as a page.
func (c *Comparison) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Benchmarks against another build\n\nWritten by `tenor bench --control`.\n\n")
	for _, line := range c.about() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	fmt.Fprintf(&b, "\n**%s**\n\n", strings.ReplaceAll(c.verdict(), "\n", "**\n\n**"))
	c.grid().markdown(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
