package accountpages

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
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
const notTexts = `Harbor Supply HS Convection oven Example Lender EL Alder Kitchens LLC Avery
	Jan Feb Mar Apr May Jun Jul January February March April June July
	Skip to content Sandbox business time no real money of in use and reserved Error optional
	One Two Three Four Five Six Seven Eight answer needs answers need another look Tenor T`

// walk visits all pages of the account, and of an application.
func (r *walker) walk() {
	r.t.Helper()
	order := r.owing()
	r.get("/account/help").want("/account/help")
	r.get("/account/nothing")
	r.signIn("avery@alderkitchens.example").want("/account")
	for _, path := range strings.Fields("/orders /payments /banks /autopay /statements /notices /people /line /sign /you /you/name /business /again /pay /cases /cases/new /people/invite /banks/add /orders/" + order) {
		r.get("/account" + path).want("/account" + path)
	}
	r.get("/account/pay").post("/account/pay", "for", "x").want("/account/pay")
	r.get("/account/banks/add").post("/account/banks/add").want("/account/banks/add")
	r.get("/account/people/invite").post("/account/people/invite").want("/account/people/invite")
	r.get("/account/autopay").post("/account/autopay").want("/account/autopay")
	r.acts()
	r.get("/account/you").post("/account/sign-out", "out", "yes").want("/account/sign-in")

	at := "/apply/" + r.merchant
	r.get(at).want(at)
	r.get(at+"/email").post(at+"/email", "email", "robin@birch.example").want(at + "/code")
	r.post(at+"/code", "code", "000000").want(at + "/business")
	r.get("/account/business").want("/account/business") // without a business
	r.get(at + "/business").post(at + "/business").want(at + "/business")
	r.post(at+"/business", "legal_name", "Alder Kitchens LLC", "entity", "LLC", "ein", "00-0000001", "revenue", "480,000", "formed", "3/2019", "formed_in", "OR",
		"street", "27 Cannery Street", "city", "Portland", "state", "OR", "zip", "97209", "phone", "(503) 555-0142", "limit", "10,000").want(at + "/you")
	r.post(at + "/you").want(at + "/you")
	r.post(at+"/you", "first_name", "Avery", "last_name", "Alder", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209",
		"may_apply", "yes", "credit_check", "yes", "electronic", "yes").want(at + "/decision")
	r.get("/account/sign").want("/account/sign").post("/account/sign").want("/account/sign")
	r.post("/account/sign", "name", "Avery Alder", "master", "yes").want(at + "/done")
	r.get("/account").want("/account")
}

// acts visits the pages that only follow an action.
func (r *walker) acts() {
	r.t.Helper()
	from := slices.IndexFunc(r.get("/account/pay").all, func(e webtest.Element) bool { return e.Attr("name") == "account" })
	r.post("/account/pay", "what", "payoff", "account", r.all[from].Attr("value")).want("/account/pay/check").post("/account/pay/check").want("/account/pay/check")
	m := r.do(theLender(), payments.AddPaymentMethod{
		Company: r.company.ID, Type: credit.ACH, Verify: true, Reason: "its own word", Bank: &credit.BankAccount{Last4: "4321", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte("sealed"), Fingerprint: "g"},
		Authorization: credit.Authorization{AcceptedAt: r.now, Channel: "WEB", Reference: "v1"},
	}).(*credit.PaymentMethod)
	r.get("/account/banks/verify?account=" + m.ID).want("/account/banks/verify").post("/account/banks/verify").want("/account/banks/verify")
	r.get("/account/again").post("/account/again").want("/account/again/code").post("/account/again/code", "code", "1").want("/account/again/code")
	r.get("/account/you/name").post("/account/you/name").want("/account/you/name").post("/account/you/name", "first_name", "Avery", "last_name", "Alder").want("/account/you")
	r.post("/account/you", "email", "avery@birch.example").want("/account/you/code").post("/account/you/code", "code", "1").want("/account/you/code")
	r.get("/account/people/invite").post("/account/people/invite", "email", "bo@birch.example", "first_name", "Avery", "last_name", "Alder", "role", "VIEWER").want("/account/people")
	at := slices.IndexFunc(r.all, func(e webtest.Element) bool { return strings.HasPrefix(e.Attr("href"), "/account/people/per") })
	if at < 0 {
		r.t.Fatalf("nobody was invited:\n%s", r.body)
	}
	person := r.all[at].Attr("href")
	r.get(person).want(person).post(person, "role", "none").want(person)
	r.get("/account/cases/new").post("/account/cases/new").want("/account/cases/new")
	r.post("/account/cases/new", "kind", "QUESTION", "subject", "Convection oven", "text", "Convection oven")
	r.post(r.at).post("/account/cases").get("/account/cases").want("/account/cases")
}

// papers are documents in English only, and paths without a page of their own.
const papers = "/cases/{case}/withdraw /orders/{key}/{paper} /sign/{paper} /notices/{notice} /statements/{month} /invitation /sign-out /stay"

