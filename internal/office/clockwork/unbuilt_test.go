package clockwork_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/office/alarm"
	"tenor/internal/ports/rails/fake"
)

// An account that no file can contain blocks only itself: the file goes with the rest, its
// payment fails, it is no longer used, and a person is told (F41.11). The edges let only
// valid accounts through today, but an old database may contain invalid ones: a number is
// sealed.
func TestOneBadRowStopsItselfAlone(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	basin := w.merchant("Basin Supply", twelve(6))
	w.do(operator, merchants.SetMerchantAccount{Merchant: basin.ID, Bank: w.account(payments.PaidAccount(basin.ID), "123456789012345678901")})
	good := w.company("Alder Kitchens", fake.Account, harbor)
	bad := w.company("Birch Rooms", "123456789012345678", harbor)
	sealed := w.company("Cedar Halls", "200300501", harbor)
	lost := w.reseal(sealed)
	for i, c := range []*credit.Company{good, bad, sealed} {
		w.capture(harbor, w.order(harbor, c, "PO-"+string(rune('1'+i)), 1200_00, 6, false))
	}
	fir := w.company("Fir Floors", "200300502", basin)
	w.capture(basin, w.order(basin, fir, "PO-9", 600_00, 6, false))

	w.to("2026-01-15 12:00")
	if got := w.payoutsOf(harbor) + " " + w.payoutsOf(basin); got != "SETTLED FAILED" {
		t.Errorf("payouts: %s", got)
	}
	w.balanced("2000", -600_00+18_00)

	w.to("2026-02-20 12:00")
	for _, c := range []struct {
		of     *credit.Company
		status credit.PaymentStatus
		code   string
	}{{good, credit.PaymentSucceeded, ""}, {bad, credit.PaymentFailed, payments.CodeUnusable}, {sealed, credit.PaymentPending, ""}, {fir, credit.PaymentSucceeded, ""}} {
		p := w.paymentOf(c.of)
		code := ""
		if p.Failure != nil {
			code = p.Failure.Code
		}
		if p.Status != c.status || code != c.code {
			t.Errorf("%s: %s %s, want %s %s", c.of.Name, p.Status, code, c.status, c.code)
		}
	}
	if m := w.methodOf(bad); m.Status != credit.MethodDisabled || m.DisabledReason != payments.CodeUnusable {
		t.Errorf("the bad account is %s %s", m.Status, m.DisabledReason)
	}
	w.alarmed("could not be written in a bank file", 3)

	w.do(operator, payments.CorrectPaymentMethod{Method: w.methodOf(sealed).ID, Sealed: lost.Sealed, Last4: lost.Last4}) // the key is back
	w.to("2026-02-26 12:00")
	if p := w.paymentOf(sealed); p.Status != credit.PaymentSucceeded {
		t.Errorf("after the key is back: %s", p.Status)
	}
}

