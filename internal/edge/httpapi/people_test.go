package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi"
)

// aPaper is a signed paper as a request body contains it.
var aPaper = base64.StdEncoding.EncodeToString([]byte(aPDF))

// digits formats a member that is a company's number.
func (r reply) digits(name string) string { return fmt.Sprint(r.body[name]) }

// unsigned returns a company that was approved on an application and has not signed yet.
func (h *house) unsigned(who string) string {
	h.t.Helper()
	id := h.must(201, who, "POST", "/v1/applications", newApplication("00-0000003")).text("id")
	h.must(200, "ops", "POST", "/v1/operator/applications/"+id+"/approve", `{"limit":10000,"tier":"A","reason":"seen"}`)
	return h.must(200, "ops", "GET", "/v1/operator/applications/"+id, "").digits("company_id")
}

// makePeople creates a company with an invited person, or one with or without a signature.
func (m *matrix) makePeople(kind, merchant string) string {
	m.t.Helper()
	if kind == "person" {
		company := m.make("company", merchant)
		r := m.must(200, "ops", "POST", "/v1/operator/companies/"+company+"/people", `{"email":"gil@alder.example","role":"VIEWER","reason":"matrix"}`)
		return company + "/" + r.text("id")
	}
	who := "a"
	if merchant == m.house.b {
		who = "b"
	}
	company := m.unsigned(who)
	if kind == "signed company" {
		m.must(200, "ops", "POST", "/v1/operator/companies/"+company+"/agreement", bodies["recordPaperSignature"].body)
	}
	return company
}

// An owner has left, and nobody reads her mail. Staff invite a new owner, who can act only
// after verifying her e-mail and accepting, and then remove the old one. The log says who
// did it and why. No merchant sees any of it.
func TestStaffReplaceAnOwner(t *testing.T) {
	h := newHouse(t)
	old := h.owner(h.company, "ada@alder.example")
	people := fmt.Sprintf("/v1/operator/companies/%d/people", h.company)
	out := func(status int, person, reason string) reply {
		t.Helper()
		return h.must(status, "ops", "POST", people+"/"+person+"/remove", `{"reason":"`+reason+`"}`)
	}
	if r := out(409, old, "has left"); r.code() != "owner_required" || !strings.Contains(r.raw, "only owner who has accepted") {
		t.Errorf("the only owner: %s", r.raw)
	}
	body := `{"email":"bea@alder.example","first_name":"Bea","last_name":"Quill","role":"OWNER","reason":"Ada Marsh has left, articles of May seen"}`
	first := h.must(200, "ops", "POST", people, body, "Idempotency-Key", "k1")
	bea := first.text("id")
	if !strings.Contains(first.raw, `"role":"OWNER","limit":null,"invited":true,"verified_at":null`) || strings.Contains(first.raw, "bea@") {
		t.Errorf("invited: %s", first.raw)
	}
	if again := h.must(200, "ops", "POST", people, body, "Idempotency-Key", "k1"); again.raw != first.raw {
		t.Errorf("a repeat: %s", again.raw)
	}
	out(409, old, "has left")
	if r := h.must(200, "reader", "GET", people, ""); !strings.Contains(r.raw, `"email":"bea@alder.example","first_name":"Bea"`) || !strings.Contains(r.raw, old) {
		t.Errorf("the people: %s", r.raw)
	}
	if p, err := h.service.Desk.Proved(t.Context(), "bea@alder.example"); err != nil || p.ID != bea {
		t.Fatal(p, err)
	}
	out(409, old, "has left")
	if err := h.service.Desk.Answer(t.Context(), bea, h.company, true, ""); err != nil {
		t.Fatal(err)
	}
	if r := out(200, old, "has left"); !strings.Contains(r.raw, `"role":null`) {
		t.Errorf("put out: %s", r.raw)
	}
	h.must(409, "ops", "POST", people, `{"email":"bea@alder.example","role":"BUYER","limit":500,"reason":"r"}`)
	out(404, old, "again")
	for _, who := range []string{"a", "b"} {
		h.must(403, who, "GET", people, "")
		h.must(403, who, "POST", people, body)
		h.must(403, who, "POST", people+"/"+bea+"/remove", `{"reason":"r"}`)
	}
	log := h.must(200, "ops", "GET", "/v1/operator/audit?command=company.person", "").raw
	for _, want := range []string{`"reason":"Ada Marsh has left, articles of May seen"`, `"reason":"has left"`, `"client_id":"cli_`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
	if strings.Contains(log, "bea@") {
		t.Errorf("the log names an e-mail: %s", log)
	}
}

// Invalid invitations are refused, and a company has at most fifty people.
func TestStaffInvite(t *testing.T) {
	h := newHouse(t)
	people := fmt.Sprintf("/v1/operator/companies/%d/people", h.company)
	for body, pointer := range map[string]string{ // unordered: each by itself
		`{"email":"x@alder.example","role":"BUYER","reason":"r"}`:            "/limit",
		`{"email":"x@alder.example","role":"VIEWER","limit":5,"reason":"r"}`: "/limit",
		`{"email":"nobody","role":"VIEWER","reason":"r"}`:                    "/email",
		`{"email":"x@alder.example","role":"KING","reason":"r"}`:             "/role",
	} {
		if r := h.must(422, "ops", "POST", people, body); !strings.Contains(r.raw, pointer) {
			t.Errorf("%s: %s", body, r.raw)
		}
	}
	h.must(404, "ops", "POST", "/v1/operator/companies/3000000000/people", `{"email":"x@alder.example","role":"VIEWER","reason":"r"}`)
	for i := range 50 {
		h.must(200, "ops", "POST", people, fmt.Sprintf(`{"email":"x%d@alder.example","role":"VIEWER","reason":"r"}`, i))
	}
	if r := h.must(422, "ops", "POST", people, `{"email":"y@alder.example","role":"VIEWER","reason":"r"}`); r.code() != "limit_exceeded" {
		t.Errorf("the 51st: %s", r.raw)
	}
}

// An agreement signed on paper is recorded once, with the paper and the signer, and orders
// can be authorized from then on. The signer's identity is sealed.
func TestPaperSignature(t *testing.T) {
	h := newHouse(t)
	company := h.unsigned("a")
	path := "/v1/operator/companies/" + company + "/agreement"
	body := func(changes ...string) string {
		return strings.NewReplacer(changes...).Replace(`{"signer_name":"Ada Quill","signer_title":"Managing member","signed_on":"2026-01-05","document":"` + aPaper + `","reason":"sent by post"}`)
	}
	h.must(404, "reader", "GET", path, "")
	order := `{"company_id":` + company + `,"amount":100,"installments":3,"status":"AUTHORIZED"}`
	h.must(409, "a", "POST", "/order", order)
	for name, bad := range map[string]string{ // unordered: each by itself
		"a day to come": body("2026-01-05", "2027-01-05"), "no paper": body(aPaper, ""), "no Base64": body(aPaper, "%%%"),
		"a page": body(aPaper, base64.StdEncoding.EncodeToString([]byte("<!doctype html><script>1</script>"))), "a broken picture": body(aPaper, base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))),
		"nobody": body("Ada Quill", ""),
	} {
		if r := h.must(422, "ops", "POST", path, bad); r.code() != "validation_failed" {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
	h.must(403, "a", "POST", path, body())
	h.must(403, "a", "GET", path, "")
	first := h.must(200, "ops", "POST", path, body(), "Idempotency-Key", "k1")
	if !strings.Contains(first.raw, `"agreement":{"status":"SIGNED","document_id":"doc_`) || !strings.Contains(first.raw, `"on_paper":true,"signed_on":"2026-01-05"`) {
		t.Errorf("signed: %s", first.raw)
	}
	if again := h.must(200, "ops", "POST", path, body(), "Idempotency-Key", "k1"); again.raw != first.raw {
		t.Errorf("a repeat: %s", again.raw)
	}
	if r := h.must(409, "ops", "POST", path, body()); r.code() != "invalid_transition" {
		t.Errorf("twice: %s", r.raw)
	}
	h.must(201, "a", "POST", "/order", order)
	if r := h.must(200, "a", "GET", "/v2/companies/"+company, ""); strings.Contains(r.raw, "agreement") {
		t.Errorf("a merchant sees the agreement: %s", r.raw)
	}
	if r := h.must(200, "reader", "GET", path, ""); !strings.Contains(r.raw, `"signer":{"name":"Ada Quill","title":"Managing member"}`) || !strings.Contains(r.raw, `"content_type":"application/pdf"`) {
		t.Errorf("the agreement: %s", r.raw)
	}
	file := h.must(200, "reader", "GET", path, "", "Accept", "application/octet-stream")
	if file.raw != aPDF || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the paper: %q %s", file.raw, file.header.Get("Content-Disposition"))
	}
	var stored bytes.Buffer
	if err := store.WriteDump(t.Context(), h.backend, &stored); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"stored": stored.String(), "logged": h.log.String(), "told": h.must(200, "ops", "GET", "/v1/operator/audit?limit=100", "").raw} { // unordered: each by itself
		if strings.Contains(text, "Quill") {
			t.Errorf("who signed is %s in clear", where)
		}
	}
}

