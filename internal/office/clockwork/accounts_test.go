package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails/fake"
)

// A payout is returned from the account to which it was sent, although the merchant has
// another one by then, even since the very instant at which the payout was sent: it is
// carried to the next payout, and nothing is held anymore when the account is set again
// (F32).
func TestPayoutComesBackFromAnAccountThatWasReplaced(t *testing.T) {
	for _, replaced := range []string{"2026-01-16 16:00", "2026-01-20 12:00"} {
		w := newWorld(t, "2026-01-15 10:00")
		harbor := w.merchant("Harbor Supply", twelve(6))
		alder := w.company("Alder Kitchens", fake.Account, harbor)
		w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
		w.to(replaced)
		w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: w.account(payments.PaidAccount(harbor.ID), "300100200")})
		w.to("2026-01-20 12:00")
		payout, sent := w.payoutOf(harbor.ID)
		if payout.Status != credit.PayoutSettled {
			t.Fatalf("the first payout: %+v", payout)
		}
		if changed := w.merchantAt(harbor.ID).UpdatedAt; replaced == "2026-01-16 16:00" && !changed.Equal(sent.SentAt) {
			t.Errorf("the account was changed at %s, the payout sent at %s", changed, sent.SentAt)
		}
		if err := w.bank.ReturnNow(w.entriesOf(sent.ID)[0].Trace, "R02"); err != nil {
			t.Fatal(err)
		}
		w.to("2026-01-21 12:00")
		if p, _ := w.payoutOf(harbor.ID); p.Status != credit.PayoutFailed {
			t.Errorf("account replaced at %s: the payout that came back is %s", replaced, p.Status)
		}
	}
}

// payoutOf returns a merchant's first payout, with its transfer.
func (w *world) payoutOf(merchant string) (p *credit.Payout, x *credit.Transfer) {
	w.t.Helper()
	w.view(func(v store.View) error {
		list, err := store.ListPayouts(v, store.PayoutFilter{Merchant: merchant}, store.Page{Limit: 5})
		if err != nil || len(list) == 0 {
			w.t.Fatalf("no payout: %v", err)
		}
		p = list[len(list)-1]
		s := credit.NewState()
		err = v.Load(s, credit.Keys{Transfers: []string{p.Transfer}})
		x = s.Transfers[p.Transfer]
		return err
	})
	return p, x
}

// merchantAt returns a merchant as stored.
func (w *world) merchantAt(id string) (m *credit.Merchant) {
	w.view(func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Merchants: []string{id}})
		m = s.Merchants[id]
		return err
	})
	return m
}

// entriesOf lists the file entries of a transfer.
func (w *world) entriesOf(transfer string) (out []store.BankEntry) {
	w.t.Helper()
	ctx := context.Background()
	for _, state := range []store.FileState{store.FileSent, store.FileAccepted} {
		files, err := store.Files(ctx, w.db, state, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, f := range files {
			entries, err := store.FileEntries(ctx, w.db, f.ID)
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
