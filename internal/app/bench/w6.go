package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/fake"
)

// dayBook is a database with active financings, and the lender that runs on it in this process:
// the engine, the clockwork, the API, and the sandbox's bank with real files. So the measured
// heap is all of its memory.
type dayBook struct {
	*database
	size  int // active financings
	zone  calendar.Zone
	db    store.Backend
	eng   *engine.Engine
	clock *clock.Settable
	bank  *countingBank
	ring  seal.Ring
	host  string // where the API listens
	close func() error

	days     []businessDay // measurable days, in order
	next     int           // index of the first one not measured yet
	commands int64         // of the clockwork on the last measured day

	mu     sync.Mutex // guards everything below
	alarms []string   // bugs found by the engine
}

// businessDay is a date on which a thirtieth of the financings has an installment due.
type businessDay struct {
	date   calendar.Date
	debits int // how many of these autopay collects
}

// noon is when a measured day begins and ends: between the opening, when a date's debits settle,
// and the cut-off, when those of the next banking day are created. So a day contains one of each.
const noon = 12

// kills is how often the clockwork of the last day is killed.
const kills = 4

// day is W6: a business day of the clockwork, for each number of financings in turn, alongside
// callers who read and authorize; and a last day on which it is killed.
func (r *runner) day(ctx context.Context, kind string) (err error) {
	var books []*dayBook
	defer func() {
		for _, b := range books {
			err = errors.Join(err, b.close(), b.remove())
		}
	}()
	var steps []step
	for _, size := range slices.Sorted(slices.Values(r.cfg.DayOrders)) {
		b, err := r.openDay(ctx, kind, size)
		if err != nil {
			return err
		}
		books = append(books, b)
		steps = append(steps, step{fmt.Sprintf("%s %s", W6, b.name()), func(ctx context.Context) error { return r.measureDay(ctx, b) }})
	}
	if err := r.rounds(ctx, kind, steps); err != nil {
		return err
	}
	for _, b := range books {
		if err := r.killDay(ctx, b); err != nil {
			return err
		}
		if err := r.checkDay(ctx, b); err != nil {
			return err
		}
	}
	r.dayTargets(kind, books)
	return nil
}

// name names the book by its number of financings.
func (b *dayBook) name() string { return fmt.Sprintf("%d financings", b.size) }

// row returns the row for a figure of the book.
func (b *dayBook) row(r *runner, what, unit string) *Row {
	return r.report.row(b.kind, W6, b.name()+": "+what, 0, unit)
}

// The variants of W6.
const (
	dayTakes    = "a day"
	perOrder    = "a day, for each active financing"
	perServed   = "a day, for each object that was served"
	heapMost    = "heap in use, most during a day"
	withoutDay  = "callers without a day"
	duringDay   = "callers during a day"
	killedTakes = "a day killed %d times and resumed"
)

// openDay creates a book, starts the lender on it, fills it, and advances it to noon before the
// first day.
func (r *runner) openDay(ctx context.Context, kind string, size int) (b *dayBook, err error) {
	d, err := r.fresh(ctx, kind)
	if err != nil {
		return nil, err
	}
	d.shop = &shop{rng: r.rng.fork(), filled: size}
	b = &dayBook{database: d, size: size, zone: r.cfg.Zone, close: func() error { return nil }}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close(), b.remove())
		}
	}()
	if b.db, err = r.cfg.Open(ctx, d.target); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	b.close = b.db.Close
	if err := r.startDay(b); err != nil {
		return nil, err
	}
	if err := r.fillDay(ctx, b); err != nil {
		return nil, fmt.Errorf("fill database: %w", err)
	}
	b.run()
	if err := r.serveDay(ctx, b); err != nil {
		return nil, err
	}
	s, err := b.scheduler(r, b.eng)
	if err != nil {
		return nil, err
	}
	r.cfg.Progress(fmt.Sprintf("%s: %s: bring to the first day", kind, b.name()), 0, 0)
	if err := s.Advance(ctx, b.clock, b.begin(0), nil); err != nil {
		return nil, err
	}
	return b, nil
}

