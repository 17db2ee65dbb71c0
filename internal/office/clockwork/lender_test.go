package clockwork_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/alarm"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/ports/screening"
)

// late plays an order that nobody pays on time: one installment is paid manually, five
// weeks late. pass makes the time pass.
func late(t *testing.T, pass func(w *world, to string)) *world {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	w.do(operator, payments.SetAutopay{Company: alder.ID, Enabled: ptr(false)})
	w.do(operator, compliance.SetLender{ProvisionRates: map[credit.Bucket]money.Rate{
		credit.BucketCurrent: money.MustParseRate("0.01"), credit.Bucket1: money.MustParseRate("0.05"), credit.Bucket30: money.MustParseRate("0.1"),
	}})
	o := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
	w.capture(harbor, o)
	pass(w, "2026-03-20 10:00")
	w.do(operator, payments.RecordPayment{Order: o.Key, Amount: 207_06, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	pass(w, "2026-05-02 10:00")
	if _, err := w.work.RunDue(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w
}

// provisions lists the postings of month ends, by value date.
func (w *world) provisions() (list []string) {
	w.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			if strings.HasPrefix(e.Event, "PROVISION_") {
				list = append(list, fmt.Sprintf("%s %s %s", e.ValueDate, e.Event, e.Postings[0].Amount))
			}
			return nil
		})
	})
	return list
}

// Each month end is provided for once and in order, and the books are the same by value
// date whether the clockwork runs on time or returns after months (F17, F37).
func TestMonthEndsAreProvidedFor(t *testing.T) {
	want := []string{ // 1 % of 1,200.00; 5 % of it; 5 % of 1,004.94; 10 % of it
		"2026-01-31 PROVISION_MADE 12.00",
		"2026-02-28 PROVISION_MADE 48.00",
		"2026-03-31 PROVISION_RELEASED -9.75",
		"2026-04-30 PROVISION_MADE 50.24",
	}
	inTime := late(t, func(w *world, to string) { w.to(to) })
	afterwards := late(t, func(w *world, to string) {
		if _, err := w.clock.AdvanceTo(w.instant(to)); err != nil {
			t.Fatal(err)
		}
	})
	for name, w := range map[string]*world{"in time": inTime, "months late": afterwards} {
		if got := w.provisions(); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", name, strings.Join(got, "\n"))
		}
	}
}

// A month end that is provided for after a charge-off has used the allowance posts what it
// would have posted on time; at the end of the next month both have reached the same amount
// (F17).
func TestMonthEndAfterAChargeOff(t *testing.T) {
	allowance := map[string]map[string]money.Amount{}
	for name, pass := range map[string]func(w *world, to string){
		"in time": func(w *world, to string) { w.to(to) },
		"late": func(w *world, to string) {
			if _, err := w.clock.AdvanceTo(w.instant(to)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		w := newWorld(t, "2026-01-15 10:00")
		harbor := w.merchant("Harbor Supply", twelve(6))
		alder := w.company("Alder Kitchens", fake.Account, harbor)
		birch := w.company("Birch Kitchens", "200300400", harbor)
		w.do(operator, payments.SetAutopay{Company: alder.ID, Enabled: ptr(false)})
		w.do(operator, compliance.SetLender{ProvisionRates: map[credit.Bucket]money.Rate{
			credit.BucketCurrent: money.MustParseRate("0.01"), credit.Bucket1: money.MustParseRate("0.01"),
		}})
		lost := w.order(harbor, alder, "PO-1", 1200_00, 6, false)
		w.capture(harbor, lost)
		w.to("2026-02-10 10:00")
		w.capture(harbor, w.order(harbor, birch, "PO-2", 6000_00, 6, false))
		pass(w, "2026-03-03 10:00")
		w.do(operator, lending.ChargeOffOrder{Order: lost.Key, Reason: "fraud"})
		w.to("2026-04-02 10:00")
		allowance[name] = map[string]money.Amount{"2026-02-28": w.allowanceOn("2026-02-28"), "2026-03-31": w.allowanceOn("2026-03-31")}
	}
	if want := money.Amount(72_00); allowance["in time"]["2026-02-28"] != want { // 1 % of 1,200.00 and of 6,000.00
		t.Errorf("in time the allowance held %s at the end of February", allowance["in time"]["2026-02-28"])
	}
	for day, want := range allowance["in time"] {
		if got := allowance["late"][day]; got != want {
			t.Errorf("late, the allowance held %s on %s, in time %s", got, day, want)
		}
	}
}

// allowanceOn is the allowance by value date.
func (w *world) allowanceOn(day string) (sum money.Amount) {
	w.view(func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			for _, p := range e.Postings {
				if p.Account == ledger.Allowance && e.ValueDate <= calendar.MustParse(day) {
					sum = sum.Sub(p.Amount)
				}
			}
			return nil
		})
	})
	return sum
}

// Two schedulers that both find month ends provide for each once.
func TestTwoSchedulersProvideOnce(t *testing.T) {
	w := late(t, func(w *world, to string) {
		if _, err := w.clock.AdvanceTo(w.instant(to)); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := w.clock.AdvanceTo(w.instant("2026-09-01 00:30")); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Add(1)
		s := w.scheduler(w.db)
		go func() {
			defer both.Done()
			if _, err := s.RunDue(context.Background()); err != nil {
				t.Error(err)
			}
		}()
	}
	both.Wait()
	var days []string
	for _, p := range w.provisions() {
		days = append(days, p[:len("2026-01-31")])
	}
	if !slices.IsSorted(days) || len(slices.Compact(slices.Clone(days))) != len(days) {
		t.Errorf("provided for on %v", days)
	}
	w.view(func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Lenders: []string{credit.TheLender}})
		if to := s.TheLender().ProvisionedThrough.String(); to != "2026-08-31" {
			t.Errorf("provided for to %s", to)
		}
		return err
	})
}

