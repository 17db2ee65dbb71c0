package clockwork_test

import (
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/ports/rails/fake"
)

// The worked example by itself: people only order, ship and refund, and switch autopay off
// before the card. Everything else the clockwork finds, sends to the bank in real files and
// reads from the bank's. The books are those of the specification: 36 entries, each day,
// each account, each cent, in order.
func TestWorkedExample(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	w.workedExample()
	sameJournal(t, w.journal(), journalOfVector(t))
}

// workedExample plays the people's part of the worked example. w.to runs the clockwork's
// part.
func (w *world) workedExample() {
	one := credit.Term{Installments: 1, Plan: schedule.Net30, DiscountRate: money.MustParseRate("0.030000")}
	harbor := w.merchant("Harbor Supply", twelve(6), one)
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	birch := w.company("Birch Works", fake.Account, harbor)

	first := w.order(harbor, alder, "PO-7781", 1200_00, 6, false)
	w.to("2026-01-15 11:00")
	w.capture(harbor, first)
	w.to("2026-03-12 12:00")
	if err := w.bank.FailNext("R01", fake.Account); err != nil {
		w.t.Fatal(err)
	}
	w.to("2026-04-01 10:00")
	w.do(shop(harbor), lending.RefundOrder{Order: first.Key, Amount: ptr(money.Amount(300_00))})
	w.to("2026-04-03 09:00")
	other := w.order(harbor, birch, "PO-7782", 500_00, 1, true)
	w.capture(harbor, other)
	w.to("2026-05-20 10:00")
	card := w.do(operator, payments.AddPaymentMethod{Company: alder.ID, Type: credit.Card,
		Card:          &credit.CardAccount{Token: fake.TokenOK, Mandate: "mandate", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.clock.Now()}}).(*credit.PaymentMethod)
	w.do(operator, payments.SetAutopay{Company: alder.ID, Enabled: ptr(false)})
	w.to("2026-06-15 10:00")
	w.do(operator, payments.RecordPayment{Order: first.Key, Amount: 104_65, Method: credit.Card, PaymentMethod: card.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	w.to("2026-06-30 10:00")

	w.other = birch.ID
}

// journal lists the book's entries except further ones of the merchant's other order, which
// the specification leaves out.
func (w *world) journal() []string {
	w.t.Helper()
	var got []string
	w.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			foreign := slices.ContainsFunc(e.Postings, func(p ledger.Posting) bool { return p.Company == w.other })
			if !foreign || e.Event == "ORDER_CAPTURED" || e.Event == "CLAWBACK_NETTED" {
				got = append(got, booked(e))
			}
			return nil
		})
	})
	return got
}

func sameJournal(t *testing.T, got, want []string) {
	t.Helper()
	if len(want) != 36 {
		t.Fatalf("the vector has %d entries", len(want))
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("entry %d\n is: %v\nnow: %v", i+1, want[min(i, len(want)):], got[min(i, len(got)):])
		}
	}
}

func ptr[T any](x T) *T { return &x }
