package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// The workloads (docs/performance.md), in the order in which they run.
const (
	W1      = "w1"      // authorize, many companies, at several numbers of connections
	W2      = "w2"      // authorize, all on one company
	W3      = "w3"      // a life cycle: authorize, capture, first payment, a tenth refunded
	Ceiling = "ceiling" // the rows of W1, directly into the database
	W4      = "w4"      // reads with many existing orders
	W5      = "w5"      // four reads per step of a life cycle, open loop
	W6      = "w6"      // a business day of the clockwork
	W7      = "w7"      // each event of an order to three endpoints, one of them dead
	W8      = "w8"      // hosted checkouts alongside an open loop of W1
	W9      = "w9"      // the console's pages with many existing orders, beside W1
	Growth  = "growth"  // W1, W4 and a page in the middle, with few and with many orders
	Long    = "long"    // one order with 5,000 payments, and a replay
	Start   = "start"   // time to start, idle memory, size of the binary
	Nodes   = "nodes"   // two nodes on one PostgreSQL database
)

// Workloads lists every workload.
func Workloads() []string {
	return []string{W1, W2, W3, Ceiling, W4, W5, W6, W7, W8, W9, Growth, Long, Start, Nodes}
}

// The kinds of databases.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Config says what to measure and with what. Open and Zone are required; for the other members,
// zero means the default stated.
type Config struct {
	// Open opens the database in a data directory or at a URL. It creates a new one, and stamps an
	// unstamped one as live, so that tenor serve accepts it.
	Open func(ctx context.Context, target string) (store.Backend, error)
	// Scratch creates an empty database for verify; its Close removes it.
	Scratch func() (store.Backend, error)
	// Fresh creates an empty PostgreSQL database on the server at a URL. It returns the database's
	// URL and a function that drops it. Required with Postgres.
	Fresh func(ctx context.Context, url string) (database string, drop func(context.Context) error, err error)
	// Zone is the business zone.
	Zone calendar.Zone
	// API creates the HTTP server for a lender in this process, with the clock now. Required with
	// W6.
	API func(b store.Backend, submit engine.Submitter, now func() time.Time) (*http.Server, error)

	// Databases are the kinds to measure, by default only SQLite. Postgres also needs PostgresURL, a
	// server on which databases can be created.
	Databases   []string
	PostgresURL string

	// Binary is the program under test, by default this one, started as `Binary serve …`. Bare is
	// the command line that calls ServeBare; the file is appended to it. By default it is `Binary
	// bench --serve-bare`. Callers is the one that calls Call, by default `Binary bench --call`.
	Binary  string
	Bare    []string
	Callers []string
	// Dir is where databases and logs are stored, in directories that are removed at the end; by
	// default the system's temporary directory.
	Dir string

	Only      []string      // workloads; default: all
	Quick     bool          // small counts and one round: does it work?
	Rounds    int           // default 5
	Duration  time.Duration // of one measurement, default 3 s
	Companies int           // default 10,000
	Orders    int           // existing in W4, W5 and growth; default 1,000,000
	Payments  int           // of the long order; default 5,000
	DayOrders []int         // active financings of W6, one book for each; default 10,000
	Seed      uint64        // of everything random; taken from the clock if 0
	// VerifyUpTo is the maximum number of orders a database is filled with for verify to run on it;
	// 0 means 100,000. Verify decides every command again into a temporary database as large as the
	// book, at some 0.6 ms and 4 KiB of memory per command: minutes and gigabytes for a million
	// orders. What servers and the ceiling write into an empty database is always verified, however
	// much it is. A book filled with more orders is checked only for every acknowledged write and
	// for the trial balance, and the report says so.
	VerifyUpTo int64

	// Release, Commit and Version name what was measured, in the report.
	Release, Commit, Version string

	// Progress is called with the current activity and how far along it is; total is 0 if unknown.
	// It may be nil.
	Progress func(what string, done, total int)

	patience time.Duration                           // for one response, answerTimeout if 0; a test shortens it
	meddle   func(engine.Submitter) engine.Submitter // wraps what the clockwork of W6 submits to; a test duplicates work through it
}

