package httpapi_test

import (
	"strings"
	"testing"

	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi/serve"
)

// Operations on a whole sandbox call its controls, and their refusals have codes.
func TestSandboxCopies(t *testing.T) {
	h, x := sandboxHouse(t)
	const id = "snp_01KB2C4E6G8J0M2P4R6T8V0X2Z"
	for _, c := range []struct {
		method, path, body string
		status             int
		told, answer       string
	}{
		{"POST", "snapshots", `{"name":"before"}`, 201, `snapshot "before"`, `"id":"` + id + `","name":null`},
		{"POST", "snapshots", ``, 201, `snapshot ""`, id},
		{"POST", "snapshots", `{"name":""}`, 422, "", "too_short"},
		{"GET", "snapshots", ``, 200, "snapshots", `"has_more":false`},
		{"POST", "snapshots/" + id + "/restore", ``, 200, "restore " + id, id},
		{"POST", "snapshots/whk_1/restore", ``, 404, "", "not_found"},
		{"POST", "reset", `{"seed":true}`, 200, `reset "` + h.a + `" true false`, `"status":"ready"`},
		{"POST", "reset", `{"seed":true,"history":true}`, 200, `reset "` + h.a + `" true true`, `"status":"ready"`},
		{"POST", "reset", `{"history":true}`, 422, "", "you would lose access"},
		{"POST", "reset", ``, 422, "", "you would lose access"},
		{"POST", "seed", ``, 200, "seed false", `{"merchant_id":"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"}`},
		{"POST", "seed", `{"history":true}`, 200, "seed true", `{"merchant_id":"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"}`},
		{"GET", "scenarios", ``, 200, "scenarios", `"data":[{"name":"a","purpose":"b"}]`},
		{"POST", "scenarios/nsf-then-cure/run", ``, 200, "run nsf-then-cure", "{\"name\":\"first\",\"purpose\":\"\"}\n{\"name\":\"second\",\"purpose\":\"\"}\n"},
	} {
		x.told = nil
		r := h.call("play", c.method, "/v1/sandbox/"+c.path, c.body)
		if got := strings.Join(x.told, ";"); r.status != c.status || got != c.told || !strings.Contains(r.raw, c.answer) {
			t.Errorf("%s %s %s: %d, told %q: %s", c.method, c.path, c.body, r.status, got, r.raw)
		}
	}
	x.told = nil
	if h.must(200, h.token("", auth.Scopes(true, true)...), "POST", "/v1/sandbox/reset", ""); strings.Join(x.told, ";") != `reset "" false false` {
		t.Errorf("the lender empties it: told %q", x.told)
	}
	for _, c := range []struct {
		refusal error
		path    string
		status  int
		code    string
	}{
		{serve.ErrNoSnapshots, "snapshots", 409, "snapshots_unavailable"},
		{serve.ErrClockMoving, "snapshots", 409, "clock_moving"},
		{serve.ErrNoSnapshot, "snapshots/" + id + "/restore", 404, "not_found"},
		{serve.ErrSandboxBusy, "snapshots/" + id + "/restore", 503, "overloaded"},
		{serve.ErrNoSnapshots, "reset", 409, "snapshots_unavailable"},
		{serve.ErrAccessEnds, "reset", 422, "validation_failed"},
		{serve.ErrSandboxUsed, "seed", 422, "validation_failed"},
		{serve.ErrClockMoving, "seed", 409, "clock_moving"},
		{serve.ErrNoScenario, "scenarios/no-such/run", 404, "not_found"},
	} {
		x.refusal = c.refusal
		body := ""
		if c.path == "reset" {
			body = `{"seed":true}`
		}
		r := h.call("play", "POST", "/v1/sandbox/"+c.path, body)
		if r.status != c.status || r.code() != c.code || c.status == 503 && r.header.Get("Retry-After") == "" {
			t.Errorf("%s, %v: %d %s", c.path, c.refusal, r.status, r.raw)
		}
	}
}