// startDay creates the lender's parts; its clock is at the first capture.
func (r *runner) startDay(b *dayBook) (err error) {
	b.clock = clock.NewSettable(b.zone.At(firstCapture, noon, 0))
	b.bank = &countingBank{Bank: fake.New(b.zone, b.clock.Now), files: map[string]int{}}
	if b.ring, err = seal.New(seal.Derive(seal.NewKeyFile(), client)); err != nil {
		return err
	}
	b.eng, err = engine.New(engine.Config{
		Backend: b.db, Zone: b.zone, Now: b.clock.Now, Node: client, EncodeEvent: encodeEvent, Wire: resource.APIVersion,
		Alarm: b.alarmed,
	})
	return err
}

// run runs the engine until the book is closed.
func (b *dayBook) run() {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { b.eng.Run(ctx) })
	b.close = func() error {
		stop()
		running.Wait()
		return b.db.Close()
	}
}

// scheduler returns a clockwork without memory, as after a start.
func (b *dayBook) scheduler(r *runner, submit engine.Submitter) (*clockwork.Scheduler, error) {
	if r.cfg.meddle != nil {
		submit = r.cfg.meddle(submit)
	}
	return clockwork.New(clockwork.Config{
		Backend: b.db, Submit: submit, Now: b.clock.Now, Zone: b.zone, Node: client, Alone: true, Ahead: b.kind == SQLite,
		Bank: b.bank, Origin: fake.Origin(), Cards: b.bank.Cards(),
		Open: b.ring.Open, Seal: b.ring.Seal, Fingerprint: fingerprint,
	})
}

// begin and end delimit a measured day.
func (b *dayBook) begin(day int) time.Time {
	return b.zone.At(bankingDayBefore(b.days[day].date), noon, 0)
}
func (b *dayBook) end(day int) time.Time { return b.zone.At(b.days[day].date, noon, 0) }

// measureDay is one round: callers alone for a while, then callers during a day.
func (r *runner) measureDay(ctx context.Context, b *dayBook) error {
	alone, err := r.callers(ctx, b, func(context.Context) error { return sleep(ctx, r.cfg.Duration) })
	if err != nil {
		return err
	}
	counter := &countingSubmitter{Submitter: b.eng}
	s, err := b.scheduler(r, counter)
	if err != nil {
		return err
	}
	var done clockwork.Report
	var took time.Duration
	heap := watchHeap()
	beside, err := r.callers(ctx, b, func(ctx context.Context) error {
		begin := time.Now()
		defer func() { took = time.Since(begin) }()
		return s.Advance(ctx, b.clock, b.end(b.next), func(p clockwork.Progress) { done = p.Done })
	})
	most := heap.stop()
	if err != nil {
		return fmt.Errorf("%s: %w", b.days[b.next].date, err)
	}
	b.next++
	served := done.Orders + done.Transfers + done.Payouts + done.Files + done.Notices + done.Charges
	if done.Stuck > 0 || served == 0 {
		r.invalid("%s: %s: %d objects were served and %d stuck", b.kind, b.name(), served, done.Stuck)
	}
	b.row(r, dayTakes, "s").put(took.Seconds())
	b.row(r, perOrder, "µs").put(microseconds(took) / float64(b.size))
	b.row(r, perServed, "µs").put(microseconds(took) / float64(max(served, 1)))
	b.row(r, heapMost, "MB").put(float64(most) / 1e6)
	b.row(r, withoutDay, "requests/s").add(alone)
	b.row(r, duringDay, "requests/s").add(beside)
	b.commands = counter.count()
	return nil
}

