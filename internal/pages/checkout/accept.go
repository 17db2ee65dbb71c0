package checkout

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// Content types of documents.
const (
	html = "text/html"
	pdf  = "application/pdf"
)

// acceptance is what the buyer reviews and accepts.
type acceptance struct {
	Action, Key, Digest, Consent, Mailed string
	Repay                                string // a mark of the repayment shown on the page
	AnswersHead, CostHead, PapersHead    design.Heading
	Answers                              []design.Answer
	Figures                              []design.Figure
	Facts                                []design.Fact
	Dates                                dates
	Papers                               []design.Document
	English                              string // says that the documents are in English, if the page is not
	Name                                 design.Field
	Checks                               []design.Check
	Acts                                 []design.Button
}

// acceptPage is page 7: a summary of everything, then the binding step.
func (v *visit) acceptPage() error { return v.showAccept(http.StatusOK, pages.Problems{}) }

// signs reports whether the person signs the master agreement with this acceptance.
func (v *visit) signs() bool { return v.company.Servicing.Unsigned }

func (v *visit) showAccept(status int, wrong pages.Problems) error {
	o, _ := v.chosen()
	pays, err := v.payer()
	if err != nil {
		return err
	}
	x, total := o.Disclosure, v.Money(v.x.Checkout.Amount)
	f := &acceptance{
		Action: v.path("accept"), Key: v.key(), Digest: x.Digest(), Repay: v.mark(pays), Mailed: v.Say("accept.mailed", v.Session.Masked()),
		AnswersHead: design.Heading{ID: "answers", Text: v.Say("accept.answers")}, CostHead: design.Heading{ID: "cost", Text: v.Say("accept.cost")},
		PapersHead: design.Heading{ID: "papers", Text: v.Say("accept.papers")}, Dates: dates{v.Say("dates.title"), v.table(x)},
		Figures: []design.Figure{
			{Label: v.Say("fact.charge"), Value: v.Money(x.FinanceCharge), Note: v.Say("fact.charge.note")}, {Label: v.Say("fact.apr"), Value: rate(x.APR), Note: v.Say("fact.apr.note")},
			{Label: v.Say("fact.total"), Value: v.Money(x.TotalPayments), Note: v.afterAll(x)},
		},
		Facts: v.facts(o), Papers: v.documents(), English: v.InEnglish("paper.english"),
		Name: design.Field{Name: "name", Label: v.Say("accept.name"), Hint: v.Say("accept.name.hint", v.company.Name), Error: wrong["name"], Value: v.Answer("name"), Autocomplete: "name", Max: pages.MaxAnswer, Required: true, Width: design.TwoThirds},
	}
	if !v.company.IsLinked(v.x.Checkout.Merchant) {
		f.Consent = v.Say("accept.consent", v.x.Merchant.Name)
	}
	if v.signs() {
		f.Checks = append(f.Checks, design.Check{Name: "master", Text: v.Say("accept.master", v.company.Name), Error: wrong["master"], Required: true})
	}
	f.Checks = append(f.Checks, design.Check{Name: "agree", Text: v.Say("accept.agree"), Error: wrong["agree"], Required: true})
	if f.Answers, err = v.summaryOf(o, pays); err != nil {
		return err
	}
	f.Acts = []design.Button{pages.Primary(v.Say("accept.go", total)), v.link("back", "repay", design.Ghost)}
	all := []design.Faulty{f.Name}
	for _, c := range f.Checks {
		all = append(all, c)
	}
	p := page{
		Shell: v.shell(5, v.Say("accept.title")), Title: design.Title{Text: v.Say("accept.title"), Lead: v.Say("accept.lead")}, Accept: f, Summary: design.Summarize(all...),
	}
	first := design.Notice{Icon: "calendar-days", Title: v.Say("accept.today"), Text: v.Say("accept.first", v.Money(x.Rows[0].Amount), v.Day(x.FirstDueDate))}
	if text := wrong["repay"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	p.Shell.Notices = append([]design.Notice{first}, p.Shell.Notices...)
	return v.show(status, p)
}

func (v *visit) afterAll(x lending.Disclosure) string {
	if x.Count == 1 {
		return v.Say("fact.total.one")
	}
	return v.Say("fact.total.note", x.Count)
}

// summaryOf lists every answer, with where to change it.
func (v *visit) summaryOf(o onboarding.Offer, pays payer) ([]design.Answer, error) {
	x, c := o.Disclosure, v.company
	change := v.path("help") // it explains how: the buyer cannot change what was decided on
	if v.may("company") {
		change = v.path("company")
	}
	you, err := v.signer()
	if err != nil {
		return nil, err
	}
	return []design.Answer{
		{Label: v.Say("accept.business"), Text: c.Name, Detail: line(c.BillingAddress), Change: change},
		you,
		{Label: v.Say("step.terms"), Text: v.Say("accept.plan", v.planName(o), v.Money(x.Payment)), Detail: v.span(x), Change: v.path("terms")},
		{Label: v.Say("step.repay"), Text: pays.text, Detail: pays.detail, Change: v.path("repay")},
	}, nil
}

// signer is who accepts, by name and role; by email if no name is known.
func (v *visit) signer() (design.Answer, error) {
	role, _ := v.Person.RoleAt(v.company.ID)
	as, a := v.Say("role."+string(role.Role)), design.Answer{Label: v.Say("accept.you"), Change: v.path("email")}
	who, err := v.Desk.Contact(v.Ctx(), v.Person)
	if a.Text, a.Detail = v.Session.Masked(), as; who.Name() != "" {
		a.Text, a.Detail = v.Say("accept.signer", who.Name(), strings.ToLower(as)), v.Session.Masked()
	}
	return a, err
}

// span says from when to when payments are due.
func (v *visit) span(x lending.Disclosure) string {
	last := x.Rows[len(x.Rows)-1].DueDate
	if len(x.Rows) == 1 {
		return v.Say("terms.once", v.Day(last))
	}
	return v.Say("terms.span", v.Day(x.FirstDueDate), v.Day(last))
}

// facts are the lines of the disclosure below its figures.
func (v *visit) facts(o onboarding.Offer) []design.Fact {
	x := o.Disclosure
	out := []design.Fact{{Label: v.Say("fact.funding"), Text: v.Say("fact.funding.text", v.x.Merchant.Name), Amount: v.Money(x.Funding)}}
	last := len(x.Rows) - 1
	if last == 0 {
		out = append(out, design.Fact{Label: v.Say("fact.payment"), Text: v.Day(x.FirstDueDate), Amount: v.Money(x.Payment)})
	} else {
		out = append(out,
			design.Fact{Label: v.Say("fact.payments"), Text: v.Say("fact.payments.text", last, v.Day(x.FirstDueDate)), Amount: v.Money(x.Payment)},
			design.Fact{Label: v.Say("fact.last"), Text: v.Day(x.Rows[last].DueDate), Amount: v.Money(x.LastPayment)},
			design.Fact{Label: v.Say("fact.term"), Text: v.Say("fact.term.text", x.TermMonths)})
	}
	early := "fact.early.interest"
	switch {
	case x.FinanceCharge == 0:
		early = "fact.early.free"
	case o.Terms.Plan == schedule.FlatFee:
		early = "fact.early.fee"
	}
	return append(out,
		design.Fact{Label: v.Say("fact.early"), Text: v.Say(early)},
		design.Fact{Label: v.Say("fact.fees"), Text: v.fees(x)},
		design.Fact{Label: v.Say("fact.collateral"), Text: v.Say("fact.collateral.text")})
}

// fees says which fees can be avoided.
func (v *visit) fees(x lending.Disclosure) string {
	text := ""
	switch {
	case x.LateFeeRate == 0:
	case x.LateFeeCap > 0:
		text = v.Say("fact.late", share(x.LateFeeRate), v.Money(x.LateFeeCap), x.LateFeeGrace)
	default:
		text = v.Say("fact.late.uncapped", share(x.LateFeeRate), x.LateFeeGrace)
	}
	if x.ReturnedPayment > 0 {
		text += " " + v.Say("fact.returned", v.Money(x.ReturnedPayment))
	}
	if text == "" {
		return v.Say("fact.none")
	}
	return text
}

// share formats a rate in percent, without unnecessary decimals.
func share(r money.Rate) string {
	const cent = int64(money.RateScale) / 10_000
	h := (int64(r) + cent/2) / cent
	switch {
	case h%100 == 0:
		return strconv.FormatInt(h/100, 10) + "%"
	case h%10 == 0:
		return fmt.Sprintf("%d.%d%%", h/100, h/10%10)
	}
	return fmt.Sprintf("%d.%02d%%", h/100, h%100)
}

// documents lists the documents to read before accepting.
func (v *visit) documents() []design.Document {
	kinds := []string{"agreement", "disclosure"}
	if v.signs() {
		kinds = append(kinds, "master")
	}
	var out []design.Document
	for _, k := range kinds {
		out = append(out, design.Document{
			Title: v.Say("paper." + k), Href: v.path(k), Detail: v.Say("paper." + k + ".more"), Link: &design.Link{Text: v.Say("paper.pdf"), Href: v.path(k + ".pdf")},
		})
	}
	return out
}

// papers creates the documents of an offer.
func (v *visit) papers(o onboarding.Offer, signer string) ([]buyer.Paper, error) {
	x := v.x
	x.Company = v.company
	title := ""
	if role, ok := v.Person.RoleAt(v.company.ID); ok {
		title = v.voices.Usual().Texts.Say("role." + string(role.Role))
	}
	pays, err := v.payer()
	if err != nil {
		return nil, err
	}
	all, err := v.config.Papers.Make(Paperwork{
		Visit: x, Offer: o, Lender: v.Lender, Signer: signer, Title: title, Language: string(v.voices.Usual().Language), Master: v.signs(), Autopay: pays.auto,
	})
	if err != nil {
		return nil, fmt.Errorf("checkout: make the papers: %w", err)
	}
	return all, nil
}

// paperPage shows a document as it would be signed.
func paperPage(kind, media string) func(*visit) error {
	return func(v *visit) error {
		o, _ := v.chosen()
		all, err := v.papers(o, "")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(p buyer.Paper) bool { return p.Kind == kind && mediaOf(p) == media })
		if i < 0 {
			return v.stop(http.StatusNotFound, "lost")
		}
		h := v.W.Header()
		h.Set("Content-Type", all[i].ContentType)
		if policy := v.config.Papers.Policy(); policy != "" {
			h.Set("Content-Security-Policy", v.shownIn(policy))
		}
		if media == pdf {
			h.Set("Content-Disposition", `attachment; filename="`+v.step+`"`)
		}
		h.Set("Content-Length", strconv.Itoa(len(all[i].Data)))
		v.W.WriteHeader(http.StatusOK)
		if v.R.Method != http.MethodHead {
			_, _ = v.W.Write(all[i].Data) // a visitor who is gone needs no response
		}
		return nil
	}
}

