package clockwork_test

import (
	"testing"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/money"
	"tenor/internal/rails/fake"
	"tenor/internal/store"
)

// Money goes back to a card through the processor: a part of a payment (F35), and credit
// that a merchant's refund has left (F36). Nothing of it stays on the way (F39).
func TestMoneyGoesBackToACard(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
	w.capture(harbor, o)
	card := w.do(operator, credit.AddPaymentMethod{Company: alder.ID, Type: credit.Card,
		Card:          &credit.CardAccount{Token: fake.TokenOK, Mandate: "mandate", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.clock.Now()},
	}).(*credit.PaymentMethod)
	paid := w.do(operator, credit.RecordPayment{
		Order: o.Key, Amount: 500_00, Method: credit.Card, PaymentMethod: card.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}).(*credit.Payment)
	w.to("2026-01-15 11:00")
	w.do(operator, credit.RefundPayment{Payment: paid.ID, Amount: ptr(money.Amount(100_00))})
	w.to("2026-01-15 12:00")
	w.do(shop(harbor), credit.RefundOrder{Order: o.Key})
	w.do(operator, credit.SendCredit{Company: alder.ID})
	w.to("2026-01-21 12:00")

	state := map[credit.TransferKind]string{}
	w.view(func(v store.View) error {
		list, err := v.Transfers(store.TransferFilter{Rail: credit.Card}, store.Page{Limit: 10})
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
