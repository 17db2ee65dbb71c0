package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/ports/screening"
)

// screened returns a world whose clockwork has a sanctions list and has done its daily run.
func screened(t *testing.T) (*world, *credit.Merchant) {
	t.Helper()
	w := newWorld(t, "2026-01-15 10:00")
	w.sanctions = screening.TestList()
	w.work = w.scheduler(w.db)
	m := w.merchant("Harbor Supply", twelve(6))
	w.turn()
	return w, m
}

func (w *world) turn() {
	w.t.Helper()
	if _, err := w.work.RunDue(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// A new name is screened by the next turn, hours before the daily run, and only once (F29).
func TestNewNamesAreScreenedAtOnce(t *testing.T) {
	w, harbor := screened(t)
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	w.turn()
	if list := w.screenings(); len(list) != 0 {
		t.Fatalf("found %+v", list)
	}
	quiet := w.seq()
	w.turn()
	if q := w.seq(); q != quiet {
		t.Errorf("%d commands compare names that have been compared", q-quiet)
	}
	name := "Drakonov, Viktor"
	w.do(operator, lending.UpdateCompany{Company: alder.ID, Title: &name})
	drakon := w.company("Viktor Drakonov", "200300400", harbor)
	shipping := w.merchant("Santa Esperanza Shipping", twelve(3))
	w.turn()
	list := w.screenings()
	if len(list) != 3 {
		t.Fatalf("found %+v", list)
	}
	for _, x := range list {
		if x.Company != alder.ID && x.Company != drakon.ID && x.Merchant != shipping.ID || x.Status != credit.ScreeningOpen {
			t.Errorf("found %+v", x)
		}
	}
	basin := w.sealed(payments.PaidAccount(harbor.ID), "200100299", "Blackwater Basin Trading")
	w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: basin})
	w.turn()
	if list = w.screenings(); len(list) != 4 {
		t.Errorf("found %+v", list)
	}
}

// Without a list nobody is screened, and nobody waits for it. Once there is one, the first
// turn screens everybody.
func TestWithoutAListNobodyWaits(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	drakon := w.company("Viktor Drakonov", fake.Account, harbor)
	w.capture(harbor, w.order(harbor, drakon, "PO-1", 1200_00, 6, false))
	w.to("2026-01-16 17:00")
	if w.paidOut() != 1 || len(w.screenings()) != 0 {
		t.Fatalf("%d payouts, %d screenings", w.paidOut(), len(w.screenings()))
	}
	w.sanctions = screening.TestList()
	w.work = w.scheduler(w.db)
	w.turn()
	if list := w.screenings(); len(list) != 1 || list[0].Company != drakon.ID {
		t.Errorf("found %+v", list)
	}
}

// renaming renames a party just before one command of the clockwork.
type renaming struct {
	engine.Submitter
	before string // the command's name
	rename func()
}

func (r *renaming) Submit(ctx context.Context, q engine.Request) (engine.Result, error) {
	if r.rename != nil && q.Command.Name() == r.before {
		do := r.rename
		r.rename = nil
		do()
	}
	return r.Submitter.Submit(ctx, q)
}

// A name that changes between its screening and the record of it is itself screened.
func TestRenamedWhileScreened(t *testing.T) {
	w, harbor := screened(t)
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	name := "Viktor Drakonov"
	w.submit = &renaming{w.eng, "screening.record", func() { w.do(operator, lending.UpdateCompany{Company: alder.ID, Title: &name}) }}
	w.work = w.scheduler(w.db)
	w.turn()
	w.turn()
	if list := w.screenings(); len(list) != 1 || list[0].Company != alder.ID || list[0].Names[0] != name {
		t.Errorf("found %+v", list)
	}
}

// A merchant whose account holder changes between its screening and its payout is screened
// again, and paid in the same run only if the new holder is not listed.
func TestRenamedWhilePaid(t *testing.T) {
	for holder, paid := range map[string]int{"Blackwater Basin Trading": 0, "Harbor Treasury": 1} {
		w, harbor := screened(t)
		alder := w.company("Alder Kitchens", fake.Account, harbor)
		w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
		bank := w.sealed(payments.PaidAccount(harbor.ID), "200100299", holder)
		w.submit = &renaming{w.eng, "payout.run", func() { w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: bank}) }}
		w.work = w.scheduler(w.db)
		w.to("2026-01-16 17:00")
		if got := w.paidOut(); got != paid || len(w.screenings()) != 1-paid {
			t.Errorf("%s: %d payouts, %d screenings", holder, got, len(w.screenings()))
		}
	}
}

// A company's credit is not sent while its new name is under review.
func TestNoCreditToANameThatIsListed(t *testing.T) {
	for name, sent := range map[string]int{"Viktor Drakonov": 0, "Alder & Daughters": 1} {
		w, harbor := screened(t)
		alder := w.company("Alder Kitchens", fake.Account, harbor)
		o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
		w.capture(harbor, o)
		w.do(operator, payments.RecordPayment{Order: o.Key, Amount: 1500_00, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
		w.do(operator, payments.SendCredit{Company: alder.ID, Method: w.autopayOf(alder.ID)}) // the wire's account is unknown (F41.2)
		if _, err := w.clock.AdvanceTo(w.instant("2026-01-15 16:30")); err != nil {
			t.Fatal(err)
		}
		w.do(operator, lending.UpdateCompany{Company: alder.ID, Title: &name}) // at the cut-off, before the turn
		w.turn()
		if list := w.sentTransfers(); len(list) != sent {
			t.Errorf("%s is sent %+v", name, list)
		}
	}
}

// autopayOf returns the account that a company's autopay debits.
func (w *world) autopayOf(company int64) string {
	s := credit.NewState()
	w.view(func(v store.View) error { return v.Load(s, credit.Keys{Companies: []int64{company}}) })
	return s.Companies[company].Servicing.Autopay.Method
}

// sentTransfers returns those that have been sent.
func (w *world) sentTransfers() (list []*credit.Transfer) {
	w.view(func(v store.View) (err error) {
		list, err = store.ListTransfers(v, store.TransferFilter{Status: credit.TransferSent}, store.Page{Limit: 9})
		return err
	})
	return list
}
