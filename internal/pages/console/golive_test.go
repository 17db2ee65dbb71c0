package console

import (
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// The list before going live follows what is set: it ends empty, and the home page of who looks after
// it shows what is left, in a live deployment only.
func TestGoLive(t *testing.T) {
	r := newRig(t)
	ada, _, _ := r.enrolled("ada@lender.example", permit.Admin)
	at := Prefix + "/people/go-live"
	left := func() int {
		t.Helper()
		ada.get(at)
		return strings.Count(ada.body, "Left to do")
	}
	ada.shows(at, "10 steps are left", "Two people who can sign in", "tenor staff invite")
	ada.shows(Prefix, "Before going live", "Two people who can sign in", "7 more")
	if left() != 10 { // it is served over https
		t.Errorf("%d steps are left", left())
	}
	console := credit.Actor{Client: access.Console, Operator: true}
	r.enrolled("bob@lender.example", permit.Admin)
	if left() != 9 {
		t.Errorf("with two people %d steps are left", left())
	}
	r.sold() // a merchant without an account
	name, address := "Elm Lending Inc.", "1 Elm Street, Albany, NY 12207"
	r.act(console, compliance.SetLender{Creditor: &credit.Party{Name: name, Address: address}, Regulator: &credit.Party{Name: "FTC", Address: "Washington, DC 20580"},
		ProvisionRates: map[credit.Bucket]money.Rate{credit.Bucket30: 10_000}})
	if left() != 7 {
		t.Errorf("with creditor and reserves %d steps are left", left())
	}
	r.two("100.00")
	r.pages.config.Setup = Setup{Rails: true, Mail: true, Sanctions: true, Sources: true, Heads: "heads_export"}
	if left() != 2 { // a merchant's account, and the heads
		t.Errorf("with a bank, mail, sources and a list %d steps are left", left())
	}
	if err := r.desk.Store.(store.Backend).PutSetting(t.Context(), "heads_export", []byte(`{"target":"/var/lib/heads"}`)); err != nil {
		t.Fatal(err)
	}
	ada.shows(at, "One step is left", "A merchant with a bank account")
	ada.shows(Prefix, "Before going live", "A merchant with a bank account")
	r.desk.Sandbox = true
	if ada.get(Prefix); strings.Contains(ada.body, "Before going live") {
		t.Error("a sandbox wants to go live")
	}
	r.desk.Sandbox = false
	sue, _, _ := r.enrolled("sue@lender.example", permit.Support)
	if sue.get(Prefix); strings.Contains(sue.body, "Before going live") || sue.get(at) != 403 {
		t.Error("support sees what is left to set up")
	}
}
