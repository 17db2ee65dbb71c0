package httpapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// Holders' names and routing numbers are sealed with the account number. Those who may see
// them do, also in the repeat of a response. No stored byte and no log contains them (A61,
// F36).
func TestHoldersStaySealed(t *testing.T) {
	h := newHouse(t)
	const routing, holder, boss, other = "011000015", "Zephyr Bakery Trust", "Quillon Depot", "Quillon Annex"
	company := h.freshCompany(h.a)
	h.submit(lending.UpdateCompany{Company: company, Link: []string{h.b}})
	path := fmt.Sprintf("/v1/companies/%d/payment_methods", company)
	body := `{"type":"ACH","routing_number":"` + routing + `","account_number":"55566677788","holder_name":"` + holder + `",` + consent + `}`
	first := h.must(201, "a", "POST", path, body, "Idempotency-Key", "sealed-1")
	one := path + "/" + first.text("id")
	if again := h.must(201, "a", "POST", path, body, "Idempotency-Key", "sealed-1"); again.raw != first.raw {
		t.Errorf("the repeat: %s", again.raw)
	}
	for who, shown := range map[string]bool{"a": true, "ops": true, "b": false} {
		for _, at := range []string{one, path} {
			if r := h.must(200, who, "GET", at, ""); strings.Contains(r.raw, holder) != shown || strings.Contains(r.raw, routing) != shown || !strings.Contains(r.raw, "7788") {
				t.Errorf("%s sees at %s: %s", who, at, r.raw)
			}
		}
	}
	unnamed := h.must(201, "a", "POST", path, `{"type":"ACH","routing_number":"`+routing+`","account_number":"55566677789",`+consent+`}`)
	if name := unnamed.body["bank"].(map[string]any)["holder_name"]; name != "Rowan Bakery" { // the company's
		t.Errorf("the holder of an account that names none is %v", name)
	}

	merchant := "/v1/operator/merchants/" + h.a
	set := func(number, holder string) {
		h.must(200, "ops", "PUT", merchant+"/bank_account", `{"routing_number":"`+routing+`","account_number":"`+number+`","holder_name":"`+holder+`"}`, "Idempotency-Key", "set-"+number)
	}
	set("44455566677", boss)
	set("44455566678", other) // waits for its cooling-off
	if r := h.must(200, "ops", "GET", merchant, ""); !strings.Contains(r.raw, boss) || !strings.Contains(r.raw, other) || !strings.Contains(r.raw, routing) {
		t.Errorf("the merchant: %s", r.raw)
	}
	screening := h.screeningOf(h.a)
	at := "/v1/operator/screenings/" + screening
	for _, r := range []reply{
		h.must(200, "ops", "GET", at, ""), h.must(200, "ops", "GET", "/v1/operator/screenings", ""),
		h.must(200, "ops", "POST", at+"/clear", `{"reason":"somebody else"}`, "Idempotency-Key", "clear-1"),
	} {
		if !strings.Contains(r.raw, boss) || strings.Contains(r.raw, "holder:") {
			t.Errorf("the screening: %s", r.raw)
		}
	}
	dump, log := h.dump(), []byte(h.log.String())
	for _, text := range []string{routing, holder, boss, other} {
		if found := append(finds(dump, []byte(text)), finds(log, []byte(text))...); found != nil {
			t.Errorf("%s is stored or logged: %v", text, found)
		}
	}
}

// screeningOf records that the names of a merchant resemble a listed one.
func (h *house) screeningOf(merchant string) string {
	h.t.Helper()
	var names []string
	if err := h.backend.View(h.t.Context(), func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Merchants: []string{merchant}})
		names = s.Merchants[merchant].Names()
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
	return h.submit(compliance.RecordScreening{Merchant: merchant, List: "1", Names: names, Matches: []credit.Match{{Entry: "T-1", Name: "Quill", Score: 90}}}).(*credit.Screening).ID
}

// An envelope moved to another row, or put next to another fingerprint, does not open, and
// its content is not shown.
func TestEnvelopesStayInTheirRow(t *testing.T) {
	h := newHouse(t)
	path := fmt.Sprintf("/v1/companies/%d/payment_methods", h.company)
	ids := map[string]*credit.PaymentMethod{}
	for _, number := range []string{"55566677788", "55566677799"} {
		id := h.must(201, "a", "POST", path, `{"type":"ACH","routing_number":"011000015","account_number":"`+number+`","holder_name":"Zephyr",`+consent+`}`).text("id")
		if err := h.backend.View(t.Context(), func(v store.View) error {
			s := credit.NewState()
			err := v.Load(s, credit.Keys{Methods: []string{id}})
			ids[number] = s.Methods[id]
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	one, two := ids["55566677788"], ids["55566677799"]
	if x, err := one.Bank.Open(payments.MethodAccount(one.ID), h.ring.Open); err != nil || x.Number != "55566677788" {
		t.Fatalf("in its row: %v", err)
	}
	swapped := *two.Bank
	swapped.Sealed = one.Bank.Sealed
	for what, open := range map[string]func() (credit.AccountDetails, error){
		"another row": func() (credit.AccountDetails, error) {
			return one.Bank.Open(payments.MethodAccount(two.ID), h.ring.Open)
		},
		"a merchant's row": func() (credit.AccountDetails, error) { return one.Bank.Open(payments.PaidAccount(h.a), h.ring.Open) },
		"another fingerprint": func() (credit.AccountDetails, error) {
			return swapped.Open(payments.MethodAccount(one.ID), h.ring.Open)
		},
		"another row's envelope": func() (credit.AccountDetails, error) {
			return swapped.Open(payments.MethodAccount(two.ID), h.ring.Open)
		},
	} {
		if x, err := open(); !errors.Is(err, seal.ErrBroken) || x.Holder != "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.submit(payments.CorrectPaymentMethod{Method: one.ID, Code: "C01", Last4: "7799", Sealed: two.Bank.Sealed})
	if r := h.must(200, "a", "GET", path+"/"+one.ID, ""); !strings.Contains(r.raw, `"holder_name": null`) && !strings.Contains(r.raw, `"holder_name":null`) {
		t.Errorf("with the envelope of another: %s", r.raw)
	}
}
