package checkout

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/pages"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

// pseudo is the catalog in the pseudo-locale.
func pseudo(design.Language) (pages.Texts, error) {
	out, err := pages.LoadTexts(design.English)
	for key, text := range out {
		out[key] = webtest.Pseudo(text)
	}
	return out, err
}

// notTexts are words on pages that are not in the catalog: data of these tests, dates, and texts
// of the parts.
const notTexts = `Harbor Supply HS Convection oven Example Lender Alder Kitchens Birch Bakery LLC Cannery Street Portland OR
	Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec January February March April June July
	Skip to content Sandbox business time no real money Steps Step of Your order Total Help Good know For purchases Questions
	Financing by Back the shop Change optional in use a x two lines plain text`

// shadow requests a page again from the pages in the pseudo-locale: a GET changes nothing. All
// their text must come from the catalog.
func (b *browser) shadow(q *http.Request) {
	b.t.Helper()
	if strings.Contains(b.body, `<html lang="es-US">`) {
		return // parts have other words
	}
	w := httptest.NewRecorder()
	b.pseudo.ServeHTTP(w, q.Clone(q.Context()))
	page, ok := strings.CutPrefix(w.Body.String(), "<!doctype html>\n")
	if !ok || w.Code != b.status {
		b.t.Fatalf("%s in the pseudo-locale is %d instead of %d", b.at, w.Code, b.status)
	}
	all := slices.DeleteFunc(webtest.Read(b.t, page), func(e webtest.Element) bool {
		return e.Name == "option" && len(e.Attr("value")) == 2 // the name of a state
	})
	for _, x := range webtest.Untranslated(all) {
		if !slices.Contains(strings.Fields(notTexts), x) {
			b.t.Errorf("%s %s: %q is in no catalog", b.t.Name(), b.at, x)
		}
	}
}

// inSpanish checks that the page is in Spanish, and contains nothing from the English catalog.
func (b *browser) inSpanish() *browser {
	b.t.Helper()
	english, spanish := b.pages.voices[0].Texts, b.pages.voices[1].Texts
	if !strings.Contains(b.body, `<html lang="es-US">`) {
		b.t.Errorf("%s is not in Spanish", b.at)
	}
	for key, text := range english {
		if text == spanish[key] || key == "lang.other" {
			continue
		}
		longest := slices.MaxFunc(strings.FieldsFunc(text, func(r rune) bool { return r == '{' || r == '}' }), func(a, b string) int { return len(a) - len(b) })
		for _, e := range b.all {
			got := strings.TrimSpace(e.Text)
			if got == text && !e.Has("lang") || len(strings.Fields(longest)) > 2 && strings.Contains(got, longest) {
				b.t.Errorf("%s says %s in English: %s", b.at, key, got)
			}
		}
	}
	return b
}

// A new buyer with a Spanish browser completes the checkout in Spanish. The documents are in
// English, which the page says, and the evidence records both facts.
func TestNewBuyerInSpanish(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token)
	b.speaks = "es-MX,es;q=0.9,en;q=0.5"
	b.get("").want("", "Financie $1,200.00 en Harbor Supply").inSpanish()
	b.get("help").want("help", "Costos y fechas").inSpanish()
	b.get("email").want("email", "Su correo electrónico del trabajo").inSpanish()
	b.post("email", "email", "nobody").want("email", "Una respuesta necesita otra revisión").inSpanish()
	b.post("email", "email", "avery@alderkitchens.example").want("code", "Escriba el código").inSpanish()
	b.post("code", "code", "000000").want("business", "Necesita su EIN").inSpanish()
	b.speaks = "en-US" // the session keeps its language
	b.post("business", "ein", "84-31907").want("business", "Escriba un EIN de 9 dígitos, como 12-3456789").inSpanish()
	b.post("business", "ein", "00-0000001", "revenue", "480,000", "formed", "3/2019").want("you").inSpanish()
	b.post("you").want("you", "Confirme que puede presentar la solicitud por la empresa").inSpanish()
	b.post("you", "title", "Dueña", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes", "electronic", "yes").
		want("decision", "tiene una línea de", "A 30 días, o 3, 6, 9, 12 o 24 pagos mensuales").inSpanish()
	b.get("terms").want("terms", "Cargo por financiamiento $42.35", "total $1,242.35", "APR 12.00%", "15 feb 2026").inSpanish()
	b.post("terms", "plan", "6").want("repay", "15 de febrero de 2026").inSpanish()
	b.post("repay").want("accept", "Primer pago de $207.06 el 15 de febrero de 2026", "Este documento está disponible solo en inglés.").inSpanish()
	b.post("accept", "name", "Avery Alder", "agree", "yes", "master", "yes").want("done", "Su pedido en Harbor Supply está hecho").inSpanish()
	if last := r.papers.made[len(r.papers.made)-1]; last.Language != "en-US" || last.Title != "Owner" {
		t.Errorf("the papers were made of %+v", last)
	}
	if e := r.proof(c); e.Language != "es-US" || e.Repayment == "" {
		t.Errorf("the proof is %+v", e)
	}
	b.get("return").led("http://localhost:9000/thanks?o=" + r.visit(c).Checkout.Of)
	r.view(func(v store.View) error {
		all, err := store.ListRecords(v, credit.NounMail, store.RecordFilter{}, store.Page{Limit: 10})
		for _, m := range all {
			if m := m.(*credit.Mail); m.Language != "es-US" {
				t.Errorf("%s goes out in %s", m.Template, m.Language)
			}
		}
		if len(all) < 3 {
			t.Errorf("%d mails: the code, the decision and the agreement are wanted", len(all))
		}
		return err
	})
}

// The link at the foot changes the language. Before there is a session, the addresses carry it.
func TestLanguageIsChosen(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00)
	_, token := r.begin(1_200_00)
	b := r.browser(token)
	b.get("").want("", "Finance $1,200.00").foot("Español", "/c/"+token+"?lang=es-US")
	b.get("?lang=es-US").want("", "Financie $1,200.00").foot("English", "/c/"+token+"?lang=en-US")
	if len(b.cookies) != 0 {
		t.Errorf("choosing a language has left cookies: %v", b.cookies)
	}
	at := b.path("email") + "?lang=es-US"
	if !strings.Contains(b.body, `href="`+at+`"`) {
		t.Errorf("no link goes on to %s", at)
	}
	b.get("email?lang=es-US").want("email", "Su correo electrónico del trabajo")
	if !strings.Contains(b.body, `action="`+at+`"`) {
		t.Errorf("the form does not go to %s", at)
	}
	b.post("email?lang=es-US").want("code", "Escriba el código")
	r.view(func(v store.View) error {
		all, err := store.ListRecords(v, credit.NounMail, store.RecordFilter{}, store.Page{Limit: 10})
		if err == nil && (len(all) != 1 || all[0].(*credit.Mail).Language != "es-US") {
			t.Errorf("mails are %+v", all)
		}
		return err
	})
	b.post("code", "code", "000000").want("terms", "Elija cómo pagar $1,200.00")
	b.get("terms?lang=en-US").want("terms", "Choose how to repay $1,200.00")
	b.get("terms").want("terms", "Choose how to repay $1,200.00")
	b.get("terms?lang=xx").want("terms", "Choose how to repay $1,200.00")
}

// foot checks for a link with a text.
func (b *browser) foot(text, href string) {
	b.t.Helper()
	if !slices.ContainsFunc(b.all, func(e webtest.Element) bool {
		return e.Name == "a" && e.Text == text && e.Attr("href") == href && e.Has("lang")
	}) {
		b.t.Errorf("%s has no link %s to %s", b.at, text, href)
	}
}
