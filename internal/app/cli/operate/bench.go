package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"tenor/internal/app/bench"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/release"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
)

// BenchCommand reads no environment: a benchmark loads a server, so it must be
// named on the command line.
type BenchCommand struct {
	JSON       bool          `name:"json" help:"Print the report as one JSON document."`
	Quiet      bool          `short:"q" help:"Show no progress."`
	Data       string        `type:"path" placeholder:"DIR" help:"Benchmark SQLite, with its files in a new directory below this one. Default without --database: the system's temporary directory."`
	Database   string        `placeholder:"URL" help:"Benchmark PostgreSQL on this server, in new databases that are dropped at the end."`
	Only       []string      `placeholder:"WORKLOAD,…" help:"Workloads to run: ${workloads}. Default: all."`
	Quick      bool          `help:"Smoke test: small counts, one round."`
	Rounds     int           `placeholder:"5" help:"Number of rounds; the median is reported."`
	Duration   time.Duration `placeholder:"3s" help:"Duration of each measurement."`
	Companies  int           `placeholder:"10000" help:"Number of companies."`
	Orders     int           `placeholder:"1000000" help:"Orders already in the database for w4, w5 and growth."`
	Payments   int           `placeholder:"5000" help:"Payments on the long order."`
	DayOrders  []int         `name:"day-orders" placeholder:"10000,…" help:"Active loans in w6; each number is a separate run."`
	VerifyUpTo int64         `name:"verify-up-to" placeholder:"100000" help:"Verify the whole database only if it was filled with at most this many orders."`
	Control    string        `type:"existingfile" placeholder:"BINARY" help:"Compare with another build: both run in turn, each by its own bench, and the ratios are reported."`
	Seed       uint64        `placeholder:"N" help:"Random seed. Default: from the clock."`
	Markdown   string        `type:"path" placeholder:"FILE" help:"Also write the report to this file as Markdown."`
	Picture    string        `type:"path" placeholder:"FILE" help:"Also draw the throughput as bars in this file, as SVG."`
	History    string        `type:"path" placeholder:"FILE" help:"Append the figures to this file as one line."`
	Release    string        `placeholder:"NAME" help:"Release name to show in the report."`
	ServeBare  string        `name:"serve-bare" hidden:"" type:"existingfile" help:"Serve the resources in a file; the baseline for w4."`
	Call       bool          `hidden:"" help:"Call the API as directed by standard input; the callers for w6."`
}

func (BenchCommand) Examples() []string {
	return []string{
		"bench --quick", "bench --only w1,w2,ceiling --data /var/lib/tenor-bench", "bench --only w6 --day-orders 10000,100000",
		"bench --only w1,w3 --control ./tenor-0.1.0",
		"bench --data ./bench --database postgres://tenor@localhost:5432/postgres --markdown bench/latest.md --picture bench/latest.svg",
	}
}

func (c *BenchCommand) Run(ctx context.Context, a *terminal.App) error {
	if c.ServeBare != "" {
		return bench.ServeBare(ctx, c.ServeBare, a.Err)
	}
	if c.Call {
		return bench.Call(ctx, a.In, a.Out)
	}
	cfg, err := c.config(a)
	if err != nil {
		return err
	}
	end := func() {}
	switch {
	case c.Quiet:
	case a.Interactive && !c.JSON && os.Getenv("NO_COLOR") == "":
		cfg.Progress, end = bench.Bar(a.Screen, a.Wall)
	default:
		cfg.Progress = bench.Lines(a.Err, a.Wall)
	}
	if c.Control != "" {
		return c.compare(ctx, a, cfg.Progress, end)
	}
	report, err := bench.Run(ctx, cfg)
	end()
	if report == nil {
		return err
	}
	return errors.Join(err, c.tell(a, report))
}

