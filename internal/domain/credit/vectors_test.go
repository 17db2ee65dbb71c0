package credit_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

func readVectors[T any](t *testing.T, name string) []T {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []T }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 {
		t.Fatal(name, "has no vectors")
	}
	return file.Vectors
}

type lineStep struct {
	Op, Order, Amount, Expect, Principal, Limit string
	Available                                   string `json:"available_after"`
	Outstanding                                 string `json:"outstanding_after"`
	Reserved                                    string `json:"reserved_after"`
}

// F26, F24: the credit line step by step. Payments are debits: their money is on hold from
// settlement until it is good.
func TestCreditLineVectors(t *testing.T) {
	type vector struct {
		ID, Limit string
		Steps     []lineStep
	}
	for _, v := range readVectors[vector](t, "derived_credit_line") {
		t.Run(v.ID, func(t *testing.T) {
			l := newLineLife(t, v.Limit)
			for i, step := range v.Steps {
				l.do(i, step)
				c := l.all.Companies[l.company]
				got := []string{c.Available().String(), c.Outstanding.String(), c.Reserved.String()}
				if want := []string{step.Available, step.Outstanding, step.Reserved}; got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
					t.Errorf("step %d %s: available, outstanding, reserved %v, want %v", i+1, step.Op, got, want)
				}
			}
		})
	}
}

type lineLife struct {
	*world
	t       *testing.T
	shop    credit.Actor
	company int64
	orders  map[string]string
	last    string // order that was captured last
	method  string
	debit   string // transfer of the last payment
}

func newLineLife(t *testing.T, limit string) *lineLife {
	w := newWorld(t)
	s := lending.DefaultSettings()
	s.Terms = []credit.Term{{Installments: 1, Plan: schedule.Net30}}
	s.MinOrder = 1
	shop := w.shop("M", s)
	company := w.buyer("A", limit, shop).ID
	method := w.must(operator, payments.AddPaymentMethod{
		Company: company, Type: credit.ACH, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.now},
		Bank: &credit.BankAccount{Routing: "073000228", Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "f"},
	}).(*credit.PaymentMethod)
	return &lineLife{world: w, t: t, shop: shop, company: company, orders: map[string]string{}, method: method.ID}
}

func (l *lineLife) do(i int, s lineStep) {
	l.t.Helper()
	var ch credit.Changes
	var r *credit.Rejection
	order := l.orders[s.Order]
	switch s.Op {
	case "authorize":
		ch, r = l.world.do(l.shop, lending.CreateOrder{Company: l.company, Amount: cents(s.Amount), Installments: 1, Authorize: true})
		if r == nil {
			l.orders[s.Order] = ch.Result.(*credit.Order).Key
		}
	case "update_amount":
		a := cents(s.Amount)
		_, r = l.world.do(l.shop, lending.UpdateOrder{Order: order, Amount: &a})
	case "capture":
		_, r = l.world.do(l.shop, lending.UpdateOrder{Order: order, Status: credit.OrderCaptured})
		l.last = order
	case "cancel":
		_, r = l.world.do(l.shop, lending.UpdateOrder{Order: order, Status: credit.OrderCanceled})
	case "set_limit":
		a := cents(s.Limit)
		_, r = l.world.do(operator, lending.UpdateCompany{Company: l.company, Limit: &a, Reasons: []string{"credit_score"}})
	case "payment_settled":
		pay := payment(l.last, s.Principal)
		pay.Method, pay.PaymentMethod = credit.ACH, l.method
		l.debit = l.must(operator, pay).(*credit.Payment).Transfer
		l.comesAbout(credit.TransferSent)
		l.comesAbout(credit.TransferSettled)
	case "payment_returned":
		_, r = l.world.do(system, payments.ReturnTransfer{Transfer: l.debit, Code: "R01"})
	case "hold_released":
		l.comesAbout(credit.TransferSettled)
	case "refund":
		a := cents(s.Principal)
		_, r = l.world.do(l.shop, lending.RefundOrder{Order: l.last, Amount: &a})
	case "expire":
		l.now = l.all.Orders[order].ExpiresAt
		_, r = l.world.do(operator, lending.ServiceOrder{Order: order})
	default:
		l.t.Fatalf("step %d: %s", i+1, s.Op)
	}
	if refused := s.Expect == "DECLINED_INSUFFICIENT_CREDIT"; refused != (r != nil) || refused && r.Code != "insufficient_credit" {
		l.t.Errorf("step %d %s: %v, want %s", i+1, s.Op, r, s.Expect)
	}
}