// Everybody is screened each day, a merchant before it is paid; a name that resembles a
// listed one waits for a person, and is found once (F29).
func TestScreening(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	var said bytes.Buffer
	w.sanctions, w.log = screening.TestList(), slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelError}))
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	drakon := w.company("Drakonov, Wiktor", "200300400", harbor)
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.to("2026-01-15 12:00")
	found := w.screenings()
	if len(found) != 1 || found[0].Company != drakon.ID || found[0].Matches[0].Entry != "T-1001" {
		t.Fatalf("found %+v", found)
	}
	basin := w.sealed(payments.PaidAccount(harbor.ID), "200100299", "Blackwater Basin Trading")
	w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: basin})
	w.to("2026-01-16 17:00") // the payout of its capture is due, and it has been renamed
	if found = w.screenings(); len(found) != 2 || found[0].Merchant != harbor.ID || w.paidOut() != 0 {
		t.Fatalf("found %+v, %d payouts", found, w.paidOut())
	}
	w.to("2026-01-20 17:00")
	if again := w.screenings(); len(again) != 2 || w.paidOut() != 0 {
		t.Fatalf("found %+v, %d payouts", again, w.paidOut())
	}
	w.do(operator, compliance.DecideScreening{Screening: found[0].ID, Reason: "a harbor's basin"})
	w.to("2026-01-21 17:00")
	if again := w.screenings(); len(again) != 2 || w.paidOut() != 1 {
		t.Fatalf("found %+v, %d payouts", again, w.paidOut())
	}
	if n := strings.Count(said.String(), "what=screening_open"); n != 2 {
		t.Errorf("%d alarms in the log:\n%s", n, said.String())
	}
}

// screenings returns all of them, newest first.
func (w *world) screenings() (list []*credit.Screening) {
	w.view(func(v store.View) (err error) {
		list, err = store.ListScreenings(v, store.ScreeningFilter{}, store.Page{Limit: 9})
		return err
	})
	return list
}

func (w *world) paidOut() (n int) {
	w.view(func(v store.View) error {
		list, err := store.ListPayouts(v, store.PayoutFilter{}, store.Page{Limit: 9})
		n = len(list)
		return err
	})
	return n
}

// What waits for a person is listed, with its day, until it is done (F22, F28). The log
// reports it when it starts to wait, and again if it does so again.
func TestAlarms(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	var said bytes.Buffer
	w.log = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelError}))
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	less := money.Amount(20_000_00)
	w.do(operator, lending.UpdateCompany{Company: alder.ID, Limit: &less, Reasons: []string{"credit_score"}})
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.do(operator, merchants.HoldPayouts{Merchant: harbor.ID, Reason: "review"})
	if err := w.bank.FailNext("R29", fake.Account); err != nil {
		t.Fatal(err)
	}
	w.alarmsAre("2026-02-03 12:00", "payouts_held")
	w.alarmsAre("2026-02-04 12:00", "notice_due 2026-02-14", "payouts_held")
	w.alarmsAre("2026-02-14 12:00", "notice_due 2026-02-14", "payouts_held")
	w.alarmsAre("2026-02-15 12:00", "notice_overdue 2026-02-14", "payouts_held")
	var notice string
	w.view(func(v store.View) error {
		list, err := store.ListNotices(v, store.NoticeFilter{DueFrom: calendar.None, DueTo: calendar.None}, store.Page{Limit: 1})
		notice = list[0].ID
		return err
	})
	w.do(operator, compliance.SendNotice{Notice: notice, Channel: "MAIL", Evidence: "letter"})
	w.do(operator, merchants.HoldPayouts{Merchant: harbor.ID})
	w.alarmsAre("2026-02-19 17:00", "autopay_paused", "return_rate unauthorized", "return_rate all")
	w.do(operator, merchants.HoldPayouts{Merchant: harbor.ID, Reason: "review again"})
	w.to("2026-02-22 17:00")
	for what, want := range map[string]int{"payouts_held": 2, "notice_due": 1, "notice_overdue": 1, "return_rate": 2} {
		if n := strings.Count(said.String(), "what="+what+" "); n != want {
			t.Errorf("%s was said %d times, not %d:\n%s", what, n, want, said.String())
		}
	}
}

// Money due to a merchant without an account waits and is an alarm from its due date on;
// when there is an account the next run pays it (F32).
func TestMerchantWithoutAnAccount(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID})
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.alarmsAre("2026-01-15 17:00")
	w.alarmsAre("2026-01-16 17:00", "account_missing")
	w.do(operator, merchants.SetMerchantAccount{Merchant: harbor.ID, Bank: w.account(payments.PaidAccount(harbor.ID), "200100200")})
	w.alarmsAre("2026-01-16 18:00")
	if n := w.paidOut(); n != 0 {
		t.Errorf("%d payouts without an account", n)
	}
	w.alarmsAre("2026-01-20 17:00")
	if n := w.paidOut(); n != 1 {
		t.Errorf("%d payouts", n)
	}
}

// alarmsAre moves the clock and checks the kinds of alarms, with their days or names.
func (w *world) alarmsAre(at string, want ...string) {
	w.t.Helper()
	w.to(at)
	open, err := alarm.Open(context.Background(), w.db, alarm.Setup{Zone: w.zone}, w.clock.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, a := range open {
		text := string(a.Kind)
		if a.Due != calendar.None {
			text += " " + a.Due.String()
		}
		if a.Kind == alarm.ReturnRate {
			text += " " + a.Subject
		}
		got = append(got, text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("%s: %q, not %q", at, got, want)
	}
}