// mediaOf returns a document's content type without its parameters.
func mediaOf(p buyer.Paper) string {
	for _, m := range []string{html, pdf} {
		if len(p.ContentType) >= len(m) && p.ContentType[:len(m)] == m {
			return m
		}
	}
	return p.ContentType
}

// signature returns how an acceptance was signed: the name as typed, and the checked boxes.
func (v *visit) signature() (name string, ticks []string, p pages.Problems) {
	p, ticks = pages.Problems{}, []string{"agree"}
	if v.signs() {
		ticks = append(ticks, "master")
	}
	for _, t := range ticks {
		if v.Answer(t) != "yes" {
			p[t] = v.Say("wrong." + t)
		}
	}
	if name = v.Answer("name"); len([]rune(name)) < 2 {
		p["name"] = v.Say("wrong.name")
	}
	return name, ticks, p
}

// accept accepts what was shown. Only the digest identifies those terms; amount and dates are
// never taken from a form. The repayment must be the one that the page has shown.
func (v *visit) accept() error {
	name, ticks, unsigned := v.signature()
	offers := v.offers()
	i := slices.IndexFunc(offers, func(o onboarding.Offer) bool { return pages.Same(o.Disclosure.Digest(), v.Answer("digest")) })
	switch {
	case i < 0:
		return v.changedTerms()
	case len(unsigned) > 0:
		return v.showAccept(wrong, unsigned)
	}
	pays, err := v.payer()
	switch {
	case err != nil:
		return err
	case !pages.Same(v.mark(pays), v.Answer("repay")):
		return v.showAccept(http.StatusConflict, pages.Problems{"repay": v.Say("wrong.repay")})
	}
	papers, err := v.papers(offers[i], name)
	if err != nil {
		return err
	}
	if !v.company.IsLinked(v.x.Checkout.Merchant) {
		ticks = append(ticks, "consent:"+v.x.Checkout.Merchant)
	}
	if pays.wish != nil {
		ticks = append(ticks, "debits")
	}
	evidence := buyer.Evidence{Name: name, Ticks: ticks, Address: v.Address, UserAgent: v.Agent(), Language: string(v.Language), Repayment: pays.text, Debits: v.authorized(pays)}
	err = v.Desk.Accept(v.Ctx(), v.x, offers[i].Terms.Installments, offers[i].Disclosure.Digest(), evidence, papers)
	switch r := pages.Refused(err); {
	case err == nil:
		return v.settleDebits(pays)
	case r == nil:
		return err
	case r.Code == credit.TermsChanged.Code, r.Code == credit.TermNotAvailable.Code:
		return v.changedTerms()
	}
	return v.next() // the records say where: I, N, O or X
}