// All text on every page comes from the catalog: in the pseudo-locale no other words remain
// except data.
func TestPseudoLocale(t *testing.T) {
	r := newWalker(t, pseudo)
	seen := map[string]bool{}
	r.look = func(at string) {
		_, pattern := r.pages.mux.Handler(httptest.NewRequest(http.MethodGet, at, nil))
		seen[pattern] = true
		all := slices.DeleteFunc(slices.Clone(r.all), func(e webtest.Element) bool {
			return e.Name == "option" && len(e.Attr("value")) == 2 // the name of a state
		})
		for _, x := range webtest.Untranslated(all) {
			if !slices.Contains(strings.Fields(notTexts), x) && !strings.HasPrefix(x, "INV-") { // a number of an invoice may lack digits
				t.Errorf("%s: %q is in no catalog", at, x)
			}
		}
	}
	r.walk()
	for _, x := range r.pages.rights {
		if !seen[x.path] && !slices.Contains(strings.Fields(papers), strings.TrimPrefix(x.path, Prefix)) {
			t.Errorf("nobody has looked at %s", x.path)
		}
	}
}

// The same in Spanish: no page shows a text from the English catalog. Documents are in English,
// and their pages say so.
func TestAccountInSpanish(t *testing.T) {
	r := newWalker(t, nil)
	r.speaks = "es"
	english, spanish := r.pages.voices[0].Texts, r.pages.voices[1].Texts
	r.look = func(at string) {
		if !strings.Contains(r.body, `lang="es-US">`) {
			t.Errorf("%s is not in Spanish", at)
		}
		for key, text := range english {
			if text == spanish[key] || key == "lang.other" {
				continue
			}
			longest := slices.MaxFunc(strings.FieldsFunc(text, func(c rune) bool { return c == '{' || c == '}' }), func(a, b string) int { return len(a) - len(b) })
			for _, e := range r.all {
				if got := strings.TrimSpace(e.Text); got == text || len(strings.Fields(longest)) > 2 && strings.Contains(got, longest) {
					t.Errorf("%s says %s in English: %s", at, key, got)
				}
			}
		}
		if (strings.Contains(r.body, "/account/sign/master") || at == "/account/statements") && !strings.Contains(r.body, "Este documento está disponible solo en inglés.") {
			t.Errorf("%s does not say that papers are in English", at)
		}
	}
	r.walk()
}

// A session keeps the language of the page on which she signed in, whatever the browser requests.
func TestSessionKeepsTheLanguage(t *testing.T) {
	r := newWalker(t, nil)
	r.owing()
	says := func(text string) {
		t.Helper()
		if !strings.Contains(r.body, text) {
			t.Errorf("%s does not say %q:\n%s", r.at, text, r.body)
		}
	}
	r.get("/account/sign-in?lang=es-US").want("/account/sign-in")
	says(`action="/account/sign-in?lang=es-US"`)
	says(`href="/account/help?lang=es-US"`)
	says(`<a class="link" href="/account/sign-in?lang=en-US" lang="en-US">English</a>`)
	r.post("/account/sign-in?lang=es-US", "email", "avery@alderkitchens.example").want("/account/code")
	r.post("/account/code", "code", "000000").want("/account")
	says("Disponible para gastar")
	r.get("/account/orders?lang=en-US")
	says("Not shipped")
	r.get("/account")
	says("Available to spend")
	r.get("/account/you?lang=es").post("/account/sign-out", "out", "yes").want("/account/sign-in")
	says("Inicie sesión en su cuenta")
}

// Her mail uses the language of the page on which she signed in, or the one she has since chosen
// at the foot of a page. A link on another site chooses none.
func TestLanguageOfHerMails(t *testing.T) {
	r := newWalker(t, nil)
	r.owing()
	reads := func(want string) {
		t.Helper()
		var got string
		if err := r.desk.Store.View(t.Context(), func(v store.View) error {
			return store.EachRecord(v, credit.NounPerson, func(x credit.Record) error { got = x.(*credit.Person).Language; return nil })
		}); err != nil || got != want {
			t.Errorf("she reads %q, want %q: %v", got, want, err)
		}
	}
	r.speaks = "es"
	r.signIn("avery@alderkitchens.example")
	reads("es-US")
	r.get("/account/orders?lang=en-US").want("/account/orders")
	reads("en-US")
	for site, want := range map[string]string{"cross-site": "en-US", "same-site": "en-US", "same-origin": "es-US"} { // unordered: each is undone
		q := httptest.NewRequest(http.MethodGet, "/account/orders?lang=es-US", nil)
		q.Header.Set("Sec-Fetch-Site", site)
		r.send(q)
		reads(want)
		r.get("/account/orders?lang=en-US")
	}
	r.get("/account/orders?lang=tlh").want("/account/orders")
	reads("en-US")
}
