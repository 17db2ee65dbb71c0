package accountpages

import (
	"errors"
	"net/http"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// Pages of an application without a cart, at a merchant. Applicants go through them after proving
// their email, in the same session as for the account, and sign the master agreement at the end.

// applyRoutes registers the pages below /apply/{merchant}.
func (p *Pages) applyRoutes() {
	signed := func(v *visit) error {
		if err := v.findMerchant(); err != nil {
			return err
		}
		if v.Person == nil {
			return v.leadApply("email")
		}
		return nil
	}
	at := Apply + "{merchant}"
	p.handle(at, (*visit).findMerchant, (*visit).applyStart, nil)
	p.handle(at+"/email", (*visit).findMerchant, (*visit).applyEmail, (*visit).applySendCode)
	p.handle(at+"/code", (*visit).findMerchant, (*visit).applyCode, (*visit).applyProve)
	p.handle(at+"/business", signed, (*visit).applyBusiness, (*visit).saveApplyBusiness)
	p.handle(at+"/you", signed, (*visit).applyYou, (*visit).sendApply)
	p.handle(at+"/decision", signed, (*visit).applyDecision, (*visit).applyAttach)
	p.handle(at+"/done", signed, (*visit).applyDone, nil)
}

// findMerchant finds the merchant of the application; for an unknown one there is no page.
func (v *visit) findMerchant() (err error) {
	if v.merchant, err = v.Desk.Merchant(v.Ctx(), v.R.PathValue("merchant")); err != nil {
		return err
	}
	if v.merchant == nil {
		_ = v.bare(http.StatusNotFound, "lost")
		return errLed
	}
	return nil
}

// applyPath returns the path of a step.
func (v *visit) applyPath(step string) string {
	if step == "" {
		return v.Carrying(Apply + v.merchant.ID)
	}
	return v.Carrying(Apply + v.merchant.ID + "/" + step)
}

func (v *visit) leadApply(step string) error {
	_ = v.go_(v.applyPath(step))
	return errLed
}

// applyShell returns the frame of these pages: that of a decision, without an order.
func (v *visit) applyShell(title string) design.App {
	s := v.shell("", title)
	s.Tabs = nil
	s.Brand = design.Brand{Name: v.merchant.Name, Sub: v.Say("apply.financing", v.lender()), Href: v.applyPath("")}
	return s
}

// applyStart explains what this is, and for whom.
func (v *visit) applyStart() error {
	next := "email"
	if v.Person != nil {
		next = "business"
	}
	return v.show(http.StatusOK, page{Shell: v.applyShell(v.Say("apply.title")), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say("apply.badge")}, Title: v.Say("apply.head", v.merchant.Name), Text: v.Say("apply.lead"),
		Points: []design.Point{{Icon: "mail", Text: v.Say("apply.1")}, {Icon: "store", Text: v.Say("apply.2")}, {Icon: "file-pen-line", Text: v.Say("apply.3")}},
		Acts:   []design.Button{{Text: v.Say("go"), Emphasis: design.Primary, Href: v.applyPath(next)}},
	}})
}

// applyEmail asks for the email address.
func (v *visit) applyEmail() error {
	if v.Person != nil {
		return v.go_(v.applyPath("business"))
	}
	return v.showApplyEmail(http.StatusOK, "", "")
}

func (v *visit) showApplyEmail(status int, value, problem string) error {
	f := v.EmailForm(v.applyPath("email"), value, problem)
	return v.show(status, page{
		Shell: v.applyShell(v.Say("email.title")), Title: design.Title{Text: v.Say("email.title"), Lead: v.Say("email.lead")}, Notices: v.lateNotices(), Form: f, Summary: f.Summary(),
	})
}

func (v *visit) applySendCode() error { return v.mailCode(v.applyPath("code"), v.showApplyEmail) }

func (v *visit) applyCode() error {
	if v.Session == nil || v.Session.Code == "" {
		return v.go_(v.applyPath("email"))
	}
	return v.showApplyCode(http.StatusOK, "")
}

