package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi"
	"tenor/internal/office/buyer"
)

// asked opens a buyer's case about an order of merchant A and returns the case and the
// order.
func (h *house) asked(words string) (id, order string) {
	h.t.Helper()
	person := h.owner(h.company, "ada@alder.example")
	order = h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3}`, h.company)).text("key")
	x, err := h.service.Desk.OpenCase(context.Background(), h.company, person, buyer.NewCase{
		Kind: credit.CaseDispute, Order: order, CaseWords: buyer.CaseWords{Subject: "Two shelves", Text: words},
	}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return x.ID, order
}

// A buyer's dispute about a merchant's order is between the buyer and the lender. The
// merchant can neither find nor read it, and another merchant sees neither the case nor the
// order.
func TestWhoSeesACase(t *testing.T) {
	h := newHouse(t)
	hers, order := h.asked("The shelves of Mrs. Marsh are missing.")
	mine := h.must(201, "a", "POST", "/v1/cases", `{"kind":"QUESTION","order_key":"`+order+`","subject":"Which?","text":"Which one?"}`).text("id")
	if r := h.must(200, "a", "GET", "/v1/cases", ""); strings.Contains(r.raw, hers) || !strings.Contains(r.raw, mine) {
		t.Errorf("the merchant's list: %s", r.raw)
	}
	h.must(404, "a", "GET", "/v1/cases/"+hers, "")
	h.must(404, "a", "POST", "/v1/cases/"+hers+"/notes", `{"text":"ours"}`)
	h.must(404, "a", "POST", "/v1/cases/"+hers+"/withdraw", "")
	h.must(404, "b", "GET", "/v1/cases/"+mine, "")
	h.must(404, "b", "POST", "/v1/cases", `{"kind":"QUESTION","order_key":"`+order+`","subject":"Which?","text":"Which one?"}`)
	h.must(403, "a", "GET", "/v1/operator/cases", "")
	if r := h.must(200, "ops", "GET", fmt.Sprintf("/v1/operator/cases?company_id=%d&status=OPEN", h.company), ""); !strings.Contains(r.raw, hers) || !strings.Contains(r.raw, mine) || strings.Contains(r.raw, "Marsh") {
		t.Errorf("the lender's list: %s", r.raw)
	}
	if r := h.must(200, "ops", "GET", "/v1/operator/cases?status=RESOLVED", ""); !strings.HasPrefix(r.raw, `{"data":[],`) {
		t.Errorf("resolved cases: %s", r.raw)
	}
	r := h.must(200, "ops", "GET", "/v1/operator/cases/"+hers, "")
	for _, want := range []string{`"text":"The shelves of Mrs. Marsh are missing."`, `"opened_by":"buyer"`, `"person_id":"per_`, `"answer":null`} {
		if !strings.Contains(r.raw, want) {
			t.Errorf("the lender does not see %s: %s", want, r.raw)
		}
	}
}

// What people type appears in no stored answer, no log and no row in the clear. A repeat
// with the same key gets the same answer, and other words with that key are refused.
func TestWordsOfACaseAreSealed(t *testing.T) {
	h := newHouse(t)
	_, order := h.asked("The shelves of Mrs. Marsh are missing.")
	body := `{"kind":"DISPUTE","what":"AMOUNT","order_key":"` + order + `","subject":"Bill of Mr. Quill","text":"Mr. Quill was billed twice."}`
	first := h.must(201, "a", "POST", "/v1/cases", body, "Idempotency-Key", "k1")
	id := first.text("id")
	if again := h.must(201, "a", "POST", "/v1/cases", body, "Idempotency-Key", "k1"); again.raw != first.raw {
		t.Errorf("a repeat: %s", again.raw)
	}
	h.must(422, "a", "POST", "/v1/cases", strings.Replace(body, "twice", "thrice", 1), "Idempotency-Key", "k1")
	h.must(422, "a", "POST", "/v1/cases", strings.Replace(body, "Mr. Quill was billed twice.", "   ", 1))
	h.must(200, "ops", "POST", "/v1/operator/cases/"+id+"/notes", `{"text":"Which Quill?"}`, "Idempotency-Key", "k2")
	if r := h.must(200, "a", "GET", "/v1/cases/"+id, ""); r.text("status") != "WAITING" || !strings.Contains(r.raw, `"text":"Which Quill?"`) {
		t.Errorf("the merchant does not read the answer: %s", r.raw)
	}
	h.must(412, "ops", "POST", "/v1/operator/cases/"+id+"/resolve", `{"outcome":"UPHELD","text":"Quill is right."}`, "If-Match", `"9"`)
	h.must(422, "ops", "POST", "/v1/operator/cases/"+id+"/resolve", `{"outcome":"ANSWERED","text":"Quill is right."}`)
	done := h.must(200, "ops", "POST", "/v1/operator/cases/"+id+"/resolve", `{"outcome":"UPHELD","text":"Quill is right."}`)
	h.must(409, "a", "POST", "/v1/cases/"+id+"/withdraw", "")
	if r := h.must(200, "a", "GET", "/v1/cases/"+id, ""); r.text("outcome") != "UPHELD" || !strings.Contains(r.raw, `"answer":"Quill is right."`) {
		t.Errorf("the merchant's case: %s", r.raw)
	}
	var stored bytes.Buffer
	if err := store.WriteDump(t.Context(), h.backend, &stored); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"stored": stored.String(), "logged": h.log.String(), "answered": first.raw + done.raw, "told": h.must(200, "ops", "GET", "/v1/operator/audit?limit=100", "").raw} { // unordered: each by itself
		for _, part := range []string{"Quill", "Marsh", "Two shelves"} {
			if strings.Contains(text, part) {
				t.Errorf("%q is %s in clear", part, where)
			}
		}
	}
}

// The audit log records that staff have read a case or a document of one.
func TestReadingACaseIsRecorded(t *testing.T) {
	h := newHouse(t)
	later := engine.NewLater(h.engine)
	h.service.Reads = later.Add
	var err error
	if h.api, err = httpapi.New(h.config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	_, order := h.asked("The shelves are missing.")
	id := h.must(201, "a", "POST", "/v1/cases", `{"kind":"DISPUTE","order_key":"`+order+`","subject":"Which?","text":"Which one?"}`).text("id")
	doc := h.must(201, "a", "POST", "/v1/cases/"+id+"/documents", aPDF, "Content-Type", "application/pdf").text("id")
	h.must(415, "a", "POST", "/v1/cases/"+id+"/documents", aPDF, "Content-Type", "image/png")
	h.must(200, "reader", "GET", "/v1/operator/cases/"+id, "")
	file := h.must(200, "reader", "GET", "/v1/operator/cases/"+id+"/documents/"+doc, "")
	if file.raw != aPDF || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the file: %q, %s", file.raw, file.header.Get("Content-Disposition"))
	}
	other, _ := h.service.Desk.OpenCase(context.Background(), h.company, h.owner(h.company, "ada@alder.example"), buyer.NewCase{Kind: credit.CaseQuestion, CaseWords: buyer.CaseWords{Subject: "a", Text: "b"}}, "")
	h.must(404, "reader", "GET", "/v1/operator/cases/"+other.ID+"/documents/"+doc, "")
	later.Flush(t.Context())
	log := h.must(200, "ops", "GET", "/v1/operator/audit?command=personal_data.read", "").raw
	for _, want := range []string{"getReviewedCase", "getCaseDocument", id} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
}
