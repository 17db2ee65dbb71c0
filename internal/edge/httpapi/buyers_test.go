package httpapi_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/ports/mailer"
)

// desk is a sandbox's buyer side, which decides nothing in the background.
func (h *house) desk() *buyer.Desk {
	return &buyer.Desk{
		Submit: h.engine, Store: h.backend, Zone: h.zone, Now: h.business, Wall: h.now, Seed: func() [16]byte { return h.service.Seed() },
		Seal: h.ring.Seal, Open: h.ring.Open, Hash: keyedHash, Base: "http://tenor.test", Sandbox: true,
		Facts: sandbox.Ports(), Patient: true,
	}
}

func keyedHash(kind, text string) string {
	m := hmac.New(sha256.New, []byte("key of a test"))
	_, _ = m.Write([]byte(kind + "/" + text))
	return hex.EncodeToString(m.Sum(nil))
}

// decide decides what has been submitted and sends pending mail.
func (h *house) decide() {
	h.t.Helper()
	if err := h.service.Desk.RunDue(context.Background(), "test"); err != nil {
		h.t.Fatal(err)
	}
}

// nobody is a mail server that accepts everything and sends nothing.
type nobody struct{}

func (nobody) Send(context.Context, mailer.Message) error { return nil }

// owner makes a person with an e-mail the first person of a company.
func (h *house) owner(company int64, email string) string {
	h.t.Helper()
	h.submit(lending.UpdateCompany{Company: company, Email: &email})
	p, err := h.service.Desk.Proved(context.Background(), email)
	if err != nil {
		h.t.Fatal(err)
	}
	return p.ID
}

// aPDF is a file that starts like a PDF.
const aPDF = "%PDF-1.4\n%%EOF\n"

// newApplication is an application with a tax number.
func newApplication(ein string) string {
	place := `{"street":"12 Canal St","city":"New York","state":"NY","postal_code":"10013"}`
	return `{"applicant":{"first_name":"Ada","last_name":"Marsh","email":"ada@alder.example","title":"Owner"},` +
		`"business":{"legal_name":"Alder Kitchens LLC","entity_type":"LLC","ein":"` + ein + `","formed_on":"2018-05-01","state_of_formation":"NY",` +
		`"address":` + place + `,"phone":"+1 212 555 0101","annual_revenue":"1000000.00"},` +
		`"owners":[{"first_name":"Ada","last_name":"Marsh","birth_date":"1980-03-14","address":` + place + `,"ownership_percent":100,"control_person":true}],` +
		`"consents":{"credit_check":true,"electronic_records":true,"accepted_at":"2026-01-10T14:00:00Z","ip":"203.0.113.7","user_agent":"Mozilla/5.0"},` +
		`"merchant_reference":"lead-4711"}`
}

// estimateOf requests an estimate from figures, given as JSON members.
func estimateOf(email, figures string) string {
	return `{"applicant":{"first_name":"Ada","last_name":"Marsh","email":"` + email + `"},"business":{"legal_name":"Alder Kitchens LLC"},` + figures + `}`
}

// makeBuyers creates an object of the buyer side.
func (m *matrix) makeBuyers(kind, merchant string) string {
	m.t.Helper()
	who := "a"
	if merchant == m.house.b {
		who = "b"
	}
	if kind == "checkout" {
		return m.must(201, who, "POST", "/v1/checkouts", bodies["createCheckout"].body).text("id")
	}
	if kind == "agreed order" {
		m.named++
		x := m.must(201, who, "POST", "/v1/checkouts", bodies["createCheckout"].body)
		m.accept(x.text("id"), fmt.Sprintf("buyer-%d@matrix.example", m.named), 0, 0)
		return x.text("order_key")
	}
	id := m.must(201, who, "POST", "/v1/applications", newApplication("00-0000003")).text("id")
	switch kind {
	case "application":
		return id
	case "declined application":
		m.must(200, "ops", "POST", "/v1/operator/applications/"+id+"/decline", `{"reasons":["credit_score"]}`)
		return id
	}
	return id + "/" + m.must(201, who, "POST", "/v1/applications/"+id+"/documents", aPDF, "Content-Type", "application/pdf").text("id")
}

// makeCase creates a merchant's case about an order, or one with a document. Each belongs
// to a company of its own, so that no limit is used up.
func (m *matrix) makeCase(kind, merchant string) string {
	m.t.Helper()
	who := "a"
	if merchant == m.house.b {
		who = "b"
	}
	company, err := strconv.ParseInt(m.make("company", merchant), 10, 64)
	if err != nil {
		m.t.Fatal(err)
	}
	key := m.act(merchant, lending.CreateOrder{Company: company, Amount: money.MustParse("100.00"), Installments: 3}).(*credit.Order).Key
	id := m.must(201, who, "POST", "/v1/cases", fmt.Sprintf(bodies["createCase"].body, key)).text("id")
	if kind == "case" {
		return id
	}
	return id + "/" + m.must(201, who, "POST", "/v1/cases/"+id+"/documents", aPDF, "Content-Type", "application/pdf").text("id")
}
