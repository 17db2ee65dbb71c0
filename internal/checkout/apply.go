package checkout

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/buyer"
	"tenor/internal/design"
	"tenor/internal/underwriting"
)

func businessNames() []string {
	return []string{"legal_name", "trading_name", "entity", "ein", "revenue", "formed", "formed_in", "industry", "limit", "street", "city", "state", "zip", "phone"}
}

// filled are the answers with what is proposed for those that nobody has given yet: from the
// shop's billing address and its word about the buyer.
func (v *visit) filled() buyer.Draft {
	out := buyer.Draft{}
	propose := func(name string, texts ...string) {
		for _, text := range texts {
			if out[name] == "" {
				out[name] = text
			}
		}
	}
	b, x := v.x.Checkout.Billing, v.x.Buyer
	propose("legal_name", x.Company)
	propose("first_name", x.FirstName)
	propose("last_name", x.LastName)
	propose("phone", x.Phone)
	if b != nil {
		propose("legal_name", b.CompanyName)
		propose("first_name", b.FirstName)
		propose("last_name", b.LastName)
		propose("phone", b.PhoneNumber)
		propose("street", strings.TrimSuffix(b.Address1+", "+b.Address2, ", "))
		propose("city", b.City)
		propose("zip", b.Zip)
		if isState(strings.ToUpper(b.State)) {
			propose("state", strings.ToUpper(b.State))
			propose("formed_in", strings.ToUpper(b.State))
		}
	}
	propose("entity", string(entityOf(out["legal_name"])))
	propose("limit", strings.TrimPrefix(v.money(proposed(v.x.Checkout.Amount)), "$"))
	for name, text := range v.draft {
		out[name] = text
	}
	return out
}

// businessPage is page 2: the business.
func (v *visit) businessPage() error { return v.showBusiness(http.StatusOK, problems{}) }

// businessParts are the fields about the business itself.
func (v *visit) businessParts(d buyer.Draft, wrong problems) []part {
	f := v.fielder(d, wrong)
	choose := design.Option{Text: v.say("choose")}
	entities, names := []design.Option{choose}, []design.Option{choose}
	for _, t := range entityTypes() {
		entities = append(entities, design.Option{Value: string(t), Text: v.say("entity." + string(t))})
	}
	for _, s := range states() {
		names = append(names, design.Option{Value: s[0], Text: s[1]})
	}
	return []part{
		f("legal_name", design.Field{Hint: v.say("h.legal_name"), Autocomplete: "organization"}),
		f("trading_name", design.Field{Optional: true, Width: design.Half}),
		f("entity", design.Field{Options: entities, Width: design.Half}),
		f("ein", design.Field{Hint: v.say("h.ein"), InputMode: "numeric", Autocomplete: "off", Digits: true, Unspelled: true, Width: design.Half}),
		f("revenue", design.Field{Hint: v.say("h.revenue"), Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Width: design.Half}),
		f("formed", design.Field{Hint: v.say("h.formed"), Autocomplete: "off", Digits: true, Width: design.Half}),
		f("formed_in", design.Field{Hint: v.say("h.formed_in"), Options: names, Width: design.Half}),
		f("industry", design.Field{Hint: v.say("h.industry"), Optional: true}),
	}
}

// placeParts are the fields about where the business is.
func (v *visit) placeParts(d buyer.Draft, wrong problems) []part {
	f := v.fielder(d, wrong)
	codes := []design.Option{{Text: "–"}}
	for _, s := range states() {
		codes = append(codes, design.Option{Value: s[0], Text: s[0]})
	}
	return []part{
		f("street", design.Field{Autocomplete: "street-address"}),
		f("city", design.Field{Autocomplete: "address-level2", Width: design.Half}),
		f("state", design.Field{Autocomplete: "address-level1", Options: codes, Width: design.Sixth}),
		f("zip", design.Field{Autocomplete: "postal-code", InputMode: "numeric", Digits: true, Width: design.Third}),
		f("phone", design.Field{Type: "tel", Autocomplete: "tel", InputMode: "tel", Digits: true, Width: design.Half}),
	}
}

// fielder makes fields of answers, by their names.
func (v *visit) fielder(d buyer.Draft, wrong problems) func(string, design.Field) part {
	return func(name string, x design.Field) part {
		x.Name, x.Label, x.Value, x.Error, x.Max = name, v.say("f."+name), d[name], wrong[name], maxAnswer
		x.Required = !x.Optional
		return field(x)
	}
}