// A closed company can no longer sign.
func TestPaperSignatureOfAClosedCompany(t *testing.T) {
	h := newHouse(t)
	company := h.unsigned("a")
	h.must(200, "ops", "POST", "/v1/operator/companies/"+company+"/close", `{"code":"requested_by_company","reason":"its wish"}`)
	if r := h.must(409, "ops", "POST", "/v1/operator/companies/"+company+"/agreement", bodies["recordPaperSignature"].body); r.code() != "company_not_eligible" {
		t.Errorf("%s", r.raw)
	}
}

// The audit log records that staff have read who acts for a company, or who signed for it.
func TestReadingPeopleIsRecorded(t *testing.T) {
	h := newHouse(t)
	later := engine.NewLater(h.engine)
	h.service.Reads = later.Add
	var err error
	if h.api, err = httpapi.New(h.config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	person := h.owner(h.company, "ada@alder.example")
	company := h.unsigned("a")
	h.must(200, "ops", "POST", "/v1/operator/companies/"+company+"/agreement", bodies["recordPaperSignature"].body)
	h.must(200, "reader", "GET", fmt.Sprintf("/v1/operator/companies/%d/people", h.company), "")
	h.must(200, "reader", "GET", "/v1/operator/companies/"+company+"/agreement", "")
	later.Flush(t.Context())
	log := h.must(200, "ops", "GET", "/v1/operator/audit?command=personal_data.read", "").raw
	for _, want := range []string{"listPeople", "getMasterAgreement", person, company} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
}

// An empty actor is not an owner: a page that omits the speaker must not act as the
// operator.
func TestNobodyIsNotTheOperator(t *testing.T) {
	h := newHouse(t)
	owner := h.owner(h.company, "ada@alder.example")
	d := h.service.Desk
	if d.SetRole(t.Context(), "", h.company, owner, credit.RoleViewer, 0, "") == nil {
		t.Error("nobody has changed a role")
	}
	if d.SetRole(t.Context(), "", h.company, owner, credit.RoleBuyer, money.MustParse("5.00"), "") == nil {
		t.Error("nobody has set a sum")
	}
}
