package checkout

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"tenor/internal/buyer"
	"tenor/internal/credit"
	"tenor/internal/design"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// Content types of papers.
const (
	html = "text/html"
	pdf  = "application/pdf"
)

// acceptance is what is checked and accepted.
type acceptance struct {
	Action, Key, Digest, Consent, Mailed string
	Repay                                string // what the page says of the repayment, as a mark
	AnswersHead, CostHead, PapersHead    design.Heading
	Answers                              []design.Answer
	Figures                              []design.Figure
	Facts                                []design.Fact
	Dates                                dates
	Papers                               []design.Document
	Name                                 design.Field
	Checks                               []design.Check
	Acts                                 []design.Button
}

// acceptPage is page 7: everything once more, then the binding step.
func (v *visit) acceptPage() error { return v.showAccept(http.StatusOK, problems{}) }

// signs reports whether the person signs the master agreement with this acceptance.
func (v *visit) signs() bool { return v.company.Servicing.Unsigned }

func (v *visit) showAccept(status int, wrong problems) error {
	o, _ := v.chosen()
	pays, err := v.payer()
	if err != nil {
		return err
	}
	x, total := o.Disclosure, v.money(v.x.Checkout.Amount)
	f := &acceptance{
		Action: v.path("accept"), Key: v.key(), Digest: x.Digest(), Repay: v.mark(pays), Mailed: v.say("accept.mailed", v.session.Masked()),
		AnswersHead: design.Heading{ID: "answers", Text: v.say("accept.answers")}, CostHead: design.Heading{ID: "cost", Text: v.say("accept.cost")},
		PapersHead: design.Heading{ID: "papers", Text: v.say("accept.papers")}, Dates: dates{v.say("dates.title"), v.table(x)},
		Figures: []design.Figure{
			{Label: v.say("fact.charge"), Value: v.money(x.FinanceCharge), Note: v.say("fact.charge.note")}, {Label: v.say("fact.apr"), Value: rate(x.APR), Note: v.say("fact.apr.note")},
			{Label: v.say("fact.total"), Value: v.money(x.TotalPayments), Note: v.afterAll(x)},
		},
		Facts: v.facts(o), Papers: v.documents(),
		Name: design.Field{Name: "name", Label: v.say("accept.name"), Hint: v.say("accept.name.hint", v.company.Name), Error: wrong["name"], Value: v.answer("name"), Autocomplete: "name", Max: maxAnswer, Required: true, Width: design.TwoThirds},
	}
	if !v.company.IsLinked(v.x.Checkout.Merchant) {
		f.Consent = v.say("accept.consent", v.x.Merchant.Name)
	}
	if v.signs() {
		f.Checks = append(f.Checks, design.Check{Name: "master", Text: v.say("accept.master", v.company.Name), Error: wrong["master"], Required: true})
	}
	f.Checks = append(f.Checks, design.Check{Name: "agree", Text: v.say("accept.agree"), Error: wrong["agree"], Required: true})
	f.Answers = v.summaryOf(o, pays)
	f.Acts = []design.Button{primary(v.say("accept.go", total)), v.link("back", "repay", design.Ghost)}
	all := []design.Faulty{f.Name}
	for _, c := range f.Checks {
		all = append(all, c)
	}
	p := page{
		Shell: v.shell(5, v.say("accept.title")), Title: design.Title{Text: v.say("accept.title"), Lead: v.say("accept.lead")}, Accept: f, Summary: design.Summarize(all...),
	}
	first := design.Notice{Icon: "calendar-days", Title: v.say("accept.today"), Text: v.say("accept.first", v.money(x.Rows[0].Amount), v.day(x.FirstDueDate))}
	if text := wrong["repay"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	p.Shell.Notices = append([]design.Notice{first}, p.Shell.Notices...)
	return v.show(status, p)
}

func (v *visit) afterAll(x credit.Disclosure) string {
	if x.Count == 1 {
		return v.say("fact.total.one")
	}
	return v.say("fact.total.note", x.Count)
}

// summaryOf is every answer, with where it is changed.
func (v *visit) summaryOf(o credit.Offer, pays payer) []design.Answer {
	x, c := o.Disclosure, v.company
	change := ""
	if v.may("company") {
		change = v.path("company")
	}
	role, _ := v.person.RoleAt(c.ID)
	return []design.Answer{
		{Label: v.say("accept.business"), Text: c.Name, Detail: line(c.BillingAddress), Change: change},
		{Label: v.say("accept.you"), Text: v.session.Masked(), Detail: v.say("role." + string(role.Role)), Change: v.path("email")},
		{Label: v.say("step.terms"), Text: v.say("accept.plan", v.planName(o), v.money(x.Payment)), Detail: v.span(x), Change: v.path("terms")},
		{Label: v.say("step.repay"), Text: pays.text, Detail: pays.detail, Change: v.path("repay")},
	}
}

// span is from when to when payments are due.
func (v *visit) span(x credit.Disclosure) string {
	last := x.Rows[len(x.Rows)-1].DueDate
	if len(x.Rows) == 1 {
		return v.say("terms.once", v.day(last))
	}
	return v.say("terms.span", v.day(x.FirstDueDate), v.day(last))
}

// facts are the lines of the disclosure below its figures.
func (v *visit) facts(o credit.Offer) []design.Fact {
	x := o.Disclosure
	out := []design.Fact{{Label: v.say("fact.funding"), Text: v.say("fact.funding.text", v.x.Merchant.Name), Amount: v.money(x.Funding)}}
	last := len(x.Rows) - 1
	if last == 0 {
		out = append(out, design.Fact{Label: v.say("fact.payment"), Text: v.day(x.FirstDueDate), Amount: v.money(x.Payment)})
	} else {
		out = append(out,
			design.Fact{Label: v.say("fact.payments"), Text: v.say("fact.payments.text", last, v.day(x.FirstDueDate)), Amount: v.money(x.Payment)},
			design.Fact{Label: v.say("fact.last"), Text: v.day(x.Rows[last].DueDate), Amount: v.money(x.LastPayment)},
			design.Fact{Label: v.say("fact.term"), Text: v.say("fact.term.text", x.TermMonths)})
	}
	early := "fact.early.interest"
	switch {
	case x.FinanceCharge == 0:
		early = "fact.early.free"
	case o.Terms.Plan == schedule.FlatFee:
		early = "fact.early.fee"
	}
	return append(out,
		design.Fact{Label: v.say("fact.early"), Text: v.say(early)},
		design.Fact{Label: v.say("fact.fees"), Text: v.fees(x)},
		design.Fact{Label: v.say("fact.collateral"), Text: v.say("fact.collateral.text")})
}

// fees says which fees can be avoided.
func (v *visit) fees(x credit.Disclosure) string {
	text := ""
	switch {
	case x.LateFeeRate == 0:
	case x.LateFeeCap > 0:
		text = v.say("fact.late", share(x.LateFeeRate), v.money(x.LateFeeCap), x.LateFeeGrace)
	default:
		text = v.say("fact.late.uncapped", share(x.LateFeeRate), x.LateFeeGrace)
	}
	if x.ReturnedPayment > 0 {
		text += " " + v.say("fact.returned", v.money(x.ReturnedPayment))
	}
	if text == "" {
		return v.say("fact.none")
	}
	return text
}

// share is a rate in percent, without more decimals than it needs.
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

// documents are the papers to read before accepting.
func (v *visit) documents() []design.Document {
	kinds := []string{"agreement", "disclosure"}
	if v.signs() {
		kinds = append(kinds, "master")
	}
	var out []design.Document
	for _, k := range kinds {
		out = append(out, design.Document{
			Title: v.say("paper." + k), Href: v.path(k), Detail: v.say("paper." + k + ".more"), Link: &design.Link{Text: v.say("paper.pdf"), Href: v.path(k + ".pdf")},
		})
	}
	return out
}

// papers makes the papers of an offer.
func (v *visit) papers(o credit.Offer, signer string) ([]buyer.Paper, error) {
	x := v.x
	x.Company = v.company
	title := ""
	if role, ok := v.person.RoleAt(v.company.ID); ok {
		title = v.say("role." + string(role.Role))
	}
	pays, err := v.payer()
	if err != nil {
		return nil, err
	}
	all, err := v.config.Papers.Make(Paperwork{
		Visit: x, Offer: o, Lender: v.lender, Signer: signer, Title: title, Language: string(v.language), Master: v.signs(), Autopay: pays.auto,
	})
	if err != nil {
		return nil, fmt.Errorf("checkout: make the papers: %w", err)
	}
	return all, nil
}

// paperPage shows a paper as it would be signed.
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
		h := v.w.Header()
		h.Set("Content-Type", all[i].ContentType)
		if policy := v.config.Papers.Policy(); policy != "" {
			h.Set("Content-Security-Policy", policy)
		}
		if media == pdf {
			h.Set("Content-Disposition", `attachment; filename="`+v.step+`"`)
		}
		h.Set("Content-Length", strconv.Itoa(len(all[i].Data)))
		v.w.WriteHeader(http.StatusOK)
		if v.r.Method != http.MethodHead {
			_, _ = v.w.Write(all[i].Data) // whoever has gone needs no answer
		}
		return nil
	}
}

