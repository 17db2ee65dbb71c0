package console

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// subject is an object that staff act on.
type subject struct {
	section string // of the navigation
	path    string // its page, below Prefix
	name    string // what it is called
	lead    string // whose it is
	version int    // what an act rests on
	// What an act's page compares, none if zero: a line, a loan, an application.
	company     int64
	order       string
	application string
	merchant    string
	member      string
	acts        []act // the usual one first
}

// act is something that staff can do with an object: a page that shows what would change, and a
// button that does it.
type act struct {
	name       string
	permission permit.Permission
	why        string // key of the text that says why it cannot be done now; "": it can
	fields     []field
	main       bool // the next step, if it can be done
	elsewhere  bool // the object's page leads to it by itself, for whoever may do it
	plain      bool // it changes no money and no terms: done as soon as its form is right
	command    func(given) credit.Command
	read       func(given) (credit.Command, error) // instead: a command that holds what was read
}

// possible is an act that can be done if the condition holds; why names the text for when not.
func (a act) possible(ok bool, why string) act {
	if !ok {
		a.why = "why." + why
	}
	return a
}

// field is what an act takes besides its reason.
type field struct {
	design.Field

	kind  fieldKind
	least money.Amount // of an amount
	first string       // "yes": the box is ticked at first
}

type fieldKind int

const (
	textField   fieldKind = iota
	amountField           // dollars and cents
	dayField              // a date
	tickField             // a box
)

// given is what was filled in, on a version of the object.
type given struct {
	match   []string // the version, in quotes
	reason  string
	texts   map[string]string
	amounts map[string]money.Amount
	days    map[string]calendar.Date
}

// chosen are the texts of the fields whose names begin with a name, without the empty ones.
func (g given) chosen(name string) (out []string) {
	for i := range 4 {
		if x := g.texts[name+strconv.Itoa(i+1)]; x != "" {
			out = append(out, x)
		}
	}
	return out
}

// acting is one visit to the page of an act.
type acting struct {
	act
	subject *subject
	given   given
	once    string // the form's value: what is refused is answered with another
	wrong   map[string]string
}

// finder finds the object of an address; nil if there is none.
type finder func(*visit) (*subject, error)

// actPage registers the page of an object's acts.
func (p *Pages) actPage(path string, find finder) {
	p.page(path+"/act/{act}", signedIn, permit.Read, func(v *visit) error { return v.act(find) }, func(v *visit) error { return v.doAct(find) })
}

// findAct finds the object and the act of the address; nil if there is none, and the answer is
// written.
func (v *visit) findAct(find finder) (*acting, error) {
	x, err := find(v)
	if err != nil {
		return nil, err
	}
	if x != nil {
		for _, a := range x.acts {
			switch {
			case a.name != v.r.PathValue("act"):
			case v.visitor.May(a.permission) == permit.None:
				return nil, v.refuse(a.permission)
			default:
				return &acting{act: a, subject: x, once: v.answer("once"), wrong: map[string]string{}}, nil
			}
		}
	}
	return nil, v.bare(http.StatusNotFound, "lost")
}

// act shows an act's page, without anything filled in.
func (v *visit) act(find finder) error {
	a, err := v.findAct(find)
	if a == nil || err != nil {
		return err
	}
	return v.showAct(http.StatusOK, a, nil)
}

// fill reads what was filled in, and notes what is wrong with it.
func (v *visit) fill(a *acting) {
	a.given = given{reason: v.answer("reason"), texts: map[string]string{}, amounts: map[string]money.Amount{}, days: map[string]calendar.Date{}}
	if a.given.reason == "" {
		a.wrong["reason"] = v.say("act.reason.missing")
	}
	for _, f := range a.fields {
		text, err := v.answer(f.Name), error(nil)
		a.given.texts[f.Name], a.given.days[f.Name] = text, calendar.None
		if text == "" && f.Optional {
			continue
		}
		switch f.kind {
		case amountField:
			if a.given.amounts[f.Name], err = money.Parse(text); err != nil || a.given.amounts[f.Name] < f.least {
				a.wrong[f.Name] = v.say("act.amount.wrong")
			}
		case dayField:
			if a.given.days[f.Name], err = calendar.Parse(text); err != nil {
				a.wrong[f.Name] = v.say("act.day.wrong")
			}
		case tickField:
		default:
			listed := func(o design.Option) bool { return o.Value == text }
			if text == "" || len(f.Options) > 0 && !slices.ContainsFunc(f.Options, listed) {
				a.wrong[f.Name] = v.say("act.text.missing")
			}
		}
	}
}

