package httpapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
)

// secretsOf lists parts of an application that no merchant may read, not even the one that
// sent it.
var secretsOf = []string{"1980-03-14", "12 Canal St", "203.0.113.7", "Mozilla", "00-0000004", "000000004", "ada@alder.example", "credit_score", "bankruptcy", "Marsh"}

// A merchant sees an application's status and line, but no people, reasons or points: not
// in any response, event or log.
func TestMerchantSeesNoReasons(t *testing.T) {
	h := newHouse(t)
	made := h.must(201, "a", "POST", "/v1/applications", newApplication("00-0000004"), "Idempotency-Key", "k1")
	id := made.text("id")
	h.decide()
	got := h.must(200, "a", "GET", "/v1/applications/"+id, "")
	if made.text("status") != "SUBMITTED" || got.text("status") != "DECLINED" || got.body["company_id"] != nil {
		t.Errorf("made %s\ngot %s", made.raw, got.raw)
	}
	seen := made.raw + got.raw + h.must(200, "a", "GET", "/v1/applications", "").raw + h.must(200, "a", "GET", "/v1/events", "").raw +
		h.must(201, "a", "POST", "/v1/applications", newApplication("00-0000004"), "Idempotency-Key", "k1").raw + h.log.String()
	var stored bytes.Buffer
	if err := store.WriteDump(t.Context(), h.backend, &stored); err != nil {
		t.Fatal(err)
	}
	for _, part := range secretsOf {
		if strings.Contains(seen, part) {
			t.Errorf("a merchant, or the log, sees %q", part)
		}
	}
	for _, part := range []string{"1980-03-14", "203.0.113.7", "000000004", "00-0000004"} {
		if strings.Contains(stored.String(), part) {
			t.Errorf("%q is stored in clear", part)
		}
	}
	staff := h.must(200, "ops", "GET", "/v1/operator/applications/"+id, "")
	for _, part := range []string{"1980-03-14", "Marsh", "ada@alder.example", "bankruptcy", `"decided_by":`} {
		if !strings.Contains(staff.raw, part) {
			t.Errorf("the lender does not see %q: %s", part, staff.raw)
		}
	}
	if list := h.must(200, "ops", "GET", "/v1/operator/applications?email=ADA@alder.example", ""); strings.Contains(list.raw, "1980-03-14") || !strings.Contains(list.raw, id) {
		t.Errorf("the lender's list: %s", list.raw)
	}
	if r := h.must(200, "a", "GET", "/v1/applications?email=nobody@alder.example", ""); !strings.HasPrefix(r.raw, `{"data":[],`) {
		t.Errorf("somebody else's e-mail: %s", r.raw)
	}
}

// Invalid applications are refused.
func TestApplicationIsRefused(t *testing.T) {
	h := newHouse(t)
	good := newApplication("00-0000001")
	for _, x := range []struct{ old, new, code, at string }{
		{`"ownership_percent":100`, `"ownership_percent":101`, "validation_failed", "/owners/0/ownership_percent"},
		{`"control_person":true`, `"control_person":false`, "validation_failed", "/owners"},
		{`"credit_check":true`, `"credit_check":false`, "validation_failed", "/consents/credit_check"},
		{`"birth_date":"1980-03-14"`, `"birth_date":"2012-03-14"`, "validation_failed", "/owners/0/birth_date"},
		{`"formed_on":"2018-05-01"`, `"formed_on":"2027-05-01"`, "validation_failed", "/business/formed_on"},
		{`"accepted_at":"2026-01-10T14:00:00Z"`, `"accepted_at":"2026-02-10T14:00:00Z"`, "validation_failed", "/consents/accepted_at"},
		{`"ein":"00-0000001"`, `"ein":"00-000001"`, "validation_failed", "/business/ein"},
		{`"ein":"00-0000001"`, `"ein":"000000001\u0000"`, "malformed_request", ""},
		{`"state":"NY"`, `"state":"New York"`, "validation_failed", "/business/address/state"},
		{`"entity_type":"LLC"`, `"entity_type":"GMBH"`, "validation_failed", "/business/entity_type"},
		{`"merchant_reference"`, `"requested_limit":499.99,"merchant_reference"`, "validation_failed", "/requested_limit"},
		{`"merchant_reference"`, `"ssn":"123-45-6789","merchant_reference"`, "unknown_member", ""},
		{`"merchant_reference"`, `"kind":"LINE_INCREASE","merchant_reference"`, "owner_required", ""},
	} {
		r := h.call("a", "POST", "/v1/applications", strings.Replace(good, x.old, x.new, 1))
		if r.code() != x.code || x.at != "" && !strings.Contains(r.raw, `"pointer":"`+x.at+`"`) {
			t.Errorf("%s: %d %s", x.new, r.status, r.raw)
		}
	}
	if list := h.must(200, "ops", "GET", "/v1/operator/applications", ""); !strings.HasPrefix(list.raw, `{"data":[],`) {
		t.Errorf("something was taken: %s", list.raw)
	}
}

