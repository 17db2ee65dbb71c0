package credit_test

import (
	"encoding/json"
	"os"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// lateDay is a day of a life: what is done on it, and the days past due afterwards.
type lateDay struct {
	date string
	do   credit.Command // on the order; nil for nothing
	late int            // delinquentDays + 3 of the scenario, which deducts three grace days
	past money.Amount
}

// Delinquency in an open-source lender's published tests (apache/fineract
// LoanDelinquency.feature and Loan.feature @4198b0bc), as far as our commands can play them:
// days past due of the oldest unpaid row, days of a hold deducted, a hold that ends early, and
// money or a refund that ends it (F10, F13, F15, F18). The schedule tests play the file they
// come from in full.
func TestPublishedDelinquency(t *testing.T) {
	hold := func(days int) credit.Command { return lending.HoldOrder{Days: days, Reason: "goods damaged"} }
	pay := func(amount string) credit.Command {
		return payments.RecordPayment{Amount: cents(amount), Method: credit.Check}
	}
	for _, x := range []struct {
		id, amount, due string
		days            []lateDay
	}{
		{"LoanDelinquency:608, a pause and its end", "250.00", "2023-10-01", []lateDay{
			{"2023-10-15", hold(15), 14, 250_00}, {"2023-10-25", hold(0), 14, 250_00}, {"2023-10-26", nil, 15, 250_00}}},
		{"LoanDelinquency:770, paid during the pause", "250.00", "2023-10-01", []lateDay{
			{"2023-10-06", hold(24), 5, 250_00}, {"2023-10-16", nil, 5, 250_00}, {"2023-10-16", pay("250.00"), 0, 0}}},
		{"LoanDelinquency:1136, no pause", "1000.00", "2023-10-01", []lateDay{{"2023-12-01", nil, 61, 1000_00}}},
		{"Loan:849, a refund by the merchant", "1000.00", "2023-01-31", []lateDay{
			{"2023-02-05", nil, 5, 1000_00}, {"2023-03-01", lending.RefundOrder{Amount: ref(cents("1000.00"))}, 0, 0}}},
	} {
		t.Run(x.id, func(t *testing.T) {
			s := lending.DefaultSettings()
			s.LateFeeRate = 0
			w, o := oneRow(t, x.amount, x.due, s)
			for _, d := range x.days {
				w.at(d.date)
				w.must(system, lending.ServiceOrder{Order: o.Key})
				if d.do != nil {
					w.must(operator, onOrder(d.do, o.Key))
				}
				now := w.all.Orders[o.Key]
				v := w.all.Loans[o.Key].ViewRelieved(w.today(), now.Relief(w.all.Loans[o.Key]))
				if got := now.DPD(w.all.Loans[o.Key], w.today()); got != d.late || v.DPD != d.late || v.PastDue != d.past {
					t.Errorf("%s: %d days past due, %s, want %d, %s", d.date, got, v.PastDue, d.late, d.past)
				}
				if want := map[bool]schedule.Status{true: schedule.Overdue, false: schedule.PaidOff}[d.late > 0]; v.Status != want {
					t.Errorf("%s: %s, want %s", d.date, v.Status, want)
				}
			}
		})
	}
}

func ref[T any](x T) *T { return &x }

// onOrder sets the order of a command.
func onOrder(c credit.Command, order string) credit.Command {
	switch c := c.(type) {
	case lending.HoldOrder:
		c.Order = order
		return c
	case payments.RecordPayment:
		c.Order = order
		c.EffectiveDate, c.ScheduledDate = calendar.None, calendar.None
		return c
	case lending.RefundOrder:
		c.Order = order
		return c
	}
	return c
}

// F13: what the refund vectors say about the order and the company's credit, through the
// commands. The vectors also count as excess what pays earned charge.
func TestRefundVectors(t *testing.T) {
	type vector struct {
		ID           string
		Principal    string
		Rate         string `json:"annual_rate_pct"`
		Installments int
		Captured     string             `json:"capture_date"`
		Paid         int                `json:"installments_paid_on_time"`
		Date         string             `json:"refund_date"`
		Amount       string             `json:"refund_amount"`
		After        string             `json:"principal_after"`
		Excess       string             `json:"excess_to_borrower_credit"`
		OrderStatus  credit.OrderStatus `json:"order_status"`
		Rows         []struct {
			Nr     int
			Charge string `json:"finance_charge"`
			Due    string
		} `json:"remaining_schedule"`
	}
	raw, err := os.ReadFile("../schedule/testdata/derived_refunds.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) != 3 {
		t.Fatalf("%d vectors", len(file.Vectors))
	}
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			w := newWorld(t)
			s := lending.DefaultSettings()
			s.Terms = []credit.Term{{Installments: v.Installments, Plan: schedule.Amortized, AnnualRate: money.MustParseRate("0." + v.Rate)}}
			w.at(v.Captured)
			shop := w.shop("M", s)
			c := w.buyer("A", "25000.00", shop)
			o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents(v.Principal), Installments: v.Installments, Authorize: true}).(*credit.Order)
			w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
			for k := range v.Paid {
				row := w.all.Loans[o.Key].Rows[k]
				w.at(row.DueDate.String())
				w.must(operator, payment(o.Key, row.Amount().String()))
			}
			w.at(v.Date)
			w.must(shop, lending.RefundOrder{Order: o.Key, Amount: ref(cents(v.Amount))})
			l := w.all.Loans[o.Key]
			if got := w.all.Orders[o.Key].Status; got != v.OrderStatus || l.UnpaidPrincipal() != cents(v.After) {
				t.Errorf("%s, principal %s, want %s, %s", got, l.UnpaidPrincipal(), v.OrderStatus, v.After)
			}
			settled := money.Amount(0)
			for _, r := range v.Rows {
				row := l.Rows[r.Nr-1]
				if row.Amount() != cents(r.Due) || row.Charge != cents(r.Charge) {
					t.Errorf("row %d is %s with charge %s, want %s with %s", r.Nr, row.Amount(), row.Charge, r.Due, r.Charge)
				}
				settled += row.PaidCharge
			}
			if got := w.all.Companies[c.ID].Credit + settled; got != cents(v.Excess) {
				t.Errorf("credit and charge paid by it are %s, want %s", got, v.Excess)
			}
		})
	}
}
