package docstest

import (
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
)

// The tests in this file show decisions of docs/decisions.md that no other test covers.

func TestCompanyStatuses(t *testing.T) {
	for _, c := range []struct {
		status         credit.CompanyStatus
		buys, captures bool
	}{
		{credit.CompanyApproved, true, true},
		{credit.CompanyOnHold, false, true},
		{credit.CompanySuspended, false, false},
		{credit.CompanyClosed, false, false},
	} {
		t.Run(string(c.status), func(t *testing.T) {
			b := openBooks(t, lending.DefaultSettings())
			key := b.authorize("100.00", 3, false)
			b.do(lender, lending.UpdateCompany{Company: b.company, Status: c.status, Reasons: []string{"credit_score"}})
			_, buys := b.try(b.shop, lending.CreateOrder{Company: b.company, Amount: cents("1.00")})
			_, captures := b.try(b.shop, lending.UpdateOrder{Order: key, Status: credit.OrderCaptured})
			if (buys == nil) != c.buys || (captures == nil) != c.captures {
				t.Errorf("buy: %v, capture: %v", buys, captures)
			}
		})
	}
}

func TestAuthorizing(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	created := b.do(b.shop, lending.CreateOrder{Company: b.company, Amount: cents("1200.00"), Installments: 6}).(*credit.Order)
	if created.Status != credit.OrderCreated || b.state.Companies[b.company].Reserved != 0 || created.Terms != nil {
		t.Errorf("created: %+v", created)
	}
	o := b.do(b.shop, lending.UpdateOrder{Order: created.Key, Status: credit.OrderAuthorized}).(*credit.Order)
	if o.Status != credit.OrderAuthorized || b.state.Companies[b.company].Reserved != cents("1200.00") || o.Terms == nil {
		t.Errorf("authorized: %+v", o)
	}
	if days := o.ExpiresAt.Sub(o.AuthorizedAt).Hours() / 24; days != 30 {
		t.Errorf("it expires after %v days", days)
	}
	again := b.do(b.shop, lending.UpdateOrder{Order: created.Key, Status: credit.OrderAuthorized}).(*credit.Order)
	if again.Version != o.Version {
		t.Error("authorizing twice changes the order")
	}
	b.refused(b.shop, lending.CreateOrder{Company: b.company, Amount: cents("23800.01"), Installments: 6, Authorize: true}, credit.InsufficientCredit)
}

func TestPartialRefund(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	key := b.authorize("1200.00", 6, false)
	part := cents("300.00")
	b.refused(b.shop, lending.RefundOrder{Order: key, Amount: &part}, credit.OrderNotCaptured)
	b.capture(key)
	o := b.do(b.shop, lending.RefundOrder{Order: key, Amount: &part, Reference: "RMA-1"}).(*credit.Order)
	if o.Status != credit.OrderCaptured || o.Refunded != part {
		t.Errorf("after a part: %s, %s refunded", o.Status, o.Refunded)
	}
	again := b.do(b.shop, lending.RefundOrder{Order: key, Reference: "RMA-1"}).(*credit.Order)
	if again.Version != o.Version || len(again.Refunds) != 1 {
		t.Error("the same reference refunds twice")
	}
	other := cents("300.01")
	b.refused(b.shop, lending.RefundOrder{Order: key, Amount: &other, Reference: "RMA-1"}, credit.RefundReferenceUsed)
	o = b.do(b.shop, lending.RefundOrder{Order: key}).(*credit.Order)
	if o.Status != credit.OrderReturned || o.Refunded != cents("1200.00") {
		t.Errorf("after the rest: %s, %s refunded", o.Status, o.Refunded)
	}
	b.refused(b.shop, lending.RefundOrder{Order: key}, credit.RefundExceedsCaptured)
}