// compare measures this build and another in turn.
func (c *BenchCommand) compare(ctx context.Context, a *terminal.App, progress func(string, int, int), end func()) error {
	if c.History != "" || c.Release != "" || c.Picture != "" {
		return &exit.Failure{Code: exit.Usage, Text: "--control compares two builds and writes no history and no picture", Hint: "Leave out --history, --picture and --release."}
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	found, err := bench.Compare(ctx, bench.ControlConfig{Binary: self, Control: c.Control, Args: c.forBoth(), Rounds: c.Rounds, Seed: c.Seed, Progress: progress})
	end()
	if err != nil {
		return err
	}
	return c.write(a, found, found.Invalid)
}

// forBoth are the flags that say what to measure, as the other build takes them too.
func (c *BenchCommand) forBoth() (args []string) {
	add := func(flag, value string, given bool) {
		if given {
			args = append(args, flag+"="+value)
		}
	}
	add("--data", c.Data, c.Data != "")
	add("--database", c.Database, c.Database != "")
	add("--only", strings.Join(c.Only, ","), len(c.Only) > 0)
	add("--quick", "true", c.Quick)
	add("--duration", c.Duration.String(), c.Duration > 0)
	for _, n := range []struct {
		flag  string
		value int
	}{{"--companies", c.Companies}, {"--orders", c.Orders}, {"--payments", c.Payments}, {"--verify-up-to", int(c.VerifyUpTo)}} {
		add(n.flag, fmt.Sprint(n.value), n.value > 0)
	}
	for _, n := range c.DayOrders {
		add("--day-orders", fmt.Sprint(n), true)
	}
	return args
}

// config is what the flags ask for.
func (c *BenchCommand) config(a *terminal.App) (bench.Config, error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return bench.Config{}, err
	}
	cfg := bench.Config{
		Open: node.OpenForBench(a.Wall), Scratch: node.Temporary, Fresh: node.FreshDatabase, API: apiForBench(zone, a.Wall), Zone: zone, PostgresURL: c.Database, Dir: c.Data, Only: c.Only, Quick: c.Quick,
		Rounds: c.Rounds, Duration: c.Duration, Companies: c.Companies, Orders: c.Orders, Payments: c.Payments, DayOrders: c.DayOrders, VerifyUpTo: c.VerifyUpTo,
		Seed: c.Seed, Release: c.Release, Commit: release.ThisBuild().Commit, Version: release.Version,
	}
	for _, name := range c.Only {
		if !slices.Contains(bench.Workloads(), name) {
			return cfg, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("there is no workload %q", name), Hint: "Workloads: " + strings.Join(bench.Workloads(), " ") + "."}
		}
	}
	for _, n := range []struct {
		flag  string
		wrong bool
	}{{"--rounds", c.Rounds < 0}, {"--duration", c.Duration < 0}, {"--companies", c.Companies < 0}, {"--orders", c.Orders < 0 || c.Orders > 0 && c.Orders < 1000}, {"--payments", c.Payments < 0}, {"--verify-up-to", c.VerifyUpTo < 0}, {"--day-orders", slices.ContainsFunc(c.DayOrders, func(n int) bool { return n < bench.MinDayOrders })}} {
		if n.wrong {
			return cfg, &exit.Failure{Code: exit.Usage, Text: n.flag + " is too small"}
		}
	}
	if c.Database == "" {
		return cfg, nil
	}
	at, err := node.PlaceAt(c.Database)
	if err != nil {
		return cfg, err
	}
	if at.Dir != "" {
		return cfg, &exit.Failure{Code: exit.Usage, Text: "--database takes a PostgreSQL server", Hint: "Use --data DIR for SQLite."}
	}
	cfg.Databases = []string{bench.Postgres}
	if c.Data != "" {
		cfg.Databases = []string{bench.SQLite, bench.Postgres}
	}
	return cfg, nil
}

// tell prints a report and writes the files that were asked for.
func (c *BenchCommand) tell(a *terminal.App, r *bench.Report) error {
	if c.History != "" {
		if err := writeTo(c.History, os.O_APPEND, r.History); err != nil {
			return &exit.Failure{Code: exit.Refused, Text: "write report", Err: err}
		}
	}
	if c.Picture != "" {
		if err := writeTo(c.Picture, os.O_TRUNC, r.Picture); err != nil {
			return &exit.Failure{Code: exit.Refused, Text: "write picture", Err: err}
		}
	}
	return c.write(a, r, r.Invalid)
}

// written is a report, or a comparison of two.
type written interface {
	Table(io.Writer) error
	JSON(io.Writer) error
	Markdown(io.Writer) error
}

// write prints a report and writes its page. A run that does not count is a check that
// failed; a figure that is not reached is not.
func (c *BenchCommand) write(a *terminal.App, r written, invalid []string) error {
	show := r.Table
	if c.JSON {
		show = r.JSON
	}
	if err := show(a.Out); err != nil {
		return err
	}
	if c.Markdown != "" {
		if err := writeTo(c.Markdown, os.O_TRUNC, r.Markdown); err != nil {
			return &exit.Failure{Code: exit.Refused, Text: "write report", Err: err}
		}
	}
	if len(invalid) > 0 {
		return &exit.Failure{Code: exit.CheckFailed, Text: "the run is invalid: " + invalid[0], Hint: "The report lists all problems. Ignore its figures."}
	}
	return nil
}

// writeTo writes to a file, creating it if needed.
func writeTo(name string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, flag|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