// mediaOf is a paper's content type without its parameters.
func mediaOf(p buyer.Paper) string {
	for _, m := range []string{html, pdf} {
		if len(p.ContentType) >= len(m) && p.ContentType[:len(m)] == m {
			return m
		}
	}
	return p.ContentType
}

// signature is what an acceptance was signed with: the name as it was typed, and the boxes that
// were ticked.
func (v *visit) signature() (name string, ticks []string, p problems) {
	p, ticks = problems{}, []string{"agree"}
	if v.signs() {
		ticks = append(ticks, "master")
	}
	for _, t := range ticks {
		if v.answer(t) != "yes" {
			p[t] = v.say("wrong." + t)
		}
	}
	if name = v.answer("name"); len([]rune(name)) < 2 {
		p["name"] = v.say("wrong.name")
	}
	return name, ticks, p
}

// accept takes the acceptance of what was shown. Which terms those are is told by their
// digest alone; amount and dates are never taken from a form. How the payments are made has to
// be what the page has said.
func (v *visit) accept() error {
	name, ticks, unsigned := v.signature()
	offers := v.offers()
	i := slices.IndexFunc(offers, func(o credit.Offer) bool { return same(o.Disclosure.Digest(), v.answer("digest")) })
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
	case !same(v.mark(pays), v.answer("repay")):
		return v.showAccept(http.StatusConflict, problems{"repay": v.say("wrong.repay")})
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
	evidence := buyer.Evidence{Name: name, Ticks: ticks, Address: v.address, UserAgent: v.agent(), Repayment: pays.text, Debits: v.authorized(pays)}
	err = v.config.Desk.Accept(v.ctx(), v.x, offers[i].Terms.Installments, offers[i].Disclosure.Digest(), evidence, papers)
	switch r := refused(err); {
	case err == nil:
		return v.settleDebits(pays)
	case r == nil:
		return err
	case r.Code == credit.TermsChanged.Code, r.Code == credit.TermNotAvailable.Code:
		return v.changedTerms()
	}
	return v.next() // the records say where that leads: I, N, O or X
}