func TestPaymentStatuses(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	key := b.authorize("1200.00", 6, false)
	b.capture(key)
	id := b.wire(lender, key, "207.06", "2026-01-10")
	status := func() credit.PaymentStatus { return b.state.Payments[id].Status }
	expect := func(want credit.PaymentStatus) {
		t.Helper()
		if got := status(); got != want {
			t.Errorf("the payment is %s instead of %s", got, want)
		}
	}
	expect(credit.PaymentSucceeded)
	b.refused(lender, payments.CancelPayment{Payment: id}, credit.PaymentNotCancelable)
	part, much := cents("7.06"), cents("200.01")
	b.do(lender, payments.RefundPayment{Payment: id, Amount: &part})
	expect(credit.PaymentPartiallyRefunded)
	b.refused(lender, payments.RefundPayment{Payment: id, Amount: &much}, credit.RefundExceedsPayment)
	b.do(lender, payments.RefundPayment{Payment: id})
	expect(credit.PaymentRefunded)
	b.refused(lender, payments.RefundPayment{Payment: id}, credit.PaymentNotRefundable)
	b.do(lender, payments.ReturnPayment{Payment: id, Code: "bounced"})
	expect(credit.PaymentReturned)
	version := b.state.Payments[id].Version
	b.do(lender, payments.ReturnPayment{Payment: id, Code: "bounced"})
	if b.state.Payments[id].Version != version {
		t.Error("a payment returns twice")
	}
}

func TestFieldsAndStatusTogether(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	key := b.authorize("1000.00", 6, false)
	less, more := cents("800.00"), cents("30000.00")
	number := lending.Patch[string]{Value: "PO-9"}
	b.refused(b.shop, lending.UpdateOrder{Order: key, Amount: &more, MerchantOrderID: &number, Status: credit.OrderCaptured}, credit.InsufficientCredit)
	if o := b.state.Orders[key]; o.MerchantOrderID != "" || o.Status != credit.OrderAuthorized {
		t.Errorf("a refused patch has changed the order: %+v", o)
	}
	o := b.do(b.shop, lending.UpdateOrder{Order: key, Amount: &less, MerchantOrderID: &number, Status: credit.OrderCaptured}).(*credit.Order)
	if o.Captured != less || o.MerchantOrderID != "PO-9" || o.Status != credit.OrderCaptured {
		t.Errorf("captured: %+v", o)
	}
	b.refused(b.shop, lending.UpdateOrder{Order: key, Amount: &more}, credit.AmountLocked)
}

func TestDefaultTerms(t *testing.T) {
	s := lending.DefaultSettings()
	var offered []int
	for n := 1; n <= 36; n++ {
		if _, ok := s.Offer(n); ok {
			offered = append(offered, n)
		}
	}
	if len(offered) != 6 || offered[0] != 1 || offered[5] != 24 || s.MinOrder != cents("1.00") || money.Max != cents("10000000.00") {
		t.Errorf("offered: %v, from %s, up to %s", offered, s.MinOrder, money.Max)
	}
}

func TestCreditStaysWithItsSource(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	first, second := b.authorize("100.00", 1, false), b.authorize("100.00", 1, false)
	b.capture(first)
	b.capture(second)
	p1, p2 := b.wire(lender, first, "110.00", "2026-01-10"), b.wire(lender, second, "105.00", "2026-01-10")
	if got := b.state.Companies[b.company].Credit; got != cents("15.00") {
		t.Errorf("credit %s", got)
	}
	b.do(lender, payments.ReturnPayment{Payment: p1, Code: "bounced"})
	if got := b.state.Payments[p2].Unapplied; got != cents("5.00") || b.state.Companies[b.company].Credit != got {
		t.Errorf("after the return of the first payment: %s of the second is unapplied, %s in all", got, b.state.Companies[b.company].Credit)
	}
}

func TestFinancingStatusMovesWithCommands(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	key := b.authorize("1200.00", 6, false)
	b.on("2026-01-15")
	b.capture(key)
	b.on("2026-02-20")
	if got := b.state.Orders[key].Financing; got != credit.FinancingActive {
		t.Errorf("before a command: %s", got)
	}
	if v := b.state.Loans[key].View(calendar.MustParse("2026-02-20")); v.DPD != 5 {
		t.Errorf("what is read shows %d days past due", v.DPD)
	}
	version := b.state.Orders[key].Version
	b.service(key)
	if o := b.state.Orders[key]; o.Financing != credit.FinancingOverdue || o.Version != version+1 {
		t.Errorf("after a command: %s, version %d after %d", o.Financing, o.Version, version)
	}
	b.wire(lender, key, "207.06", "2026-02-20")
	if got := b.state.Orders[key].Financing; got != credit.FinancingActive {
		t.Errorf("after the payment: %s", got)
	}
}

