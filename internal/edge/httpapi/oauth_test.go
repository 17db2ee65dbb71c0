package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/edge/httpapi"
)

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
}

// A program gets a token, makes a call, introspects the token and revokes it.
func TestClientCredentials(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, `,"scopes":["orders:read","companies:read"],"rate_per_minute":60,"burst":10`)
	r := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret))
	if r.status != 200 || r.text("token_type") != "Bearer" || fmt.Sprint(r.body["expires_in"]) != "3600" || r.text("scope") != "companies:read orders:read" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r.header.Get("Cache-Control") != "no-store" || r.header.Get("Pragma") != "no-cache" || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", r.header)
	}
	token := r.text("access_token")
	if len(strings.TrimPrefix(token, "tnr_")) < 26 {
		t.Errorf("token of %d characters", len(token))
	}
	got := h.must(200, token, "GET", fmt.Sprintf("/v2/companies/%d", h.company), "")
	if got.header.Get("RateLimit-Policy") != `"default";q=60;w=60` || got.header.Get("RateLimit") != `"default";r=8;t=2` {
		t.Errorf("RateLimit %s of %s; the request for the token counts, and the burst is the client's", got.header.Get("RateLimit"), got.header.Get("RateLimit-Policy"))
	}
	h.must(403, token, "GET", "/v1/invoices", "")

	state := h.form("/oauth/introspect", "token="+token+"&client_id="+id+"&client_secret="+secret)
	want := fmt.Sprintf(`{"active":true,"scope":"companies:read orders:read","client_id":"%s","token_type":"Bearer","exp":%d}`, id, h.now().Add(time.Hour).Unix())
	if state.status != 200 || state.raw != want {
		t.Errorf("introspection %d %s, want %s", state.status, state.raw, want)
	}
	if r := h.form("/oauth/revoke", "token="+token, "Authorization", basic(id, secret)); r.status != 200 || r.raw != "{}" {
		t.Errorf("revocation %d %s", r.status, r.raw)
	}
	h.must(401, token, "GET", fmt.Sprintf("/v2/companies/%d", h.company), "")
	if r := h.form("/oauth/introspect", "token="+token, "Authorization", basic(id, secret)); r.raw != `{"active":false}` {
		t.Errorf("introspection of a revoked token %s", r.raw)
	}
}

