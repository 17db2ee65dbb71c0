package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/calendar"
)

func newYork(t testing.TB) calendar.Zone {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	return calendar.NewZone(location)
}

// openFile opens a database as cmd/tenor does.
func openFile(ctx context.Context, dir string) (store.Backend, error) {
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	_, err = db.Settle(ctx, "mode", []byte("live"))
	return db, err
}

// quick is a configuration that finishes within seconds.
func quick(t *testing.T, only ...string) Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Open: openFile, Scratch: sqlite.Temporary, API: serveHere(newYork(t)), Zone: newYork(t), Binary: program(t), Bare: []string{self, "--serve-bare"}, Dir: t.TempDir(),
		Quick: true, Duration: 100 * time.Millisecond, Companies: 50, Orders: 1000, Payments: 60, Only: only,
	}
}

// A quick run makes every measurement for SQLite, is valid, and leaves nothing behind.
func TestQuickRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts the program")
	}
	c := quick(t)
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Valid() {
		t.Errorf("invalid: %q", report.Invalid)
	}
	for _, w := range Workloads() {
		made := slices.ContainsFunc(report.Rows, func(x *Row) bool { return x.Workload == w })
		if made != (w != Nodes) {
			t.Errorf("%s: measured %v", w, made)
		}
	}
	for _, x := range report.Rows {
		slow := x.Variant == "orders finished" // an order takes three steps, which may not fit in a tenth of a second
		if len(x.Rounds) != 1 || x.Value.Median <= 0 && !slow || x.Errors > 0 || x.Workload != W5 && x.Requests > 0 && x.P50.Median <= 0 {
			t.Errorf("%s %s: %+v", x.Workload, x.Variant, x)
		}
	}
	var ids []string
	for _, x := range report.Targets {
		ids = append(ids, x.ID)
	}
	want := []string{
		"w1.batching", "w1.lone", "w1.cpu", "w1.ceiling", "w2.hot", "w3.steps", "w4.bare", "w5.reads", "w5.writes", "w5.errors", "w6.linear", "w6.heap", "w6.p99", "w7.rate", "w7.dead", "w8.tail", "w8.rate", "w9.lists", "w9.pages", "growth.w1", "growth.w4", "growth.page",
		"long.order", "long.schedule", "long.replay", "start.banner", "start.ready", "start.memory", "start.size",
	}
	if runtime.GOOS != "linux" { // only its kernel accounts for processes in /proc
		want = slices.DeleteFunc(want, func(id string) bool { return id == "w1.cpu" })
	}
	if !slices.Equal(ids, want) {
		t.Errorf("targets %q, want %q", ids, want)
	}
	if report.Acknowledged == 0 {
		t.Error("nothing was acknowledged")
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	printed(t, report)
}

// printed compares the three forms of a report.
func printed(t *testing.T, r *Report) {
	t.Helper()
	var table, page, doc, line bytes.Buffer
	for _, err := range []error{r.Table(&table), r.Markdown(&page), r.JSON(&doc), r.History(&line)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range r.Targets {
		for name, text := range map[string]string{"table": table.String(), "page": page.String()} {
			if !strings.Contains(text, x.What) {
				t.Errorf("the %s does not tell of %s", name, x.ID)
			}
		}
		if !strings.Contains(line.String(), x.Database+"/"+x.ID+"=") {
			t.Errorf("the line of the release does not tell of %s", x.ID)
		}
	}
	var back struct {
		Valid        bool  `json:"valid"`
		Measurements []any `json:"measurements"`
		Targets      []any `json:"targets"`
	}
	if err := json.Unmarshal(doc.Bytes(), &back); err != nil || back.Valid != r.Valid() || len(back.Measurements) != len(r.Rows) || len(back.Targets) != len(r.Targets) {
		t.Errorf("the document reads back as %+v, %v", back, err)
	}
	if strings.Count(line.String(), "\n") != 1 {
		t.Errorf("a release has %q", line.String())
	}
}

// A server that acknowledges one order and loses it makes the run invalid.
func TestLostWriteIsInvalid(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts the program")
	}
	c := quick(t, W2)
	t.Setenv(honestEnv, c.Binary)
	t.Setenv(afterEnv, "7")
	c.Binary = c.Bare[0]
	report, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if report.Valid() || len(report.Invalid) != 1 || !strings.Contains(report.Invalid[0], "ord_THATNEVERWAS") || !strings.Contains(report.Invalid[0], "1 of ") {
		t.Errorf("one order was lost, and the report says %q", report.Invalid)
	}
	var table bytes.Buffer
	if err := report.Table(&table); err != nil || !strings.Contains(table.String(), "INVALID") {
		t.Errorf("the table does not say INVALID: %v", err)
	}
}