// The steps of a staff review in order: ask, receive the answer, approve for less than was
// requested, and send the notice (F28).
func TestApplicationByStaff(t *testing.T) {
	h := newHouse(t)
	id := h.must(201, "a", "POST", "/v1/applications", newApplication("00-0000007")).text("id")
	staff := "/v1/operator/applications/" + id
	if r := h.must(409, "ops", "POST", staff+"/request", `{"what":"Articles"}`); r.code() != "invalid_transition" {
		t.Errorf("before the facts are there: %s", r.raw)
	}
	h.decide()
	if r := h.must(200, "ops", "POST", staff+"/assign", `{"to":"dana"}`); r.text("assigned") != "dana" || r.text("status") != "IN_REVIEW" {
		t.Errorf("assigned: %s", r.raw)
	}
	asked := h.must(200, "ops", "POST", staff+"/request", `{"what":"Articles of organization","due_on":"2026-01-29"}`)
	if asked.text("status") != "INFORMATION_REQUESTED" || !strings.Contains(asked.raw, `"due_on":"2026-01-29"`) {
		t.Errorf("asked: %s", asked.raw)
	}
	if r := h.must(200, "a", "GET", "/v1/applications/"+id, ""); !strings.Contains(r.raw, "Articles of organization") {
		t.Errorf("the merchant is to know what is wanted: %s", r.raw)
	}
	h.must(201, "a", "POST", "/v1/applications/"+id+"/documents", aPDF, "Content-Type", "application/pdf")
	if r := h.must(422, "ops", "POST", staff+"/approve", `{"limit":8000,"tier":"A","reason":"seen"}`); r.code() != "reasons_required" && r.code() != "validation_failed" {
		t.Errorf("less without reasons: %s", r.raw)
	}
	done := h.must(200, "ops", "POST", staff+"/approve", `{"limit":8000,"tier":"B","reasons":["annual_revenue"],"reason":"seen"}`)
	if done.text("status") != "APPROVED" || done.body["counter_offer"] != true || done.body["company_id"] == nil || done.text("decided_by") == "" {
		t.Errorf("approved: %s", done.raw)
	}
	h.must(200, "a", "GET", "/v2/companies/"+fmt.Sprint(done.body["company_id"]), "")
	h.must(403, "b", "GET", "/v2/companies/"+fmt.Sprint(done.body["company_id"]), "")
	for _, act := range []string{"approve", "decline", "request", "assign"} {
		body := map[string]string{"approve": `{"limit":8000,"tier":"B","reason":"x"}`, "decline": `{"reasons":["credit_score"]}`, "request": `{"what":"x"}`, "assign": `{"to":"x"}`}[act]
		if r := h.must(409, "ops", "POST", staff+"/"+act, body); r.code() != "application_decided" || r.text("application_status") != "APPROVED" {
			t.Errorf("%s of one that is decided: %s", act, r.raw)
		}
	}
	if r := h.must(409, "a", "POST", "/v1/applications/"+id+"/withdraw", ""); r.code() != "application_decided" {
		t.Errorf("withdrawn: %s", r.raw)
	}
	sent := h.must(200, "ops", "POST", staff+"/notice", `{"channel":"MAIL","evidence":"tracking 1"}`)
	if n, _ := sent.body["notice"].(map[string]any); n["channel"] != "MAIL" || n["sent_at"] == nil {
		t.Errorf("notice: %s", sent.raw)
	}
}