// A4: every way to get it wrong, with its error and no effect.
func TestTokenRequestsThatAreWrong(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, `,"scopes":["orders:read"]`)
	right := basic(id, secret)
	grant := "grant_type=client_credentials"
	cases := []struct {
		name, form, auth string
		status           int
		code             string
		header           []string
	}{
		{"both", grant + "&client_id=" + id + "&client_secret=" + secret, right, 400, "invalid_request", nil},
		{"another client in the form", grant + "&client_id=cli_OTHER", right, 400, "invalid_request", nil},
		{"wrong secret", grant, basic(id, secret+"x"), 401, "invalid_client", nil},
		{"empty secret", grant, basic(id, ""), 401, "invalid_client", nil},
		{"unknown client", grant, basic("cli_01K9Z0B2D4F6H8K0M2P4R6T8V0", secret), 401, "invalid_client", nil},
		{"wrong secret in the form", grant + "&client_id=" + id + "&client_secret=no", "", 401, "invalid_client", nil},
		{"nobody", grant, "", 401, "invalid_client", nil},
		{"an access token instead", grant, "Bearer " + h.tokens["a"], 401, "invalid_client", nil},
		{"not base64", grant, "Basic !!!", 401, "invalid_client", nil},
		{"no colon", grant, "Basic " + base64.StdEncoding.EncodeToString([]byte(id)), 401, "invalid_client", nil},
		{"broken escape", grant, basic(id, "%zz"), 401, "invalid_client", nil},
		{"no grant type", "scope=orders:read", right, 400, "invalid_request", nil},
		{"empty grant type", "grant_type=", right, 400, "invalid_request", nil},
		{"password", "grant_type=password&username=a&password=b", right, 400, "unsupported_grant_type", nil},
		{"authorization code", "grant_type=authorization_code&code=x", right, 400, "unsupported_grant_type", nil},
		{"twice", grant + "&" + grant, right, 400, "invalid_request", nil},
		{"more scope than the client has", grant + "&scope=orders:read+orders:write", right, 400, "invalid_scope", nil},
		{"the operator's scope", grant + "&scope=operator:write", right, 400, "invalid_scope", nil},
		{"no such scope", grant + "&scope=everything", right, 400, "invalid_scope", nil},
		{"scope with a tab", grant + "&scope=orders:read%09orders:read", right, 400, "invalid_scope", nil},
		{"scopes that are blanks", grant + "&scope=%20", right, 400, "invalid_scope", nil},
		{"broken form", grant + "&scope=%zz", right, 400, "invalid_request", nil},
		{"JSON", `{"grant_type":"client_credentials"}`, right, 400, "invalid_request", []string{"Content-Type", "application/json"}},
		{"no type", grant, right, 400, "invalid_request", []string{"Content-Type", ""}},
		{"UTF-16", grant, right, 400, "invalid_request", []string{"Content-Type", "application/x-www-form-urlencoded; charset=utf-16"}},
		{"gzip", grant, right, 400, "invalid_request", []string{"Content-Encoding", "gzip"}},
		{"too large", grant + "&x=" + strings.Repeat("y", 17<<10), right, 400, "invalid_request", nil},
		{"unknown client and bad grant type", "grant_type=password", basic("cli_NO", "x"), 401, "invalid_client", nil},
	}
	bodies := map[string]string{}
	for _, x := range cases {
		before := h.state()
		header := x.header
		if x.auth != "" {
			header = append(header, "Authorization", x.auth)
		}
		r := h.form("/oauth/token", x.form, header...)
		if r.status != x.status || r.text("error") != x.code || r.text("error_description") == "" || len(r.body) != 2 {
			t.Errorf("%s: %d %s, want %d %s", x.name, r.status, r.raw, x.status, x.code)
		}
		if r.header.Get("Content-Type") != "application/json" || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", x.name, r.header)
		}
		if challenged := strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Basic "); challenged != (x.status == 401) {
			t.Errorf("%s: WWW-Authenticate %q", x.name, r.header.Get("WWW-Authenticate"))
		}
		if x.code == "invalid_client" { // nobody learns which part was wrong
			bodies[r.raw] = x.name
		}
		if h.state() != before {
			t.Errorf("%s: something was stored", x.name)
		}
	}
	if len(bodies) != 1 {
		t.Errorf("refusals of clients differ: %v", bodies)
	}
	for _, target := range []string{"/oauth/token?grant_type=client_credentials", "/oauth/token?client_id=" + id + "&client_secret=" + secret} {
		if r := h.form(target, grant, "Authorization", right); r.status != 400 || r.text("error") != "invalid_request" {
			t.Errorf("%s: %d %s", target, r.status, r.raw)
		}
	}
	for _, ok := range []string{grant + "&scope=orders:read", grant + "&scope=", grant + "&unknown=1", grant + "&client_id=" + id, grant + "&scope=orders:read%20orders:read"} {
		if r := h.form("/oauth/token", ok, "Authorization", right); r.status != 200 || r.text("scope") != "orders:read" {
			t.Errorf("%s: %d %s", ok, r.status, r.raw)
		}
	}
	escaped := "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
	if r := h.form("/oauth/token", grant, "Authorization", escaped); r.status != 200 {
		t.Errorf("encoded credentials: %d %s", r.status, r.raw)
	}
	for path, status := range map[string]int{"/v1/oauth/token": 401, "/v2/oauth/token": 401, "/oauth/nothing": 401} {
		if r := h.form(path, grant, "Authorization", right); r.status != status {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	if r := h.call("", "GET", "/oauth/token", ""); r.status != 405 || r.header.Get("Allow") != "POST" {
		t.Errorf("GET: %d %v", r.status, r.header)
	}
}

// The OAuth endpoints' responses match the document.
func TestOAuthConforms(t *testing.T) {
	m := newMatrix(t)
	id, secret := m.client(m.house.a, `,"rate_per_minute":1,"burst":4`)
	token := m.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	for _, op := range httpapi.Table(m.service) {
		if op.Raw == nil {
			continue
		}
		for name, x := range map[string]struct {
			form, auth string
			status     int
		}{
			"nobody": {"token=x", "", 401}, "malformed": {"%zz", "", 400}, "right": {"grant_type=client_credentials&token=" + token, basic(id, secret), 200},
		} {
			r := m.form(op.Path, x.form, "Authorization", x.auth)
			if r.status != x.status {
				t.Errorf("%s, %s: %d %s", op.ID, name, r.status, r.raw)
			}
			m.conforms(op, r)
		}
	}
	for _, op := range httpapi.Table(m.service) {
		if op.Raw != nil {
			r := m.form(op.Path, "grant_type=client_credentials&token=x", "Authorization", basic(id, secret))
			if r.status != 429 {
				t.Errorf("%s beyond the rate: %d", op.ID, r.status)
			}
			m.conforms(op, r)
		}
	}
}

// Another client's token can be neither introspected nor revoked, even by the operator's
// client.
func TestForeignTokens(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, "")
	other, otherSecret := h.client(h.b, "")
	same, sameSecret := h.client(h.a, "")
	ops, opsSecret := h.client("", "")
	token := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	for name, who := range map[string]string{"another merchant": basic(other, otherSecret), "another client of the merchant": basic(same, sameSecret), "the operator": basic(ops, opsSecret)} {
		before := h.state()
		for _, t2 := range []string{token, h.tokens["a"], "tnr_NOBODY"} {
			if r := h.form("/oauth/introspect", "token="+t2, "Authorization", who); r.status != 200 || r.raw != `{"active":false}` {
				t.Errorf("%s looks at a foreign token: %d %s", name, r.status, r.raw)
			}
			if r := h.form("/oauth/revoke", "token="+t2+"&token_type_hint=access_token", "Authorization", who); r.status != 200 || r.raw != "{}" {
				t.Errorf("%s ends a foreign token: %d %s", name, r.status, r.raw)
			}
		}
		if h.state() != before {
			t.Errorf("%s has had an effect", name)
		}
	}
	h.must(200, token, "GET", "/v1/orders", "")
	for _, path := range []string{"/oauth/introspect", "/oauth/revoke"} {
		if r := h.form(path, "", "Authorization", basic(id, secret)); r.status != 400 || r.text("error") != "invalid_request" {
			t.Errorf("%s without a token: %d %s", path, r.status, r.raw)
		}
		if r := h.form(path, "token="+token); r.status != 401 || r.text("error") != "invalid_client" {
			t.Errorf("%s without a client: %d %s", path, r.status, r.raw)
		}
	}
}

