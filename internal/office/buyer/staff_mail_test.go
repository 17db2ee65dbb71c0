package buyer

import (
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/letter"
)

// applied returns a company that was approved on an application of somebody whose pages are
// in a language, and that has not signed yet.
func (r *rig) applied(language string) *credit.Company {
	r.t.Helper()
	c, _ := r.begin(1_200_00)
	s := r.speaks(c.ID, "ana@harbor.example", language)
	if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.Apply(r.ctx, form("00-0000001"), Through{Merchant: r.merchant, Checkout: c.ID, Language: language}, "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	x, err := r.Visit(r.ctx, c.ID)
	if err != nil || !x.Company.Servicing.Unsigned {
		r.t.Fatalf("%+v, %v", x, err)
	}
	return x.Company
}

// A person invited by the lender's staff, and the owner who is informed, each read in their
// own language that it was staff, but not which member.
func TestInvitationByStaff(t *testing.T) {
	r := newRig(t)
	company := r.applied("es-US")
	c, err := r.Invitation(company.ID, Contact{Email: "bo@harbor.example", FirstName: "Bo"}, credit.RoleBuyer, 500_00)
	if err != nil {
		t.Fatal(err)
	}
	r.submit(itself(), c)
	r.serve()
	invited := r.letters(letter.Invitation)[0]
	if invited.To != "bo@harbor.example" || invited.Mail.Language != "en-US" || invited.Subject != "Tenor's support team invites you to the account of Ruiz Kitchens LLC" {
		t.Errorf("the invitation: %s", invited.Text)
	}
	r.says(letter.PeopleChanged, "Cambió quién actúa en nombre de Ruiz Kitchens LLC", "Atención al Cliente de Tenor cambió quién puede actuar", "Ahora puede: aceptar pedidos de hasta $500.00, y pagar")
	spanish(t, r.letters(letter.PeopleChanged)[0])
}

// The owner is told of a signature on paper in the owner's language, with who signed and
// when.
func TestAgreementOnPaperIsTold(t *testing.T) {
	r := newRig(t)
	company := r.applied("es-US")
	c, err := r.SigningOnPaper(company.ID, Signature{Name: "Ana Ruiz", Title: "Dueña", On: calendar.Of(2026, 1, 2)}, "application/pdf", []byte("%PDF-1.4"))
	if err != nil {
		t.Fatal(err)
	}
	r.submit(itself(), c)
	r.serve()
	r.says(letter.AgreementOnPaper, "El contrato marco de Ruiz Kitchens LLC se firmó en papel", "Firmado por: Ana Ruiz", "Firmado el: 2 de enero de 2026")
	if l := r.letters(letter.AgreementOnPaper)[0]; l.Language != "es-US" || !strings.Contains(l.Text, "registró que Ruiz Kitchens LLC firmó") {
		t.Errorf("in %s: %s", l.Language, l.Text)
	}
	r.nothingPersonal("Ana Ruiz")
}
