package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// The long order: two years of small payments, half of which are paid.
const (
	smallPayment     = money.Amount(1000)
	longInstallments = 24
	replayed         = 2400 // money events
	replays          = 5    // a round takes their median
)

// long measures one order with very many payments, and replaying a history.
func (r *runner) long(ctx context.Context, kind string) (err error) {
	d, err := r.fresh(ctx, kind)
	if err != nil {
		return err
	}
	s := &site{name: "long order", database: d}
	defer func() { err = r.finish(ctx, err, s) }()
	order, err := r.longOrder(ctx, d)
	if err != nil {
		return err
	}
	if err := r.serve(ctx, s, 1); err != nil {
		return err
	}
	on := func(variant, path string) step {
		return r.closed(measurement{site: s, workload: Long, variant: variant, connections: 1, do: page(path)})
	}
	replay := r.report.row(kind, Long, fmt.Sprintf("replay of %d money events", replayed), 0, "ms")
	err = r.rounds(ctx, kind, []step{
		on("GET order", "/v1/order/"+order), on("GET schedule", "/payments/schedule/"+order),
		{"replay", func(context.Context) error {
			took, err := timeReplay()
			replay.put(took)
			return err
		}},
	})
	if err != nil {
		return err
	}
	for _, v := range []string{"GET order", "GET schedule"} {
		r.report.atMost(kind, "long."+strings.ToLower(strings.TrimPrefix(v, "GET ")), fmt.Sprintf("one order with %d payments: %s (p50)", r.cfg.Payments, v), 20, "ms", r.report.row(kind, Long, v, 1, "").p50)
	}
	r.report.atMost(kind, "long.replay", replay.Variant, 50, "ms", replay.Rounds)
	return nil
}

