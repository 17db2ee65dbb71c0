package accountpages

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// cases lists the disputes and questions of the business.
func (v *visit) cases() error {
	all, err := v.Desk.Cases(v.Ctx(), v.company.ID)
	if err != nil {
		return err
	}
	b, err := v.book()
	if err != nil {
		return err
	}
	s := section{Empty: v.Say("cases.none"), Acts: []design.Button{{Text: v.Say("cases.new"), Emphasis: design.Primary, Icon: "plus", Href: Prefix + "/cases/new"}}}
	for _, x := range all {
		badge := v.caseState(x)
		s.Items = append(s.Items, item{
			Icon: "file-text", Text: v.Say("case." + string(x.Kind)), Detail: caseAbout(b, x) + v.Day(v.Desk.Zone.Date(x.CreatedAt)), Href: Prefix + "/cases/" + x.ID, Badge: &badge,
		})
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("", v.Say("cases.title")), Title: design.Title{Text: v.Say("cases.title"), Lead: v.Say("cases.lead")}, Sections: []section{s},
	})
}

// caseAbout describes what a case is about in a buyer's words, followed by a dot; "" if it is
// about nothing specific.
func caseAbout(b *buyer.Book, x *credit.Case) string {
	if x.Of == "" {
		return ""
	}
	for _, o := range b.Orders {
		if o.Order.Key == x.Of {
			return orderName(o.Order) + " · "
		}
	}
	return x.Of + " · "
}

func (v *visit) caseState(x *credit.Case) design.Badge {
	switch {
	case x.Status == credit.CaseResolved:
		return design.Badge{Tone: design.Good, Text: v.Say("case.outcome." + string(x.Resolution.Outcome))}
	case x.Status == credit.CaseWaiting:
		return design.Badge{Tone: design.Warn, Text: v.Say("case.waiting")}
	}
	return design.Badge{Text: v.Say("case.open", v.Day(x.DueOn))}
}

// newCase asks what is wrong, or what the question is.
func (v *visit) newCase() error {
	q := v.R.URL.Query()
	return v.showNewCase(http.StatusOK, cmp.Or(v.Answer("about"), q.Get("about")), pages.Problems{})
}

