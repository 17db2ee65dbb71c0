package node

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/app/release"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/gate"
	"tenor/internal/edge/webhook"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/telemetry"
)

// MetricsFlag is where metrics are served.
type MetricsFlag struct {
	Metrics string `env:"TENOR_METRICS" placeholder:"ADDR" help:"Address to serve /metrics on, such as 127.0.0.1:9090. Default: no metrics. Anyone who can reach it can read them."`
}

const (
	// readingTime is how long a reading is reused.
	readingTime = 5 * time.Second
	// trialTime is the same for the sum of all balances, whose cost grows with the number of
	// companies.
	trialTime = time.Minute
	// maxScrapers bounds the open connections to the metrics. They use the process's file
	// descriptors, which its other callers need.
	maxScrapers = 16
)

// looker reads the state of a server. It is used by one goroutine at a time.
type looker struct {
	*Server
	books, memo int64 // what the balances add up to
	summed      time.Time
}

// Counted returns the metrics of a server, nil if they are not enabled.
func (f *MetricsFlag) Counted(m Mode) *telemetry.Metrics {
	if f.Metrics == "" {
		return nil
	}
	return telemetry.New(release.Version, string(m))
}

// Show serves metrics until the returned function is called.
func (f *MetricsFlag) Show(ctx context.Context, m *telemetry.Metrics, log *slog.Logger) (end func(), err error) {
	if m == nil {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", f.Metrics)
	if err != nil {
		return nil, &exit.Failure{Code: exit.Refused, Text: "listen on " + f.Metrics, Err: err, Hint: "Choose another address with --metrics."}
	}
	log.Info("metrics", "address", l.Addr().String())
	few := gate.Listen(l, gate.Limits{Most: maxScrapers, Address: maxScrapers})
	return duty(ctx, log, "metrics", func(ctx context.Context) error { return m.Serve(ctx, few) }), nil
}

// Watched makes the metrics read this server from now on, once it is fully set up.
func (s *Server) Watched(wall func() time.Time) {
	look := &looker{Server: s}
	s.node.Metrics.Read(func(ctx context.Context) (telemetry.Reading, error) { return look.reading(ctx, wall()) }, readingTime)
}

// worked counts what the clockwork has done.
func (n *Node) worked(r clockwork.Report) {
	for i, done := range []int{r.Orders, r.Transfers, r.Payouts, r.Files, r.Notices, r.Charges, r.Credits, r.Provisions, r.Screenings} {
		n.Metrics.Worked(telemetry.Kinds()[i], done)
	}
}

// reading returns the state of the server.
func (s *looker) reading(ctx context.Context, now time.Time) (x telemetry.Reading, err error) {
	n := s.node
	x.Writable, x.BusinessTime = n.Engine.Health() == nil && !s.Draining.Load(), n.Now()
	engineReading(&x, n.Engine.Stats())
	if s.reads != nil {
		x.ReadsLost = s.reads.Lost()
	}
	if s.Calls != nil {
		x.CallsLost, x.CallsSkipped = s.Calls.Lost(), s.Calls.Skipped()
	}
	senderReading(&x, s.sender.Stats())
	if err := n.DB.View(ctx, func(v store.View) (err error) {
		x.Commit = v.Seq()
		if s.summed.IsZero() || now.Sub(s.summed) >= trialTime {
			if s.books, s.memo, err = store.Trial(v); err != nil {
				return err
			}
			s.summed = now
		}
		x.Difference, x.MemoDifference = s.books, s.memo
		oldest, _, _, err := Undelivered(v)
		if !oldest.IsZero() {
			x.OldestDelivery = max(now.Sub(oldest), 0)
		}
		return err
	}); err != nil {
		return x, err
	}
	if x.Returns, err = store.NoticesSince(ctx, n.DB, n.Now().Add(-telemetry.ReturnDays*24*time.Hour)); err != nil || s.Work == nil {
		return x, err
	}
	status, err := s.Work.Status(ctx)
	if err != nil {
		return x, err
	}
	x.ClockworkLag = status.Lag
	if status.Payouts != "" {
		day, err := calendar.Parse(status.Payouts)
		if err != nil {
			return x, fmt.Errorf("last payouts: %w", err)
		}
		x.LastPayouts = n.Zone.Start(day)
	}
	return x, nil
}

// engineReading sets the engine's counts by command outcome.
func engineReading(x *telemetry.Reading, s engine.Stats) {
	x.QueueDepth, x.QueueLimit, x.Background = s.QueueDepth, s.QueueLimit, s.BackgroundDepth
	x.Commands = map[string]int64{
		"accepted": s.Decided - s.Rejected, "rejected": s.Rejected, "not_admitted": s.NotAdmitted, "replayed": s.Replayed, "dry_run": s.DryRuns,
	}
	x.Refused = map[string]int64{
		"overloaded": s.Overloaded, "read_only": s.ReadOnly, "expired": s.Expired, "key_reused": s.KeyReused, "key_in_use": s.KeyInUse,
		"outcome_unknown": s.OutcomeUnknown, "internal": s.Internal,
	}
	x.Commits = map[string]int64{
		"conflict": s.Conflicts, "failed": s.CommitFailed, "unknown": s.CommitUnknown, "resolved": s.CommitResolved, "invariant": s.ChecksFailed,
		"gave_way": s.GaveWay,
	}
}

func senderReading(x *telemetry.Reading, s webhook.Stats) {
	x.Deliveries = map[string]int64{
		"delivered": int64(s.Delivered), "failed": int64(s.Failed), "parked": int64(s.Parked), "canceled": int64(s.Canceled),
	}
	x.InFlight, x.Backlog, x.DeliveryLag = s.InFlight, s.Backlog, s.Lag
}

// Undelivered finds the oldest event still to be delivered to an endpoint; zero if there is none.
func Undelivered(v store.View) (oldest time.Time, endpoint string, count int, err error) {
	backlog, err := store.Backlog(v)
	if err != nil {
		return oldest, "", 0, err
	}
	for id, n := range backlog {
		count += n
		first, err := store.ListPending(v, id, 1)
		if err != nil {
			return oldest, "", 0, fmt.Errorf("deliveries of %s: %w", id, err)
		}
		for _, d := range first {
			if oldest.IsZero() || d.CreatedAt.Before(oldest) {
				oldest, endpoint = d.CreatedAt, id
			}
		}
	}
	return oldest, endpoint, count, nil
}