func (v *visit) showApplyCode(status int, problem string) error {
	f := v.CodeForm(v.applyPath("code"), problem, design.Button{Text: v.Say("code.again"), Emphasis: design.Ghost, Href: v.applyPath("email")})
	return v.show(status, page{
		Shell: v.applyShell(v.Say("code.title")), Title: design.Title{Text: v.Say("code.title"), Lead: v.Say("code.lead", v.Session.Masked())}, Form: f, Summary: f.Summary(),
	})
}

func (v *visit) applyProve() error {
	return v.takeCode(v.applyPath("business"), v.showApplyCode, func(email, problem string) error { return v.showApplyEmail(pages.Wrong, email, problem) })
}

// declinedFor is the number of days before the pages allow another application after a decision.
const declinedFor = 30

// standing returns the application that determines what she sees, nil if she may apply.
func (v *visit) standing() (a *credit.Application, err error) {
	all, err := v.Desk.Applications(v.Ctx(), v.Session.Email)
	if err != nil {
		return nil, err
	}
	for _, x := range all {
		since := v.Desk.Zone.Date(x.EndedAt)
		switch {
		case !x.Decided(), x.Status == credit.ApplicationDeclined && v.Today() < since.AddDays(declinedFor):
			return x, nil
		case x.Status == credit.ApplicationApproved && x.Merchant == v.merchant.ID && v.unsigned(x.Company):
			return x, nil
		}
	}
	return nil, nil
}

// unsigned reports whether one of her businesses has not signed yet.
func (v *visit) unsigned(company int64) bool {
	return slices.ContainsFunc(v.companies, func(c *credit.Company) bool { return c.ID == company && c.Servicing.Unsigned })
}

// applyBusiness asks about the business.
func (v *visit) applyBusiness() error {
	if a, err := v.standing(); err != nil || a != nil {
		return errors.Join(err, v.go_(v.applyPath("decision")))
	}
	return v.showApplyBusiness(http.StatusOK, pages.Problems{})
}

// proposal is the proposed line without a cart to show how much is needed.
const proposal = "10,000.00"

// applyFilled returns the answers so far, with proposals.
func (v *visit) applyFilled() buyer.Draft {
	out := v.filled()
	if out["limit"] == "" {
		out["limit"] = proposal
	}
	if out["entity"] == "" {
		out["entity"] = string(pages.EntityOf(out["legal_name"]))
	}
	return out
}

func (v *visit) showApplyBusiness(status int, wrong pages.Problems) error {
	f := v.BusinessForm(v.applyFilled(), wrong, v.applyPath("business"), v.Say("apply.limit"), design.Button{Text: v.Say("back"), Emphasis: design.Ghost, Href: v.applyPath("")})
	p := page{
		Shell: v.applyShell(v.Say("business.title")), Form: f, Summary: f.Summary(), Notices: v.BusinessNotices(v.merchant.Name),
		Title: design.Title{Text: v.Say("business.title"), Lead: v.Say("business.lead"), Part: 1, Parts: 4},
	}
	if v.company != nil || len(v.companies) > 0 {
		p.Notices = append([]design.Notice{{Icon: "store", Title: v.Say("apply.known"), Text: v.Say("apply.known.text"), Links: []design.Link{{Text: v.Say("account"), Href: Prefix}}}}, p.Notices...)
	}
	return v.show(status, p)
}

// saveApplyBusiness saves the answers, complete or not, and continues if they are complete.
func (v *visit) saveApplyBusiness() error {
	d := v.Answers(pages.BusinessNames()...)
	if err := v.Keep(d); err != nil {
		return err
	}
	if _, problems := v.Business(d); len(problems) > 0 {
		return v.showApplyBusiness(pages.Wrong, problems)
	}
	return v.go_(v.applyPath("you"))
}

// applyYou asks who applies, who owns the business, and what they agree to.
func (v *visit) applyYou() error {
	if a, err := v.standing(); err != nil || a != nil {
		return errors.Join(err, v.go_(v.applyPath("decision")))
	}
	if _, problems := v.Business(v.Draft); len(problems) > 0 {
		return v.go_(v.applyPath("business"))
	}
	return v.showApplyYou(http.StatusOK, pages.Problems{})
}

