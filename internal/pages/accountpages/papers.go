package accountpages

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/office/buyer"
	"tenor/internal/office/paper"
	"tenor/internal/office/statement"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/picture"
)

// statements lists the months.
func (v *visit) statements() error {
	s := section{Empty: v.Say("statements.none"), Text: v.InEnglish("paper.english.only")}
	for month := v.Today().StartOfMonth(); month >= v.Desk.Zone.Date(v.company.CreatedAt).StartOfMonth(); month = (month - 1).StartOfMonth() {
		text := v.month(month)
		at := Prefix + "/statements/" + month.String()[:7]
		d := design.Document{Title: text, Href: at, Detail: v.Say("statements.whole"), Link: &design.Link{Text: v.Say("paper.pdf"), Href: at + ".pdf"}}
		if month.EndOfMonth() >= v.Today() {
			d.Detail = v.Say("statements.far", v.Day(v.Today()))
		}
		s.Documents = append(s.Documents, d)
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("statements", v.Say("a.tab.statements")), Title: design.Title{Text: v.Say("a.tab.statements"), Lead: v.Say("statements.lead")}, Sections: []section{s},
	})
}

// month returns the name of a month with its year.
func (v *visit) month(day calendar.Date) string {
	year, m, _ := day.Civil()
	return v.Say("month.year", v.Say("month."+strconv.Itoa(int(m))), year)
}

// statement shows the statement of a month.
func (v *visit) statement() error {
	name, isPDF := strings.CutSuffix(v.R.PathValue("month"), ".pdf")
	day, err := calendar.Parse(name + "-01")
	if err != nil || len(name) != 7 || day > v.Today() || day < v.Desk.Zone.Date(v.company.CreatedAt).StartOfMonth() {
		return v.stop(http.StatusNotFound, "lost")
	}
	x, err := v.Desk.Statement(v.Ctx(), v.company.ID, day)
	if err != nil {
		return err
	}
	if x == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	p := x.Paper(statement.Lender{Name: v.lender(), Contact: cmp.Or(v.Lender.Contact, v.Lender.Creditor.Address)})
	var out bytes.Buffer
	if isPDF {
		err = p.PDF(&out)
		if err == nil {
			v.give("application/pdf", "statement-"+name+".pdf", out.Bytes())
		}
		return err
	}
	if err = p.HTML(&out); err == nil {
		v.give("text/html; charset=utf-8", name, out.Bytes())
	}
	return err
}

// notices lists the lender's notices to the business about its account.
func (v *visit) notices() error {
	all, err := v.Desk.AccountNotices(v.Ctx(), v.company.ID)
	if err != nil {
		return err
	}
	s := section{Empty: v.Say("notices.none"), Text: v.InEnglish("paper.english.only")}
	for _, n := range all {
		sent := v.Say("notices.due", v.Day(n.DueOn))
		if !n.SentAt.IsZero() {
			sent = v.Say("notices.sent", v.Day(v.Desk.Zone.Date(n.SentAt)))
		}
		x := item{Icon: "file-text", Text: v.Say("notices." + strings.ToLower(string(n.Kind))), Detail: v.Day(v.Desk.Zone.Date(n.ActionAt)) + " · " + sent}
		switch {
		case n.Erased():
			x.Badge = &design.Badge{Text: v.Say("notices.erased")}
		case !n.SentAt.IsZero():
			x.Acts = []act{{Text: v.Say("notices.read"), Label: x.Text, Href: Prefix + "/notices/" + n.ID}}
		}
		s.Items = append(s.Items, x)
	}
	decided, err := v.Desk.CompanyApplications(v.Ctx(), v.company.ID)
	if err != nil {
		return err
	}
	t := section{Head: design.Heading{ID: "applications", Text: v.Say("notices.applications")}, Empty: v.Say("notices.applications.none")}
	for _, a := range decided {
		x := item{Icon: "file-text", Text: v.Say("notices.application", v.Money(a.Requested)), Detail: v.Day(v.Desk.Zone.Date(a.CreatedAt)), Badge: &design.Badge{Text: v.Say("application." + a.Status)}}
		if d := a.Decision; d != nil && d.Approved {
			x.Figure = v.Money(d.Limit)
		}
		t.Items = append(t.Items, x)
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("", v.Say("a.tab.notices")), Title: design.Title{Text: v.Say("a.tab.notices"), Lead: v.Say("notices.lead")}, Sections: []section{s, t},
	})
}

// notice shows a notice as it was sent.
func (v *visit) notice() error {
	p, err := v.Desk.NoticePaper(v.Ctx(), v.company.ID, v.R.PathValue("notice"))
	if err != nil {
		return err
	}
	if p == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	var out bytes.Buffer
	if err = p.HTML(&out); err == nil {
		v.give("text/html; charset=utf-8", "notice.html", out.Bytes())
	}
	return err
}

// sign shows the master agreement and asks for a signature, or says that it was signed.
func (v *visit) sign() error { return v.showSign(http.StatusOK, pages.Problems{}) }

