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
	W3      = "w3"      // a life: authorize, capture, first payment, a tenth refunded
	Ceiling = "ceiling" // the rows of W1 straight into the database
	W4      = "w4"      // reads with many orders present
	W5      = "w5"      // four reads and one step of a life, open loop
	W6      = "w6"      // a business day of the clockwork
	W7      = "w7"      // each event of an order to three endpoints, one of them dead
	W8      = "w8"      // hosted checkouts beside an open loop of W1
	Growth  = "growth"  // W1, W4 and a page in the middle with few and with many orders
	Long    = "long"    // one order with 5,000 payments, and a replay
	Start   = "start"   // time to start, idle memory, size of the binary
	Nodes   = "nodes"   // two nodes on one PostgreSQL database
)

// Workloads lists every workload.
func Workloads() []string {
	return []string{W1, W2, W3, Ceiling, W4, W5, W6, W7, W8, Growth, Long, Start, Nodes}
}

// The kinds of database.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Config says what to measure and with what. Open and Zone are required; zero
// members of the others have the defaults that are named.
type Config struct {
	// Open opens the database of a data directory or of a URL, makes it if it is
	// new, and stamps it as live data if it is not stamped, so that tenor serve takes
	// it.
	Open func(ctx context.Context, target string) (store.Backend, error)
	// Scratch makes an empty database that its Close removes, for verify.
	Scratch func() (store.Backend, error)
	// Fresh makes an empty PostgreSQL database on the server at a URL and returns
	// its own URL and what drops it. It is required with Postgres.
	Fresh func(ctx context.Context, url string) (database string, drop func(context.Context) error, err error)
	// Zone is the business zone.
	Zone calendar.Zone
	// API makes what answers HTTP for a lender that runs in this process, by the clock
	// now. It is required with W6.
	API func(b store.Backend, submit engine.Submitter, now func() time.Time) (*http.Server, error)

	// Databases are the kinds to measure, SQLite alone by default; Postgres also
	// needs PostgresURL, a server on which databases can be made.
	Databases   []string
	PostgresURL string

	// Binary is the program under test, this one by default, started as
	// `Binary serve …`. Bare is the command line that calls ServeBare with the
	// file that is added to it; by default `Binary bench --serve-bare`. Callers is the
	// one that calls Call, by default `Binary bench --call`.
	Binary  string
	Bare    []string
	Callers []string
	// Dir is where databases and logs are put, in directories of their own that are
	// removed at the end; the system's temporary directory by default.
	Dir string

	Only      []string      // workloads, by default all
	Quick     bool          // small counts and one round: does it work?
	Rounds    int           // 5
	Duration  time.Duration // of one measurement, 3 s
	Companies int           // 10,000
	Orders    int           // present in W4, W5 and growth: 1,000,000
	Payments  int           // of the long order: 5,000
	DayOrders []int         // active financings of W6, a book for each: 10,000
	Seed      uint64        // of all that is drawn; by the clock if 0
	// VerifyUpTo is the most orders with which a database may have been filled for
	// verify to be run on it; 0 is 100,000. Verify decides every command again into a
	// temporary database as large as the book, some 0.6 ms and 4 KiB of memory a command: for
	// a million orders minutes and gigabytes. What servers and the ceiling write into an empty
	// database is always verified, however much it is. A book that was filled with
	// more orders is checked for every acknowledged write and for the trial balance
	// only, and the report says so.
	VerifyUpTo int64

	// Release, Commit and Version name what was measured, in the report.
	Release, Commit, Version string

	// Progress is told what is being done and how far it is; total is 0 if that is
	// not known. It may be nil.
	Progress func(what string, done, total int)

	patience time.Duration                           // for one answer, answerTimeout if 0; a test makes it short
	meddle   func(engine.Submitter) engine.Submitter // what the clockwork of W6 submits to; a test has it do something twice
}

// Sizes of a quick run: enough for every path, within seconds.
const (
	quickDuration  = 200 * time.Millisecond
	quickCompanies = 200
	quickOrders    = 2000
	quickPayments  = 200
)

// quickDayOrders are two sizes, so that they can be compared.
func quickDayOrders() []int { return []int{300, 900} }

// smallBook is the number of orders that growth compares with, a tenth of the full
// book's if that is less.
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

// defaults sets a member that is zero.
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

// wants reports whether one of these workloads was asked for.
func (c *Config) wants(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(c.Only, n) })
}
