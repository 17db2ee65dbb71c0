package outcome

import "tenor/internal/domain/credit"

// buyers is what checkouts and applications do to orders and companies.
func (t *statusTable) buyers() {
	accepted := "the order accepted in it is still CREATED"
	t.of("checkout.create", "create a checkout")
	t.order([]credit.OrderStatus{credit.OrderCreated}, []credit.OrderStatus{credit.OrderCanceled}, "it replaces one in which the order was accepted")
	t.of("checkout.accept", "a buyer accepts the terms")
	t.order(nil, []credit.OrderStatus{credit.OrderCreated}, "the order is new")
	t.financing(nil, []credit.FinancingStatus{credit.FinancingNone}, "the order is new")
	t.of("checkout.complete", "complete a checkout")
	t.order([]credit.OrderStatus{credit.OrderCreated}, []credit.OrderStatus{credit.OrderAuthorized}, "")
	t.of("checkout.end", "expire a checkout")
	t.order([]credit.OrderStatus{credit.OrderCreated}, []credit.OrderStatus{credit.OrderCanceled}, accepted)
	t.of("checkout.service", "expire a checkout by time")
	t.order([]credit.OrderStatus{credit.OrderCreated}, []credit.OrderStatus{credit.OrderCanceled}, accepted)
	for _, by := range [][2]string{
		{"application.facts", "decide an application by policy"},
		{"application.decide", "decide an application (staff)"},
		{"application.service", "daily run for an application"},
	} {
		t.of(by[0], by[1])
		t.company(nil, []credit.CompanyStatus{credit.CompanyApproved}, "it is approved")
		t.company(nil, []credit.CompanyStatus{credit.CompanyOnHold}, "it is approved, and a name of the company matches a sanctions list")
	}
}
