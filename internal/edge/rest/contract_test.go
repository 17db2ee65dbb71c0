package rest

import (
	"log/slog"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// The zero contract works: the layer's own codes, one path for each operation, scopes as
// they are.
func TestPlainContract(t *testing.T) {
	api, err := New(Config{BaseURL: "https://api.example.com", Authenticator: people, CursorKey: make([]byte, 32), Log: slog.New(slog.DiscardHandler), Now: time.Now},
		[]Operation{{ID: "getThing", Method: "GET", Path: "/thing", Scopes: []string{"orders:read"},
			Endpoint: Handle(func(*Call, *None, *None) (Answer, error) { return OK(map[string]int{"n": 1}), nil })}})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path, token string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		api.ServeHTTP(w, r)
		return w
	}
	for _, x := range []struct {
		path, token string
		want        want
	}{
		{"/thing", "merchant", want{200, ""}}, {"/v1/thing", "merchant", want{404, CodeNotFound}},
		{"/thing", "operator", want{403, CodeScope}}, {"/thing", "nobody", want{401, CodeUnauthorized}},
	} {
		x.want.check(t, x.path+" "+x.token, get(x.path, x.token))
	}
	if a, b := get("/thing", "merchant").Header().Get("X-Request-Id"), get("/thing", "merchant").Header().Get("X-Request-Id"); a == b || len(a) < 20 {
		t.Errorf("names of requests: %s, %s", a, b)
	}
}

// A contract that lacks a code of the layer, or has its codes out of order, is refused.
func TestContractsThatAreRefused(t *testing.T) {
	good := newFixture(t).api.config
	for name, change := range map[string]func([]Code) []Code{
		"a code of the layer is missing": func(c []Code) []Code {
			return slices.DeleteFunc(c, func(x Code) bool { return x.Name == CodeOverloaded })
		},
		"out of order": func(c []Code) []Code { slices.Reverse(c); return c },
	} {
		config := good
		config.Contract.Codes = change(OwnCodes())
		if _, err := New(config, nil); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// OwnCodes has each code once, with a sentence, in the order of statuses.
func TestOwnCodes(t *testing.T) {
	seen := map[string]bool{}
	last := 0
	for _, c := range OwnCodes() {
		if seen[c.Name] || c.Title == "" || c.Status < last {
			t.Errorf("code %s: twice, without a title or out of order", c.Name)
		}
		seen[c.Name], last = true, c.Status
	}
}