func (v *visit) showBusiness(status int, wrong problems) error {
	d := v.filled()
	form := &form{Action: v.path("business"), Groups: []group{
		{Legend: v.say("business.about"), Parts: v.businessParts(d, wrong)},
		{Legend: v.say("business.where"), Parts: v.placeParts(d, wrong)},
		{Legend: v.say("business.line"), Parts: []part{
			v.fielder(d, wrong)("limit", design.Field{Hint: v.say("h.limit"), Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Width: design.Half}),
		}},
	}}
	form.Acts = []design.Button{primary(v.say("go")), v.link("back.shop", "leave", design.Ghost)}
	if len(v.choices) > 0 {
		form.Acts[1] = v.link("back", "company", design.Ghost)
	}
	p := page{
		Shell: v.shell(2, v.say("business.title")), Form: form, Summary: form.summary(),
		Title: design.Title{Text: v.say("business.title"), Lead: v.say("business.lead"), Part: 1, Parts: 4},
	}
	p.Shell.Notices = append(p.Shell.Notices, design.Notice{Icon: "lock", Title: v.say("why"), Text: v.say("business.why", v.x.Merchant.Name)})
	if v.config.Desk.Sandbox {
		p.Shell.Notices = append(p.Shell.Notices, design.Notice{Icon: "square-terminal", Title: v.say("sandbox.ein"), Text: v.say("sandbox.ein.text")})
	}
	return v.show(status, p)
}

// saveBusiness keeps the answers, whatever they are, and goes on if they are complete.
func (v *visit) saveBusiness() error {
	d := v.answers(businessNames()...)
	if err := v.keep(d); err != nil {
		return err
	}
	if _, problems := v.business(d); len(problems) > 0 {
		return v.showBusiness(wrong, problems)
	}
	return v.to("you")
}

// youPage is page 3: who applies, who owns the business, and what they agree to.
func (v *visit) youPage() error { return v.showYou(http.StatusOK, problems{}) }

func (v *visit) showYou(status int, wrong problems) error {
	d := v.filled()
	form := &form{Action: v.path("you")}
	for n := range 1 + v.others(d) {
		form.Groups = append(form.Groups, v.personFields(d, n, wrong))
	}
	last := &form.Groups[len(form.Groups)-1]
	if n := v.others(d); n < moreOwners {
		last.Parts = append(last.Parts, part{Act: &design.Button{Text: v.say("you.add"), Name: "act", Value: "add", Icon: "plus"}})
	}
	tick := func(name, text, detail string) part {
		return check(design.Check{Name: name, Text: text, Detail: detail, Error: wrong[name], Required: name != "electronic"})
	}
	form.Groups = append(form.Groups, group{Legend: v.say("you.consents"), Parts: []part{
		tick("may_apply", v.say("you.may_apply", d["legal_name"]), ""),
		tick("credit_check", v.say("you.credit_check"), v.say("you.credit_check.more")),
		tick("electronic", v.say("you.electronic"), v.say("you.electronic.more")),
	}})
	form.Acts = []design.Button{primary(v.say("you.go")), v.link("back", "business", design.Ghost)}
	p := page{
		Shell: v.shell(2, v.say("you.title")), Form: form, Summary: form.summary(),
		Title: design.Title{Text: v.say("you.title"), Lead: v.say("you.lead"), Part: 2, Parts: 4},
	}
	p.Shell.Notices = append(p.Shell.Notices, design.Notice{Icon: "lock", Title: v.say("why"), Text: v.say("you.why", v.x.Merchant.Name)})
	return v.show(status, p)
}

// personFields are the fields about one of the owners. What is personal is not shown back:
// once it is kept the field is empty, and says so.
func (v *visit) personFields(d buyer.Draft, n int, wrong problems) group {
	f := func(name string, x design.Field) part {
		x.Name, x.Label, x.Error, x.Max, x.Required = owner(n, name), v.say("f."+name), wrong[owner(n, name)], maxAnswer, true
		x.Value = d[x.Name]
		if slices.Contains(secretNames(), name) {
			if x.Value != "" && x.Error == "" {
				x.Hint, x.Required = v.say("kept"), false
			}
			x.Value = ""
		}
		return field(x)
	}
	complete := func(text string) string { // only who applies has a browser here that knows
		if n == 0 {
			return text
		}
		return "off"
	}
	g := group{Legend: v.say("you.you"), Parts: []part{
		f("first_name", design.Field{Autocomplete: complete("given-name"), Width: design.Half}),
		f("last_name", design.Field{Autocomplete: complete("family-name"), Width: design.Half}),
	}}
	if n > 0 {
		g.Legend, g.Lead = v.say("you.other", strconv.Itoa(n+1)), v.say("you.other.lead")
	} else {
		g.Parts = append(g.Parts, f("title", design.Field{Hint: v.say("h.title"), Autocomplete: "organization-title", Width: design.Half}))
	}
	g.Parts = append(g.Parts,
		f("share", design.Field{Hint: v.say("h.share"), InputMode: "numeric", Autocomplete: "off", Digits: true, Width: design.Half}),
		f("birth", design.Field{Hint: v.say("h.birth"), Autocomplete: complete("bday"), InputMode: "text", Digits: true, Width: design.Half}),
		f("home", design.Field{Hint: v.say("h.home"), Autocomplete: "off", Unspelled: true}))
	if n > 0 {
		g.Parts = append(g.Parts, part{Act: &design.Button{Text: v.say("you.remove"), Name: "act", Value: "remove_" + strconv.Itoa(n), Icon: "minus", Emphasis: design.Ghost}})
	}
	return g
}