func (v *visit) showSign(status int, wrong pages.Problems) error {
	doc := design.Document{Title: v.Say("paper.master"), Href: Prefix + "/sign/master", Detail: v.Say("sign.paper"), Link: &design.Link{Text: v.Say("paper.pdf"), Href: Prefix + "/sign/master.pdf"}}
	p := page{Shell: v.shell("", v.Say("paper.master")), Title: design.Title{Text: v.Say("paper.master"), Lead: v.Say("sign.lead", v.company.Name)}}
	if !v.company.Servicing.Unsigned {
		return v.showSigned(p, doc)
	}
	digest, err := v.masterDigest()
	if err != nil {
		return err
	}
	c := &choosing{
		Action: Prefix + "/sign", Hidden: []hidden{{"digest", digest}}, Fields: []design.Field{{Name: "name", Label: v.Say("accept.name"), Hint: v.Say("accept.name.hint", v.company.Name), Error: wrong["name"], Value: v.Answer("name"), Autocomplete: "name", Max: pages.MaxAnswer, Required: true, Width: design.TwoThirds}},
		Checks: []design.Check{{Name: "master", Text: v.Say("accept.master", v.company.Name), Detail: v.Say("sign.more"), Error: wrong["master"], Required: true}},
		Acts:   []design.Button{pages.Primary(v.Say("sign.go")), v.back("")},
	}
	p.Summary = design.Summarize(c.Fields[0], c.Checks[0])
	p.Sections = []section{{Head: design.Heading{ID: "read", Text: v.Say("sign.read")}, Text: v.InEnglish("paper.english"), Documents: []design.Document{doc}}, {Choices: c}}
	return v.show(status, p)
}

// showSigned shows who signed it and when, and returns it; or that no signature is needed.
func (v *visit) showSigned(p page, doc design.Document) error {
	p.Acts = []design.Button{v.link("a.home", "", design.Primary)}
	if v.company.Servicing.Agreement == "" {
		p.Title.Lead = v.Say("sign.none", v.company.Name)
		return v.show(http.StatusOK, p)
	}
	name, on, err := v.Desk.Signer(v.Ctx(), v.company)
	if err != nil {
		return err
	}
	p.Title.Lead, doc.Detail = v.Say("sign.done", v.company.Name), v.Say("a.signed.on", v.Day(on))
	if name != "" {
		doc.Detail = v.Say("sign.by", name, v.Day(on))
	}
	if v.company.Servicing.OnPaper.On != 0 { // a file as it was uploaded
		doc.Link, doc.Detail = nil, v.Say("sign.on.paper", v.Day(on))
		if name != "" {
			doc.Detail = v.Say("sign.on.paper.by", name, v.Day(on))
		}
	}
	p.Sections = []section{{Head: design.Heading{ID: "signed", Text: v.Say("sign.signed")}, Text: v.InEnglish("paper.english"), Documents: []design.Document{doc}}}
	return v.show(http.StatusOK, p)
}

// master returns the business's master agreement as it would be signed.
func (v *visit) master(signer string) ([]buyer.Paper, error) {
	p := paper.Parties{
		Lender: v.lender(), LenderAddress: v.Lender.Creditor.Address, LenderContact: v.Lender.Contact, Business: cmp.Or(v.company.LegalName, v.company.Name), Signer: signer, Title: v.voices.Usual().Texts.Say("role." + string(v.role.Role)),
	}
	return paper.Master(p, v.Today(), string(v.voices.Usual().Language))
}

// masterDigest identifies the text of the master agreement, whoever signs it.
func (v *visit) masterDigest() (string, error) {
	all, err := v.master("")
	if err != nil || len(all) == 0 {
		return "", err
	}
	return buyer.Digest(string(all[0].Data)), nil
}

// masterPaper shows the master agreement: as signed, or as it would be.
func (v *visit) masterPaper() error {
	name := v.R.PathValue("paper")
	if name != "master" && name != "master.pdf" {
		return v.stop(http.StatusNotFound, "lost")
	}
	if id := v.company.Servicing.Agreement; !v.company.Servicing.Unsigned && id != "" {
		x, data, err := v.Desk.Filing(v.Ctx(), id)
		switch {
		case err != nil:
			return err
		case x == nil || v.company.Servicing.OnPaper.On != 0 && name != "master":
			return v.stop(http.StatusNotFound, "lost")
		case v.company.Servicing.OnPaper.On != 0:
			v.give(x.ContentType, "master-agreement"+map[string]string{"application/pdf": ".pdf", picture.PNG: ".png", picture.JPEG: ".jpg"}[x.ContentType], data)
			return nil
		}
		return v.filed(x.Of, name)
	}
	all, err := v.master("")
	if err != nil {
		return err
	}
	for _, p := range all {
		if strings.HasPrefix(p.ContentType, "application/pdf") == strings.HasSuffix(name, ".pdf") {
			v.give(p.ContentType, name, p.Data)
			return nil
		}
	}
	return v.stop(http.StatusNotFound, "lost")
}

// signMaster signs it, once.
func (v *visit) signMaster() error {
	wrong, name := pages.Problems{}, v.Answer("name")
	if len([]rune(name)) < 2 {
		wrong["name"] = v.Say("wrong.name")
	}
	if v.Answer("master") != "yes" {
		wrong["master"] = v.Say("wrong.master")
	}
	switch {
	case !v.company.Servicing.Unsigned:
		return v.to("/sign")
	case len(wrong) > 0:
		return v.showSign(pages.Wrong, wrong)
	}
	digest, err := v.masterDigest()
	if err != nil {
		return err
	}
	if digest != v.Answer("digest") {
		return v.showSign(http.StatusConflict, pages.Problems{"master": v.Say("sign.changed")})
	}
	all, err := v.master(name)
	if err != nil {
		return err
	}
	err = v.Desk.Sign(v.Ctx(), v.company.ID, buyer.Signature{
		Name: name, Ticks: []string{"master"}, At: v.Desk.Now().UTC().Truncate(time.Second), Person: v.Person.ID, Address: v.Address, UserAgent: v.Agent(), Digest: digest, Language: string(v.Language),
	}, all)
	if err != nil {
		text, ok := v.refused(err)
		if !ok {
			return err
		}
		return v.showSign(http.StatusConflict, pages.Problems{"master": text})
	}
	if next := v.Draft["apply"]; next != "" { // back to the end of an application
		return v.go_(Apply + next + "/done")
	}
	return v.done("", "signed")
}
