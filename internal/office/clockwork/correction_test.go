package clockwork_test

import (
	"context"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails/fake"
)

// corrected is what stands of an account.
type corrected struct{ routing, last4, kind, holder string }

// A notification of change corrects the account that a merchant is paid to, before its
// next payout; but not another account that the merchant has taken meanwhile (F22).
func TestMerchantsAccountIsCorrected(t *testing.T) {
	for code, want := range map[string]corrected{
		"C01": {fake.Routing, fake.Account[5:], "CHECKING", "Alder Kitchens"},
		"C02": {fake.CorrectedRouting, "0200", "CHECKING", "Alder Kitchens"},
		"C04": {fake.Routing, "0200", "CHECKING", fake.CorrectedName},
		"C05": {fake.Routing, "0200", "SAVINGS", "Alder Kitchens"},
		"C09": {fake.Routing, "0200", "CHECKING", "Alder Kitchens"},
		"":    {fake.Routing, "0299", "CHECKING", "Alder Kitchens"},
	} {
		w := newWorld(t, "2026-01-15 10:00")
		harbor := w.merchant("Harbor Supply", twelve(6))
		alder := w.company("Alder Kitchens", "200300400", harbor)
		w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
		w.to("2026-01-20 12:00")
		if code == "" { // the merchant was quicker than its bank
			w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: w.account(payments.PaidAccount(harbor.ID), "200100299")})
		}
		if err := w.bank.Notice("200100200", max(code, "C01")); err != nil {
			t.Fatal(err)
		}
		w.turn()
		w.view(func(v store.View) error {
			s := credit.NewState()
			err := v.Load(s, credit.Keys{Merchants: []string{harbor.ID}})
			got := *s.Merchants[harbor.ID].Account.Bank
			x := w.opened(payments.PaidAccount(harbor.ID), &got)
			if got := (corrected{x.Routing, got.Last4, got.AccountType, x.Holder}); got != want {
				t.Errorf("%q: %+v", code, got)
			}
			if !strings.HasSuffix(x.Number, got.Last4) || got.Fingerprint != fingerprint(x.Routing, x.Number) {
				t.Errorf("%q: the number is not the one that is shown", code)
			}
			return err
		})
		w.capture(harbor, w.order(harbor, alder, "PO-2", 300_00, 6, false)) // makes a payout to it
		w.to("2026-01-22 12:00")
		if n := w.paidOut(); n != 2 {
			t.Errorf("%q: %d payouts", code, n)
		}
	}
}

// before submits somebody else's command just before the first correction.
type before struct {
	engine.Submitter
	other func()
}

func (b *before) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if _, corrects := r.Command.(payments.CorrectPaymentMethod); corrects && b.other != nil {
		other := b.other
		b.other = nil
		other()
	}
	return b.Submitter.Submit(ctx, r)
}

// Two simultaneous corrections of one account, of its number and of its bank, both take
// effect: the second is rebuilt from the result of the first (F22).
func TestCorrectionsAtOnce(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	b := &before{Submitter: w.eng}
	w.submit = b
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", "200300400", harbor)
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.to("2026-02-20 12:00") // its first installment has been debited
	method := func() (m *credit.PaymentMethod) {
		w.view(func(v store.View) error {
			list, err := store.ListMethods(v, alder.ID)
			m = list[0]
			return err
		})
		return m
	}
	old, debit := method(), ""
	w.view(func(v store.View) error {
		list, err := store.ListTransfers(v, store.TransferFilter{Company: alder.ID}, store.Page{Limit: 1})
		debit = list[0].ID
		return err
	})
	b.other = func() {
		next := *old.Bank
		x := w.opened(payments.MethodAccount(old.ID), old.Bank)
		x.Routing, next.Fingerprint = fake.CorrectedRouting, fingerprint(fake.CorrectedRouting, x.Number)
		if err := next.Seal(payments.MethodAccount(old.ID), x, w.ring.Seal); err != nil {
			t.Error(err)
		}
		w.do(operator, payments.CorrectPaymentMethod{
			Method: old.ID, Transfer: debit, Code: "C02", Fingerprint: next.Fingerprint, Sealed: next.Sealed, Holder: fingerprint(credit.HolderIndex, x.Holder),
		})
	}
	if err := w.bank.Notice("200300400", "C01"); err != nil {
		t.Fatal(err)
	}
	w.turn()
	got := method()
	x := w.opened(payments.MethodAccount(got.ID), got.Bank)
	if x.Routing != fake.CorrectedRouting || got.Bank.Last4 == old.Bank.Last4 || !strings.HasSuffix(x.Number, got.Bank.Last4) ||
		got.Bank.Fingerprint != fingerprint(x.Routing, x.Number) {
		t.Errorf("routing %s, number %s, last four %s", x.Routing, x.Number, got.Bank.Last4)
	}
}
