package httpapi_test

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

var rewriteContract = flag.Bool("rewrite-contract", false, "write api/openapi.yaml anew")

const publishedContract = "../../../api/openapi.yaml"

func contractAPI(t *testing.T) *httpapi.API {
	t.Helper()
	api, err := httpapi.New(rest.Config{
		BaseURL: "http://localhost:8080", Authenticator: tokens{}, CursorKey: make([]byte, 32), Now: time.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, httpapi.Table(&serve.Service{Desk: &buyer.Desk{}}))
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// The published contract matches the code.
func TestContractIsPublished(t *testing.T) {
	_, yaml, err := contractAPI(t).Contract()
	if err != nil {
		t.Fatal(err)
	}
	if *rewriteContract {
		if err := os.WriteFile(publishedContract, yaml, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(publishedContract)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(yaml) {
		t.Error("api/openapi.yaml is not what the code says; run make generate and review the difference")
	}
}

func TestContractIsValid(t *testing.T) {
	jsonDoc, _, err := contractAPI(t).Contract()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(jsonDoc)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Every row of the interface document is in the contract under its own path.
func TestContractHasEveryRowOfTheInterface(t *testing.T) {
	jsonDoc, _, err := contractAPI(t).Contract()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(jsonDoc)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"POST /order", "GET /v1/order/{key}", "PATCH /v1/order/{key}", "PATCH /v1/order/{key}/refund",
		"POST /payment", "GET /payment/{id}", "GET /payments", "GET /payments/schedule/{orderId}", "POST /payment/{id}/refund",
		"GET /v2/companies/{company_id}",
		"GET /v1/orders", "POST /v1/order/{key}/extend", "POST /v1/order/{key}/partial", "GET /v1/order/{key}/payoff",
		"GET /v1/order/{key}/ledger", "GET /v1/order/{key}/events", "GET /v1/companies", "GET /v1/invoices", "POST /v1/payment/{id}/cancel",
	} {
		method, path, _ := strings.Cut(row, " ")
		item := doc.Paths.Find(path)
		if item == nil || item.GetOperation(method) == nil {
			t.Errorf("the contract lacks %s", row)
		}
	}
}

func TestContractIsServed(t *testing.T) {
	h := contractAPI(t).Handler()
	for path, media := range map[string]string{"/openapi.json": "application/json", "/openapi.yaml": "application/yaml"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != media || w.Body.Len() < 10_000 {
			t.Errorf("%s: %d %s, %d bytes", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len())
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/order", nil))
	if w.Code != http.StatusUnauthorized {
		t.Errorf("/order without a token: %d", w.Code)
	}
}

// The domain's reasons and the contract's codes form one table.
func TestReasonsAreInTheContract(t *testing.T) {
	for _, r := range credit.Reasons() {
		c, ok := httpapi.LookupCode(r.Code)
		if !ok || c.Status != r.Status || c.Title != r.Title && r.Code != "validation_failed" {
			t.Errorf("%s %d %q is %d %q in the contract", r.Code, r.Status, r.Title, c.Status, c.Title)
		}
	}
}