// A run that cannot be finished is not valid.
func TestUnfinishedIsInvalid(t *testing.T) {
	c := Config{Open: openFile, Scratch: sqlite.Temporary, Zone: newYork(t), Binary: filepath.Join(t.TempDir(), "nothing"), Dir: filepath.Join(t.TempDir(), "new"), Quick: true, Only: []string{W2}}
	report, err := Run(context.Background(), c)
	if err == nil || report == nil || report.Valid() {
		t.Errorf("without a program: %v, report %v", err, report)
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// book is a small database filled by a forge, and a runner to check it with.
type book struct {
	*runner
	db   *memory.DB
	shop *shop
}

func newBook(t *testing.T) *book {
	t.Helper()
	ctx := context.Background()
	c, err := Config{Open: openFile, Scratch: sqlite.Temporary, Zone: newYork(t), Companies: 3, Quick: true, Only: []string{W1}}.complete()
	if err != nil {
		t.Fatal(err)
	}
	b := &book{runner: &runner{cfg: c, rng: drawn(t), report: &Report{}}, db: memory.New()}
	f, err := newForge(ctx, b.db, c.Zone, b.rng.fork(), 50)
	if err != nil {
		t.Fatal(err)
	}
	f.sink = func(x store.Batch) error { return apply(ctx, b.db, x) }
	d := &database{kind: "memory", shop: &shop{rng: b.rng.fork()}}
	if err := b.stock(ctx, d, f, 50); err != nil {
		t.Fatal(err)
	}
	b.shop = d.shop
	return b
}

// The output of a forge is correct: verify decides it again, and finds nothing.
func TestForge(t *testing.T) {
	b := newBook(t)
	if err := b.check(context.Background(), b.db, b.shop, "book"); err != nil || !b.report.Valid() {
		t.Errorf("%v: %q", err, b.report.Invalid)
	}
	if len(b.shop.orders) != 50 || len(b.shop.paid) != 1 || len(b.shop.companies) != 3 {
		t.Errorf("%d orders, %d paid, %d companies", len(b.shop.orders), len(b.shop.paid), len(b.shop.companies))
	}
}

// Each broken promise is found.
func TestBrokenPromisesAreInvalid(t *testing.T) {
	for _, x := range []struct {
		name    string
		promise func(b *book)
		says    string
	}{
		{"an order", func(b *book) { b.shop.acked.created = []string{"ord_GONE"} }, "ord_GONE"},
		{"an order from before", func(b *book) { b.shop.orders = append(b.shop.orders, "ord_GONE") }, "1 of 51 orders"},
		{"a capture", func(b *book) { b.shop.acked.captured = b.shop.orders[:1] }, "was captured, but is AUTHORIZED"},
		{"a capture of an order that is lost", func(b *book) { b.shop.acked.captured = []string{"ord_GONE"} }, "ord_GONE"},
		{"a refund", func(b *book) { b.shop.acked.refunded = b.shop.paid[:1] }, "120.00 was refunded, but the order says 0.00"},
		{"a payment", func(b *book) { b.shop.acked.payments = []string{"pay_GONE"} }, "1 of 1 payments"},
	} {
		t.Run(x.name, func(t *testing.T) {
			b := newBook(t)
			x.promise(b)
			err := b.check(context.Background(), b.db, b.shop, "book")
			if err != nil || len(b.report.Invalid) != 1 || !strings.Contains(b.report.Invalid[0], x.says) {
				t.Errorf("%v: %q", err, b.report.Invalid)
			}
		})
	}
}

// bent is a database with manipulated reads.
type bent struct {
	store.Backend
	wrap func(store.View) store.View
}

func (b bent) View(ctx context.Context, fn func(store.View) error) error {
	return b.Backend.View(ctx, func(v store.View) error { return fn(b.wrap(v)) })
}

type wrongTrial struct{ store.View }

func (w wrongTrial) Sum(s store.Sums, fn func(by, of []store.Value) error) error {
	return w.View.Sum(s, func(by, of []store.Value) error {
		if len(s.Where) == 1 && s.Where[0].Column == "account" && s.Where[0].Op == store.Below {
			of[0].Int++
		}
		return fn(by, of)
	})
}

type wrongBalance struct{ store.View }

func (w wrongBalance) Stored(s store.Schema, fn func([]store.Value) error) error {
	if s.Name != store.Balances.Name {
		return w.View.Stored(s, fn)
	}
	first := true
	return store.Each(w.View, &store.Balances, func(b store.BalanceRow) error {
		if first {
			b.Amount, first = b.Amount+1, false
		}
		return fn(store.Balances.Encode(&b, nil))
	})
}

type noOrders struct{ store.View }

func (w noOrders) List(q store.Query, fn func(row any) error) error {
	if q.From == store.Source(store.OrderNoun) {
		return errors.New("disk gone")
	}
	return w.View.List(q, fn)
}

// Books that do not balance, and books in which verify finds errors, make a run invalid; books
// that cannot be read make it fail.
func TestWrongBooksAreInvalid(t *testing.T) {
	b := newBook(t)
	ctx := context.Background()
	err := b.check(ctx, bent{b.db, func(v store.View) store.View { return wrongTrial{v} }}, b.shop, "book")
	if err != nil || len(b.report.Invalid) != 1 || !strings.Contains(b.report.Invalid[0], "trial balance is 1 cents") {
		t.Errorf("trial: %v, %q", err, b.report.Invalid)
	}
	b.report.Invalid = nil
	err = b.check(ctx, bent{b.db, func(v store.View) store.View { return wrongBalance{v} }}, b.shop, "book")
	if err != nil || len(b.report.Invalid) != 1 || !strings.Contains(b.report.Invalid[0], "verify found") {
		t.Errorf("balance: %v, %q", err, b.report.Invalid)
	}
	if err := b.check(ctx, bent{b.db, func(v store.View) store.View { return noOrders{v} }}, b.shop, "book"); err == nil || !strings.Contains(err.Error(), "disk gone") {
		t.Errorf("unreadable: %v", err)
	}
}

// A database too large for verify is reported as such.
func TestLargeBookIsNoted(t *testing.T) {
	b := newBook(t)
	b.cfg.VerifyUpTo = 10
	if err := b.check(context.Background(), b.db, b.shop, "book"); err != nil || !b.report.Valid() || len(b.report.Notes) != 1 {
		t.Errorf("%v: %q, %q", err, b.report.Invalid, b.report.Notes)
	}
}

// What cannot be measured is refused before anything is started.
func TestConfig(t *testing.T) {
	good := Config{Open: openFile, Scratch: sqlite.Temporary, API: serveHere(newYork(t)), Zone: newYork(t)}
	full, err := good.complete()
	if err != nil || full.Rounds != 5 || full.Orders != 1_000_000 || full.Companies != 10_000 || !full.wants(W4) || full.wants("w0") {
		t.Errorf("%+v, %v", full, err)
	}
	for name, change := range map[string]func(*Config){
		"no way to open":  func(c *Config) { c.Open = nil },
		"no API":          func(c *Config) { c.API = nil },
		"no zone":         func(c *Config) { c.Zone = calendar.Zone{} },
		"workload":        func(c *Config) { c.Only = []string{"w0"} },
		"database":        func(c *Config) { c.Databases = []string{"oracle"} },
		"no server":       func(c *Config) { c.Databases = []string{Postgres} },
		"too few orders":  func(c *Config) { c.Orders = 10 },
		"negative rounds": func(c *Config) { c.Rounds = -1 },
		"a tiny day":      func(c *Config) { c.DayOrders = []int{10_000, MinDayOrders - 1} },
		"too many days":   func(c *Config) { c.Rounds, c.Only = maxDays, []string{W6} },
	} {
		c := good
		change(&c)
		if _, err := Run(context.Background(), c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
