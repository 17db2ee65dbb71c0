package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
)

// orderWritable are the members of an order that POST /order accepts.
var orderWritable = []string{
	"company_id", "amount", "currency", "merchant_order_id", "installments", "status", "externally_managed_payments",
	"merchant_status", "cart_items", "charges", "shipping_address", "billing_address", "metadata",
}

// The writable members of an order's response can be sent back unchanged, nulls included,
// and create the same order again. The other members are set by Tenor, and sending any of
// them is refused (A14).
func TestWhatAnOrderAnswersCanBeSentAgain(t *testing.T) {
	s := open(t)
	address := `{"first_name":"Ada","street":"12 Canal St","address2":"Floor 2","city":"New York","state":"NY","postal_code":"10013","country":"US"}`
	for name, body := range map[string]string{
		"least": `{"company_id":%d,"amount":10}`,
		"nulls": `{"company_id":%d,"amount":10,"merchant_order_id":null,"installments":null,"merchant_status":null,"cart_items":null,"charges":null,
			"shipping_address":null,"billing_address":{"street":null,"email":null,"zip":null},"metadata":null}`,
		"sparse": `{"company_id":%d,"amount":10,"cart_items":[{"name":"Shelf","price":5}],"charges":{"grand_total":10},"shipping_address":{},"billing_address":{"city":"Troy"}}`,
		"full": `{"company_id":%d,"amount":"1200.00","currency":"USD","merchant_order_id":"PO-1","installments":6,"status":"AUTHORIZED","merchant_status":"packed",
			"cart_items":[{"merchant_id":"sku-1","name":"Shelf","price":600,"sku":"S","quantity":2,"size":"L","color":"grey"},{"name":"Nail","price":0,"quantity":null,"sku":null}],
			"charges":{"total":1100,"shipping":50,"tax":50,"discount_amount":null,"grand_total":1200},"metadata":{"a":"b"},
			"shipping_address":` + address + `,"billing_address":` + address + `}`,
	} {
		first := s.must(201, "shop", "POST", "/order", fmt.Sprintf(body, s.company))
		for name := range first.body {
			if slices.Contains(orderWritable, name) {
				continue
			}
			one, _ := json.Marshal(map[string]any{"company_id": s.company, "amount": 10, name: first.body[name]})
			if r := s.call("shop", "POST", "/order", string(one)); r.status != 400 || r.code() != "unknown_member" {
				t.Errorf("POST with %s: %d %s", name, r.status, r.raw)
			}
		}
		again := maps.Clone(first.body)
		maps.DeleteFunc(again, func(name string, _ any) bool { return !slices.Contains(orderWritable, name) })
		if again["merchant_order_id"] != nil {
			s.must(200, "shop", "PATCH", "/v1/order/"+first.body["key"].(string), `{"status":"CANCELED"}`) // its number is free again
		}
		text, err := json.Marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		second := s.must(201, "shop", "POST", "/order", string(text))
		for _, member := range orderWritable {
			if !reflect.DeepEqual(second.body[member], first.body[member]) {
				t.Errorf("%s: %s is %v, was %v", name, member, second.body[member], first.body[member])
			}
		}
		// As a merge patch they change nothing.
		for _, member := range []string{"company_id", "currency", "externally_managed_payments"} {
			delete(again, member)
		}
		text, _ = json.Marshal(again)
		if r := s.must(200, "shop", "PATCH", "/v1/order/"+second.body["key"].(string), string(text)); r.body["version"] != second.body["version"] {
			t.Errorf("%s: the patch changed the order: %s", name, r.raw)
		}
	}
}

// An order's address is accepted with a company's member names and with those that shops
// use, and returned with a company's.
func TestAddressHasOneShape(t *testing.T) {
	s := open(t)
	for _, body := range []string{`{"address1":"1 Main St","zip":"12207"}`, `{"street":"1 Main St","postal_code":"12207"}`, `{"street":"1 Main St","address1":"1 Main St","zip":"12207","postal_code":null}`} {
		o := s.must(201, "shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":10,"shipping_address":%s}`, s.company, body))
		check := func(r reply, street any) {
			t.Helper()
			a := r.body["shipping_address"].(map[string]any)
			_, shop := a["address1"]
			if _, zip := a["zip"]; shop || zip || a["street"] != street || a["postal_code"] != "12207" {
				t.Errorf("%s: %v", body, a)
			}
		}
		check(o, "1 Main St")
		path := "/v1/order/" + o.body["key"].(string)
		check(s.must(200, "shop", "PATCH", path, `{"shipping_address":{"street":"2 Main St"}}`), "2 Main St")
		check(s.must(200, "shop", "PATCH", path, `{"shipping_address":{"address1":"3 Main St"}}`), "3 Main St")
		check(s.must(200, "shop", "PATCH", path, `{"shipping_address":{"street":null}}`), nil)
		for _, twice := range []string{`{"street":"4","address1":"5"}`, `{"postal_code":"1","zip":"2"}`, `{"street":null,"address1":"5"}`} {
			if r := s.call("shop", "PATCH", path, `{"shipping_address":`+twice+`}`); r.status != 422 || r.code() != "validation_failed" {
				t.Errorf("%s: %d %s", twice, r.status, r.raw)
			}
		}
	}
	if r := s.call("shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":10,"billing_address":{"street":"4","address1":"5"}}`, s.company)); r.status != 422 {
		t.Errorf("two streets: %d %s", r.status, r.raw)
	}
}

// What the interface document calls a string of a company is a string, whatever was given
// at creation, and after it was cleared.
func TestCompanyHasNoNullWhereTheDocumentSaysString(t *testing.T) {
	s := open(t)
	for _, body := range []string{
		`{"name":"Pine Books","limit":10}`, `{"name":"Pine Books","limit":10,"phone":null,"email":null,"billing_address":null}`,
		`{"name":"Pine Books","limit":10,"billing_address":{"city":"Troy","street":null}}`,
	} {
		made := s.must(201, "ops", "POST", "/v1/operator/companies", body)
		path := "/companies/" + made.body["id"].(string)
		cleared := s.must(200, "ops", "PATCH", "/v1/operator"+path, `{"phone":null,"email":null,"billing_address":null}`)
		for _, r := range []reply{made, cleared, s.must(200, "ops", "GET", "/v2"+path, "")} {
			address, _ := r.body["billing_address"].(map[string]any)
			for name, v := range map[string]any{
				"phone": r.body["phone"], "email": r.body["email"], "street": address["street"], "city": address["city"],
				"state": address["state"], "postal_code": address["postal_code"], "country": address["country"],
			} {
				if _, ok := v.(string); !ok {
					t.Errorf("%s: %s is %v: %s", body, name, v, r.raw)
				}
			}
		}
		if id := made.body["id"].(string); id < "2147483648" {
			t.Errorf("company %s fits 32 bits", id)
		}
	}
}
