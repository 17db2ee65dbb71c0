package httpapi_test

import (
	"strings"
	"time"

	"tenor/internal/domain/onboarding"
)

// buy plays the lives of applications and checkouts.
func (x *tale) buy(merchant string) {
	apply := func(op, ein string) string {
		return x.does(op, "shop", "POST", "/v1/applications", "", strings.Replace(newApplication(ein), "Alder Kitchens", "Juniper Foods", 1))["id"].(string)
	}
	const staff = "/v1/operator/applications/{id}"
	x.does("prequalify", "shop", "POST", "/v1/prequalifications", "", strings.ReplaceAll(
		estimateOf("ada@juniper.example", `"owner_score":720,"annual_revenue":300000.00,"months_in_business":60,"requested_limit":10000.00`), "Alder Kitchens", "Juniper Foods"))
	approved := apply("createApplication", "00-0000007")
	x.decide()
	x.does("listApplications", "shop", "GET", "/v1/applications", "", "", "status=IN_REVIEW")
	x.does("assignApplication", "ops", "POST", staff+"/assign", approved, `{"to":"dana"}`)
	x.does("requestInformation", "ops", "POST", staff+"/request", approved, `{"what":"Articles of organization"}`)
	paper := x.upload("addApplicationDocument", "shop", "/v1/applications/", approved)
	x.does("getReviewedApplication", "ops", "GET", staff, approved, "")
	x.does("getApplicationDocument", "ops", "GET", staff+"/documents/{document}", approved+"/"+paper, "")
	x.does("approveApplication", "ops", "POST", staff+"/approve", approved, `{"limit":10000.00,"tier":"A","reason":"the namesake is somebody else"}`)
	x.does("getApplication", "shop", "GET", "/v1/applications/{id}", approved, "")
	declined := apply("", "00-0000050")
	x.decide()
	x.does("declineApplication", "ops", "POST", staff+"/decline", declined, `{"reasons":["credit_score"],"note":"two open liens"}`)
	x.does("", "ops", "PATCH", "/v1/operator/lender", "", `{"creditor":{"name":"Harbor Credit","address":"1 Market Street, Albany, NY 12207"},"regulator":{"name":"Federal Trade Commission","address":"Equal Credit Opportunity, Washington, DC 20580"}}`)
	x.does("getApplicationNotice", "ops", "GET", staff+"/notice", declined, "")
	x.does("sendApplicationNotice", "ops", "POST", staff+"/notice", declined, `{"channel":"MAIL","evidence":"tracking 9400 1000 0000"}`)
	x.does("withdrawApplication", "shop", "POST", "/v1/applications/{id}/withdraw", apply("", "00-0000003"), "")
	x.does("listReviewedApplications", "ops", "GET", "/v1/operator/applications", "", "", "limit=2")
	x.sign(approved)
	x.checkOut(merchant)
}

// sign plays how an approved company without a session of its own gets its agreement and
// people.
func (x *tale) sign(application string) {
	const of = "/v1/operator/companies/{company_id}"
	company := x.must(200, "ops", "GET", "/v1/operator/applications/"+application, "").digits("company_id")
	x.does("recordPaperSignature", "ops", "POST", of+"/agreement", company, `{"signer_name":"Ada Marsh","signer_title":"Managing member","signed_on":"2026-01-05","document":"`+aPaper+`","reason":"sent by post"}`)
	x.does("getMasterAgreement", "ops", "GET", of+"/agreement", company, "")
	ben := x.does("setPerson", "ops", "POST", of+"/people", company, `{"email":"ben@juniper.example","first_name":"Ben","last_name":"Ortiz","role":"BUYER","limit":500.00,"reason":"asked for by the owner, by telephone"}`)
	x.does("listPeople", "ops", "GET", of+"/people", company, "")
	x.does("removePerson", "ops", "POST", of+"/people/{id}/remove", company+"/"+ben["id"].(string), `{"reason":"has left the company"}`)
}

