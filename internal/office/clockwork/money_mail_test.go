package clockwork_test

import (
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/people"
)

// mails returns the templates of the money mails sent to a company so far, oldest first.
func (w *world) mails(company int64) (out []string) {
	w.t.Helper()
	w.view(func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounMail, store.RecordFilter{Company: company}, store.Page{Limit: 100})
		for i := range list {
			m := list[len(list)-1-i].(*credit.Mail)
			out = append(out, m.CreatedAt.In(w.zone.Location()).Format("01-02 15:04 ")+m.Template)
		}
		return err
	})
	return out
}

// owns creates an owner of a company, with a proven email address.
func (w *world) owns(company *credit.Company, name string) {
	email := name + "@alder.example"
	company = w.do(operator, lending.UpdateCompany{Company: company.ID, Email: &email}).(*credit.Company)
	w.do(operator, people.ProvePerson{
		Email: "hash of " + name, Contact: "contact of " + name, Company: company.ID, Found: company.Email,
		Secrets: []credit.Secret{{ID: "contact of " + name, Sealed: []byte("sealed")}},
	})
}

// An owner gets mail five days before an installment is due, when its debit is built, when
// it is received, and in the first days of a month about the statement; each once, even
// from a restarted clockwork. A company without people gets none, and its orders wake
// nobody.
func TestOwnersAreToldOfMoney(t *testing.T) {
	w := newWorld(t, "2026-01-12 10:00")
	m := w.merchant("Harbor Supply", twelve(3))
	a, b := w.company("Alder Kitchens", "100200300", m), w.company("Birch Bakery", "100200301", m)
	w.owns(a, "ann")
	for _, c := range []*credit.Company{a, b} {
		w.capture(m, w.order(m, c, "", 300_00, 3, false))
	}
	for _, at := range []string{"2026-02-07 00:30", "2026-02-12 12:00", "2026-03-01 00:30", "2026-03-02 12:00", "2026-03-12 12:00"} {
		w.to(at)
		w.work = w.scheduler(w.db)
	}
	want := []string{
		"02-01 00:00 statement_ready", "02-07 00:00 installment_due", "02-11 16:00 debit_tomorrow", "02-12 08:30 payment_received",
		"03-01 00:00 statement_ready", "03-07 00:00 installment_due", "03-11 16:00 debit_tomorrow", "03-12 08:30 payment_received",
	}
	if got := w.mails(a.ID); !slices.Equal(got, want) {
		t.Errorf("mails\n%q, want\n%q", got, want)
	}
	if got := w.mails(b.ID); len(got) != 0 {
		t.Errorf("nobody acts for the company, and is written to: %q", got)
	}
}

// No order wakes the clockwork five days before its due date unless somebody gets mail
// then.
func TestNobodyIsWokenForNobody(t *testing.T) {
	w := newWorld(t, "2026-01-12 10:00")
	m := w.merchant("Harbor Supply", twelve(3))
	c := w.company("Birch Bakery", "100200301", m)
	w.capture(m, w.order(m, c, "", 300_00, 3, false))
	before := w.seq()
	w.to("2026-02-11 12:00")
	// The payout of the capture is all that happens.
	w.view(func(v store.View) error {
		return store.EachAudit(v, before, func(_ int64, a store.Audit) error {
			if a.Command == (lending.ServiceOrder{}).Name() || a.Command == (people.TellStatement{}).Name() {
				t.Errorf("%s at %s", a.Command, a.At)
			}
			return nil
		})
	})
}