func (v *visit) showNewCase(status int, about string, wrong pages.Problems) error {
	b, err := v.book()
	if err != nil {
		return err
	}
	kinds := design.Choices{Name: "kind", Legend: v.Say("case.kind"), Error: wrong["kind"]}
	for _, k := range v.caseKinds() {
		kinds.Choices = append(kinds.Choices, design.Choice{Value: string(k), Text: v.Say("case." + string(k)), Detail: v.Say("case." + string(k) + ".more"), Chosen: v.Answer("kind") == string(k)})
	}
	matter := design.Field{Name: "what", Label: v.Say("case.what"), Value: v.Answer("what"), Error: wrong["what"], Optional: true, Width: design.Half, Options: []design.Option{{Text: v.Say("choose")}}}
	for _, m := range credit.CaseMatters() {
		matter.Options = append(matter.Options, design.Option{Value: string(m), Text: v.Say("case.matter." + string(m))})
	}
	c := &choosing{Action: Prefix + "/cases/new", Cards: []design.Choices{kinds}, Acts: []design.Button{pages.Primary(v.Say("case.go")), v.back("/cases")}}
	c.Once, c.Below = buyer.Random(16), []design.Field{
		v.aboutField(b, about, wrong), matter,
		{Name: "subject", Label: v.Say("case.subject"), Value: v.Answer("subject"), Error: wrong["subject"], Max: buyer.MaxCaseSubject, Required: true},
		{Name: "text", Label: v.Say("case.text"), Hint: v.Say("case.text.hint"), Value: v.Text("text", buyer.MaxCaseText), Error: wrong["text"], Max: buyer.MaxCaseText, Rows: 6, Required: true},
	}
	p := page{
		Shell: v.shell("", v.Say("cases.new")), Title: design.Title{Text: v.Say("cases.new"), Lead: v.Say("case.lead")},
		Summary: design.Summarize(kinds, c.Below[0], c.Below[1], c.Below[2], c.Below[3]), Sections: []section{{Choices: c}},
	}
	if text := wrong["refused"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	return v.show(status, p)
}

// caseKinds returns the kinds that she may open: a viewer can only ask questions.
func (v *visit) caseKinds() []credit.CaseKind {
	if v.pays() {
		return []credit.CaseKind{credit.CaseDispute, credit.CaseQuestion}
	}
	return []credit.CaseKind{credit.CaseQuestion}
}

// aboutField asks which order or payment it is about.
func (v *visit) aboutField(b *buyer.Book, about string, wrong pages.Problems) design.Field {
	f := design.Field{Name: "about", Label: v.Say("case.about"), Value: about, Error: wrong["about"], Optional: true, Width: design.Half, Options: []design.Option{{Text: v.Say("case.nothing")}}}
	for _, o := range b.Orders {
		f.Options = append(f.Options, design.Option{Value: o.Order.Key, Text: v.Say("a.order.title", orderName(o.Order))})
	}
	for _, p := range b.Payments[:min(20, len(b.Payments))] {
		x := v.paymentItem(b, p, false)
		f.Options = append(f.Options, design.Option{Value: p.ID, Text: v.Say("case.payment", x.Figure, x.Detail)})
	}
	return f
}

// openCase opens the case, once.
func (v *visit) openCase() error {
	wrong := pages.Problems{}
	b, err := v.book()
	if err != nil {
		return err
	}
	x := buyer.NewCase{Kind: credit.CaseKind(v.Answer("kind")), What: credit.CaseMatter(v.Answer("what"))}
	x.Subject, x.CaseWords.Text = v.Answer("subject"), v.Text("text", buyer.MaxCaseText)
	about := v.Answer("about")
	switch {
	case b.Order(about) != nil:
		x.Order = about
	case slices.ContainsFunc(b.Payments, func(p *credit.Payment) bool { return p.ID == about }):
		x.Payment = about
	case about != "":
		wrong["about"] = v.Say("case.wrong.about")
	}
	if !slices.Contains(v.caseKinds(), x.Kind) {
		wrong["kind"] = v.Say("case.wrong.kind")
	}
	if x.What != "" && !slices.Contains(credit.CaseMatters(), x.What) {
		wrong["what"] = v.Say("case.wrong.about")
	}
	for name, text := range map[string]string{"subject": x.Subject, "text": x.CaseWords.Text} {
		if text == "" {
			wrong[name] = v.Say("case.wrong." + name)
		}
	}
	if len(wrong) > 0 {
		return v.showNewCase(pages.Wrong, about, wrong)
	}
	once := "case/" + v.Person.ID + "/" + v.Answer("once")
	first, err := v.Desk.Once(v.Ctx(), once)
	if err != nil || !first {
		return errors.Join(err, v.to("/cases"))
	}
	opened, err := v.Desk.OpenCase(v.Ctx(), v.company.ID, v.Person.ID, x, v.Address)
	if err != nil {
		text, ok := v.refused(err)
		if !ok { // it is unknown whether it was opened: the list shows it
			return err
		}
		if again := v.Desk.Again(v.Ctx(), once); again != nil {
			return again
		}
		return v.showNewCase(http.StatusConflict, about, pages.Problems{"refused": text})
	}
	return v.done("/cases/"+opened.ID, "case")
}

// oneCase shows the messages of a case.
func (v *visit) oneCase() error { return v.showCase(http.StatusOK, pages.Problems{}) }

func (v *visit) showCase(status int, wrong pages.Problems) error {
	x, err := v.Desk.Case(v.Ctx(), v.company.ID, v.R.PathValue("case"))
	if err != nil {
		return err
	}
	if x == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	badge := v.caseState(x.Case)
	title := x.Words.Subject
	if title == "" {
		title = v.Say("case." + string(x.Kind))
	}
	p := page{Shell: v.shell("", title), Title: design.Title{Text: title, Lead: v.Say("case."+string(x.Kind)) + " · " + badge.Text}}
	said := section{Head: design.Heading{ID: "said", Text: v.Say("case.said")}, Items: []item{v.words("user", v.Say("case.you"), x.Words.Text, x.Case)}}
	for _, n := range x.Said {
		icon, who := "user", v.Say("case.you")
		switch {
		case n.By == credit.SideLender:
			icon, who = "store", v.lender()
		case n.Who != v.Person.ID:
			who = v.Say("case.colleague")
		}
		said.Items = append(said.Items, item{Icon: icon, Text: who + " · " + v.Day(v.Desk.Zone.Date(n.At)), Detail: n.Text})
	}
	for _, d := range x.Documents {
		said.Items = append(said.Items, item{Icon: "file-text", Text: d.Name, Detail: v.Day(v.Desk.Zone.Date(d.CreatedAt))})
	}
	if r := x.Resolution; r != nil {
		said.Items = append(said.Items, item{Icon: "circle-check", Text: badge.Text + " · " + v.Day(v.Desk.Zone.Date(r.At)), Detail: x.Why})
		p.Sections, p.Acts = []section{said}, []design.Button{v.link("back", "/cases", design.Outline)}
		return v.show(status, p)
	}
	at := Prefix + "/cases/" + x.ID
	p.Form = &pages.Form{Action: at, Files: true, Once: buyer.Random(16), Acts: []design.Button{pages.Primary(v.Say("case.answer")), v.back("/cases")}, Groups: []pages.Group{{Legend: v.Say("case.more"), Parts: []pages.Part{
		pages.FieldPart(design.Field{Name: "text", Label: v.Say("case.note"), Value: v.Text("text", buyer.MaxCaseText), Error: wrong["text"], Max: buyer.MaxCaseText, Rows: 5, Optional: true}),
		pages.FieldPart(design.Field{Name: "file", Label: v.Say("files.label"), Hint: v.Say("files.hint"), Type: "file", Error: wrong["file"], Optional: true, Width: design.TwoThirds}),
	}}}}
	p.Sections, p.Summary = []section{said}, p.Form.Summary()
	p.Below = []section{{Items: []item{{Icon: "undo-2", Text: v.Say("case.withdraw.title"), Detail: v.Say("case.withdraw.text"), Acts: []act{{Text: v.Say("case.withdraw"), Action: at + "/withdraw", Name: "withdraw", Value: "yes"}}}}}}
	return v.show(status, p)
}

// words is the opening message.
func (v *visit) words(icon, who, text string, x *credit.Case) item {
	return item{Icon: icon, Text: who + " · " + v.Day(v.Desk.Zone.Date(x.CreatedAt)), Detail: text}
}

// toCase redirects a request for the form's address to its case.
func (v *visit) toCase() error { return v.to("/cases/" + v.R.PathValue("case")) }

// withdrawCase closes a case for the person who opened it.
func (v *visit) withdrawCase() error {
	id := v.R.PathValue("case")
	if _, err := v.Desk.WithdrawCase(v.Ctx(), v.company.ID, v.Person.ID, id, v.Address); err != nil {
		text, ok := v.refused(err)
		if !ok {
			return err
		}
		return v.showCase(http.StatusConflict, pages.Problems{"text": text})
	}
	return v.done("/cases/"+id, "withdrawn")
}

// answerCase adds a message and its attachment.
func (v *visit) answerCase() error {
	id, text := v.R.PathValue("case"), v.Text("text", buyer.MaxCaseText)
	file, why, err := v.Upload()
	switch {
	case err != nil:
		return err
	case why == "files.none" && text == "":
		return v.showCase(pages.Wrong, pages.Problems{"text": v.Say("case.wrong.subject")})
	case why != "" && why != "files.none":
		return v.showCase(pages.Wrong, pages.Problems{"file": v.Say(why)})
	}
	first, err := v.Desk.Once(v.Ctx(), "answer/"+v.Person.ID+"/"+id+"/"+v.Answer("once"))
	if err != nil || !first { // a second click: the first one has added it
		return errors.Join(err, v.to("/cases/"+id))
	}
	at := "text"
	if text != "" {
		_, err = v.Desk.NoteCase(v.Ctx(), v.company.ID, v.Person.ID, id, text, v.Address)
	}
	if err == nil && why == "" {
		at = "file"
		v.R.PostForm.Del("text") // it is saved, whatever happens to the file
		_, err = v.Desk.AttachCase(v.Ctx(), v.company.ID, v.Person.ID, id, file, v.Address)
	}
	if err != nil {
		refused, ok := v.refused(err)
		if !ok { // it is unknown whether it was added: the case shows it
			return err
		}
		return v.showCase(http.StatusConflict, pages.Problems{at: refused})
	}
	return v.done("/cases/"+id, "answered")
}
