package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/domain/access"
	"tenor/internal/edge/auth"
)

// An unknown name is refused with its place in the body and the valid names, or where they
// are listed. The name itself is not repeated.
func TestUnknownNamesHaveTheirPlace(t *testing.T) {
	h, live := newHouse(t), newHouse(t)
	h.service.Sandbox = true
	endpoint, _ := h.endpoint("")
	const types = "The value is not one of those that the page /docs/events lists."
	merchants := "A merchant's client can hold " + strings.Join(access.MerchantScopes(), ", ")
	shop := `{"name":"x","merchant_id":"` + h.a + `","scopes":[%s]}`
	for _, x := range []struct {
		name              string
		at                *house
		who, method, path string
		body              string
		pointers, codes   []string
		details           string
	}{
		{"the second type", h, "a", "POST", "/v1/webhooks", `{"url":"https://shop.example/","event_types":["order.captured","order.eaten"]}`, []string{"/event_types/1"}, nil, types},
		{"several types", h, "a", "POST", "/v1/webhooks", `{"url":"https://shop.example/","event_types":["ORDER.CAPTURED","order.captured","order.*","","order.eaten"]}`,
			[]string{"/event_types/0", "/event_types/2", "/event_types/3", "/event_types/4"}, nil, types},
		{"a type in a patch", h, "a", "PATCH", "/v1/webhooks/" + endpoint, `{"event_types":["order.eaten"]}`, []string{"/event_types/0"}, nil, types},
		{"a number for a type", h, "a", "PATCH", "/v1/webhooks/" + endpoint, `{"event_types":["order.captured",7]}`, []string{"/event_types/1"}, []string{"wrong_type"}, ""},
		{"no such scope", h, "ops", "POST", "/v1/operator/clients", fmt.Sprintf(shop, `"orders:read","orders:eat"`), []string{"/scopes/1"}, nil, "The value is not one of orders:read, orders:write, "},
		{"the lender's scope for a merchant", h, "ops", "POST", "/v1/operator/clients", fmt.Sprintf(shop, `"operator:read","orders:read","operator:write"`),
			[]string{"/scopes/0", "/scopes/2"}, nil, merchants},
		{"a merchant's scope for the lender", h, "ops", "POST", "/v1/operator/clients", `{"name":"x","scopes":["operator:read","orders:read"]}`,
			[]string{"/scopes/1"}, nil, "An operator's client can hold operator:read, operator:write"},
		{"an empty list, which grants nothing", h, "ops", "POST", "/v1/operator/clients", fmt.Sprintf(shop, ""), []string{"/scopes"}, []string{"too_few_items"}, ""},
		{"an empty list for the lender", h, "ops", "POST", "/v1/operator/clients", `{"name":"x","scopes":[]}`, []string{"/scopes"}, []string{"too_few_items"}, ""},
		{"a sandbox's scope in live mode", live, "ops", "POST", "/v1/operator/clients", `{"name":"x","scopes":["operator:read","sandbox"]}`,
			[]string{"/scopes/1"}, nil, "The scope exists only in a sandbox."},
	} {
		before := x.at.state()
		r := x.at.call(x.who, x.method, x.path, x.body)
		if r.status != 422 || r.code() != "validation_failed" || x.at.state() != before || strings.Contains(r.raw, "eaten") || strings.Contains(r.raw, ":eat") {
			t.Errorf("%s: %d %s", x.name, r.status, r.raw)
			continue
		}
		var pointers []string
		for _, e := range r.body["errors"].([]any) {
			m := e.(map[string]any)
			pointers = append(pointers, m["pointer"].(string))
			if want := append(x.codes, "not_in_enum")[0]; m["code"] != want || !strings.HasPrefix(m["detail"].(string), x.details) {
				t.Errorf("%s: %v", x.name, m)
			}
		}
		equalLines(t, x.name, pointers, x.pointers)
	}
	h.must(201, h.token("", auth.Scopes(true, true)...), "POST", "/v1/operator/clients", `{"name":"x","scopes":["sandbox"]}`)
}
