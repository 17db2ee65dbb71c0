package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/ports/mailer"
)

const goodFigures, badFigures = `"owner_score":760,"annual_revenue":500000.00,"months_in_business":84,"requested_limit":10000.00`, `"owner_score":400,"annual_revenue":1000.00`

// letters keeps mailed messages.
type letters struct{ sent []mailer.Message }

func (l *letters) Send(_ context.Context, m mailer.Message) error {
	l.sent = append(l.sent, m)
	return nil
}

// An estimate approves nothing: it creates no company and no event, lists of applications
// omit it, and only the caller who requested it sees it. A repeat with its key returns the
// same one.
func TestPrequalificationIsAnEstimate(t *testing.T) {
	h := newHouse(t)
	companies, events := len(h.must(200, "ops", "GET", "/v1/companies", "").ids()), len(h.must(200, "a", "GET", "/v1/events", "").ids())
	body := estimateOf("ada@alder.example", goodFigures)
	yes := h.must(201, "a", "POST", "/v1/prequalifications", body, "Idempotency-Key", "lead-1")
	again := h.must(201, "a", "POST", "/v1/prequalifications", body, "Idempotency-Key", "lead-1")
	if yes.body["pass"] != true || fmt.Sprint(yes.body["estimated_limit"]) != "10000.00" || !strings.Contains(yes.raw, "not an approval") || again.raw != yes.raw {
		t.Errorf("yes %s\nagain %s", yes.raw, again.raw)
	}
	path := "/v1/applications/" + yes.text("id")
	x := h.must(200, "a", "GET", path, "")
	if yes.header.Get("Location") != path || x.text("kind") != "PREQUALIFICATION" || x.text("status") != "ESTIMATED" || x.body["approved_limit"] != nil || x.body["company_id"] != nil {
		t.Errorf("kept as %s", x.raw)
	}
	h.must(404, "b", "GET", path, "")
	for query, n := range map[string]int{
		"": 0, "?kind=NEW": 0, "?email=ada@alder.example": 0, "?kind=PREQUALIFICATION": 1, "?status=ESTIMATED&kind=PREQUALIFICATION&email=Ada@alder.example": 1,
		"?kind=PREQUALIFICATION&email=bob@alder.example": 0,
	} { // unordered: each by itself
		if r := h.must(200, "a", "GET", "/v1/applications"+query, ""); len(r.ids()) != n {
			t.Errorf("%q lists %s", query, r.raw)
		}
	}
	if r := h.must(422, "a", "POST", "/v1/prequalifications", estimateOf("ada@alder.example", `"requested_limit":10000.00`)); r.code() != "validation_failed" {
		t.Errorf("nothing given: %s", r.raw)
	}
	if len(h.must(200, "ops", "GET", "/v1/companies", "").ids()) != companies || len(h.must(200, "a", "GET", "/v1/events", "").ids()) != events {
		t.Error("an estimate has made a company or an event")
	}
}

// A refusal is mailed as an adverse action notice, once a day per address and merchant. An
// approval mails nothing. Another merchant learns nothing of it.
func TestPrequalificationRefusedOwesItsNotice(t *testing.T) {
	h := newHouse(t)
	box := &letters{}
	h.service.Desk.Mail = box
	h.submit(compliance.SetLender{
		Creditor: &credit.Party{Name: "Harbor Credit", Address: "1 Pier, Boston"}, Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "Washington, DC 20580"},
	})
	h.must(201, "a", "POST", "/v1/prequalifications", estimateOf("ada@alder.example", goodFigures))
	no := h.must(201, "a", "POST", "/v1/prequalifications", estimateOf("Ada@alder.example", badFigures))
	for _, figures := range []string{badFigures, goodFigures} {
		if r := h.must(422, "a", "POST", "/v1/prequalifications", estimateOf("ada@ALDER.example", figures)); r.code() != "limit_exceeded" {
			t.Errorf("again on that day: %s", r.raw)
		}
	}
	h.must(201, "a", "POST", "/v1/prequalifications", estimateOf("bob@alder.example", badFigures))
	h.must(201, "b", "POST", "/v1/prequalifications", estimateOf("ada@alder.example", goodFigures))
	if n, err := h.service.Desk.SendMails(t.Context(), "test"); err != nil || n != 2 || len(box.sent) != 2 {
		t.Fatalf("%d mails are sent: %v", n, err)
	}
	for _, want := range []string{"Credit score of the owner", "Annual revenue", "No credit report was used", "Equal Credit Opportunity Act", "Harbor Credit", "Federal Trade Commission", "estimate"} {
		if !strings.Contains(strings.Join(strings.Fields(box.sent[0].Text), " "), want) {
			t.Errorf("the notice lacks %q:\n%s", want, box.sent[0].Text)
		}
	}
	x := h.must(200, "ops", "GET", "/v1/operator/applications/"+no.text("id"), "")
	var seen struct {
		Status    string
		Notice    struct{ Kind, Channel string }
		Applicant struct{ Email string }
		Estimate  struct {
			OwnerScore int `json:"owner_score"`
			Answer     struct{ Pass bool }
		}
	}
	if err := json.Unmarshal([]byte(x.raw), &seen); err != nil || seen.Status != "DECLINED" || seen.Notice.Kind != "DECLINE" || seen.Notice.Channel != "EMAIL" ||
		seen.Applicant.Email != "Ada@alder.example" || seen.Estimate.OwnerScore != 400 || seen.Estimate.Answer.Pass {
		t.Errorf("%v: %s", err, x.raw)
	}
	h.day = h.day.Add(24 * time.Hour)
	h.must(201, "a", "POST", "/v1/prequalifications", estimateOf("ada@alder.example", badFigures))
}

