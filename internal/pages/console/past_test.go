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

// The keys are listed as far as somebody's sections go, and can be turned off in a browser and on
// again.
func TestKeys(t *testing.T) {
	r := newRig(t)
	vic, _, _ := r.enrolled("vic@lender.example", permit.Viewer)
	script := func() bool {
		vic.get(Prefix + "/orders")
		return strings.Contains(vic.body, "/console/assets/keys-")
	}
	vic.shows(Prefix+"/keys", "g o", "Orders", "The search", "Turn the keys off in this browser")
	if strings.Contains(vic.body, ">g t<") {
		t.Error("a viewer is told the key of the audit log")
	}
	if !script() {
		t.Error("the keys are off at first")
	}
	vic.does(Prefix+"/keys", Prefix+"/keys", "keys", "off")
	if script() {
		t.Error("the keys are on though they were turned off")
	}
	vic.shows(Prefix+"/keys", "Turn the keys on")
	vic.does(Prefix+"/keys", Prefix+"/keys", "keys", "on")
	if !script() {
		t.Error("the keys stay off")
	}
}

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
