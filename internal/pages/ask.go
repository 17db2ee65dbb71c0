package pages

import (
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/underwriting"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// BusinessNames returns the names of the answers about the business.
func BusinessNames() []string {
	return []string{"legal_name", "trading_name", "entity", "ein", "revenue", "formed", "formed_in", "industry", "limit", "street", "city", "state", "zip", "phone"}
}

// BusinessParts returns the fields about the business itself.
func (c *Call) BusinessParts(d buyer.Draft, wrong Problems) []Part {
	f := c.Fielder(d, wrong)
	choose := design.Option{Text: c.Say("choose")}
	entities, names := []design.Option{choose}, []design.Option{choose}
	for _, t := range entityTypes() {
		entities = append(entities, design.Option{Value: string(t), Text: c.Say("entity." + string(t))})
	}
	for _, s := range states() {
		names = append(names, design.Option{Value: s[0], Text: s[1]})
	}
	return []Part{
		f("legal_name", design.Field{Hint: c.Say("h.legal_name"), Autocomplete: "organization"}),
		f("trading_name", design.Field{Optional: true, Width: design.Half}),
		f("entity", design.Field{Options: entities, Width: design.Half}),
		f("ein", design.Field{Hint: c.Say("h.ein"), InputMode: "numeric", Autocomplete: "off", Digits: true, Unspelled: true, Width: design.Half}),
		f("revenue", design.Field{Hint: c.Say("h.revenue"), Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Width: design.Half}),
		f("formed", design.Field{Hint: c.Say("h.formed"), Autocomplete: "off", Digits: true, Width: design.Half}),
		f("formed_in", design.Field{Hint: c.Say("h.formed_in"), Options: names, Width: design.Half}),
		f("industry", design.Field{Hint: c.Say("h.industry"), Optional: true}),
	}
}

// PlaceParts returns the fields about the location of the business.
func (c *Call) PlaceParts(d buyer.Draft, wrong Problems) []Part {
	f := c.Fielder(d, wrong)
	codes := []design.Option{{Text: "–"}}
	for _, s := range states() {
		codes = append(codes, design.Option{Value: s[0], Text: s[0]})
	}
	return []Part{
		f("street", design.Field{Autocomplete: "street-address"}),
		f("city", design.Field{Autocomplete: "address-level2", Width: design.Half}),
		f("state", design.Field{Autocomplete: "address-level1", Options: codes, Width: design.Sixth}),
		f("zip", design.Field{Autocomplete: "postal-code", InputMode: "numeric", Digits: true, Width: design.Third}),
		f("phone", design.Field{Type: "tel", Autocomplete: "tel", InputMode: "tel", Digits: true, Width: design.Half}),
	}
}

// Fielder returns a function that creates fields by name.
func (c *Call) Fielder(d buyer.Draft, wrong Problems) func(string, design.Field) Part {
	return func(name string, x design.Field) Part {
		x.Name, x.Label, x.Value, x.Error, x.Max = name, c.Say("f."+name), d[name], wrong[name], MaxAnswer
		x.Required = !x.Optional
		return FieldPart(x)
	}
}

// BusinessForm is the form about the business: what it is, where it is, and the line it asks for,
// with a hint about the line.
func (c *Call) BusinessForm(d buyer.Draft, wrong Problems, action, limit string, back design.Button) *Form {
	return &Form{Action: action, Acts: []design.Button{Primary(c.Say("go")), back}, Groups: []Group{
		{Legend: c.Say("business.about"), Parts: c.BusinessParts(d, wrong)},
		{Legend: c.Say("business.where"), Parts: c.PlaceParts(d, wrong)},
		{Legend: c.Say("business.line"), Parts: []Part{
			c.Fielder(d, wrong)("limit", design.Field{Hint: limit, Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Width: design.Half}),
		}},
	}}
}

// BusinessNotices are shown next to it: why a merchant with this name asks, and the meaning of
// tax numbers in a sandbox.
func (c *Call) BusinessNotices(merchant string) []design.Notice {
	out := []design.Notice{{Icon: "lock", Title: c.Say("why"), Text: c.Say("business.why", merchant)}}
	if c.Desk.Sandbox {
		out = append(out, design.Notice{Icon: "square-terminal", Title: c.Say("sandbox.ein"), Text: c.Say("sandbox.ein.text")})
	}
	return out
}

// YouForm is the form about the applicant, the owners of the business, and their consents.
func (c *Call) YouForm(d buyer.Draft, wrong Problems, action string, back design.Button) *Form {
	form := &Form{Action: action, Acts: []design.Button{Primary(c.Say("you.go")), back}}
	for n := range 1 + c.Others(d) {
		form.Groups = append(form.Groups, c.PersonFields(d, n, wrong))
	}
	last := &form.Groups[len(form.Groups)-1]
	if n := c.Others(d); n < MoreOwners {
		last.Parts = append(last.Parts, Part{Act: &design.Button{Text: c.Say("you.add"), Name: "act", Value: "add", Icon: "plus"}})
	}
	tick := func(name, text, detail string) Part {
		return CheckPart(design.Check{Name: name, Text: text, Detail: detail, Error: wrong[name], Required: name != "electronic", Optional: name == "electronic"})
	}
	form.Groups = append(form.Groups, Group{Legend: c.Say("you.consents"), Parts: []Part{
		tick("may_apply", c.Say("you.may_apply", d["legal_name"]), ""),
		tick("credit_check", c.Say("you.credit_check"), c.Say("you.credit_check.more")),
		tick("electronic", c.Say("you.electronic"), c.Say("you.electronic.more")),
	}})
	return form
}

// ReadYou saves the answers of that form, and combines them with those about the business into
// the application to submit. Otherwise it returns the next page, or what is wrong.
func (c *Call) ReadYou() (f buyer.Form, step string, wrong Problems, err error) {
	d := c.Typed()
	act := c.Answer("act")
	if act == "add" || strings.HasPrefix(act, "remove_") {
		c.ChangeOwners(d, act)
		return f, "you", nil, c.Keep(d)
	}
	if err := c.Keep(d); err != nil {
		return f, "", nil, err
	}
	owners, wrong := c.People(c.Draft)
	for _, name := range []string{"may_apply", "credit_check"} {
		if c.Answer(name) != "yes" {
			wrong[name] = c.Say("wrong." + name)
		}
	}
	b, more := c.Business(c.Draft)
	if len(more) > 0 {
		return f, "business", nil, nil
	}
	limit, _ := Dollars(c.Draft["limit"])
	return buyer.Form{
		Kind: underwriting.New, Owners: owners, Business: b, Requested: limit, Consents: c.Consents(),
		Applicant: buyer.Applicant{FirstName: owners[0].FirstName, LastName: owners[0].LastName, Title: owners[0].Title, Email: c.Session.Email, Phone: b.Phone},
	}, "", wrong, nil
}

// PersonFields are the fields about one of the owners. Personal data is not shown again: once it
// is saved, the field is empty and says so.
func (c *Call) PersonFields(d buyer.Draft, n int, wrong Problems) Group {
	f := func(name string, x design.Field) Part {
		x.Name, x.Label, x.Error, x.Max, x.Required = owner(n, name), c.Say("f."+name), wrong[owner(n, name)], MaxAnswer, true
		x.Value = d[x.Name]
		if slices.Contains(SecretNames(), name) {
			if x.Value != "" && x.Error == "" {
				x.Hint, x.Required = c.Say("kept"), false
			}
			x.Value = ""
		}
		return FieldPart(x)
	}
	complete := func(text string) string { // only the applicant's own browser knows her data
		if n == 0 {
			return text
		}
		return "off"
	}
	g := Group{Legend: c.Say("you.you"), Parts: []Part{
		f("first_name", design.Field{Autocomplete: complete("given-name"), Width: design.Half}),
		f("last_name", design.Field{Autocomplete: complete("family-name"), Width: design.Half}),
	}}
	if n > 0 {
		g.Legend, g.Lead = c.Say("you.other", strconv.Itoa(n+1)), c.Say("you.other.lead")
	} else {
		g.Parts = append(g.Parts, f("title", design.Field{Hint: c.Say("h.title"), Autocomplete: "organization-title", Width: design.Half}))
	}
	g.Parts = append(g.Parts,
		f("share", design.Field{Hint: c.Say("h.share"), InputMode: "numeric", Autocomplete: "off", Digits: true, Width: design.Half}),
		f("birth", design.Field{Hint: c.Say("h.birth"), Autocomplete: complete("bday"), InputMode: "text", Digits: true, Width: design.Half}),
		f("home", design.Field{Hint: c.Say("h.home"), Autocomplete: "off", Unspelled: true}))
	if n > 0 {
		g.Parts = append(g.Parts, Part{Act: &design.Button{Text: c.Say("you.remove"), Name: "act", Value: "remove_" + strconv.Itoa(n), Icon: "minus", Emphasis: design.Ghost}})
	}
	return g
}

// SecretNames returns the names of answers that are never shown again.
func SecretNames() []string { return []string{"birth", "home"} }

// PersonNames returns the names of the answers about one of the owners.
func PersonNames() []string {
	return []string{"first_name", "last_name", "title", "share", "birth", "home"}
}

// Typed returns the answers about the people. A personal one left empty keeps its saved value.
func (c *Call) Typed() buyer.Draft {
	d := buyer.Draft{}
	for n := range 1 + c.Others(c.Draft) {
		for _, name := range PersonNames() {
			key := owner(n, name)
			d[key] = c.Answer(key)
			if d[key] == "" && slices.Contains(SecretNames(), name) {
				d[key] = c.Draft[key]
			}
		}
	}
	return d
}

// Consents returns the form's consents, with where they were given.
func (c *Call) Consents() buyer.Consents {
	return buyer.Consents{
		CreditCheck: c.Answer("credit_check") == "yes", ElectronicRecords: c.Answer("electronic") == "yes", AcceptedAt: c.Desk.Now(), IP: c.Address, UserAgent: c.Agent(),
	}
}

// Agent returns the browser's user agent.
func (c *Call) Agent() string {
	text := strings.ToValidUTF8(c.R.UserAgent(), "")
	return text[:min(len(text), 300)]
}

// ChangeOwners adds an owner to the answers, or removes one.
func (c *Call) ChangeOwners(d buyer.Draft, act string) {
	count := c.Others(c.Draft)
	if act == "add" {
		d["others"] = strconv.Itoa(min(count+1, MoreOwners))
		return
	}
	gone, err := strconv.Atoi(strings.TrimPrefix(act, "remove_"))
	if err != nil || gone < 1 || gone > count {
		return
	}
	for n := gone; n <= count; n++ {
		for _, name := range PersonNames() {
			d[owner(n, name)] = d[owner(n+1, name)] // nothing for the last one
		}
	}
	d["others"] = strconv.Itoa(count - 1)
}
