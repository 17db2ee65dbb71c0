package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails/fake"
)

// Money goes back to a card through the processor: part of a payment (F35), and credit left
// by a merchant's refund (F36). None of it stays in transit (F39).
func TestMoneyGoesBackToACard(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
	w.capture(harbor, o)
	card := w.do(operator, payments.AddPaymentMethod{Company: alder.ID, Type: credit.Card,
		Card:          &credit.CardAccount{Token: fake.TokenOK, Mandate: "mandate", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.clock.Now()},
	}).(*credit.PaymentMethod)
	paid := w.do(operator, payments.RecordPayment{
		Order: o.Key, Amount: 500_00, Method: credit.Card, PaymentMethod: card.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}).(*credit.Payment)
	w.to("2026-01-15 11:00")
	w.do(operator, payments.RefundPayment{Payment: paid.ID, Amount: ptr(money.Amount(100_00))})
	w.to("2026-01-15 12:00")
	w.do(shop(harbor), lending.RefundOrder{Order: o.Key})
	w.do(operator, payments.SendCredit{Company: alder.ID})
	w.to("2026-01-21 12:00")

	state := map[credit.TransferKind]string{}
	w.view(func(v store.View) error {
		list, err := store.ListTransfers(v, store.TransferFilter{Rail: credit.Card}, store.Page{Limit: 10})
		for _, x := range list {
			state[x.Kind] = string(x.Status) + " " + x.Amount.String()
		}
		return err
	})
	for kind, want := range map[credit.TransferKind]string{
		credit.TransferPayment: "SETTLED 500.00", credit.TransferRefund: "SETTLED 100.00", credit.TransferCredit: "SETTLED 400.00",
	} {
		if state[kind] != want {
			t.Errorf("%s: %q, not %q", kind, state[kind], want)
		}
	}
}

// A disputed charge waits for a person until it is won, or until one has recorded the
// outcome; what it had paid is left to a person too (F25).
func TestADisputedCharge(t *testing.T) {
	for _, won := range []bool{true, false} {
		w := newWorld(t, "2026-01-15 10:00")
		harbor := w.merchant("Harbor Supply", twelve(6))
		alder := w.company("Alder Kitchens", fake.Account, harbor)
		o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
		w.capture(harbor, o)
		card := w.do(operator, payments.AddPaymentMethod{Company: alder.ID, Type: credit.Card,
			Card:          &credit.CardAccount{Token: fake.TokenOK, Mandate: "mandate", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
			Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.clock.Now()},
		}).(*credit.PaymentMethod)
		w.do(operator, payments.SetAutopay{Company: alder.ID, Method: &card.ID})
		w.alarmsAre("2026-02-18 10:00")
		charge := w.charge()
		if err := w.bank.Cards().Dispute(charge.Reference, "fraudulent"); err != nil {
			t.Fatal(err)
		}
		w.alarmsAre("2026-02-18 11:00", "card_dispute 2026-02-25", "collection_stopped")
		list := leftAre(w, "DISPUTE fraudulent disputed")
		if len(list) != 1 || list[0].Transfer != charge.ID {
			t.Fatalf("%+v", list)
		}
		if won {
			if err := w.bank.Cards().Win(charge.Reference); err != nil {
				t.Fatal(err)
			}
			w.alarmsAre("2026-02-18 12:00")
			if list, _ := left(w); list[0].ReviewedBy != "processor" || list[0].Waits() {
				t.Errorf("%+v", list[0])
			}
			continue
		}
		w.alarmsAre("2026-02-26 11:00", "card_dispute 2026-02-25", "collection_stopped")
		if err := w.db.ReviewNotice(context.Background(), list[0].Rail, list[0].ID, "cli_operator", "lost", w.clock.Now()); err != nil {
			t.Fatal(err)
		}
		w.alarmsAre("2026-02-26 12:00", "collection_stopped")
		w.do(operator, lending.ResumeCollection{Order: o.Key})
		w.alarmsAre("2026-02-26 13:00")
	}
}