// A file that an older server stored with such an account is sent without it.
func TestKeptFileGoesWithoutABadRow(t *testing.T) {
	w := newWorld(t, "2026-01-10 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	good := w.company("Alder Kitchens", fake.Account, harbor)
	bad := w.company("Birch Rooms", "123456789012345678", harbor)
	all := []*credit.Company{good, bad}
	for i, c := range all {
		w.capture(harbor, w.order(harbor, c, "PO-"+string(rune('1'+i)), 1200_00, 6, false))
	}
	w.to("2026-02-06 12:00")
	for i, c := range all {
		o := w.orderOf(c)
		w.do(operator, payments.RecordPayment{Order: o.Key, Amount: 10_00, EffectiveDate: calendar.None, ScheduledDate: calendar.None, Method: credit.ACH, PaymentMethod: w.methodOf(c).ID, Reference: string(rune('a' + i))})
	}
	if _, err := w.clock.AdvanceTo(w.instant("2026-02-06 16:00")); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range all {
		id := w.paymentOf(c).Transfer
		w.do(operator, payments.ServiceTransfer{Transfer: id})
		ids = append(ids, id)
	}
	now := w.clock.Now()
	if _, _, err := w.db.PutFile(context.Background(), store.BankFile{ID: "achf_20260206_A", CutOff: now, State: store.FileBuilt, CreatedAt: now, MovedAt: now, Debits: 20_00}, ids); err != nil {
		t.Fatal(err)
	}
	w.to("2026-02-12 12:00")
	if a, b := w.paymentOf(good).Status, w.paymentOf(bad).Status; a != credit.PaymentSucceeded || b != credit.PaymentFailed {
		t.Errorf("the good payment is %s, the bad one %s", a, b)
	}
	w.alarmed("could not be written in a bank file", 1)
}

// reseal seals a number of a company's account with a key that the server does not have,
// and returns the account as it was.
func (w *world) reseal(c *credit.Company) credit.BankAccount {
	w.t.Helper()
	other, err := seal.New(seal.Derive([]byte("another key that is long enough, too"), "test"))
	if err != nil {
		w.t.Fatal(err)
	}
	m := w.methodOf(c)
	was := *m.Bank
	w.do(operator, payments.CorrectPaymentMethod{Method: m.ID, Sealed: other.Seal([]byte("200300501"), was.AboutIn(payments.MethodAccount(m.ID))), Last4: "0502"})
	return was
}

func (w *world) methodOf(c *credit.Company) (m *credit.PaymentMethod) {
	w.t.Helper()
	w.view(func(v store.View) error {
		list, err := store.ListMethods(v, c.ID)
		m = list[0]
		return err
	})
	return m
}

func (w *world) paymentOf(c *credit.Company) (p *credit.Payment) {
	w.t.Helper()
	w.view(func(v store.View) error {
		list, err := store.ListPayments(v, store.PaymentFilter{Company: c.ID, From: calendar.None, To: calendar.None}, store.Page{Limit: 1})
		p = list[0]
		return err
	})
	return p
}

func (w *world) orderOf(c *credit.Company) (o *credit.Order) {
	w.t.Helper()
	w.view(func(v store.View) error {
		list, err := store.ListOrders(v, store.OrderFilter{Company: c.ID, CapturedFrom: calendar.None, CapturedTo: calendar.None}, store.Page{Limit: 1})
		o = list[0]
		return err
	})
	return o
}

// payoutsOf lists the statuses of a merchant's payouts, newest first.
func (w *world) payoutsOf(m *credit.Merchant) string {
	w.t.Helper()
	var all []string
	w.view(func(v store.View) error {
		list, err := store.ListPayouts(v, store.PayoutFilter{Merchant: m.ID}, store.Page{Limit: 10})
		for _, p := range list {
			all = append(all, string(p.Status))
		}
		return err
	})
	return strings.Join(all, " ")
}

// balanced checks the balance of an account, in cents.
func (w *world) balanced(account string, want int64) {
	w.t.Helper()
	sums := map[string]int64{}
	w.view(func(v store.View) error {
		all, err := v.TrialBalance(store.BookFilter{From: calendar.None, To: calendar.None})
		for a, x := range all {
			sums[strconv.Itoa(int(a))] = int64(x)
		}
		return err
	})
	if sums[account] != want {
		w.t.Errorf("account %s has %d, want %d (%v)", account, sums[account], want, sums)
	}
}

// alarmed expects a number of alarms about bank messages that contain words.
func (w *world) alarmed(words string, want int) {
	w.t.Helper()
	list, err := alarm.Open(context.Background(), w.db, alarm.Setup{Zone: w.zone, Silent: true}, w.clock.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, a := range list {
		if strings.HasPrefix(a.Detail, "The entry") && strings.Contains(a.Detail, words) && a.Next != "" {
			n++
		}
	}
	if n != want {
		w.t.Errorf("%d alarms of %q, want %d: %+v", n, words, want, list)
	}
}