func secretNames() []string { return []string{"birth", "home"} }

func personNames() []string {
	return []string{"first_name", "last_name", "title", "share", "birth", "home"}
}

// typed are the answers of page 3. A personal one that was left empty stays as it was kept.
func (v *visit) typed() buyer.Draft {
	d := buyer.Draft{}
	for n := range 1 + v.others(v.draft) {
		for _, name := range personNames() {
			key := owner(n, name)
			d[key] = v.answer(key)
			if d[key] == "" && slices.Contains(secretNames(), name) {
				d[key] = v.draft[key]
			}
		}
	}
	return d
}

// apply keeps the answers and sends the application. Two clicks are one.
func (v *visit) apply() error {
	d := v.typed()
	act := v.answer("act")
	if act == "add" || strings.HasPrefix(act, "remove_") {
		v.changeOwners(d, act)
		if err := v.keep(d); err != nil {
			return err
		}
		return v.to("you")
	}
	if err := v.keep(d); err != nil {
		return err
	}
	owners, problems := v.people(v.draft)
	for _, name := range []string{"may_apply", "credit_check"} {
		if v.answer(name) != "yes" {
			problems[name] = v.say("wrong." + name)
		}
	}
	b, more := v.business(v.draft)
	switch {
	case len(more) > 0:
		return v.to("business")
	case len(problems) > 0:
		return v.showYou(wrong, problems)
	}
	limit, _ := dollars(v.draft["limit"])
	return v.send(buyer.Form{
		Kind: underwriting.New, Owners: owners, Business: b, Requested: limit, Consents: v.consents(),
		Applicant: buyer.Applicant{FirstName: owners[0].FirstName, LastName: owners[0].LastName, Title: owners[0].Title, Email: v.session.Email, Phone: b.Phone},
	}, 0)
}

func (v *visit) consents() buyer.Consents {
	return buyer.Consents{
		CreditCheck: v.answer("credit_check") == "yes", ElectronicRecords: v.answer("electronic") == "yes", AcceptedAt: v.config.Desk.Now(), IP: v.address, UserAgent: v.agent(),
	}
}

// agent is how the browser calls itself.
func (v *visit) agent() string {
	text := strings.ToValidUTF8(v.r.UserAgent(), "")
	return text[:min(len(text), 300)]
}

// changeOwners adds an owner to the answers, or takes one out.
func (v *visit) changeOwners(d buyer.Draft, act string) {
	count := v.others(v.draft)
	if act == "add" {
		d["others"] = strconv.Itoa(min(count+1, moreOwners))
		return
	}
	gone, err := strconv.Atoi(strings.TrimPrefix(act, "remove_"))
	if err != nil || gone < 1 || gone > count {
		return
	}
	for n := gone; n <= count; n++ {
		for _, name := range personNames() {
			d[owner(n, name)] = d[owner(n+1, name)] // of the last, nothing
		}
	}
	d["others"] = strconv.Itoa(count - 1)
}

// decideWait is how long a page waits for a decision itself. After that the desk goes on, and
// the next page looks again.
const decideWait = 1500 * time.Millisecond

// send sends an application once and asks for its decision. company is that of a higher line.
func (v *visit) send(f buyer.Form, company int64) error {
	d := v.config.Desk
	through := buyer.Through{Merchant: v.x.Checkout.Merchant, Checkout: v.x.Checkout.ID}
	once := "apply/" + v.x.Checkout.ID
	if company != 0 {
		through.Company, through.Person = company, v.person.ID
		once += "/" + strconv.Itoa(v.x.Company.Version)
	}
	first, err := d.Once(v.ctx(), once)
	if err != nil {
		return err
	}
	if !first {
		return v.next()
	}
	a, err := d.Send(v.ctx(), f, through, v.address)
	if err != nil {
		if again := d.Again(v.ctx(), once); again != nil || refused(err) == nil {
			return errors.Join(err, again)
		}
		return v.next() // the records say why
	}
	if err := v.sent(); err != nil {
		return err
	}
	wait, stop := context.WithTimeout(v.ctx(), decideWait)
	defer stop()
	if err := d.Decide(wait, a.ID); err != nil && wait.Err() == nil {
		return err
	}
	return v.toOutcome()
}

// sent forgets what was typed, which stands in the application by now, and notes the time.
func (v *visit) sent() error {
	if err := v.config.Desk.DropDraft(v.ctx(), v.session); err != nil {
		return err
	}
	v.draft = buyer.Draft{}
	return v.keep(buyer.Draft{"sent": v.config.Desk.Wall().UTC().Format(time.RFC3339)})
}

// toOutcome leads to what was decided: that is shown once, also where it does not suffice.
func (v *visit) toOutcome() error {
	if err := v.again(); err != nil {
		return err
	}
	if v.may("decision") {
		return v.to("decision")
	}
	return v.to(v.at)
}