func TestPaymentsThatAreRefused(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	key, external := b.authorize("100.00", 1, false), b.authorize("100.00", 1, true)
	b.capture(key)
	b.capture(external)
	pay := func(order string, m credit.Method, scheduled, effective calendar.Date) payments.RecordPayment {
		return payments.RecordPayment{Order: order, Amount: cents("1.00"), Method: m, ScheduledDate: scheduled, EffectiveDate: effective}
	}
	today, none := calendar.MustParse("2026-01-10"), calendar.None
	b.refused(lender, pay(key, credit.Wire, today.AddDays(3), none), credit.InvalidEffectiveDate)
	b.refused(lender, pay(key, credit.Wire, none, today.AddDays(1)), credit.InvalidEffectiveDate)
	b.refused(b.shop, pay(key, credit.Wire, none, today.AddDays(-1)), credit.InvalidEffectiveDate)
	b.refused(b.shop, pay(key, credit.ACH, none, none), credit.PaymentMethodRequired)
	b.refused(lender, pay(key, credit.Card, none, none), credit.PaymentMethodRequired)
	b.do(b.shop, pay(external, credit.ACH, none, none))
}

func TestEstimate(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	o := b.do(b.shop, lending.CreateOrder{Company: b.company, Amount: cents("1200.00")}).(*credit.Order)
	today := calendar.MustParse("2026-01-15")
	if _, r := onboarding.Estimate(b.state, o, today); r == nil || r.Code != credit.InstallmentsRequired.Code {
		t.Errorf("without a term: %v", r)
	}
	o = b.do(b.shop, lending.UpdateOrder{Order: o.Key, Installments: &lending.Patch[int]{Value: 6}}).(*credit.Order)
	l, r := onboarding.Estimate(b.state, o, today)
	if r != nil || len(l.Rows) != 6 || l.Rows[0].Amount() != cents("207.06") || l.Rows[0].DueDate != calendar.MustParse("2026-02-15") {
		t.Errorf("with a term: %v, %v", l, r)
	}
}

func TestInvoiceNumber(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	key := b.authorize("100.00", 3, false)
	b.capture(key)
	id := b.state.Orders[key].Invoice
	if got := b.state.Invoices[id].Number; got != "INV-"+id[len(id)-10:] || !strings.HasPrefix(id, "inv_") {
		t.Errorf("invoice %s has number %s", id, got)
	}
}

func TestCompanyPaymentPaysSeveralMerchants(t *testing.T) {
	b := openBooks(t, lending.DefaultSettings())
	m := b.do(lender, merchants.CreateMerchant{Title: "Quay Tools", Settings: lending.DefaultSettings()}).(*credit.Merchant)
	b.do(lender, lending.UpdateCompany{Company: b.company, Link: []string{m.ID}})
	first := b.authorize("100.00", 1, false)
	b.capture(first)
	b.shop = credit.Actor{Client: "quay", Merchant: m.ID}
	second := b.authorize("100.00", 1, false)
	b.capture(second)
	pay := payments.RecordPayment{Company: b.company, Amount: cents("150.00"), Method: credit.Wire, EffectiveDate: calendar.None, ScheduledDate: calendar.None}
	p := b.do(lender, pay).(*credit.Payment)
	paid := map[string]money.Amount{}
	for _, a := range p.Allocations {
		paid[a.Order] = a.Principal
	}
	if paid[first] != cents("100.00") || paid[second] != cents("50.00") {
		t.Errorf("allocations %v", p.Allocations)
	}
	pay.Amount = cents("60.00")
	p = b.do(b.shop, pay).(*credit.Payment)
	if len(p.Allocations) != 1 || p.Allocations[0].Order != second || p.Unapplied != cents("10.00") {
		t.Errorf("with a merchant's token: %v, %s unapplied", p.Allocations, p.Unapplied)
	}
}
