package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/credit"
	"tenor/internal/rails/fake"
	"tenor/internal/store"
)

// A payout comes back from the account to which it was sent, although the merchant has
// another one by then: it is carried to the next payout, and nothing is held any more
// when the account is set again (F32).
func TestPayoutComesBackFromAnAccountThatWasReplaced(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.to("2026-01-20 12:00")
	w.do(operator, credit.SetMerchantAccount{Merchant: harbor.ID, Bank: w.account("300100200")})
	var payout *credit.Payout
	w.view(func(v store.View) error {
		list, err := v.Payouts(store.PayoutFilter{Merchant: harbor.ID}, store.Page{Limit: 5})
		if err == nil && len(list) == 1 {
			payout = list[0]
		}
		return err
	})
	if payout == nil || payout.Status != credit.PayoutSettled {
		t.Fatalf("the first payout: %+v", payout)
	}
	entries := w.entriesOf(payout.Transfer)
	if err := w.bank.ReturnNow(entries[0].Trace, "R02"); err != nil {
		t.Fatal(err)
	}
	w.to("2026-01-21 12:00")
	w.view(func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Payouts: []string{payout.ID}})
		if p := s.Payouts[payout.ID]; err == nil && p.Status != credit.PayoutFailed {
			t.Errorf("the payout that came back is %s", p.Status)
		}
		return err
	})
}

// entriesOf lists the entries of files in which a transfer stands.
func (w *world) entriesOf(transfer string) (out []store.BankEntry) {
	w.t.Helper()
	ctx := context.Background()
	for _, state := range []store.FileState{store.FileSent, store.FileAccepted} {
		files, err := w.db.Files(ctx, state, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range files {
			entries, err := w.db.FileEntries(ctx, f.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			for _, e := range entries {
				if e.Transfer == transfer {
					out = append(out, e)
				}
			}
		}
	}
	return out
}
