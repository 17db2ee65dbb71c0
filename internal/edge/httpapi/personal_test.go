package httpapi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/edge/httpapi"
)

// A read of personal data by a client of the lender is answered at once and recorded soon
// after in the audit log: who, when, what, in which request and from where. Refused reads,
// reads of other things, and merchants' reads of their own data are not recorded.
func TestReadsOfPersonalDataAreRecorded(t *testing.T) {
	h := newHouse(t)
	later := engine.NewLater(h.engine)
	h.service.Reads = later.Add
	var err error
	if h.api, err = httpapi.New(h.config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	company := fmt.Sprintf("/v2/companies/%d", h.company)
	before := h.state()
	h.must(200, "a", "GET", company, "")
	h.must(200, "reader", "GET", "/v1/operator/lender", "")
	h.must(404, "reader", "GET", "/v2/companies/3000000000", "")
	later.Flush(t.Context())
	if h.state() != before {
		t.Error("what is no read of personal data by the lender stands in the log")
	}
	r := h.must(200, "reader", "GET", company, "", "X-Request-Id", "read-one")
	h.must(200, "reader", "GET", "/v1/companies?limit=100", "", "X-Request-Id", "read-many")
	h.must(200, "reader", "GET", fmt.Sprintf("/v1/companies/%d/payment_methods", h.company), "", "X-Request-Id", "read-methods")
	if h.state() != before {
		t.Error("a read has written before it was answered")
	}
	later.Flush(t.Context())
	row := h.must(200, "ops", "GET", "/v1/operator/audit?command=personal_data.read&request_id="+r.header.Get("X-Request-Id"), "")
	for _, want := range []string{
		`"client_id":"cli_TEST`, `"merchant_id":null`, `"address":"`, fmt.Sprintf(`"object":"%d"`, h.company), fmt.Sprintf(`"company_id":%d`, h.company),
		`"operation":"getCompany"`, `"result":"ok"`,
	} {
		if !strings.Contains(row.raw, want) {
			t.Errorf("the log lacks %s: %s", want, row.raw)
		}
	}
	about := h.must(200, "ops", "GET", fmt.Sprintf("/v1/operator/audit?command=personal_data.read&company_id=%d", h.company), "")
	if rows := about.body["data"].([]any); len(rows) != 2 || !strings.Contains(about.raw, "listPaymentMethods") {
		t.Errorf("of the company: %s", about.raw)
	}
	many := h.must(200, "ops", "GET", "/v1/operator/audit?command=personal_data.read&request_id=read-many", "")
	if !strings.Contains(many.raw, fmt.Sprint(h.company)) || !strings.Contains(many.raw, fmt.Sprint(h.unlinked)) {
		t.Errorf("a list: %s", many.raw)
	}
	h.must(200, "reader", "GET", "/v1/operator/ledger/entries?from=2026-01-01&to=2026-12-31", "", "X-Request-Id", "read-books")
	h.must(200, "reader", "GET", "/v1/payouts/export", "", "X-Request-Id", "read-payouts")
	later.Flush(t.Context())
	for id, operation := range map[string]string{"read-books": "exportEntries", "read-payouts": "exportPayouts"} {
		if x := h.must(200, "ops", "GET", "/v1/operator/audit?command=personal_data.read&request_id="+id, ""); !strings.Contains(x.raw, operation) {
			t.Errorf("an export is not in the log: %s", x.raw)
		}
	}
	if later.Lost() != 0 {
		t.Errorf("%d are lost", later.Lost())
	}
}

// Reads continue, and wait to be recorded, while nothing can be written.
func TestReadsGoOnWithoutWrites(t *testing.T) {
	h := newHouse(t)
	later := engine.NewLater(refusing{})
	h.service.Reads = later.Add
	var err error
	if h.api, err = httpapi.New(h.config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	h.must(200, "reader", "GET", fmt.Sprintf("/v2/companies/%d", h.company), "")
	later.Flush(t.Context())
	if later.Lost() != 0 {
		t.Errorf("%d are lost", later.Lost())
	}
}

// refusing is an engine that accepts no writes.
type refusing struct{}

func (refusing) Submit(context.Context, engine.Request) (engine.Result, error) {
	return engine.Result{}, engine.ErrReadOnly
}

// The operations that show personal data are in the table.
func TestPersonalReadsExist(t *testing.T) {
	h := newHouse(t)
	var ids []string
	for _, op := range httpapi.Table(h.service) {
		ids = append(ids, op.ID)
	}
	for _, id := range slices.Concat(httpapi.PersonalReads(), httpapi.Exports()) {
		if !slices.Contains(ids, id) {
			t.Errorf("there is no operation %s", id)
		}
	}
}
