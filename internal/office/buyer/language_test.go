package buyer

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/people"
	"tenor/internal/office/letter"
)

// speaks signs somebody in on pages in a language.
func (r *rig) speaks(checkout, email, language string) *Session {
	r.t.Helper()
	s := r.NewSession(checkout)
	s.Language = language
	if err := r.SendCode(r.ctx, s, email, "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.Prove(r.ctx, s, "000000", "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// boughtIn is bought, by somebody whose pages are in a language.
func (r *rig) boughtIn(language string) (*credit.Order, *credit.Company, *Session) {
	r.t.Helper()
	c, _ := r.begin(1_200_00)
	s := r.speaks(c.ID, "ana@harbor.example", language)
	if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
		r.t.Fatal(err)
	}
	through := Through{Merchant: r.merchant, Checkout: c.ID, Language: language}
	if _, err := r.Apply(r.ctx, form("00-0000001"), through, "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	if err := r.accept(c.ID, true); err != nil {
		r.t.Fatal(err)
	}
	r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID})
	o := r.submit(r.shop(), lending.UpdateOrder{Order: c.Of, Status: credit.OrderCaptured}).(*credit.Order)
	x, err := r.Visit(r.ctx, c.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return o, x.Company, s
}

// english are words that no Spanish letter contains, except in names and the papers' own
// text.
var english = regexp.MustCompile(`(?i)\b(the|you|your|of|and|with|this|because|order|payment|due|until|January|February|March|Jan|installment|dispute|Insufficient|check|fee)\b`)

// spanish checks that a letter is entirely in Spanish.
func spanish(t *testing.T, l Letter) {
	t.Helper()
	if l.Mail.Language != "es-US" || l.Language != "es-US" || !strings.Contains(l.HTML, `<html lang="es-US">`) {
		t.Errorf("%s: queued in %s, written in %s:\n%.200s", l.Mail.Template, l.Mail.Language, l.Language, l.HTML)
	}
	text := regexp.MustCompile(`http\S+`).ReplaceAllString(l.Subject+"\n"+l.Text, "")
	for _, word := range english.FindAllString(text, -1) {
		t.Errorf("%s says %q:\n%s", l.Mail.Template, word, text)
	}
}

// account does what can be done on the account pages: each action has its mail.
func (r *rig) account(company *credit.Company, s *Session, o *credit.Order) {
	r.t.Helper()
	if err := r.Invite(r.ctx, s.Person, company.ID, Contact{Email: "bo@harbor.example", FirstName: "Bo"}, credit.RoleBuyer, 500_00, ""); err != nil {
		r.t.Fatal(err)
	}
	x, err := r.OpenCase(r.ctx, company.ID, s.Person, NewCase{Kind: credit.CaseDispute, What: credit.CaseMatters()[0], Order: o.Key, CaseWords: CaseWords{"Roto", "Llegó roto."}}, "")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range []func(text string) credit.Command{
		func(text string) credit.Command { return cases.AddCaseNote{Case: x.ID, Text: text} },
		func(text string) credit.Command {
			return cases.ResolveCase{Case: x.ID, Outcome: credit.CaseUpheld, Text: text}
		},
	} {
		kept, err := r.CaseText("Lo sentimos.")
		if err != nil {
			r.t.Fatal(err)
		}
		cmd := c(kept.ID)
		switch x := cmd.(type) {
		case cases.AddCaseNote:
			x.Secrets = []credit.Secret{kept}
			cmd = x
		case cases.ResolveCase:
			x.Secrets = []credit.Secret{kept}
			cmd = x
		}
		r.submit(itself(), cmd)
	}
}

