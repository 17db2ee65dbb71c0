package credit_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
)

// threeOrders captures three orders of a company, two of them paid off.
func threeOrders(t *testing.T) (w *world, owner credit.Actor, company int64, keys []string) {
	w = newWorld(t)
	s := lending.DefaultSettings()
	s.Terms = []credit.Term{term([]string{"3", "ZERO"})}
	owner = w.shop("M", s)
	company = w.buyer("A", "25000.00", owner).ID
	for i := range 3 {
		w.now = w.now.Add(time.Minute)
		o := w.must(owner, lending.CreateOrder{Company: company, Amount: cents("300.00"), Installments: 3, Authorize: true}).(*credit.Order)
		w.must(owner, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		if keys = append(keys, o.Key); i < 2 {
			w.must(operator, payment(o.Key, "300.00"))
		}
	}
	return w, owner, company, keys
}

// A company-level payment continues from the stored figures of what is still owed: it requests
// no history, and no invoice of a paid order.
func TestCompanyPaymentAsksForWhatItNeeds(t *testing.T) {
	w, _, company, keys := threeOrders(t)
	c := payment("", "50.00")
	c.Company = company
	s := w.state(w.env(operator), c)
	if len(s.History) != 0 || len(s.Payments) != 0 {
		t.Errorf("a payment of today asks for %d histories and %d payments", len(s.History), len(s.Payments))
	}
	if k := c.Keys(s, w.env(operator)); !slices.Equal(k.Invoices, []string{w.all.Orders[keys[2]].Invoice}) {
		t.Errorf("a payment asks for the invoices %v", k.Invoices)
	}
	if got := lending.Active(s, company, s.Accounts[company]); !slices.Equal(got, keys[2:]) {
		t.Errorf("%v of %v still owe", got, keys)
	}
	w.at("2026-01-12")
	c.EffectiveDate = calendar.MustParse("2026-01-11")
	w.must(operator, payment(keys[2], "1.00")) // so that the other comes before it
	s = w.state(w.env(operator), c)
	for _, key := range append([]string{credit.AccountKey(company)}, keys...) {
		if _, ok := s.History[key]; !ok {
			t.Errorf("an earlier payment does not ask for the history of %s", key)
		}
	}
}

// An order with credit stays among those that a payment goes through.
func TestOrderWithCreditIsActive(t *testing.T) {
	w, _, company, keys := threeOrders(t)
	w.must(operator, payment(keys[0], "5.00"))
	c := payment("", "50.00")
	c.Company = company
	s := w.state(w.env(operator), c)
	if got := lending.Active(s, company, s.Accounts[company]); !slices.Equal(got, []string{keys[0], keys[2]}) {
		t.Errorf("%v of %v are active", got, keys)
	}
}

// AU1: an entry belongs to one order, so that an order's ledger is complete and shows no
// other's.
func TestEntryOfTwoOrders(t *testing.T) {
	w, _, company, keys := threeOrders(t)
	o := w.all.Orders[keys[0]]
	line := func(key string, a ledger.Account, amount string) ledger.Posting {
		return ledger.Posting{Account: a, Amount: cents(amount), Dimensions: ledger.Dimensions{Company: company, Merchant: o.Merchant, Order: key}}
	}
	c := credit.Changes{Entries: []ledger.Entry{{
		ID: "ent_1", BookDate: w.today(), ValueDate: w.today(), Event: "PAYMENT_APPLIED", Cause: "pay_1", Currency: "USD",
		Postings: []ledger.Posting{line(keys[0], ledger.LoanPrincipal, "1.00"), line(keys[1], ledger.LoanPrincipal, "-1.00")},
	}}}
	var v *invariant.Violation
	if err := invariant.Check(c, w.all); !errors.As(err, &v) || v.Invariant != "AU1" {
		t.Errorf("an entry of two orders: %v", err)
	}
	c.Entries[0].Postings[1] = line(keys[0], ledger.ChargeReceivable, "-1.00")
	if err := invariant.Check(c, w.all); err != nil {
		t.Errorf("an entry of one order: %v", err)
	}
}

// Only money of the company's that has arrived can be refunded: nothing before that, and
// nothing once it was returned.
func TestRefundableByStatus(t *testing.T) {
	want := map[credit.PaymentStatus]string{credit.PaymentSucceeded: "70.00", credit.PaymentPartiallyRefunded: "70.00"}
	for _, status := range []credit.PaymentStatus{credit.PaymentScheduled, credit.PaymentPending, credit.PaymentSucceeded, credit.PaymentFailed, credit.PaymentPartiallyRefunded, credit.PaymentRefunded, credit.PaymentReturned, credit.PaymentCanceled} {
		p := credit.Payment{Status: status, Direction: "IN", Amount: cents("100.00"), Refunded: cents("20.00"), Freed: cents("10.00")}
		if got := p.Refundable().String(); got != cmp.Or(want[status], "0.00") {
			t.Errorf("%s: %s", status, got)
		}
		if p.Direction = "OUT"; p.Refundable() != 0 {
			t.Errorf("%s of the lender's money: %s", status, p.Refundable())
		}
	}
}