// Names, e-mail, figures and answer are sealed, and deleted a year later. The log never had
// them.
func TestPrequalificationIsForgotten(t *testing.T) {
	h := newHouse(t)
	id := h.must(201, "a", "POST", "/v1/prequalifications", estimateOf("ada.l@alder.example", `"owner_score":431,"annual_revenue":123456.78`)).text("id")
	h.must(200, "ops", "POST", "/v1/operator/applications/"+id+"/notice", `{"channel":"MAIL","evidence":"tracking"}`)
	log := h.must(200, "ops", "GET", "/v1/operator/audit?command=application.prequalify", "")
	if n := len(log.body["data"].([]any)); n != 1 {
		t.Fatalf("the log has %s", log.raw)
	}
	for _, secret := range []string{"ada.l@", "Marsh", "431", "123456.78"} {
		if strings.Contains(log.raw, secret) {
			t.Errorf("the log shows %q: %s", secret, log.raw)
		}
	}
	h.day = h.zone.Start(h.zone.Date(h.day).AddMonths(12))
	h.submit(onboarding.ServiceApplication{Application: id})
	if r := h.must(200, "ops", "GET", "/v1/operator/applications/"+id, ""); r.body["applicant"] != nil || r.body["estimate"] != nil || r.text("status") != "DECLINED" {
		t.Errorf("a year later: %s", r.raw)
	}
}

// The caller chooses the name and the address. Anything in a name that could be followed as
// a link is not mailed to a person who has asked for nothing.
func TestPrequalificationCarriesNoMessage(t *testing.T) {
	h := newHouse(t)
	box := &letters{}
	h.service.Desk.Mail = box
	h.submit(compliance.SetLender{
		Creditor: &credit.Party{Name: "Harbor Credit", Address: "1 Pier, Boston"}, Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "Washington, DC 20580"},
	})
	for i, x := range []struct {
		name  string
		shown bool
	}{
		{"Alder Kitchens LLC", true}, {"J.P. Alder & Sons, Inc.", true}, {"Studio 54 No. 1", true}, {"Bäckerei Müller", true},
		{"Win at evil.example", false}, {"https://evil", false}, {"Ask eve@evil", false}, {"evil\u3002example", false}, {"evil.example/x Inc.", false},
		{"Call +1 900 555 0100", false}, {"Call ٩٠٠٥٥٥٠١٠٠", false}, {"Dear customer, " + strings.Repeat("your account is closed, ", 4), false},
	} {
		name, _ := json.Marshal(x.name)
		h.must(201, "a", "POST", "/v1/prequalifications", fmt.Sprintf(`{"applicant":{"first_name":%s,"last_name":" ","email":"x%d@alder.example"},"business":{"legal_name":%[1]s},%[3]s}`, name, i, badFigures))
		if n, err := h.service.Desk.SendMails(t.Context(), "test"); err != nil || n != 1 {
			t.Fatalf("%q: %d mails are sent: %v", x.name, n, err)
		}
		m, seen := box.sent[len(box.sent)-1], 0
		for _, text := range []string{m.Subject, m.Text, html.UnescapeString(m.HTML)} {
			if strings.Contains(text, x.name) {
				seen++
			}
		}
		if x.shown && seen != 3 || !x.shown && (seen != 0 || !strings.Contains(m.Subject, "for your business")) {
			t.Errorf("%q is seen in %d parts: %s\n%s", x.name, seen, m.Subject, m.Text)
		}
	}
}
