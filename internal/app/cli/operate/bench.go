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
	Data       string        `type:"path" placeholder:"DIR" help:"Measure SQLite, with its files in a new directory below this one; the system's temporary directory if neither --data nor --database is there."`
	Database   string        `placeholder:"URL" help:"Measure PostgreSQL on this server, in new databases that are dropped at the end."`
	Only       []string      `placeholder:"WORKLOAD,…" help:"Workloads to run: ${workloads}; absent: all."`
	Quick      bool          `help:"Small counts and one round: does it work?"`
	Rounds     int           `placeholder:"5" help:"Rounds; their median counts."`
	Duration   time.Duration `placeholder:"3s" help:"How long one measurement takes."`
	Companies  int           `placeholder:"10000" help:"Companies."`
	Orders     int           `placeholder:"1000000" help:"Orders that are present in w4, w5 and growth."`
	Payments   int           `placeholder:"5000" help:"Payments of the long order."`
	DayOrders  []int         `name:"day-orders" placeholder:"10000,…" help:"Active financings of w6; a book is measured for each number."`
	VerifyUpTo int64         `name:"verify-up-to" placeholder:"100000" help:"Most orders a database may have been filled with and still be verified whole."`
	Seed       uint64        `placeholder:"N" help:"Seed of all that is drawn; by the clock if absent."`
	Markdown   string        `type:"path" placeholder:"FILE" help:"Write the report to this file as a page, too."`
	History    string        `type:"path" placeholder:"FILE" help:"Append one line with the figures to this file."`
	Release    string        `placeholder:"NAME" help:"Name of what is measured, for the report."`
	ServeBare  string        `name:"serve-bare" hidden:"" type:"existingfile" help:"Serve the resources of a file: what w4 is compared with."`
	Call       bool          `hidden:"" help:"Call the API as standard input says: the callers of w6."`
}

// Examples are shown by -h.
func (BenchCommand) Examples() []string {
	return []string{
		"bench --quick", "bench --only w1,w2,ceiling --data /var/lib/tenor-bench", "bench --only w6 --day-orders 10000,100000",
		"bench --data ./bench --database postgres://tenor@localhost:5432/postgres --markdown bench/latest.md",
	}
}

// Run is called by the parser.
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
	report, err := bench.Run(ctx, cfg)
	end()
	if report == nil {
		return err
	}
	return errors.Join(err, c.tell(a, report))
}

// config is what the flags ask for.
func (c *BenchCommand) config(a *terminal.App) (bench.Config, error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return bench.Config{}, err
	}
	cfg := bench.Config{
		Open: node.OpenForBench(a.Wall), Fresh: node.FreshDatabase, API: apiForBench(zone, a.Wall), Zone: zone, PostgresURL: c.Database, Dir: c.Data, Only: c.Only, Quick: c.Quick,
		Rounds: c.Rounds, Duration: c.Duration, Companies: c.Companies, Orders: c.Orders, Payments: c.Payments, DayOrders: c.DayOrders, VerifyUpTo: c.VerifyUpTo,
		Seed: c.Seed, Release: c.Release, Commit: release.ThisBuild().Commit, Version: release.Version,
	}
	for _, name := range c.Only {
		if !slices.Contains(bench.Workloads(), name) {
			return cfg, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("there is no workload %q", name), Hint: "They are " + strings.Join(bench.Workloads(), " ") + "."}
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
		return cfg, &exit.Failure{Code: exit.Usage, Text: "--database takes a PostgreSQL server", Hint: "SQLite is measured with --data DIR."}
	}
	cfg.Databases = []string{bench.Postgres}
	if c.Data != "" {
		cfg.Databases = []string{bench.SQLite, bench.Postgres}
	}
	return cfg, nil
}

// tell prints a report and writes the files that were asked for. A run that does
// not count is a check that failed; a figure that is not reached is not.
func (c *BenchCommand) tell(a *terminal.App, r *bench.Report) error {
	show := r.Table
	if c.JSON {
		show = r.JSON
	}
	if err := show(a.Out); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		flag  int
		write func(io.Writer) error
	}{{c.Markdown, os.O_TRUNC, r.Markdown}, {c.History, os.O_APPEND, r.History}} {
		if f.name == "" {
			continue
		}
		if err := writeTo(f.name, f.flag, f.write); err != nil {
			return &exit.Failure{Code: exit.Refused, Text: "write report", Err: err}
		}
	}
	if !r.Valid() {
		return &exit.Failure{Code: exit.CheckFailed, Text: "the run does not count: " + r.Invalid[0], Hint: "The report says all that was wrong. Its figures mean nothing."}
	}
	return nil
}

// writeTo writes to a file that is made if it is not there.
func writeTo(name string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, flag|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