// A buyer who goes through a checkout in Spanish gets every mail in Spanish, from the
// decision to the statement, although the server that queues them knows of no browser.
func TestAllMailsOfASpanishBuyer(t *testing.T) {
	r := newRig(t)
	o, company, s := r.boughtIn("es-US")
	r.autopay(company.ID)
	r.account(company, s, o)
	r.pass(calendar.Of(2026, 2, 17))
	r.says(letter.InstallmentDue, "$408.03 vence el 15 de febrero de 2026")
	r.says(letter.PaymentReceived, "Recibimos $408.03", "Recibido el: 15 de febrero de 2026", "Pagado con: débito de la cuenta que termina en 6789", "- Pedido "+o.Key+" en Harbor Supply: $408.03")
	var p *credit.Payment
	r.view(func(v store.View) error {
		list, err := store.ListPayments(v, store.PaymentFilter{Company: company.ID, From: calendar.None, To: calendar.None}, store.Page{Limit: 9})
		p = list[0]
		return err
	})
	r.submit(itself(), payments.ReturnTransfer{Transfer: p.Transfer, Code: "R01"})
	r.serve()
	r.says(letter.PaymentReturned, "Su pago de $408.03 fue devuelto", "Motivo del banco: Fondos insuficientes", "Lo intentamos de nuevo el 19 de febrero de 2026.")
	r.says(letter.DebitTomorrow, "Debitamos $408.03 el 17 de febrero de 2026", "- Pedido "+o.Key+", cuota 1 de 3: $408.03")
	r.now = r.Zone.At(calendar.Of(2026, 3, 1), 0, 5)
	r.submit(itself(), people.TellStatement{Company: company.ID, Month: calendar.Of(2026, 2, 28)})
	r.serve()
	if err := r.ChangeEmail(r.ctx, r.person(s.Person), "ana@ruiz.example", ""); err != nil {
		t.Fatal(err)
	}
	r.serve()
	all, err := r.Mailbox(r.ctx, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, l := range all {
		spanish(t, l)
		got[l.Mail.Template] = true
	}
	for _, want := range []letter.Template{
		letter.Code, letter.Approved, letter.AgreementCopy, letter.InstallmentDue, letter.DebitTomorrow, letter.PaymentReceived, letter.PaymentReturned, letter.StatementReady,
		letter.BankChanged, letter.EmailChanged, letter.Invitation, letter.PeopleChanged, letter.CaseOpened, letter.CaseAnswered, letter.CaseResolved,
	} {
		if !got[string(want)] && want != letter.BankChanged { // an account added by staff is not an owner's instruction
			t.Errorf("no mail %s has left", want)
		}
	}
	r.nothingPersonal("Home Street")
}

func (r *rig) person(id string) (p *credit.Person) {
	r.t.Helper()
	r.view(func(v store.View) (err error) { p, err = Load[*credit.Person](v, id); return err })
	return p
}

// Past-due mails are also in the person's language, the one chosen last.
func TestLateInTheLanguageOfToday(t *testing.T) {
	r := newRig(t)
	o, _, s := r.boughtIn("es-US")
	r.pass(calendar.Of(2026, 2, 15))
	r.now = r.Zone.Start(calendar.Of(2026, 2, 16))
	r.submit(itself(), lending.ServiceOrder{Order: o.Key})
	p, err := r.Speak(r.ctx, r.person(s.Person), "en-US", "")
	if err != nil || p.Language != "en-US" {
		t.Fatalf("%+v, %v", p, err)
	}
	r.serve() // what was queued before keeps its language
	r.says(letter.PastDue, "$408.03 con atraso", "- Pedido "+o.Key+" en Harbor Supply: $408.03 desde el 15 de febrero de 2026")
	r.pass(calendar.Of(2026, 3, 10))
	r.says(letter.InstallmentDue, "$408.03 is due on Mar 15, 2026")
	if _, err := r.Speak(r.ctx, p, "tlh", ""); err == nil {
		t.Error("a language that nobody is written to in is taken")
	}
}

// Two people of one company each get their own language. An invited person gets the
// inviter's, until they have signed in themselves.
func TestEachHerOwnLanguage(t *testing.T) {
	r := newRig(t)
	_, company, s := r.boughtIn("es-US")
	if err := r.Invite(r.ctx, s.Person, company.ID, Contact{Email: "bo@harbor.example", FirstName: "Bo"}, credit.RoleOwner, 0, ""); err != nil {
		t.Fatal(err)
	}
	r.serve()
	bo := r.speaks("", "bo@harbor.example", "en-US")
	if err := r.Answer(r.ctx, bo.Person, company.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	if err := r.Invite(r.ctx, s.Person, company.ID, Contact{Email: "cy@harbor.example"}, credit.RoleViewer, 0, ""); err != nil {
		t.Fatal(err)
	}
	r.pass(calendar.Of(2026, 2, 12))
	for _, c := range []struct {
		template letter.Template
		to, lang string
		subject  string
	}{
		{letter.Invitation, "bo@harbor.example", "es-US", "Ana Ruiz le invita a la cuenta de Ruiz Kitchens LLC"},
		{letter.Invitation, "cy@harbor.example", "es-US", "Ana Ruiz le invita a la cuenta de Ruiz Kitchens LLC"},
		{letter.InstallmentDue, "ana@harbor.example", "es-US", "$408.03 vence el 15 de febrero de 2026"},
		{letter.InstallmentDue, "bo@harbor.example", "en-US", "$408.03 is due on Feb 15, 2026"},
	} {
		found := slices.ContainsFunc(r.letters(c.template), func(l Letter) bool {
			return strings.EqualFold(l.To, c.to) && l.Language == c.lang && l.Subject == c.subject && strings.Contains(l.HTML, `<html lang="`+c.lang+`">`)
		})
		if !found {
			for _, l := range r.letters(c.template) {
				t.Logf("%s %s %s", l.To, l.Language, l.Subject)
			}
			t.Errorf("%s has no %s in %s: %s", c.to, c.template, c.lang, c.subject)
		}
	}
}

// A legal notice uses the approved wording, which is English, after a line in the reader's
// language that says so. The mail records which language the person reads.
func TestNoticeInEnglishForASpanishReader(t *testing.T) {
	r := newRig(t)
	r.submit(itself(), compliance.SetLender{
		Creditor:  &credit.Party{Name: "Tenor Lending", Address: "1 Bank Street, Albany, NY"},
		Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "Washington, DC 20580"},
	})
	c, _ := r.begin(1_200_00)
	s := r.speaks(c.ID, "ana@harbor.example", "es-US")
	if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Apply(r.ctx, form("00-0000030"), Through{Merchant: r.merchant, Checkout: c.ID, Language: "es-US"}, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	r.serve()
	all := r.letters(letter.Declined)
	if len(all) != 1 {
		t.Fatalf("%d notices", len(all))
	}
	l := all[0]
	if l.Mail.Language != "es-US" || l.Language != "en-US" || !strings.HasPrefix(l.Text, "Este mensaje está disponible solo en inglés.") || !strings.Contains(l.Text, "Equal Credit") {
		t.Errorf("queued in %s, written in %s:\n%s", l.Mail.Language, l.Language, l.Text)
	}
}