func (v *visit) showApplyYou(status int, wrong pages.Problems) error {
	f := v.YouForm(v.applyFilled(), wrong, v.applyPath("you"), design.Button{Text: v.Say("back"), Emphasis: design.Ghost, Href: v.applyPath("business")})
	return v.show(status, page{
		Shell: v.applyShell(v.Say("you.title")), Form: f, Summary: f.Summary(), Notices: []design.Notice{{Icon: "lock", Title: v.Say("why"), Text: v.Say("you.why", v.merchant.Name)}},
		Title: design.Title{Text: v.Say("you.title"), Lead: v.Say("you.lead"), Part: 2, Parts: 4},
	})
}

// sendApply saves the answers and submits the application. Two clicks submit it once.
func (v *visit) sendApply() error {
	if a, err := v.standing(); err != nil || a != nil {
		return errors.Join(err, v.go_(v.applyPath("decision")))
	}
	f, step, wrong, err := v.ReadYou()
	switch {
	case err != nil:
		return err
	case len(wrong) > 0:
		return v.showApplyYou(pages.Wrong, wrong)
	case step != "":
		return v.go_(v.applyPath(step))
	}
	a, err := v.send(f, buyer.Through{Merchant: v.merchant.ID, Language: string(v.Language)}, v.merchant.ID+"/"+v.Person.ID+"/"+v.Session.Form)
	if text, ok := v.refused(err); ok {
		return v.showApplyYou(http.StatusConflict, pages.Problems{"may_apply": text})
	}
	if err != nil || a == nil {
		return errors.Join(err, v.go_(v.applyPath("decision")))
	}
	if err := v.Desk.DropDraft(v.Ctx(), v.Session); err != nil {
		return err
	}
	v.Draft = buyer.Draft{}
	if err := v.Keep(buyer.Draft{"apply": v.merchant.ID}); err != nil {
		return err
	}
	return v.go_(v.applyPath("decision"))
}

// applyDecision shows the decision, or that it is pending.
func (v *visit) applyDecision() error { return v.showDecision(http.StatusOK, "") }

func (v *visit) showDecision(status int, problem string) error {
	a, err := v.standing()
	if err != nil {
		return err
	}
	if a == nil {
		return v.go_(v.applyPath("business"))
	}
	switch a.Status {
	case credit.ApplicationApproved:
		return v.approved(a)
	case credit.ApplicationDeclined:
		return v.declined(a)
	case credit.ApplicationWithdrawn, credit.ApplicationExpired:
		return v.show(status, page{Shell: v.applyShell(v.Say("ended.badge")), Outcome: &design.Outcome{
			Badge: design.Badge{Text: v.Say("ended.badge")}, Title: v.Say("apply.ended"), Acts: []design.Button{v.link("account", "", design.Primary)},
		}})
	}
	return v.inReview(a, status, problem)
}

// approved shows the line, and what remains to do: sign.
func (v *visit) approved(a *credit.Application) error {
	o := &design.Outcome{Badge: design.Badge{Tone: design.Good, Text: v.Say("approved.badge")}, Title: v.Say("approved.title", a.Business.LegalName), Figure: v.Money(a.Decision.Limit), Text: v.Say("apply.approved")}
	if a.Decision.CounterOffer {
		o.Points = []design.Point{{Icon: "mail", Text: v.Say("approved.counter", v.Money(a.Requested))}}
	}
	switch {
	case v.company == nil || v.company.ID != a.Company: // several businesses: she chooses one to continue
		o.Acts = []design.Button{v.link("go", "/business", design.Primary)}
	case v.company.Servicing.Unsigned && v.owns():
		o.Points = append(o.Points, design.Point{Icon: "file-pen-line", Text: v.Say("apply.sign")})
		o.Acts = []design.Button{v.link("apply.sign.go", "/sign", design.Primary)}
	default:
		o.Acts = []design.Button{{Text: v.Say("go"), Emphasis: design.Primary, Href: v.applyPath("done")}}
	}
	return v.show(http.StatusOK, page{Shell: v.applyShell(v.Say("approved.badge")), Outcome: o})
}

