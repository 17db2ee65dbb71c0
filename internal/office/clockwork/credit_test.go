package clockwork_test

import (
	"context"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails/fake"
)

// The excess of a merchant's refund goes back in time: made on Thursday 2026-11-05 it is
// sent by Tuesday 11-17, since 11-11 is a holiday (F36), each debit's part to the account
// that it came from (F41.2). Credit that cannot be sent is checked again later, and not
// over and over.
func TestCreditGoesBackByTime(t *testing.T) {
	w := newWorld(t, "2026-08-31 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
	w.capture(harbor, o)
	birch := w.do(operator, lending.CreateCompany{Title: "Birch & Co", Status: credit.CompanyApproved, Tier: "A", Limit: 5000_00, Merchants: []string{harbor.ID}}).(*credit.Company)
	b := w.order(harbor, birch, "PO-2", 1200_00, 6, false)
	w.capture(harbor, b)
	w.do(operator, payments.RecordPayment{Order: b.Key, Amount: 100_00, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	w.to("2026-11-05 10:00")
	for _, x := range []*credit.Order{o, b} {
		w.do(shop(harbor), lending.RefundOrder{Order: x.Key})
	}
	w.to("2026-11-12 23:00")
	if got := outgoing(w, alder.ID); got != "" {
		t.Errorf("a day before: %s", got)
	}
	w.to("2026-11-13 17:00")
	if got := outgoing(w, alder.ID); got != "PENDING 2026-11-16, PENDING 2026-11-16" {
		t.Errorf("on the fifth banking day: %s", got)
	}
	w.to("2026-11-17 09:00")
	if got := outgoing(w, alder.ID); got != "SUCCEEDED 2026-11-16, SUCCEEDED 2026-11-16" {
		t.Errorf("by the seventh: %s", got)
	}
	waits(t, w, birch.ID, credit.CreditNoAccount, "2026-11-20")
	if r, err := w.work.RunDue(context.Background()); err != nil || !r.Idle() {
		t.Errorf("one more turn does %+v: %v", r, err)
	}
	w.to("2026-12-01 09:00")
	waits(t, w, birch.ID, credit.CreditNoAccount, "2026-12-04")
}

// outgoing returns the company's payments OUT, with the days on which they settle.
func outgoing(w *world, company int64) string {
	w.t.Helper()
	var out []string
	w.view(func(v store.View) error {
		list, err := store.ListPayments(v, store.PaymentFilter{Company: company, From: calendar.None, To: calendar.None}, store.Page{Limit: 100})
		for _, p := range list {
			if p.Direction == "OUT" {
				out = append(out, string(p.Status)+" "+p.ScheduledDate.String())
			}
		}
		return err
	})
	return strings.Join(out, ", ")
}

// waits checks why a company's credit stays, and until when.
func waits(t *testing.T, w *world, company int64, why credit.CreditWait, until string) {
	t.Helper()
	s := credit.NewState()
	w.view(func(v store.View) error { return v.Load(s, credit.Keys{Companies: []int64{company}}) })
	if list := s.Credits[company]; len(list) != 1 || list[0].Waits != why || w.zone.Date(list[0].NextAt).String() != until {
		t.Errorf("credit is %+v, must wait for %s until %s", list, why, until)
	}
}