// killDay runs one more day, whose clockwork is killed several times in the middle of its
// commands. Each time another one without memory continues.
func (r *runner) killDay(ctx context.Context, b *dayBook) error {
	r.cfg.Progress(fmt.Sprintf("%s: %s: kill the clockwork", b.kind, b.name()), 0, kills)
	begin, killed := time.Now(), 0
	for {
		life, kill := context.WithCancel(ctx)
		counter := &countingSubmitter{Submitter: b.eng, most: b.commands / (kills + 1), full: kill}
		if killed == kills {
			counter.full = func() {}
		}
		s, err := b.scheduler(r, counter)
		if err == nil {
			err = s.Advance(life, b.clock, b.end(b.next), nil)
		}
		ended := life.Err() != nil
		kill()
		switch {
		case err == nil:
			if killed == 0 {
				r.invalid("%s: %s: the clockwork was never killed", b.kind, b.name())
			}
			b.next++
			b.row(r, fmt.Sprintf(killedTakes, killed), "s").put(time.Since(begin).Seconds())
			return nil
		case !ended || ctx.Err() != nil:
			return err
		}
		killed++
	}
}

// dayTargets compares the figures with the targets.
func (r *runner) dayTargets(kind string, books []*dayBook) {
	small, large := books[0], books[len(books)-1]
	if small != large {
		r.report.atMost(kind, "w6.linear", fmt.Sprintf("W6: time of a day for each financing, of %d / of %d", large.size, small.size), 1.2, "x",
			ratios(large.row(r, perOrder, "").Rounds, small.row(r, perOrder, "").Rounds))
	}
	if large.size >= 1_000_000 {
		r.report.atMost(kind, "w6.time", "W6: a day of "+large.name(), 600, "s", large.row(r, dayTakes, "").Rounds)
	}
	r.report.atMost(kind, "w6.heap", "W6: heap in use during a day of "+large.name(), 400, "MB", large.row(r, heapMost, "").Rounds)
	r.report.atMost(kind, "w6.p99", "W6: p99 of callers during a day of "+large.name()+" / without it", 2, "x",
		ratios(large.row(r, duringDay, "").p99, large.row(r, withoutDay, "").p99))
}

// checkDay checks that the days are valid: each debit was made once and completed, and the book
// is right.
func (r *runner) checkDay(ctx context.Context, b *dayBook) error {
	what := fmt.Sprintf("%s %s, %s", b.kind, W6, b.name())
	want, sum := map[calendar.Date]int{}, 0
	for _, d := range b.days[:b.next] {
		want[bankingDayBefore(d.date)] = d.debits
		sum += d.debits
	}
	made, settled := map[calendar.Date]int{}, 0
	err := b.db.View(ctx, func(v store.View) error {
		if err := store.EachEntry(v, func(e store.EntryRow) error {
			if e.Event == "PAYMENT_INITIATED" {
				made[e.BookDate]++
			}
			return nil
		}); err != nil {
			return err
		}
		return store.EachOf(v, store.PaymentNoun, func(p *credit.Payment) error {
			if p.Autopay && p.Status == credit.PaymentSucceeded {
				settled++
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", what, err)
	}
	for _, d := range b.days[:b.next] {
		day := bankingDayBefore(d.date)
		if made[day] != d.debits {
			r.invalid("%s: %d debits were due on %s, and %d were initiated", what, d.debits, d.date, made[day])
		}
		delete(made, day)
	}
	for day, n := range made {
		r.invalid("%s: %d debits were initiated on %s, and none was due", what, n, day)
	}
	if settled != sum {
		r.invalid("%s: %d debits were due, and %d were paid", what, sum, settled)
	}
	if n := b.bank.debits(); n != sum {
		r.invalid("%s: %d debits were due, and the bank was sent %d", what, sum, n)
	}
	b.mu.Lock()
	for _, alarm := range b.alarms {
		r.invalid("%s: alarm: %s", what, alarm)
	}
	b.mu.Unlock()
	return r.check(ctx, b.db, b.shop, what)
}

// alarmed records that the engine has found a bug, which invalidates the run.
func (b *dayBook) alarmed(a engine.Alarm) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alarms = append(b.alarms, fmt.Sprintf("%s: %v", a.What, a.Err))
}
