package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenor/internal/edge/httpapi"
)

// A trailing slash makes neither another resource nor, for a repeat, another request.
func TestSlashAtTheEnd(t *testing.T) {
	s := open(t)
	body := fmt.Sprintf(`{"company_id":%d,"amount":10}`, s.company)
	first := s.must(201, "shop", "POST", "/order/", body, "Idempotency-Key", "k")
	if again := s.must(201, "shop", "POST", "/v1/order", body, "Idempotency-Key", "k"); again.raw != first.raw {
		t.Errorf("the repeat without a slash made another: %s", again.raw)
	}
	key := first.body["key"].(string)
	if r := s.must(200, "shop", "GET", "/v1/order/"+key+"/", ""); r.body["key"] != key {
		t.Errorf("%s", r.raw)
	}
	s.must(200, "shop", "GET", "/v1/orders/?limit=1", "")
	for path, status := range map[string]int{"/order//": 404, "//order/": 404, "/order/%2f": 404, "/v1/order/" + key + "//": 404, "/v1/order/": 405} {
		s.must(status, "shop", "GET", path, "")
	}
	s.must(401, "nobody", "GET", "/v1/orders/", "")
}

// The bare root says where things are, without a token.
func TestRootSaysWhereThingsAre(t *testing.T) {
	s := open(t)
	api, err := httpapi.New(s.config, httpapi.Table(s.service))
	if err != nil {
		t.Fatal(err)
	}
	h := api.Handler()
	get := func(path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, path := range []string{"/", "/v1", "/v1/", "/v2/"} {
		w := get(path, "*/*")
		if w.Code != 404 || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", path, w.Code, w.Header())
		}
		for _, want := range []string{"http://tenor.test/docs", "http://tenor.test/openapi.json", "http://tenor.test/oauth/token", `"code":"not_found"`} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s does not name %s: %s", path, want, w.Body)
			}
		}
		if w := get(path, "text/html,application/xhtml+xml"); w.Code != http.StatusFound || w.Header().Get("Location") != "/docs" {
			t.Errorf("%s for a browser: %d %s", path, w.Code, w.Header())
		}
	}
	if w := get("/nothing", "text/html"); w.Code != 401 {
		t.Errorf("another path: %d", w.Code)
	}
}