// Sizes of a quick run: enough to cover every path within seconds.
const (
	quickDuration  = 200 * time.Millisecond
	quickCompanies = 200
	quickOrders    = 2000
	quickPayments  = 200
)

// quickDayOrders are two sizes, so that they can be compared.
func quickDayOrders() []int { return []int{300, 900} }

// smallBook is the number of orders that growth compares with, or a tenth of the full book's if
// that is less.
const smallBook = 10_000

// complete checks the configuration and fills in the defaults.
func (c Config) complete() (Config, error) {
	if c.Open == nil || c.Scratch == nil || c.Zone == (calendar.Zone{}) {
		return c, errors.New("bench: ways to open and to make databases and the business zone are required")
	}
	defaults(&c.Rounds, 5, 1, c.Quick)
	defaults(&c.Duration, 3*time.Second, quickDuration, c.Quick)
	defaults(&c.Companies, 10_000, quickCompanies, c.Quick)
	defaults(&c.Orders, 1_000_000, quickOrders, c.Quick)
	defaults(&c.Payments, 5000, quickPayments, c.Quick)
	defaults(&c.VerifyUpTo, 100_000, 100_000, false)
	defaults(&c.patience, answerTimeout, answerTimeout, false)
	defaults(&c.Seed, uint64(time.Now().UnixNano()), 0, false)
	if c.DayOrders == nil {
		if c.DayOrders = []int{10_000}; c.Quick {
			c.DayOrders = quickDayOrders()
		}
	}
	if c.Progress == nil {
		c.Progress = func(string, int, int) {}
	}
	if c.Binary == "" {
		self, err := os.Executable()
		if err != nil {
			return c, fmt.Errorf("bench: find this program: %w", err)
		}
		c.Binary = self
	}
	if c.Bare == nil {
		c.Bare = []string{c.Binary, "bench", "--serve-bare"}
	}
	if c.Callers == nil {
		c.Callers = []string{c.Binary, "bench", "--call"}
	}
	if c.Databases == nil {
		c.Databases = []string{SQLite}
	}
	if c.Only == nil {
		c.Only = Workloads()
	}
	return c, c.check()
}

// defaults sets a member if it is zero.
func defaults[T comparable](at *T, full, small T, quick bool) {
	var zero T
	switch {
	case *at != zero:
	case quick:
		*at = small
	default:
		*at = full
	}
}

func (c *Config) check() error {
	for _, w := range c.Only {
		if !slices.Contains(Workloads(), w) {
			return fmt.Errorf("bench: there is no workload %q: they are %s", w, strings.Join(Workloads(), " "))
		}
	}
	for _, d := range c.Databases {
		if d != SQLite && d != Postgres {
			return fmt.Errorf("bench: there is no database %q: they are %s and %s", d, SQLite, Postgres)
		}
		if d == Postgres && (c.PostgresURL == "" || c.Fresh == nil) {
			return errors.New("bench: PostgreSQL needs the URL of a server")
		}
	}
	if c.wants(W6) && (len(c.DayOrders) == 0 || slices.Min(c.DayOrders) < MinDayOrders || c.Rounds > maxDays-1) {
		return fmt.Errorf("bench: w6 takes at least %d financings and at most %d rounds", MinDayOrders, maxDays-1)
	}
	if c.wants(W6) && c.API == nil {
		return errors.New("bench: w6 needs a way to answer HTTP")
	}
	if c.Rounds < 1 || c.Duration <= 0 || c.Companies < 1 || c.Orders < 1000 || c.Payments < 1 {
		return errors.New("bench: at least one round, company and payment, 1,000 orders, and a duration above zero")
	}
	return nil
}

// wants reports whether one of these workloads was requested.
func (c *Config) wants(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(c.Only, n) })
}
