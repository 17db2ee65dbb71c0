package clockwork_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"tenor/internal/office/alarm"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/screening"
)

var errAway = errors.New("the bank's server is away")

// away is a bank that accepts no files and cannot be queried.
type away struct{ rails.Bank }

func (away) Send(context.Context, string, []byte) error      { return errAway }
func (away) Fetch(context.Context) ([]rails.Incoming, error) { return nil, errAway }

// An unreachable bank delays only its own work: cards are charged, and alarms are reported.
// The turn returns what it could not do.
func TestABankThatIsAwayHoldsUpNothingElse(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	var said bytes.Buffer
	w.sanctions, w.log = screening.TestList(), slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelError}))
	w.rail = away{w.bank}
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	w.capture(harbor, w.order(harbor, w.company("Alder Kitchens", "100000000", harbor), "PO-1", 1200_00, 6, false))
	w.company("Drakonov, Wiktor", "200300400", harbor)
	if _, err := w.clock.AdvanceTo(w.instant("2026-01-16 17:00")); err != nil {
		t.Fatal(err)
	}
	report, err := w.work.RunDue(t.Context())
	if !errors.Is(err, errAway) {
		t.Errorf("the turn says %v", err)
	}
	if got := transfers(w); report.Payouts != 1 || !strings.Contains(got, "PAYOUT") {
		t.Errorf("%+v, transfers %s", report, got)
	}
	if _, err := w.work.RunDue(t.Context()); !errors.Is(err, errAway) { // it makes a file of the payout
		t.Errorf("the next turn says %v", err)
	}
	w.unsent(0)
	if _, err := w.clock.AdvanceTo(w.instant("2026-01-16 17:30")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.work.RunDue(t.Context()); !errors.Is(err, errAway) {
		t.Errorf("half an hour later the turn says %v", err)
	}
	w.unsent(1)
	w.rail = w.bank
	w.work = w.scheduler(w.db)
	w.turn()
	w.unsent(0)
	if found := w.screenings(); len(found) != 1 || !strings.Contains(said.String(), string(found[0].ID)) {
		t.Errorf("found %+v, said %s", found, said.String())
	}
}

// unsent expects a number of alarms about files that could not be handed over.
func (w *world) unsent(want int) {
	w.t.Helper()
	open, err := alarm.Open(w.t.Context(), w.db, alarm.Setup{Zone: w.zone}, w.clock.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	got := 0
	for _, a := range open {
		if a.Kind == alarm.FileUnsent {
			got++
		}
	}
	if got != want {
		w.t.Errorf("%d files are unsent, want %d", got, want)
	}
}