func (v *visit) declined(a *credit.Application) error {
	o := &design.Outcome{
		Badge: design.Badge{Text: v.Say("declined.badge")}, Title: v.Say("declined.title"), Text: v.Say("apply.declined"),
		Points: []design.Point{{Icon: "mail", Text: v.Say("declined.mail", v.Session.Masked())}, {Icon: "lock", Text: v.Say("declined.lock", v.merchant.Name)}},
		Acts:   []design.Button{v.link("help", "/help", design.Outline)},
	}
	if !a.Consents.ElectronicRecords {
		o.Points[0] = design.Point{Icon: "mail", Text: v.Say("declined.post")}
	}
	return v.show(http.StatusOK, page{Shell: v.applyShell(v.Say("declined.badge")), Outcome: o})
}

// inReview says that a person is reviewing the application, and accepts documents.
func (v *visit) inReview(a *credit.Application, status int, problem string) error {
	o := &design.Outcome{Badge: design.Badge{Tone: design.Warn, Text: v.Say("review.badge")}, Title: v.Say("review.title"), Text: v.Say("apply.review")}
	o.Points = []design.Point{{Icon: "mail", Text: v.Say("review.mail", v.Session.Masked())}}
	p := page{Shell: v.applyShell(v.Say("review.badge")), Outcome: o}
	if a.Status == credit.ApplicationSubmitted {
		v.W.Header().Set("Refresh", "2; url="+v.applyPath("decision"))
		o.Badge.Text, o.Title, o.Text = v.Say("deciding.badge"), v.Say("deciding.title"), v.Say("deciding.text")
		return v.show(status, p)
	}
	if n := len(a.Requests); n > 0 && a.Status == credit.ApplicationRequested {
		r := a.Requests[n-1]
		o.Badge.Text, o.Title, o.Text = v.Say("wanted.badge"), v.Say("wanted.title", v.Day(r.Due)), v.Say("wanted.text", r.What)
	}
	if n := len(a.Documents); n > 0 {
		p.Notices = []design.Notice{{Tone: design.Good, Icon: "circle-check", Title: v.Say("files.have", n), Text: v.Say("files.have.text"), Spoken: design.Status}}
	}
	p.Form = &pages.Form{Action: v.applyPath("decision"), Files: true, Groups: []pages.Group{{Legend: v.Say("files.title"), Lead: v.Say("files.lead"), Parts: []pages.Part{
		pages.FieldPart(design.Field{Name: "file", Label: v.Say("files.label"), Hint: v.Say("files.hint"), Type: "file", Error: problem, Required: true, Width: design.TwoThirds}),
	}}}}
	p.Form.Acts = []design.Button{{Text: v.Say("files.go"), Emphasis: design.Primary, Icon: "upload"}}
	p.Summary = p.Form.Summary()
	return v.show(status, p)
}

// applyAttach accepts a file for the application's reviewer.
func (v *visit) applyAttach() error {
	a, err := v.standing()
	if err != nil || a == nil || a.Decided() || a.Status == credit.ApplicationSubmitted {
		return errors.Join(err, v.go_(v.applyPath("decision")))
	}
	paper, why, err := v.Upload()
	if err != nil {
		return err
	}
	if why != "" {
		return v.showDecision(pages.Wrong, v.Say(why))
	}
	err = v.Desk.Attach(v.Ctx(), a.ID, paper, v.Address)
	if r := pages.Refused(err); r != nil && r.Code == credit.LimitExceeded.Code {
		return v.showDecision(pages.Wrong, v.Say("files.enough"))
	} else if r == nil && err != nil {
		return err
	}
	return v.go_(v.applyPath("decision"))
}

// applyDone is the end: the line is ready to use.
func (v *visit) applyDone() error {
	if v.company == nil || v.company.Servicing.Unsigned || v.company.Status != credit.CompanyApproved || !v.company.IsLinked(v.merchant.ID) {
		return v.go_(v.applyPath("decision"))
	}
	return v.show(http.StatusOK, page{Shell: v.applyShell(v.Say("apply.done")), Outcome: &design.Outcome{
		Badge: design.Badge{Tone: design.Good, Text: v.Say("apply.done")}, Title: v.Say("apply.done.title", v.company.Name, v.merchant.Name), Figure: v.Money(max(v.company.Available(), 0)),
		Text: v.Say("apply.done.text", v.merchant.Name), Acts: []design.Button{v.link("account", "", design.Primary)},
	}})
}