// doAct shows what an act would change, and does it if that is what was seen.
func (v *visit) doAct(find finder) error {
	a, err := v.findAct(find)
	if a == nil || err != nil {
		return err
	}
	// What is done is what the page has shown: other answers are shown first, and another version
	// is refused. A second click names the version of the first, and is answered as that was.
	v.fill(a)
	version, answers, shown := strings.Cut(v.answer("seen"), " ")
	if shown = shown && answers == a.answers(); !shown {
		version = strconv.Itoa(a.subject.version)
	}
	fresh := v.desk().Fresh(v.visitor.Session)
	if again := shown && (fresh || v.visitor.May(a.permission) == permit.Alone); !again || a.why == "" {
		if ready, err := v.foreseen(a, shown, fresh); !ready || err != nil {
			return err
		}
	}
	do, err := v.given(a, version)
	if err != nil {
		return err
	}
	defer v.recount()
	approval, err := v.desk().Act(v.r.Context(), v.visitor, do)
	switch refused := (*credit.Rejection)(nil); {
	case errors.As(err, &refused):
		return v.refuseAct(a, refused)
	case errors.Is(err, buyer.ErrRaced):
		return v.to(a.subject.path)
	case err != nil:
		return err
	case approval != "":
		return v.to("/approvals/" + approval)
	}
	return v.to(a.subject.path + "?did=" + a.name)
}

// foreseen reports whether an act can be done as it was shown; if not, the answer is written: what
// is wrong, or what it would change.
func (v *visit) foreseen(a *acting, shown, fresh bool) (ready bool, err error) {
	switch {
	case a.why != "":
		a.wrong["reason"] = v.say(a.why)
		return false, v.showAct(pages.Wrong, a, nil)
	case len(a.wrong) > 0:
		return false, v.showAct(pages.Wrong, a, nil)
	}
	now, err := v.given(a, strconv.Itoa(a.subject.version))
	if err != nil {
		return false, err
	}
	f, err := v.desk().Foresee(v.r.Context(), v.visitor, now)
	switch refused := (*credit.Rejection)(nil); {
	case errors.As(err, &refused):
		return false, v.refuseAct(a, refused)
	case err != nil:
		return false, err
	case !shown && !(a.plain && !f.Grave), f.Grave && !fresh:
		return false, v.showAct(http.StatusOK, a, &f)
	case final(&f) && v.answer("confirm") != a.confirms():
		a.wrong["confirm"] = v.say("act.confirm.wrong", a.confirms())
		return false, v.showAct(pages.Wrong, a, &f)
	}
	return true, nil
}

// final reports whether one person carries out what takes two elsewhere: its amount or object has to be
// typed first.
func final(f *signin.Foreseen) bool { return f.Grave && !f.Takes }

// confirms is what is typed to confirm an act: its amount, or what its object is called.
func (a *acting) confirms() string {
	if amount := a.given.amounts["amount"]; amount > 0 {
		return amount.String()
	}
	return a.subject.name
}

// refuseAct shows why an act cannot be done.
func (v *visit) refuseAct(a *acting, r *credit.Rejection) error {
	a.wrong["reason"], a.once = r.Detail, ""
	return v.showAct(pages.Wrong, a, nil)
}

// answers names what was filled in, so that the button says what the page has shown.
func (a *acting) answers() string {
	all := url.Values{"reason": {a.given.reason}}
	for name, text := range a.given.texts {
		all.Set(name, text)
	}
	sum := sha256.Sum256([]byte(all.Encode()))
	return hex.EncodeToString(sum[:8])
}

// given is the act as the member gives it, on a version of the object.
func (v *visit) given(a *acting, version string) (x signin.Act, err error) {
	g := a.given
	g.match = []string{`"` + version + `"`}
	x = signin.Act{Reason: g.reason, Address: v.address, Once: a.once}
	if a.read != nil {
		x.Command, err = a.read(g)
		return x, err
	}
	x.Command = a.command(g)
	return x, nil
}

// showAct shows the form, and beside it what would change once that is known.
func (v *visit) showAct(status int, a *acting, f *signin.Foreseen) error {
	x, at := a.subject, Prefix+a.subject.path
	form := &pages.Form{Action: at + "/act/" + a.name, Once: cmp.Or(a.once, buyer.Random(32)), Groups: []pages.Group{{}}}
	fields := append(slices.Clone(a.fields), reasonOf(v))
	if f != nil && final(f) && v.desk().Fresh(v.visitor.Session) {
		fields = append(fields, field{Field: design.Field{Name: "confirm", Label: v.say("act.confirm", a.confirms()), Hint: v.say("act.confirm.hint")}})
	}
	for _, f := range fields {
		f.Field.Value, f.Field.Error, f.Field.Max, f.Field.Required = v.typed(f.Name, f.Value), a.wrong[f.Name], pages.MaxAnswer, !f.Optional
		switch f.kind {
		case amountField:
			f.InputMode, f.Prefix, f.Digits = "decimal", "$", true
		case dayField:
			f.Type, f.Max = "date", 0
		case tickField:
			ticked := v.typed(f.Name, f.first) == "yes"
			form.Groups[0].Parts = append(form.Groups[0].Parts, pages.CheckPart(design.Check{Name: f.Name, Text: f.Label, Ticked: ticked}))
			continue
		}
		form.Groups[0].Parts = append(form.Groups[0].Parts, pages.FieldPart(f.Field))
	}
	name := v.say("act." + a.name)
	p := page{
		Shell:  v.shell(x.section, name),
		Crumbs: []design.Link{{Text: v.say("nav." + x.section), Href: Prefix + "/" + x.section}, {Text: x.name, Href: at}, {Text: name}},
		Title:  design.Title{Text: v.actTitle(a, f), Lead: v.say("act.lead", x.lead)},
		Form:   form, Summary: form.Summary(), Beside: true,
	}
	v.actButtons(&p, a, f)
	if f != nil {
		p.Tables = v.changes(f, x)
	}
	return v.show(status, p)
}