// comesAbout advances the clock to when time next changes the debit.
func (l *lineLife) comesAbout(want credit.TransferStatus) {
	l.t.Helper()
	l.now = l.all.Transfers[l.debit].NextAt
	l.must(system, payments.ServiceTransfer{Transfer: l.debit})
	if got := l.all.Transfers[l.debit].Status; got != want {
		l.t.Fatalf("the debit is %s instead of %s", got, want)
	}
}

// F18: days past due, bucket, nonaccrual and proposed charge-off, as the day's run leaves an
// order of one installment.
func TestDelinquencyVectors(t *testing.T) {
	type vector struct {
		ID         string
		Due        string `json:"oldest_unpaid_due_date"`
		Amount     string `json:"installment_amount"`
		Paid       string
		AsOf       string `json:"as_of"`
		DPD        int    `json:"days_past_due"`
		Bucket     credit.Bucket
		Nonaccrual bool `json:"nonaccrual"`
		ChargeOff  bool `json:"charge_off_due"`
	}
	for _, v := range readVectors[vector](t, "derived_delinquency") {
		w, o := oneRow(t, v.Amount, v.Due, lending.DefaultSettings())
		if paid := cents(v.Paid); paid > 0 {
			w.must(operator, payment(o.Key, paid.String()))
		}
		w.at(v.AsOf)
		w.must(operator, lending.ServiceOrder{Order: o.Key})
		o = w.all.Orders[o.Key]
		dpd := o.DPD(w.all.Loans[o.Key], w.today())
		if dpd != v.DPD || lending.BucketOf(dpd) != v.Bucket || o.Servicing.Nonaccrual != v.Nonaccrual || o.Servicing.Proposed != v.ChargeOff {
			t.Errorf("%s: %d days past due, %s, nonaccrual %t, charge-off proposed %t", v.ID, dpd, lending.BucketOf(dpd), o.Servicing.Nonaccrual, o.Servicing.Proposed)
		}
		if status := w.all.Companies[o.Company].Status; (status == credit.CompanySuspended) != (v.DPD >= 30) {
			t.Errorf("%s: the company is %s", v.ID, status)
		}
	}
}

// F10: the late fee that the day's run leaves on an installment.
func TestLateFeeVectors(t *testing.T) {
	type vector struct {
		ID     string
		Unpaid string `json:"unpaid_installment_amount"`
		Due    string `json:"due_date"`
		Run    string `json:"run_date"`
		Grace  int    `json:"grace_days"`
		Rate   string `json:"rate_pct"`
		Cap    string
		Fee    *string `json:"expect_fee"`
	}
	for _, v := range readVectors[vector](t, "derived_late_fees") {
		s := lending.DefaultSettings()
		s.LateFeeGraceDays, s.LateFeeCap, s.LateFeeRate = v.Grace, cents(v.Cap), money.MustParseRate("0.0"+v.Rate)
		amount := v.Unpaid
		if cents(amount) == 0 {
			amount = "207.06"
		}
		w, o := oneRow(t, amount, v.Due, s)
		if cents(v.Unpaid) == 0 {
			w.must(operator, payment(o.Key, amount))
		}
		w.at(v.Run)
		w.must(operator, lending.ServiceOrder{Order: o.Key})
		want := []schedule.Fee(nil)
		if v.Fee != nil {
			run := calendar.MustParse(v.Run)
			want = []schedule.Fee{{Kind: schedule.LateFeeKind, Installment: 1, Date: run, Amount: cents(*v.Fee)}}
		}
		got := slices.Clone(w.all.Loans[o.Key].Fees)
		for i := range got {
			got[i].ID = ""
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: fees %+v, want %+v", v.ID, got, want)
		}
	}
}

// oneRow is a world with an order of one installment without charge, due on a day.
func oneRow(t *testing.T, amount, due string, s credit.Settings) (*world, *credit.Order) {
	t.Helper()
	w := newWorld(t)
	s.Terms = []credit.Term{{Installments: 1, Plan: schedule.Zero}}
	w.at(calendar.MustParse(due).AddMonths(-1).String())
	shop := w.shop("M", s)
	c := w.buyer("A", "25000.00", shop)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents(amount), Installments: 1, Authorize: true}).(*credit.Order)
	o = w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
	if got := w.all.Loans[o.Key].Rows[0].DueDate.String(); got != due {
		t.Fatalf("it is due on %s instead of %s", got, due)
	}
	return w, o
}
