package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails/fake"
)

// Without a bank nothing is recorded as sent: debits and payouts are made and wait,
// everything else continues, and a bank added later gets them.
func TestWithoutABankTransfersWait(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	carried := w.work
	var err error
	w.work, err = clockwork.New(clockwork.Config{
		Backend: w.db, Submit: w.eng, Now: w.clock.Now, Zone: w.zone, Node: "test", Alone: true,
		Open: w.ring.Open, Seal: w.ring.Seal, Fingerprint: fingerprint,
	})
	if err != nil {
		t.Fatal(err)
	}
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
	w.capture(harbor, o)
	w.to("2026-02-20 12:00")
	if got := transfers(w); got != "PAYOUT QUEUED, PAYMENT QUEUED" {
		t.Errorf("without a bank: %s", got)
	}
	w.work = carried
	if _, err := w.work.RunDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.to("2026-02-24 12:00")
	if got := transfers(w); got != "PAYOUT SETTLED, PAYMENT SETTLED" {
		t.Errorf("with a bank: %s", got)
	}
}

// transfers lists the instructions to rails, oldest first.
func transfers(w *world) string {
	w.t.Helper()
	out := ""
	w.view(func(v store.View) error {
		list, err := store.ListTransfers(v, store.TransferFilter{Rail: credit.ACH}, store.Page{Limit: 100})
		for _, x := range list {
			if out != "" {
				out = ", " + out
			}
			out = string(x.Kind) + " " + string(x.Status) + out
		}
		return err
	})
	return out
}