// changedTerms shows the terms again, with the former ones.
func (v *visit) changedTerms() error {
	if err := v.Keep(buyer.Draft{"plan": "", "repay": "", "changed": v.Draft["shown"]}); err != nil {
		return err
	}
	return v.next()
}

// donePage is page 8: the order is placed. The browser returns to the shop by itself, if it may
// be redirected there without asking.
func (v *visit) donePage() error {
	c := v.x.Checkout
	a, url := c.Accepted, v.exit(c.ReturnURL, "")
	o := &design.Outcome{Badge: design.Badge{Tone: design.Good, Text: v.Say("done.badge")}, Title: v.Say("done.title", v.x.Merchant.Name), Figure: v.Money(a.Amount)}
	o.Text = v.Say("done.text", c.Of)
	day := v.Desk.Zone.Date(a.At)
	if x, r := lending.Disclose(a.Terms, &credit.Settings{}, a.Amount, day); r == nil {
		o.Points = append(o.Points, design.Point{Icon: "calendar-days", Text: v.Say("done.first", v.Money(x.Rows[0].Amount), v.Day(x.FirstDueDate))})
	}
	o.Points = append(o.Points, design.Point{Icon: "mail", Text: v.Say("done.mail", v.Session.Masked())})
	o.Points = append(o.Points, v.debitsSay()...)
	again, post := v.waiting() != nil, ""
	switch {
	case again:
		post, o.Acts = v.path("done"), []design.Button{pages.Primary(v.Say("done.debit.again"))}
	case url == "":
		o.Points = append(o.Points, design.Point{Icon: "check", Text: v.Say("done.close")})
	case v.trusted(url) && (v.Draft["debited"] == "" || v.Draft["debited"] == "on"): // anything else must be read
		v.refresh(2, "return")
		o.Points = append(o.Points, design.Point{Icon: "store", Text: v.Say("done.soon", v.x.Merchant.Name)})
	}
	if url != "" {
		back := design.Button{Text: v.Say("done.go", v.x.Merchant.Name), Emphasis: design.Primary, Href: v.path("return")}
		if again {
			back.Emphasis = design.Ghost
		}
		o.Acts = append(o.Acts, back)
	}
	return v.show(http.StatusOK, page{Shell: v.shell(5, v.Say("done.badge")), Outcome: o, Post: post})
}

// toShop redirects to where the shop waits for its buyer.
func (v *visit) toShop() error { return v.goOut(v.x.Checkout.ReturnURL, accepted) }
