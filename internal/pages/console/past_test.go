package console

import (
	"strconv"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/people"
	"tenor/internal/domain/permit"
)

// The time line of an order has everything that happened to it: events, the calls and acts that
// caused them, postings and mails, and what became of webhooks. A developer reads no reasons.
func TestTimeline(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	system := credit.Actor{Client: "system", Operator: true}
	r.act(credit.Actor{Client: "cli_ERP", Merchant: o.Merchant, RequestID: "req_4711"}, lending.RefundOrder{Order: o.Key, Reason: "broken"})
	r.act(system, people.QueueMail{Template: "code", Of: o.Key, To: "contact", Own: true, Secrets: []credit.Secret{{ID: "contact", Sealed: []byte("sealed")}}})
	finn, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	company := "/companies/" + strconv.FormatInt(o.Company, 10)
	una, _, _ := r.enrolled("una@lender.example", permit.Underwriter)
	una.acts(company, "hold", "message", "", "reason", "mail came back")
	finn.shows(Prefix+"/orders/"+o.Key, "Order captured", "Order refunded", "API call: Order refund", "cli_ERP, req_4711", "1100 Credit", "Mail: Code")
	finn.shows(Prefix+company, "Company update, by Ada Novak", "mail came back")
	v := &visit{Pages: r.pages}
	for state, want := range map[store.DeliveryState]string{
		store.DeliverySucceeded: "Webhook delivered", store.DeliveryPending: "Webhook on its way", store.DeliveryParked: "Webhook not delivered", store.DeliveryCanceled: "Webhook canceled",
	} {
		if e := v.delivery(store.Delivery{State: state, Endpoint: "whk_1", Error: "timeout"}); e.Text != want || strings.Contains(e.Detail, "timeout") != (state == store.DeliveryParked) {
			t.Errorf("%s: %q, %q", state, e.Text, e.Detail)
		}
	}
	dev, _, _ := r.enrolled("dev@lender.example", permit.Developer)
	if dev.shows(Prefix+company, "Company update, by"); strings.Contains(dev.body, "mail came back") {
		t.Error("a developer reads a reason")
	}
}