// An owner whose credit report was used and who is not the applicant is owed her own
// notice. It is listed until it has been posted to her home. The applicant's notice does
// not mention her report (F28).
func TestOwnerIsToldOfHerReport(t *testing.T) {
	h := newHouse(t)
	h.submit(compliance.SetLender{
		Creditor: &credit.Party{Name: "Harbor Credit", Address: "1 Pier, Boston"}, Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "Washington, DC 20580"},
	})
	body := strings.Replace(newApplication("00-0000030"), `"applicant":{"first_name":"Ada"`, `"applicant":{"first_name":"Bea"`, 1)
	body = strings.Replace(body, `"birth_date":"1980-03-14","address":{"street":"12 Canal St"`, `"birth_date":"1980-03-14","address":{"street":"7 Home Rd"`, 1)
	id := h.must(201, "a", "POST", "/v1/applications", body).text("id")
	h.decide()
	staff := "/v1/operator/applications/" + id
	listed := h.must(200, "ops", "GET", "/v1/operator/applications", "")
	if !strings.Contains(listed.raw, `"owner_notice":{"kind":"DECLINE","due_on":"2026-02-`) {
		t.Fatalf("not listed as owed: %s", listed.raw)
	}
	theirs := h.must(200, "ops", "GET", staff+"/notice", "")
	hers := h.must(200, "ops", "GET", staff+"/notice?owner=true", "")
	if strings.Contains(theirs.raw, "Sandbox Bureau") || !strings.Contains(hers.raw, "Sandbox Bureau") || hers.text("name") == theirs.text("name") || hers.body["email"] != nil {
		t.Errorf("the applicant's %s\nthe owner's %s", theirs.raw, hers.raw)
	}
	if !strings.Contains(theirs.raw, `"street":"12 Canal St"`) || !strings.Contains(hers.raw, `"street":"7 Home Rd"`) {
		t.Errorf("the applicant's goes to the business, the owner's to her home: %s\n%s", theirs.raw, hers.raw)
	}
	if page := h.must(200, "ops", "GET", staff+"/notice?owner=true", "", "Accept", "text/html"); !strings.Contains(page.raw, "7 Home Rd") || !strings.Contains(page.raw, "a report about") {
		t.Errorf("on paper: %s", page.raw)
	}
	h.must(403, "a", "GET", staff+"/notice?owner=true", "")
	h.day = h.zone.Start(h.zone.Date(h.day).AddDays(25))
	owed := func() int {
		return strings.Count(h.must(200, "ops", "GET", "/v1/operator/alarms?kind=notice_due", "").raw, "their credit report was used")
	}
	if owed() != 1 {
		t.Error("no alarm tells that she is owed it")
	}
	sent := h.must(200, "ops", "POST", staff+"/notice", `{"channel":"MAIL","evidence":"tracking 2","owner":true}`)
	if n, _ := sent.body["owner_notice"].(map[string]any); n["channel"] != "MAIL" || n["sent_at"] == nil || owed() != 0 {
		t.Errorf("posted: %s", sent.raw)
	}
	own := h.must(201, "a", "POST", "/v1/applications", newApplication("00-0000030")).text("id")
	h.must(404, "ops", "GET", "/v1/operator/applications/"+own+"/notice?owner=true", "")
	h.must(404, "ops", "POST", "/v1/operator/applications/"+own+"/notice", `{"channel":"MAIL","evidence":"x","owner":true}`)
}

// A file's type comes from its content, pictures are re-encoded, and other files are
// refused.
func TestDocumentsAreWhatTheyAre(t *testing.T) {
	h := newHouse(t)
	id := h.must(201, "a", "POST", "/v1/applications", newApplication("00-0000003")).text("id")
	path := "/v1/applications/" + id + "/documents"
	picture := image.NewGray(image.Rect(0, 0, 8, 8))
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, picture); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, picture, nil); err != nil {
		t.Fatal(err)
	}
	const rider = "<script>alert(1)</script>"
	huge := asPNG.Bytes()[:16:16]
	huge = append(huge, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff)
	huge = append(huge, asPNG.Bytes()[24:]...)
	for _, x := range []struct {
		what, contentType, data string
		status                  int
	}{
		{"a PDF", "application/pdf", aPDF, 201},
		{"a picture with a rider", "image/png", asPNG.String() + rider, 201},
		{"a JPEG with a rider", "image/jpeg", asJPEG.String() + rider, 201},
		{"a page as a PDF", "application/pdf", "<html>" + rider, 415},
		{"a page as a picture", "image/png", rider, 415},
		{"a PDF as a picture", "image/png", aPDF, 415},
		{"a PNG as a JPEG", "image/jpeg", asPNG.String(), 415},
		{"a broken picture", "image/png", asPNG.String()[:40], 415},
		{"a picture of no end", "image/png", string(huge), 415},
		{"a page", "text/html", rider, 415},
		{"JSON", "application/json", `{}`, 415},
		{"a drawing", "image/svg+xml", "<svg/>", 415},
		{"nothing", "application/pdf", "", 415},
		{"too much", "application/pdf", aPDF + strings.Repeat("x", 10<<20), 413},
	} {
		if r := h.call("a", "POST", path, x.data, "Content-Type", x.contentType); r.status != x.status {
			t.Errorf("%s: %d %s", x.what, r.status, r.raw)
		}
	}
	staff := h.must(200, "ops", "GET", "/v1/operator/applications/"+id, "")
	for _, doc := range staff.body["document_ids"].([]any) {
		r := h.must(200, "ops", "GET", "/v1/operator/applications/"+id+"/documents/"+doc.(string), "")
		if strings.Contains(r.raw, rider) || r.header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(r.header.Get("Content-Disposition"), "attachment;") {
			t.Errorf("%s: %v", doc, r.header)
		}
	}
	for range 7 {
		h.must(201, "a", "POST", path, aPDF, "Content-Type", "application/pdf")
	}
	if r := h.must(422, "a", "POST", path, aPDF, "Content-Type", "application/pdf"); r.code() != "limit_exceeded" {
		t.Errorf("the eleventh: %s", r.raw)
	}
	h.must(404, "b", "POST", path, aPDF, "Content-Type", "application/pdf")
}

