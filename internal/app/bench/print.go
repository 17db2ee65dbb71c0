package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// grid is a table: a heading and rows of cells.
type grid struct {
	head []string
	rows [][]string
}

// measured is the table of measurements.
func (r *Report) measured() grid {
	g := grid{head: []string{"Database", "Workload", "Variant", "Connections", "Median", "Min–max", "Unit", "p50 ms", "p99 ms", "p99.9 ms", "Errors"}}
	for _, x := range r.Rows {
		connections, errors := "", ""
		if x.Connections > 0 {
			connections, errors = fmt.Sprint(x.Connections), fmt.Sprint(x.Errors)
		}
		row := []string{x.Database, x.Workload, x.Variant, connections, number(x.Value.Median), minMax(x.Value), x.Unit, "", "", "", errors}
		if x.P50.Median > 0 {
			row[7], row[8], row[9] = number(x.P50.Median), number(x.P99.Median), number(x.P999.Median)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// reached is the table of targets.
func (r *Report) reached() grid {
	g := grid{head: []string{"Database", "What", "Target", "Median", "Min–max", "Reached"}}
	for _, t := range r.Targets {
		bound, answer := "≥ ", "no"
		if t.AtMost {
			bound = "≤ "
		}
		if t.Reached {
			answer = "yes"
		}
		unit := " " + t.Unit
		if t.Unit == "x" {
			unit = " ×"
		}
		g.rows = append(g.rows, []string{t.Database, t.What, bound + number(t.Limit) + unit, number(t.Value.Median), minMax(t.Value), answer})
	}
	return g
}

// number formats a figure with as many digits as its size warrants.
func number(v float64) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

func minMax(s spread) string { return number(s.Min) + "–" + number(s.Max) }

// about describes where and how the run was made, line by line.
func (r *Report) about() []string {
	program := "tenor " + r.Version
	if r.Commit != "" {
		program += ", commit " + r.Commit
	}
	s := r.Settings
	sizes := fmt.Sprintf("%d rounds of %s s, %d companies, seed %d", s.Rounds, number(s.Seconds), s.Companies, s.Seed)
	if s.Orders > 0 {
		sizes += fmt.Sprintf(", %d orders in the full book", s.Orders)
	}
	if len(s.DayOrders) > 0 {
		sizes += fmt.Sprintf(", days of %v financings", s.DayOrders)
	}
	return []string{
		program + ", " + r.StartedAt.Format("2006-01-02 15:04") + " UTC, took " + number(r.Seconds) + " s",
		r.Machine.line(),
		r.Machine.disk(),
		sizes,
	}
}

// line says what the machine is.
func (m Machine) line() string {
	s := fmt.Sprintf("%s/%s, %d cores, %s", m.OS, m.Arch, m.Cores, m.Go)
	if m.CPU != "" {
		s = m.CPU + ", " + s
	}
	if m.Memory > 0 {
		s += fmt.Sprintf(", %d MiB of memory", m.Memory)
	}
	return s
}

func (m Machine) disk() string {
	return fmt.Sprintf("a write of 4 KiB is durable in %s ms (%s)", number(m.Sync.Median), minMax(m.Sync))
}

// verdict is the last word.
func (r *Report) verdict() string {
	if r.Valid() {
		return fmt.Sprintf("VALID: all %d acknowledged writes are there, the trial balance is zero, verify is clean where it was run.", r.Acknowledged)
	}
	return "INVALID: " + strings.Join(r.Invalid, "\nINVALID: ")
}

// Table writes the report for people.
func (r *Report) Table(w io.Writer) error {
	for _, line := range r.about() {
		fmt.Fprintln(w, line)
	}
	for _, g := range []grid{r.measured(), r.reached()} {
		if len(g.rows) == 0 {
			continue
		}
		fmt.Fprintln(w)
		if err := g.print(w); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	for _, n := range r.Notes {
		fmt.Fprintln(w, "Note:", n)
	}
	_, err := fmt.Fprintln(w, r.verdict())
	return err
}

func (g grid) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{g.head}, g.rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}

// JSON writes the report as one document. Its names are stable.
func (r *Report) JSON(w io.Writer) error {
	b, err := json.MarshalIndent(struct {
		Valid bool `json:"valid"`
		*Report
	}{r.Valid(), r}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Markdown writes the report as the page bench/latest.md.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	title := "Benchmarks"
	if r.Release != "" {
		title += " of " + r.Release
	}
	fmt.Fprintf(&b, "# %s\n\nWritten by `tenor bench`.\n\n", title)
	for _, line := range r.about() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	fmt.Fprintf(&b, "\n**%s**\n", strings.ReplaceAll(r.verdict(), "\n", "**\n\n**"))
	if g := r.reached(); len(g.rows) > 0 {
		b.WriteString("\n## Targets\n\n")
		g.markdown(&b)
	}
	b.WriteString("\n## Measurements\n\n")
	r.measured().markdown(&b)
	b.WriteString("\n## How to read this\n\n" +
		"- Machines are shared and noisy. Variants took turns within each round, and a ratio is that of two variants of one round; " +
		"the median of the rounds counts, min–max shows how far to trust it. Absolute figures of two runs are not to be compared.\n" +
		"- The load generator ran on the same cores as the server: what it spent the server did not have.\n" +
		"- Every commit was durable before its answer: SQLite in WAL mode with synchronous=FULL, PostgreSQL with fsync on.\n" +
		"- Latencies of the open loop are counted from the scheduled arrival.\n")
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g grid) markdown(b *strings.Builder) {
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
		}
		b.WriteString("\n")
	}
	line(g.head)
	rule := make([]string, len(g.head))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, row := range g.rows {
		line(row)
	}
}

// History writes one line for the file of a release's figures, which is appended to: the date,
// the release, and the median for every target.
func (r *Report) History(w io.Writer) error {
	name := r.Release
	if name == "" {
		name = r.Version
	}
	cells := []string{r.StartedAt.Format("2006-01-02"), name, r.Commit}
	if !r.Valid() {
		cells = append(cells, "INVALID")
	}
	for _, t := range r.Targets {
		cells = append(cells, fmt.Sprintf("%s/%s=%s", t.Database, strings.ReplaceAll(t.ID, " ", "_"), number(t.Value.Median)))
	}
	_, err := fmt.Fprintln(w, strings.Join(cells, " "))
	return err
}
