package credit

import (
	"encoding/json"
	"os"
	"testing"

	"tenor/internal/calendar"
	"tenor/internal/money"
	"tenor/internal/schedule"
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

// F26, F24: the credit line step by step. The hold of good funds is that of
// package ach; here a payment's funds are good at once, so that the hold is added
// by hand between payment_settled and hold_released.
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
				got := []string{(c.Available() - l.held).String(), c.Outstanding.String(), c.Reserved.String()}
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
	shop    Actor
	company int64
	orders  map[string]string
	last    string // order that was captured last
	payment string
	held    money.Amount
}

func newLineLife(t *testing.T, limit string) *lineLife {
	w := newWorld(t)
	s := DefaultSettings()
	s.Terms = []Term{{Installments: 1, Plan: schedule.Net30}}
	s.MinOrder = 1
	shop := w.shop("M", s)
	return &lineLife{world: w, t: t, shop: shop, company: w.buyer("A", limit, shop).ID, orders: map[string]string{}}
}

func (l *lineLife) do(i int, s lineStep) {
	l.t.Helper()
	var ch Changes
	var r *Rejection
	order := l.orders[s.Order]
	switch s.Op {
	case "authorize":
		ch, r = l.world.do(l.shop, CreateOrder{Company: l.company, Amount: cents(s.Amount), Installments: 1, Authorize: true})
		if r == nil {
			l.orders[s.Order] = ch.Result.(*Order).Key
		}
	case "update_amount":
		a := cents(s.Amount)
		_, r = l.world.do(l.shop, UpdateOrder{Order: order, Amount: &a})
	case "capture":
		_, r = l.world.do(l.shop, UpdateOrder{Order: order, Status: OrderCaptured})
		l.last = order
	case "cancel":
		_, r = l.world.do(l.shop, UpdateOrder{Order: order, Status: OrderCanceled})
	case "set_limit":
		a := cents(s.Limit)
		_, r = l.world.do(operator, UpdateCompany{Company: l.company, Limit: &a})
	case "payment_settled":
		ch, r = l.world.do(operator, payment(l.last, s.Principal))
		l.payment, l.held = ch.Result.(*Payment).ID, cents(s.Principal)
	case "payment_returned":
		_, r = l.world.do(operator, ReturnPayment{Payment: l.payment})
		l.held = 0
	case "hold_released":
		l.held = 0
	case "refund":
		a := cents(s.Principal)
		_, r = l.world.do(l.shop, RefundOrder{Order: l.last, Amount: &a})
	case "expire":
		l.now = l.all.Orders[order].ExpiresAt
		_, r = l.world.do(operator, ServiceOrder{Order: order})
	default:
		l.t.Fatalf("step %d: %s", i+1, s.Op)
	}
	if refused := s.Expect == "DECLINED_INSUFFICIENT_CREDIT"; refused != (r != nil) || refused && r.Code != "insufficient_credit" {
		l.t.Errorf("step %d %s: %v, want %s", i+1, s.Op, r, s.Expect)
	}
}

// F18: days past due, bucket, non-accrual and proposed charge-off of one row.
func TestDelinquencyVectors(t *testing.T) {
	type vector struct {
		ID         string
		Due        string `json:"oldest_unpaid_due_date"`
		Amount     string `json:"installment_amount"`
		Paid       string
		AsOf       string `json:"as_of"`
		DPD        int    `json:"days_past_due"`
		Bucket     Bucket
		NonAccrual bool `json:"non_accrual"`
		ChargeOff  bool `json:"charge_off_due"`
	}
	s := DefaultSettings()
	for _, v := range readVectors[vector](t, "derived_delinquency") {
		due, asOf := calendar.MustParse(v.Due), calendar.MustParse(v.AsOf)
		p := schedule.Portfolio{}
		p.Apply(schedule.Event{Kind: schedule.EventCapture, ID: "o", Order: "o", Date: due - 30, Terms: schedule.Terms{
			Plan: schedule.Net30, Principal: cents(v.Amount), Installments: 1, CaptureDate: due - 30,
		}})
		if paid := cents(v.Paid); paid > 0 {
			p.Apply(schedule.Event{Kind: schedule.EventPayment, ID: "p", Order: "o", Date: due, Amount: paid})
		}
		p.Advance(asOf)
		dpd := p.Loans[0].DPD(asOf)
		if dpd != v.DPD || BucketOf(dpd) != v.Bucket || s.NonAccrual(dpd) != v.NonAccrual || s.ChargeOffDue(dpd) != v.ChargeOff {
			t.Errorf("%s: %d days, %s, non-accrual %t, charge-off %t; want %+v", v.ID, dpd, BucketOf(dpd), s.NonAccrual(dpd), s.ChargeOffDue(dpd), v)
		}
	}
}