// The disclosure matches the schedule to the cent, for an order created through the API,
// before and after its capture, and for one that a buyer accepted, byte for byte as shown.
func TestDisclosureAndAgreement(t *testing.T) {
	h := newHouse(t)
	key := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1200}`, h.company)).text("key")
	if r := h.must(409, "a", "GET", "/v1/order/"+key+"/disclosure", ""); r.code() != "installments_required" {
		t.Errorf("without installments: %s", r.raw)
	}
	h.must(200, "a", "PATCH", "/v1/order/"+key, `{"installments":6,"status":"AUTHORIZED"}`)
	h.day = h.zone.At(calendar.MustParse("2026-01-15"), 10, 0)
	h.must(200, "a", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	told, owed := h.must(200, "a", "GET", "/v1/order/"+key+"/disclosure", ""), h.must(200, "a", "GET", "/payments/schedule/"+key, "")
	payments, rows := told.body["payments"].([]any), owed.body["installments"].([]any)
	if len(payments) != len(rows) || told.body["accepted"] != false || told.text("captured_on") != "2026-01-15" {
		t.Fatalf("told %s", told.raw)
	}
	for i := range rows {
		p, x := payments[i].(map[string]any), rows[i].(map[string]any)
		if p["due_date"] != x["due_date"] || p["principal"] != x["principal"] || p["finance_charge"] != x["finance_charge"] {
			t.Errorf("%d: told %v, owed %v", i+1, p, x)
		}
	}
	for _, media := range []string{"text/html", "application/pdf"} {
		if r := h.must(200, "a", "GET", "/v1/order/"+key+"/disclosure", "", "Accept", media); !strings.HasPrefix(r.header.Get("Content-Type"), media) || len(r.raw) < 1000 {
			t.Errorf("%s: %v", media, r.header)
		}
		h.must(404, "a", "GET", "/v1/order/"+key+"/agreement", "", "Accept", media)
	}
	h.must(404, "b", "GET", "/v1/order/"+key+"/disclosure", "")

	x := h.checkout("")
	h.accept(x.text("id"), "ada@alder.example", 0, 6)
	bought := "/v1/order/" + x.text("order_key")
	agreed := h.must(200, "a", "GET", bought+"/agreement", "")
	if agreed.text("checkout_id") != x.text("id") || len(agreed.body["documents"].([]any)) != 6 {
		t.Errorf("agreed %s", agreed.raw)
	}
	if d := h.must(200, "a", "GET", bought+"/disclosure", ""); d.body["accepted"] != true || d.text("digest") != agreed.text("digest") {
		t.Errorf("disclosed %s", d.raw)
	}
	page := h.must(200, "a", "GET", bought+"/agreement", "", "Accept", "text/html")
	if !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") || strings.Contains(page.raw, "<script") {
		t.Errorf("page %v", page.header)
	}
	shown := false
	for _, doc := range agreed.body["documents"].([]any) {
		shown = shown || doc.(map[string]any)["sha256"].(string)[:32] == strings.Trim(page.header.Get("ETag"), `"`)
	}
	if !shown {
		t.Errorf("the page is none of those that were shown: %s", agreed.raw)
	}
	h.must(404, "b", "GET", bought+"/agreement", "")
}