// actTitle names the act and its object, with the amount once that is known.
func (v *visit) actTitle(a *acting, f *signin.Foreseen) string {
	amount, seen := a.given.amounts["amount"], "act."+a.name+".seen"
	if _, has := v.texts[seen]; has && f != nil && amount > 0 {
		return v.say(seen, a.subject.name, v.language().Money(amount))
	}
	return v.say("act."+a.name+".title", a.subject.name)
}

func reasonOf(v *visit) field {
	return field{Field: design.Field{Name: "reason", Label: v.say("act.reason"), Hint: v.say("act.reason.hint")}}
}

// actButtons are what can be done on the page of an act: look, do, or ask for approval.
func (v *visit) actButtons(p *page, a *acting, f *signin.Foreseen) {
	form, back := p.Form, design.Button{Text: v.say("act.back"), Href: Prefix + a.subject.path, Emphasis: design.Ghost}
	preview := design.Button{Text: v.say("act.preview"), Name: "seen", Value: "-", Emphasis: design.Primary}
	amount := v.language().Money(a.given.amounts["amount"])
	done := design.Button{Text: v.say("act."+a.name+".go", amount), Emphasis: design.Primary, Name: "seen", Value: strconv.Itoa(a.subject.version) + " " + a.answers()}
	if a.why != "" && f == nil && len(a.wrong) == 0 {
		p.Notice = &design.Notice{Tone: design.Warn, Icon: "triangle-alert", Title: v.say(a.why)}
	}
	switch {
	case f == nil && a.plain:
		done.Name, done.Value = "", ""
		form.Acts = []design.Button{done, back}
	case f == nil:
		form.Acts = []design.Button{preview, back}
	case f.Grave && !v.desk().Fresh(v.visitor.Session):
		p.Notice = &design.Notice{Icon: "lock", Title: v.say("act.again"), Text: v.say("act.again.text")}
		form.Acts = []design.Button{{Text: v.say("again.go"), Href: Prefix + "/again?to=" + form.Action, Emphasis: design.Primary}, back}
	default:
		if f.Takes {
			p.Notice = &design.Notice{Icon: "users", Title: v.say("act.two"), Text: v.say("act.two.text")}
			if f.Limit > 0 {
				p.Notice.Title = v.say("act.two.limit", v.language().Money(f.Limit))
			}
			done.Text = v.say("act.ask", done.Text)
		}
		preview.Emphasis = design.Outline
		form.Acts = []design.Button{done, preview, back}
	}
}

// typed is what was typed into a field, what the address has for it if a form led here, or its first
// value. The reason is the member's own: no address has it.
func (v *visit) typed(name, first string) string {
	q := v.r.URL.Query()
	switch {
	case v.r.Method == http.MethodPost:
		return v.answer(name)
	case q.Has("filled") && name != "reason":
		return oneLine(q.Get(name))
	}
	return first
}

// topActs are the buttons of an object's page: what can be done now, the next step before others.
func (v *visit) topActs(x *subject) (out []design.Button) {
	next := !slices.ContainsFunc(x.acts, func(a act) bool { return a.elsewhere && a.why == "" && v.visitor.May(a.permission) > permit.None })
	for _, a := range x.acts {
		if a.why == "" && !a.elsewhere && v.visitor.May(a.permission) > permit.None {
			b := design.Button{Text: v.say("act." + a.name), Href: Prefix + x.path + "/act/" + a.name, Act: next && len(out) == 0}
			if a.main {
				b.Emphasis = design.Primary
			}
			out = append(out, b)
		}
	}
	return out
}

// impossible lists the acts that cannot be done now, with the reason.
func (v *visit) impossible(x *subject) (out []design.Fact) {
	for _, a := range x.acts {
		if a.why != "" && v.visitor.May(a.permission) > permit.None {
			out = append(out, design.Fact{Label: strings.TrimSuffix(v.say("act."+a.name), "…"), Text: v.say(a.why)})
		}
	}
	return out
}

// did says what was just done with an object.
func (v *visit) did(x *subject) *design.Notice {
	name := v.r.URL.Query().Get("did")
	if !slices.ContainsFunc(x.acts, func(a act) bool { return a.name == name }) {
		return nil
	}
	return &design.Notice{Tone: design.Good, Icon: "circle-check", Title: v.say("did." + name), Spoken: design.Status}
}

// amountOf is a field for an amount.
func (v *visit) amountOf(name, label string, first money.Amount, hint string) field {
	return field{kind: amountField, least: 1, Field: design.Field{Name: name, Label: v.say(label), Value: first.String(), Hint: hint}}
}

// pick is a field with a list of values, each with its text.
func (v *visit) pick(name, label, first string, options ...design.Option) field {
	return field{Field: design.Field{Name: name, Label: v.say(label), Value: first, Options: options}}
}
