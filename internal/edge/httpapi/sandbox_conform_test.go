package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
)

// A sandbox's responses match its own document, refusals included. The published one has
// none of its paths.
func TestSandboxConforms(t *testing.T) {
	h, x := sandboxHouse(t)
	h.methodOf(h.company, "123456789")
	text, _, err := h.api.Contract()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	m := &matrix{house: h, api: doc}
	bodies := map[string][]string{
		"advanceSandboxClock": {`{"duration":"72h"}`, `{"until":"payment.vanished"}`}, "resetSandbox": {`{"seed":true}`, `{}`}, "makeSnapshot": {`{"name":"x"}`, `{"name":""}`},
		"failNextDebit":  {fmt.Sprintf(`{"return_code":"R02","company_id":%d}`, h.company), fmt.Sprintf(`{"return_code":"R02","company_id":%d}`, h.unlinked), `{"return_code":"R02","company_id":3000000000}`},
		"sendBankNotice": {fmt.Sprintf(`{"change_code":"C01","company_id":%d}`, h.company), fmt.Sprintf(`{"change_code":"C01","company_id":%d}`, h.unlinked)},
		"returnDebit":    {`{"payment_id":"pay_1","return_code":"R01"}`}, "makeSandboxCompany": {`{"preset":"approved"}`, `{"preset":"golden"}`},
		"setSandboxReceiver": {`{"behavior":"fail"}`, `{"behavior":"sulk"}`}, "checkReceivedWebhook": {`{"secret":"whsec_x"}`}, "sendToReceiver": {`{"id":"evt_1","body":"{}"}`},
	}
	refusals := []error{
		nil, serve.ErrClockMoving, serve.ErrNoSnapshots, serve.ErrNoSnapshot, serve.ErrNoScenario, serve.ErrSandboxBusy, serve.ErrBankNothing, fmt.Errorf("broken"),
	}
	answered := map[string]bool{}
	for _, op := range httpapi.Table(h.service) {
		if !strings.HasPrefix(op.Path, "/v1/sandbox/") {
			continue
		}
		ask := func(who, body string) {
			r := h.call(who, op.Method, filled(op.Path), body)
			if r.header.Get("Content-Type") == "application/jsonl" { // text to the document
				r.raw = ""
			}
			m.conforms(op, r)
			answered[fmt.Sprint(op.ID, " ", r.status, " ", r.code())] = true
		}
		ask("", "")
		ask("a", "{}")
		ask("play", `{"nonsense":1}`)
		for _, x.refusal = range refusals {
			if !mayRefuse(op.ID, x.refusal) {
				continue
			}
			for _, body := range append(bodies[op.ID], "") {
				ask("play", body)
			}
		}
		x.refusal = nil
	}
	for _, want := range []string{"failNextDebit 403 company_not_linked", "sendBankNotice 403 company_not_linked", "failNextDebit 404 not_found", "makeSnapshot 409 snapshots_unavailable", "restoreSnapshot 404 not_found"} {
		if !answered[want] {
			t.Errorf("no request was answered %s", want)
		}
	}
}

// mayRefuse reports whether a sandbox operation can fail with the given refusal.
func mayRefuse(operation string, refusal error) bool {
	switch refusal {
	case serve.ErrClockMoving:
		return strings.HasSuffix(operation, "SandboxClock") && operation != "getSandboxClock" || operation == "settleDebits" || operation == "makeSnapshot" || operation == "seedSandbox"
	case serve.ErrNoSnapshots:
		return operation == "makeSnapshot" || operation == "listSnapshots" || operation == "restoreSnapshot" || operation == "resetSandbox"
	case serve.ErrNoSnapshot:
		return operation == "restoreSnapshot"
	case serve.ErrNoScenario:
		return operation == "runScenario"
	case serve.ErrBankNothing:
		return operation == "returnDebit" || operation == "sendBankNotice"
	}
	return true
}