// changedTerms shows the terms again, with what they were.
func (v *visit) changedTerms() error {
	if err := v.keep(buyer.Draft{"plan": "", "repay": "", "changed": v.draft["shown"]}); err != nil {
		return err
	}
	return v.next()
}

// donePage is page 8: the order is placed. The browser goes back to the shop by itself, if it
// may be led there without a word.
func (v *visit) donePage() error {
	c := v.x.Checkout
	a, url := c.Accepted, v.exit(c.ReturnURL, "")
	o := &design.Outcome{Badge: design.Badge{Tone: design.Good, Text: v.say("done.badge")}, Title: v.say("done.title", v.x.Merchant.Name), Figure: v.money(a.Amount)}
	o.Text = v.say("done.text", c.Of)
	day := v.config.Desk.Zone.Date(a.At)
	if x, r := credit.Disclose(a.Terms, &credit.Settings{}, a.Amount, day); r == nil {
		o.Points = append(o.Points, design.Point{Icon: "calendar-days", Text: v.say("done.first", v.money(x.Rows[0].Amount), v.day(x.FirstDueDate))})
	}
	o.Points = append(o.Points, design.Point{Icon: "mail", Text: v.say("done.mail", v.session.Masked())})
	o.Points = append(o.Points, v.debitsSay()...)
	again, post := v.waiting() != nil, ""
	switch {
	case again:
		post, o.Acts = v.path("done"), []design.Button{primary(v.say("done.debit.again"))}
	case url == "":
		o.Points = append(o.Points, design.Point{Icon: "check", Text: v.say("done.close")})
	case v.trusted(url) && (v.draft["debited"] == "" || v.draft["debited"] == "on"): // anything else is to be read
		v.refresh(2, "return")
		o.Points = append(o.Points, design.Point{Icon: "store", Text: v.say("done.soon", v.x.Merchant.Name)})
	}
	if url != "" {
		back := design.Button{Text: v.say("done.go", v.x.Merchant.Name), Emphasis: design.Primary, Href: v.path("return")}
		if again {
			back.Emphasis = design.Ghost
		}
		o.Acts = append(o.Acts, back)
	}
	return v.show(http.StatusOK, page{Shell: v.shell(5, v.say("done.badge")), Outcome: o, Post: post})
}

// toShop leads to where the shop waits for its buyer.
func (v *visit) toShop() error { return v.goOut(v.exit(v.x.Checkout.ReturnURL, "")) }
