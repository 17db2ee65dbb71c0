package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
)

// lenders reports whether a scope belongs to the lender's clients.
func lenders(scope string) bool { return slices.Contains(access.OperatorScopes(), scope) }

// manages maps each part of operator:write to the lender's operations that require it.
var manages = map[string][]string{
	"companies:manage": {
		"createCompany", "updateCompany", "linkCompany", "unlinkCompany", "setCreditLine", "holdCompany", "releaseCompany", "closeCompany",
		"confirmScreening", "clearScreening", "unfreezeCompany", "reportCompany", "withdrawReport", "sendNotice", "requestReasons", "vouchForPaymentMethod",
		"approveApplication", "declineApplication", "requestInformation", "assignApplication", "sendApplicationNotice",
		"answerCase", "resolveCase", "setPerson", "removePerson", "recordPaperSignature",
	},
	"money:manage": {
		"returnPayment", "reversePayment", "serviceOrder", "payRefund", "sendCredit", "setMerchantAccount", "confirmMerchantAccount", "cancelMerchantAccount",
		"holdPayouts", "releasePayouts", "remitCollected", "payClawback", "holdOrder", "resumeCollection", "reverseChargeOff", "reviseSchedule",
		"chargeOffOrder", "waiveFee",
	},
	"clients:manage": {"createClient", "rollClient", "revokeClient"},
	"books:manage": {
		"moveFunding", "closePeriod", "recordReceipt", "identifyReceipt", "returnReceipt", "putBankLines", "assignBankLine", "createBankMatch",
		"undoBankMatch", "assignEntry", "reviewBankNotice", "sendSameDay",
	},
	"settings:manage":  {"updateLender", "createMerchant", "addProgram", "setMerchantLimits", "setMerchantShop"},
	"approvals:manage": {"approve", "endApproval"},
}

// standIn maps a merchant's scope to the part of operator:write that stands in for it.
var standIn = map[string]string{
	"orders:write": "money:manage", "payments:write": "money:manage", "checkout:write": "money:manage", "companies:write": "companies:manage",
	"applications:write": "companies:manage", "webhooks:write": "settings:manage",
}

// Every operation of the lender requires the one scope that the table names.
func TestEachOperationOfTheLenderHasItsScope(t *testing.T) {
	h := newHouse(t)
	scope := map[string]string{}
	for s, operations := range manages {
		for _, id := range operations {
			scope[id] = s
		}
	}
	for _, op := range httpapi.Table(h.service) {
		if !slices.ContainsFunc(op.Scopes, lenders) {
			continue
		}
		want := scope[op.ID]
		if op.Method == http.MethodGet {
			want = "operator:read"
		}
		if len(op.Scopes) != 1 || op.Scopes[0] != want {
			t.Errorf("%s asks for %v, not for %q", op.ID, op.Scopes, want)
		}
		delete(scope, op.ID)
	}
	if len(scope) > 0 {
		t.Errorf("there are no such operations: %v", scope)
	}
}

// A token with one part of operator:write can do what that part allows, and nothing else.
func TestPartsOfOperatorWrite(t *testing.T) {
	m := newMatrix(t)
	held := map[string][]string{"wide": {"operator:write"}}
	for s := range manages {
		held[s] = []string{s}
	}
	for who, scopes := range held {
		m.tokens[who] = m.token("", scopes...)
		before := m.state()
		for _, op := range httpapi.Table(m.service) {
			if op.Public || op.TenantOnly {
				continue
			}
			want := op.Scopes[0]
			if part := standIn[want]; part != "" {
				want = part
			}
			may := want == who || who == "wide" && strings.HasSuffix(want, ":manage")
			if may && m.kind(op) == "" {
				continue // it would have an effect; the matrix covers it
			}
			r := m.ask(op, op.Path, who, nobodys[m.kind(op)])
			if refused := r.code() == "insufficient_scope"; refused == may {
				t.Errorf("%s, which asks for %v, as %s: %d %s", op.ID, op.Scopes, who, r.status, r.code())
			}
		}
		if m.state() != before {
			t.Errorf("%s has had an effect on what there is not", who)
		}
	}
}

// A client can grant only scopes that it has, and gets no secret of one that has more.
func TestClientGivesWhatItHas(t *testing.T) {
	h := newHouse(t)
	h.tokens["clerk"] = h.token("", "operator:read", "clients:manage")
	h.tokens["both"] = h.token("", "operator:read", "clients:manage", "money:manage")
	wide, wideToken := h.person("", "operator:read", "operator:write")
	narrow, _, err := auth.Issuer{Store: h.backend, Submit: h.engine, Now: h.now}.NewToken(t.Context(), wide, []string{"clients:manage"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	h.tokens["wide"], h.tokens["narrow"] = wideToken, narrow
	for _, x := range []struct {
		who, merchant, scopes string // JSON
		want                  int
	}{
		{"clerk", "", `["clients:manage"]`, 201},
		{"clerk", "", `["operator:read","clients:manage"]`, 201},
		{"clerk", "", `["money:manage"]`, 403},
		{"clerk", "", `["operator:read","operator:write"]`, 403},
		{"clerk", "", ``, 403}, // the wide ones
		{"clerk", h.a, `["orders:write","payments:write"]`, 201},
		{"clerk", h.a, ``, 201},
		{"both", "", `["clients:manage","money:manage"]`, 201},
		{"both", "", `["books:manage"]`, 403},
		{"wide", "", `["books:manage","settings:manage","companies:manage","money:manage","clients:manage","approvals:manage"]`, 201},
		{"wide", "", ``, 201},
		{"narrow", "", `["operator:read"]`, 403},
		{"narrow", "", `["clients:manage"]`, 201},
	} {
		body := `{"name":"x"`
		if x.merchant != "" {
			body += `,"merchant_id":"` + x.merchant + `"`
		}
		if x.scopes != "" {
			body += `,"scopes":` + x.scopes
		}
		before := h.state()
		r := h.call(x.who, "POST", "/v1/operator/clients", body+"}")
		if r.status != x.want || x.want == 403 && (r.code() != "insufficient_scope" || h.state() != before) {
			t.Errorf("%s gives %q %s: %d %s", x.who, x.merchant, x.scopes, r.status, r.raw)
		}
	}
}

func TestNoSecretOfClientsWithMore(t *testing.T) {
	h := newHouse(t)
	h.tokens["clerk"] = h.token("", "operator:read", "clients:manage")
	made := func(body string) string {
		return h.must(201, "ops", "POST", "/v1/operator/clients", body).text("id")
	}
	cashier := made(`{"name":"cashier","scopes":["money:manage"]}`)
	helper := made(`{"name":"helper","scopes":["clients:manage"]}`)
	shop := made(`{"name":"shop","merchant_id":"` + h.a + `"}`)
	for _, act := range []string{"roll", "revoke"} {
		before := h.state()
		r := h.call("clerk", "POST", fmt.Sprintf("/v1/operator/clients/%s/%s", cashier, act), "", "Idempotency-Key", act)
		if r.status != 403 || r.code() != "insufficient_scope" || h.state() != before {
			t.Errorf("%s: %d %s", act, r.status, r.raw)
		}
		for _, id := range []string{helper, shop} {
			h.must(200, "clerk", "POST", fmt.Sprintf("/v1/operator/clients/%s/%s", id, act), "")
		}
	}
	h.must(200, "ops", "POST", "/v1/operator/clients/"+cashier+"/roll", "")
}
