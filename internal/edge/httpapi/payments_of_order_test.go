package httpapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// An order's payments are all that have paid some of it, including the company's, and those
// that name it and have paid nothing yet. A merchant finds only those it may see, and
// nothing by naming another's order.
func TestPaymentsThatTouchAnOrder(t *testing.T) {
	s := open(t)
	var keys []string
	for range 2 {
		key := s.order(`{"company_id":%d,"amount":100,"installments":1,"status":"AUTHORIZED"}`, s.company)
		s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
		keys = append(keys, key)
		s.pass(time.Minute)
	}
	s.must(200, "ops", "POST", fmt.Sprintf("/v1/operator/companies/%d/link", s.company), `{"merchant_id":"`+s.stranger+`"}`)
	other := s.must(201, "other", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":1,"status":"AUTHORIZED"}`, s.company)).body["key"].(string)
	s.must(200, "other", "PATCH", "/v1/order/"+other, `{"status":"CAPTURED"}`)
	pay := func(token, target string, amount int) string {
		t.Helper()
		s.pass(time.Minute)
		return s.must(201, token, "POST", "/payment", fmt.Sprintf(`{%s,"amount":%d,"method":"WIRE"}`, target, amount)).body["id"].(string)
	}
	company := fmt.Sprintf(`"company_id":%d`, s.company)
	ofOne := pay("shop", `"order_key":"`+keys[0]+`"`, 30)
	shops := pay("shop", company, 100)  // 70 of the first, 30 of the second
	lenders := pay("ops", company, 120) // the rest of the second, and some of the other merchant's
	for _, x := range []struct {
		token, key string
		want       []string
	}{
		{"ops", keys[0], []string{shops, ofOne}}, {"shop", keys[0], []string{shops, ofOne}}, {"other", keys[0], nil},
		{"ops", keys[1], []string{lenders, shops}}, {"shop", keys[1], []string{shops}},
		{"ops", other, []string{lenders}}, {"shop", other, nil}, {"other", other, nil},
	} {
		for _, path := range []string{"/payments?order_key=" + x.key, "/payments?order_id=" + x.key, fmt.Sprintf("/v1/companies/%d/payments?order_key=%s", s.company, x.key)} {
			var got []string
			for next := path + "&limit=1"; next != ""; {
				r := s.must(200, x.token, "GET", next, "")
				for _, p := range r.body["data"].([]any) {
					got = append(got, p.(map[string]any)["id"].(string))
				}
				cursor, _ := r.body["next_cursor"].(string)
				if next = ""; cursor != "" {
					next = path + "&limit=1&cursor=" + cursor
				}
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("%s as %s: %v, want %v", path, x.token, got, x.want)
			}
		}
	}
}
