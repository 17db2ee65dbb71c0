package clockwork_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/rails/fake"
)

// saying is a bank that also sends what a test makes it send, and may be unreachable.
type saying struct {
	rails.Bank
	files []rails.Incoming
	down  bool
}

var errDown = errors.New("no connection")

func (s *saying) Send(ctx context.Context, name string, content []byte) error {
	if s.down {
		return errDown
	}
	return s.Bank.Send(ctx, name, content)
}

func (s *saying) Fetch(ctx context.Context) ([]rails.Incoming, error) {
	list, err := s.Bank.Fetch(ctx)
	return append(list, s.files...), err
}

func (s *saying) Done(ctx context.Context, name string) error {
	s.files = slices.DeleteFunc(s.files, func(f rails.Incoming) bool { return f.Name == name })
	return s.Bank.Done(ctx, name)
}

// sells returns a world with such a bank, in which a merchant has been sent a payout.
func sells(t *testing.T) (*world, *saying) {
	w := newWorld(t, "2026-01-15 10:00")
	s := &saying{Bank: w.bank}
	w.rail = s
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	w.capture(harbor, w.order(harbor, w.company("Alder Kitchens", fake.Account, harbor), "PO-1", 1200_00, 6, false))
	return w, s
}

// A response about a file that the bank was never sent, or that contradicts an earlier one,
// delays nothing: the bank's other messages are processed (EN17).
func TestABankThatContradictsItself(t *testing.T) {
	w, s := sells(t)
	w.to("2026-01-16 17:00")
	files, err := store.Files(context.Background(), w.db, store.FileAccepted, 9)
	if err != nil || len(files) != 1 {
		t.Fatalf("%+v, %v", files, err)
	}
	say := func(name, file string, accepted bool) {
		s.files = []rails.Incoming{{Name: name, Content: ach.Acknowledgement{File: file, Accepted: accepted, Code: "late"}.Text()}}
		w.turn()
		if open, err := store.OpenNotices(context.Background(), w.db, 9); err != nil || len(open) != 0 {
			t.Errorf("%s: %+v is left, %v", name, open, err)
		}
	}
	say("unknown.txt", "achf_20251231_Z", true)
	say("unknown2.txt", "achf_20251231_Z", false)
	if got := transfers(w); got != "PAYOUT SENT" {
		t.Error(got)
	}
	say("refused.txt", files[0].ID, false) // it had accepted it: the payout was not made anyway
	if got := transfers(w); got != "PAYOUT FAILED" {
		t.Error(got)
	}
	say("accepted.txt", files[0].ID, true)
	if got := transfers(w); got != "PAYOUT FAILED" {
		t.Error(got)
	}
}

// While a bank is unreachable, nothing settles that it has not received: the books never
// show money as moved that nobody was told to move (EN17).
func TestNothingSettlesThatWasNotSent(t *testing.T) {
	w, s := sells(t)
	s.down = true
	for _, at := range []string{"2026-01-16 16:00", "2026-01-20 08:30", "2026-01-21 09:00"} {
		if _, err := w.clock.AdvanceTo(w.instant(at)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.work.RunDue(context.Background()); !errors.Is(err, errDown) {
			t.Fatal(err)
		}
		if got := transfers(w); got != "PAYOUT SENT" {
			t.Errorf("%s: %s", at, got)
		}
	}
	s.down = false
	w.turn()
	w.turn()
	if got := transfers(w); got != "PAYOUT SETTLED" {
		t.Error(got)
	}
}

// A return that banks dispute among themselves takes nothing back: a person asks.
func TestADisputedReturnIsNoReturn(t *testing.T) {
	w, _ := sells(t)
	w.to("2026-01-21 12:00")
	for i, code := range []string{"R61", "R68", "R74", "R77"} {
		var id string
		w.view(func(v store.View) error {
			list, err := store.ListTransfers(v, store.TransferFilter{}, store.Page{Limit: 1})
			id = list[0].ID
			return err
		})
		n := store.BankNotice{Rail: credit.ACH, ID: "x/" + code, Kind: "RETURN", Transfer: id, Code: code, Payload: []byte("{}"), At: w.clock.Now()}
		if _, err := w.db.PutNotice(context.Background(), n); err != nil {
			t.Fatal(i, err)
		}
		w.turn()
		if got := transfers(w); got != "PAYOUT SETTLED" {
			t.Errorf("%s: %s", code, got)
		}
	}
}