// checkOut plays the lives of checkouts.
func (x *tale) checkOut(merchant string) {
	create := func(op, cart string) map[string]any {
		return x.does(op, "shop", "POST", "/v1/checkouts", "", `{"amount":1200.00,"cart_items":[{"name":"Shelf, oak","sku":"SH-0112","price":1200.00,"quantity":1}],`+
			`"buyer":{"email":"ada@juniper.example","first_name":"Ada","last_name":"Marsh","company_name":"Juniper Foods"},"remote_id":"`+cart+`",`+
			`"return_url":"https://shop.example.com/done?order=%ORDER_KEY%","cancel_url":"https://shop.example.com/cart?reason=%REASON%"}`)
	}
	x.does("getPromotion", "", "GET", "/v1/promotions", "", "", "merchant="+merchant, "amount=1200.00", "currency=USD")
	first := create("createCheckout", "cart-8812")
	id, key := first["id"].(string), first["order_key"].(string)
	x.accept(id, "ada@juniper.example", 0, 6)
	x.does("getCheckout", "shop", "GET", "/v1/checkouts/{id}", id, "")
	x.does("completeCheckout", "shop", "POST", "/v1/checkouts/{id}/complete", id, "")
	x.does("getDisclosure", "shop", "GET", "/v1/order/{key}/disclosure", key, "")
	x.does("getAgreement", "shop", "GET", "/v1/order/{key}/agreement", key, "")
	x.ask(key)
	x.does("expireCheckout", "shop", "POST", "/v1/checkouts/{id}/expire", create("", "cart-8813")["id"].(string), "")
	x.does("listCheckouts", "shop", "GET", "/v1/checkouts", "", "", "limit=2")
	late := x.does("", "shop", "POST", "/v1/checkouts", "", `{"amount":300.00,"mode":"link","expires_in":900,"buyer":{"email":"ada@juniper.example"}}`)["id"].(string)
	x.mu.Lock()
	x.day = x.day.Add(time.Hour)
	x.mu.Unlock()
	x.submit(onboarding.ServiceCheckout{Checkout: late})
}

// ask plays the life of a merchant's cases about an order.
func (x *tale) ask(key string) {
	open := func(op, kind string) string {
		return x.does(op, "shop", "POST", "/v1/cases", "", `{"kind":"`+kind+`","what":"AMOUNT","order_key":"`+key+`","subject":"Two shelves are missing","text":"The buyer was charged for six shelves, and four came."}`)["id"].(string)
	}
	const mine, staff = "/v1/cases/{id}", "/v1/operator/cases/{id}"
	id := open("createCase", "DISPUTE")
	x.does("answerCase", "ops", "POST", staff+"/notes", id, `{"text":"Which ones are missing?"}`)
	x.does("addCaseNote", "shop", "POST", mine+"/notes", id, `{"text":"The oak ones. The delivery note is attached."}`)
	paper := x.upload("addCaseDocument", "shop", "/v1/cases/", id)
	x.does("getCase", "shop", "GET", mine, id, "")
	x.does("listCases", "shop", "GET", "/v1/cases", "", "", "status=OPEN")
	x.does("getCaseDocument", "ops", "GET", staff+"/documents/{document}", id+"/"+paper, "")
	x.does("resolveCase", "ops", "POST", staff+"/resolve", id, `{"outcome":"UPHELD","text":"The merchant refunds two shelves."}`)
	x.does("getReviewedCase", "ops", "GET", staff, id, "")
	x.does("listReviewedCases", "ops", "GET", "/v1/operator/cases", "", "", "limit=2")
	x.does("withdrawCase", "shop", "POST", mine+"/withdraw", open("", "QUESTION"), "")
}

// upload adds a file to an application or case and records the call as its example.
func (x *tale) upload(op, who, path, id string) string {
	x.t.Helper()
	r := x.must(201, who, "POST", path+id+"/documents", aPDF, "Content-Type", "application/pdf", "X-Request-Id", "req_upload")
	x.examples[op] = example{Path: map[string]string{"id": id}, Status: r.status, Answer: shown(r.raw)}
	return r.text("id")
}