// A4: guessing ends in 429 for a client that exists and for one that does not, in the same
// number of steps and with the same bytes.
func TestBruteForceAtTheTokenEndpoint(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, "")
	guess := func(client string) (steps int, last reply) {
		for steps = 0; steps < 500; steps++ {
			last = h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(client, fmt.Sprint("tns_", steps)))
			if last.status == 429 {
				break
			}
		}
		return steps, last
	}
	h.from = "198.51.100.1"
	known, r1 := guess(id)
	h.from = "198.51.100.2"
	unknown, r2 := guess("cli_01K9Z0B2D4F6H8K0M2P4R6T8V0")
	if known != unknown || known > 100 || r1.raw != r2.raw || r1.text("error") != "rate_limited" || r1.header.Get("Retry-After") != r2.header.Get("Retry-After") {
		t.Errorf("known: %d steps, %s; unknown: %d steps, %s", known, r1.raw, unknown, r2.raw)
	}
	if r1.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	for _, from := range []string{"198.51.100.1", "198.51.100.2", "198.51.100.3"} {
		h.from = from
		if r := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)); r.status != 200 {
			t.Errorf("the right secret during the attack, from %s: %d %s", from, r.status, r.raw)
		}
	}
	if log := h.log.String(); !strings.Contains(log, `msg="access refused"`) || !strings.Contains(log, "code=invalid_client") || !strings.Contains(log, "address=198.51.100.1") {
		t.Error("the security log does not say that access was refused")
	}
}

// A token request counts as a request of its client.
func TestTokensCountAgainstTheRate(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, `,"rate_per_minute":60,"burst":3`)
	for range 3 {
		if r := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	before := h.state()
	r := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret))
	if r.status != 429 || r.header.Get("Retry-After") != "1" || h.state() != before {
		t.Errorf("%d %v %s", r.status, r.header, r.raw)
	}
}

// AU3: a revoked client's secrets and tokens stop working within a second.
func TestRevokedClient(t *testing.T) {
	h := newHouse(t)
	id, secret := h.client(h.a, "")
	token := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	h.must(200, token, "GET", "/v1/orders", "")
	r := h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/revoke", "")
	if r.text("revoked_at") == "" {
		t.Errorf("%s", r.raw)
	}
	h.pass(time.Second)
	h.must(401, token, "GET", "/v1/orders", "")
	if r := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)); r.status != 401 {
		t.Errorf("token of a revoked client: %d %s", r.status, r.raw)
	}
	h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/revoke", "") // again, harmless
	if r := h.must(409, "ops", "POST", "/v1/operator/clients/"+id+"/roll", ""); r.code() != "client_locked" {
		t.Errorf("%s", r.raw)
	}
}

// A rolled secret keeps working for the specified time, by the wall clock.
func TestRolledClient(t *testing.T) {
	h := newHouse(t)
	id, old := h.client(h.a, "")
	works := func(secret string) bool {
		return h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).status == 200
	}
	r := h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/roll", `{"overlap_seconds":1800}`)
	next := r.text("secret")
	if !strings.HasPrefix(next, "tns_") || next == old || r.text("previous_secret_until") != "2026-03-06T12:30:00Z" {
		t.Fatalf("%s", r.raw)
	}
	if !works(old) || !works(next) {
		t.Error("both secrets work during the overlap")
	}
	h.pass(30 * time.Minute)
	if works(old) || !works(next) {
		t.Error("the old secret ends with the overlap, the new one goes on")
	}
	last := h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/roll", `{"overlap_seconds":0}`).text("secret")
	if works(next) || !works(last) {
		t.Error("without an overlap the old secret ends at once")
	}
	if r := h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/roll", ""); r.text("previous_secret_until") != "2026-03-07T12:30:00Z" {
		t.Errorf("without a body the overlap is a day: %s", r.raw)
	}
}
