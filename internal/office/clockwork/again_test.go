package clockwork_test

import (
	"context"
	"errors"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/clockwork"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
)

var errUnheard = errors.New("the answer was lost")

// unheard accepts requests and loses its first answers.
type unheard struct {
	rails.Bank
	rails.Processor
	lost int // answers still to lose
}

func (u *unheard) loses() bool { u.lost--; return u.lost >= 0 }

func (u *unheard) Send(ctx context.Context, name string, content []byte) error {
	if err := u.Bank.Send(ctx, name, content); err != nil || !u.loses() {
		return err
	}
	return errUnheard
}

func (u *unheard) Fetch(ctx context.Context) ([]rails.Incoming, error) { return u.Bank.Fetch(ctx) }

func (u *unheard) Done(ctx context.Context, name string) error { return u.Bank.Done(ctx, name) }

func (u *unheard) Charge(ctx context.Context, key, token string, amount money.Amount) (rails.Charge, error) {
	x, err := u.Processor.Charge(ctx, key, token, amount)
	if err == nil && u.loses() {
		return rails.Charge{}, errUnheard
	}
	return x, err
}

// processor is the processor part of unheard: both parts have a Done.
type processor struct{ *unheard }

func (p processor) Done(ctx context.Context, id string) error { return p.Processor.Done(ctx, id) }

// A file whose answer was lost is sent again unchanged, although the merchant has another
// account since: under one name there is one file (PO5).
func TestAFileIsSentAgainAsItWas(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	u := &unheard{Bank: w.bank, lost: 1}
	w.rail = u
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	w.capture(harbor, w.order(harbor, w.company("Alder Kitchens", fake.Account, harbor), "PO-1", 1200_00, 6, false))
	if err := w.work.Advance(context.Background(), w.clock, w.instant("2026-01-16 17:00"), nil); !errors.Is(err, errUnheard) {
		t.Fatalf("the answer was not lost: %v", err)
	}
	w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: w.account(payments.PaidAccount(harbor.ID), "200100201")})
	w.to("2026-01-21 12:00")
	if got := transfers(w); got != "PAYOUT SETTLED" {
		t.Error(got)
	}
}

// News of a charge is accepted although no answer to the charge was: what the processor has
// paid out it has approved.
func TestNewsBeforeTheAnswer(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	u := &unheard{Processor: w.bank.Cards(), lost: 1000}
	var err error
	w.work, err = clockwork.New(clockwork.Config{
		Backend: w.db, Submit: w.eng, Now: w.clock.Now, Zone: w.zone, Node: "test", Alone: true, Bank: w.bank, Origin: fake.Origin(), Cards: processor{u},
		Open: w.ring.Open, Seal: w.ring.Seal, Fingerprint: fingerprint,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.paysByCard()
	w.to("2026-01-22 12:00")
	if x := w.charge(); x.Status != credit.TransferSettled {
		t.Errorf("%+v", x)
	}
	if u.lost == 1000 {
		t.Error("nothing was asked of the processor")
	}
}

// paysByCard has a company pay 500.00 of an order by card.
func (w *world) paysByCard() {
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
	w.capture(harbor, o)
	card := w.do(operator, payments.AddPaymentMethod{Company: alder.ID, Type: credit.Card,
		Card:          &credit.CardAccount{Token: fake.TokenOK, Mandate: "mandate", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.clock.Now()},
	}).(*credit.PaymentMethod)
	w.do(operator, payments.RecordPayment{
		Order: o.Key, Amount: 500_00, Method: credit.Card, PaymentMethod: card.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	})
}

// charge returns the only card transfer.
func (w *world) charge() (x *credit.Transfer) {
	w.view(func(v store.View) error {
		list, err := store.ListTransfers(v, store.TransferFilter{Rail: credit.Card}, store.Page{Limit: 10})
		if len(list) != 1 {
			w.t.Fatalf("%d card transfers", len(list))
		}
		x = list[0]
		return err
	})
	return x
}

// slow sleeps before it submits a dispute for the first time: meanwhile another clockwork
// does everything there is to do.
type slow struct {
	engine.Submitter
	other func()
}

func (s *slow) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if _, dispute := r.Command.(payments.DisputeCharge); dispute && s.other != nil {
		other := s.other
		s.other = nil
		other()
	}
	return s.Submitter.Submit(ctx, r)
}

// A clockwork that slept does not dispute a charge again for which another has meanwhile
// recorded both the dispute and that it was won: the network's fee is paid once (EN16).
func TestADisputeThatIsOverDoesNotBeginAgain(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	w.paysByCard()
	w.to("2026-01-22 12:00")
	reference := w.charge().Reference
	if err := errors.Join(w.bank.Cards().Dispute(reference, "fraudulent"), w.bank.Cards().Win(reference)); err != nil {
		t.Fatal(err)
	}
	other, s := w.scheduler(w.db), &slow{Submitter: w.eng}
	s.other = func() {
		if _, err := other.RunDue(context.Background()); err != nil {
			t.Error(err)
		}
	}
	w.submit = s
	if _, err := w.scheduler(w.db).RunDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	events := map[string]int{}
	w.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error { events[e.Event]++; return nil })
	})
	if s.other != nil || w.charge().Status != credit.TransferSettled || events["CHARGEBACK_FEE"] != 1 || events["CARD_DISPUTE_WON"] != 1 {
		t.Errorf("%s %v", w.charge().Status, events)
	}
}