// longOrder fills a database with one order and its payments.
func (r *runner) longOrder(ctx context.Context, d *database) (order string, err error) {
	b, err := r.cfg.Open(ctx, d.target)
	if err != nil {
		return "", fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	f, err := newForge(ctx, b, r.cfg.Zone, r.rng.fork(), engine.MaxBatch)
	if err != nil {
		return "", err
	}
	into := newFiller(ctx, b)
	f.sink = into.put
	d.shop = &shop{rng: r.rng.fork()}
	order, err = r.payLong(ctx, d, f)
	if err := errors.Join(err, into.close()); err != nil {
		return "", fmt.Errorf("fill database: %w", err)
	}
	d.shop.token, err = tokenAlone(ctx, b, r.cfg.Zone, f.merchant)
	return order, err
}

func (r *runner) payLong(ctx context.Context, d *database, f *forge) (string, error) {
	ids, err := f.found(ctx, 1)
	if err != nil {
		return "", err
	}
	create := f.order(ids[0])
	create.Amount, create.Installments = 2*smallPayment*money.Amount(r.cfg.Payments), longInstallments
	made, err := f.decide(ctx, []credit.Command{create})
	if err != nil {
		return "", err
	}
	order := made[0].(*credit.Order).Key
	d.shop.orders = []string{order}
	if _, err := f.decide(ctx, []credit.Command{lending.UpdateOrder{Order: order, Status: credit.OrderCaptured}}); err != nil {
		return "", err
	}
	for paid := &d.shop.acked.payments; len(*paid) < r.cfg.Payments; {
		r.cfg.Progress(d.kind+": pay the long order", len(*paid), r.cfg.Payments)
		commands := make([]credit.Command, min(engine.MaxBatch, r.cfg.Payments-len(*paid)))
		for i := range commands {
			commands[i] = wirePayment(order, smallPayment)
		}
		made, err := f.decide(ctx, commands)
		if err != nil {
			return "", err
		}
		for _, p := range made {
			*paid = append(*paid, p.(*credit.Payment).ID)
		}
	}
	return order, nil
}

// timeReplay replays payments over two years and returns the milliseconds that took.
func timeReplay() (float64, error) {
	captured := calendar.Of(2026, time.January, 15)
	terms := schedule.Terms{
		Plan: schedule.Amortized, Principal: 2 * smallPayment * replayed, AnnualRate: money.MustParseRate("0.120000"), Installments: longInstallments,
		CaptureDate: captured, DayCount: schedule.WholeMonth,
	}
	events := []schedule.Event{{Kind: schedule.EventCapture, ID: "o", Order: "o", Date: captured, Terms: terms}}
	for i := 1; i < replayed; i++ {
		events = append(events, schedule.Event{
			Kind: schedule.EventPayment, ID: fmt.Sprint("p", i), Order: "o", Seq: int64(i), Amount: smallPayment, Date: captured.AddDays(i * 730 / replayed),
		})
	}
	var took []float64
	for range replays {
		begin := time.Now()
		p, _ := schedule.Replay(events, captured.AddDays(800))
		took = append(took, milliseconds(time.Since(begin)))
		if p.Loan("o") == nil {
			return 0, errors.New("replay lost the loan")
		}
	}
	return spreadOf(took).Median, nil
}

// starts measures how soon the program is ready, and what it needs when idle.
func (r *runner) starts(ctx context.Context, s, _ *site) error {
	if err := s.halt(); err != nil {
		return err
	}
	many := fmt.Sprintf("ready with %d orders", len(s.shop.orders))
	row := func(variant, unit string) *Row { return r.report.row(s.kind, Start, variant, 0, unit) }
	err := r.rounds(ctx, s.kind, []step{
		{"banner", func(ctx context.Context) error {
			took, err := r.banner(ctx)
			row("banner of tenor dev", "ms").put(milliseconds(took))
			return err
		}},
		{"ready", func(ctx context.Context) error {
			took, memory, err := r.idle(ctx, s)
			row(many, "ms").put(milliseconds(took))
			if memory > 0 {
				row("idle memory", "MiB").put(memory)
			}
			return errors.Join(err, s.halt())
		}},
	})
	if err != nil {
		return err
	}
	r.report.atMost(s.kind, "start.banner", "banner of tenor dev", 1000, "ms", row("banner of tenor dev", "ms").Rounds)
	r.report.atMost(s.kind, "start.ready", many, 2000, "ms", row(many, "ms").Rounds)
	if runtime.GOOS == "linux" {
		r.report.atMost(s.kind, "start.memory", "idle memory", 80, "MiB", row("idle memory", "MiB").Rounds)
	}
	info, err := os.Stat(r.cfg.Binary)
	if err != nil {
		return err
	}
	size := row("size of the binary", "MiB")
	size.put(float64(info.Size()) / (1 << 20))
	r.report.atMost(s.kind, "start.size", "size of the binary", 60, "MiB", size.Rounds)
	return nil
}

// banner starts a sandbox and waits until it has printed its address.
func (r *runner) banner(ctx context.Context) (time.Duration, error) {
	dir, err := os.MkdirTemp(r.dir, "dev-")
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, r.cfg.Binary, "dev", "--json", "--data", dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start sandbox: %w", err)
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	took := time.Since(begin)
	if err != nil {
		err = fmt.Errorf("sandbox printed no banner: %w", err)
	}
	if stop := cmd.Process.Signal(os.Interrupt); stop != nil { // without signals
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait() // how a sandbox exits is not measured
	return took, errors.Join(err, os.RemoveAll(dir))
}

// idle starts the server of a site and returns the time until it was ready, and its memory in MiB
// after an idle period, 0 if the system does not report it.
func (r *runner) idle(ctx context.Context, s *site) (time.Duration, float64, error) {
	if err := r.serve(ctx, s, 1); err != nil {
		return 0, 0, err
	}
	took, err := s.servers[0].ready(ctx)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(min(idleFor, r.cfg.Duration))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.servers[0].cmd.Process.Pid))
	if err != nil {
		return took, 0, nil // not Linux
	}
	return took, float64(kibibytes(field(text, "VmRSS"))) / 1024, nil
}

// nodes compares two nodes on one database with one node.
func (r *runner) nodes(ctx context.Context, kind string) (err error) {
	if kind != Postgres {
		r.note("nodes: a file has one node; only PostgreSQL takes two")
		return nil
	}
	var one, two *site
	defer func() { err = r.finish(ctx, err, one, two) }()
	if one, err = r.build(ctx, "one node", kind, 0, 1); err != nil {
		return err
	}
	if two, err = r.build(ctx, "two nodes", kind, 0, 2); err != nil {
		return err
	}
	var steps []step
	for _, s := range []*site{one, two} {
		if err := r.warm(ctx, s, authorize); err != nil {
			return err
		}
		steps = append(steps, r.closed(measurement{site: s, workload: Nodes, variant: s.name, connections: usual, do: authorize}))
	}
	if err := r.rounds(ctx, kind, steps); err != nil {
		return err
	}
	row := func(variant string) []float64 { return r.report.row(kind, Nodes, variant, usual, "").Rounds }
	r.report.atLeast(kind, "nodes.two", "W1 on two nodes / on one", 1, "x", ratios(row("two nodes"), row("one node")))
	return nil
}
