package accountpages

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// banks lists the accounts of the business, and which of them are used for autopay.
func (v *visit) banks() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	s := section{Head: design.Heading{ID: "accounts", Text: v.Say("banks.accounts")}, Empty: v.Say("banks.none")}
	for _, m := range b.Methods {
		s.Items = append(s.Items, v.bankItem(b, m))
	}
	auto := section{Head: design.Heading{ID: "autopay", Text: v.Say("repay.later")}, Text: v.Say("a.autopay.text"), Facts: v.autopayFacts(b)}
	if v.owns() {
		s.Acts = []design.Button{v.link("banks.add", "/banks/add", design.Outline)}
		auto.Acts = []design.Button{v.link("a.autopay.change", "/autopay", design.Outline)}
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("banks", v.Say("a.tab.banks")), Title: design.Title{Text: v.Say("a.tab.banks"), Lead: v.company.Name}, Sections: []section{s, auto},
	})
}

func (v *visit) bankItem(b *buyer.Book, m *credit.PaymentMethod) item {
	x := item{Icon: "landmark", Text: capital(v.Account(m))}
	if m.Card != nil {
		x.Icon = "credit-card"
	}
	switch {
	case m.Status == credit.MethodUnverified && m.Verification != nil:
		x.Badge = &design.Badge{Tone: design.Warn, Text: v.Say("banks.unproved", v.Day(m.Verification.ExpiresOn))}
		if v.owns() {
			x.Acts = append(x.Acts, act{Text: v.Say("a.prove.go"), Label: x.Text, Href: Prefix + "/banks/verify?account=" + m.ID})
		}
	case m.Status == credit.MethodUnverified:
		x.Badge = &design.Badge{Tone: design.Warn, Text: v.Say("banks.waiting")}
	case m.Status == credit.MethodDisabled:
		x.Badge = &design.Badge{Tone: design.Bad, Text: v.Say("banks.disabled")}
	case v.autopays(b, m):
		x.Badge = &design.Badge{Tone: design.Good, Text: v.Say("banks.autopay")}
	default:
		x.Badge = &design.Badge{Text: v.Say("banks.ready")}
	}
	if v.owns() {
		x.Acts = append(x.Acts, act{Text: v.Say("banks.remove"), Label: x.Text, Action: Prefix + "/banks", Name: "remove", Value: m.ID})
	}
	return x
}

// autopays reports whether autopay debits an account.
func (v *visit) autopays(b *buyer.Book, m *credit.PaymentMethod) bool {
	return slices.ContainsFunc(b.Company.Linked, func(id string) bool {
		a := b.Company.AutopayOf(id)
		return a.Enabled && a.Method == m.ID
	})
}

// autopayFacts says for each shop whether its orders are debited, and from which account.
func (v *visit) autopayFacts(b *buyer.Book) (out []design.Fact) {
	for _, id := range b.Company.Linked {
		text := v.Say("a.off")
		a := b.Company.AutopayOf(id)
		if m := b.Method(a.Method); a.Enabled && m != nil {
			text = v.Say("banks.from", v.Account(m))
		}
		out = append(out, design.Fact{Label: b.Merchant(id), Text: text})
	}
	return out
}

// removeBank removes an account.
func (v *visit) removeBank() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	m := b.Method(v.Answer("remove"))
	switch {
	case !v.owns():
		return v.stop(http.StatusForbidden, "role")
	case m == nil:
		return v.stop(http.StatusNotFound, "lost")
	}
	if err := v.Desk.RemoveAccount(v.Ctx(), v.Person.ID, m.ID, v.Address); err != nil {
		if pages.Refused(err) == nil {
			return err
		}
		return v.stop(http.StatusConflict, "refused")
	}
	return v.done("/banks", "removed")
}

// addBank asks for another account.
func (v *visit) addBank() error { return v.showAddBank(http.StatusOK, pages.Problems{}) }

func (v *visit) showAddBank(status int, wrong pages.Problems) error {
	f := &pages.Form{Action: Prefix + "/banks/add", Acts: []design.Button{pages.Primary(v.Say("banks.add")), v.back("/banks")}}
	g := pages.Group{}
	for _, x := range v.AccountFields(cmp.Or(v.company.LegalName, v.company.Name), wrong) {
		g.Parts = append(g.Parts, pages.FieldPart(x))
	}
	g.Parts = append(g.Parts, pages.CheckPart(design.Check{Name: "debits", Text: v.Say("banks.agree", v.lender(), cmp.Or(v.company.LegalName, v.company.Name)), Detail: v.Say("banks.agree.more", v.Ask()), Error: wrong["debits"], Required: true}))
	f.Groups = []pages.Group{g}
	p := page{Shell: v.shell("banks", v.Say("banks.add")), Title: design.Title{Text: v.Say("banks.add"), Lead: v.Say("banks.add.lead")}, Form: f, Summary: f.Summary()}
	if text := wrong["refused"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	return v.show(status, p)
}

// saveBank adds the account. One that needs verification waits for two small deposits.
func (v *visit) saveBank() error {
	wrong := pages.Problems{}
	a := v.ReadAccount(wrong)
	if v.Answer("debits") != "yes" {
		wrong["debits"] = v.Say("banks.wrong.agree")
	}
	if len(wrong) > 0 {
		return v.showAddBank(pages.Wrong, wrong)
	}
	m, err := v.Desk.AddAccount(v.Ctx(), buyer.Debits{
		Company: v.company.ID, Person: v.Person.ID, New: a, AcceptedAt: v.Desk.Now().Truncate(time.Second), Reference: "account " + v.Session.Form[:8] + " " + a.Last4(),
	}, v.Address)
	if err != nil {
		text, ok := v.refused(err)
		if !ok {
			return err
		}
		if r := pages.Refused(err); r.Code == credit.PaymentMethodLocked.Code && v.proving(a.Last4()) { // a second click
			return v.done("/banks", "proving")
		}
		return v.showAddBank(http.StatusConflict, pages.Problems{"refused": text})
	}
	if !m.Usable() {
		return v.done("/banks", "proving")
	}
	return v.done("/banks", "added")
}

// proving reports whether an account with these last digits is waiting for its two deposits.
func (v *visit) proving(last4 string) bool {
	b, err := v.book()
	return err == nil && slices.ContainsFunc(b.Methods, func(m *credit.PaymentMethod) bool {
		return m.Bank != nil && m.Bank.Last4 == last4 && m.Status == credit.MethodUnverified && m.Verification != nil
	})
}

// verifyBank asks for the amounts of the two deposits.
func (v *visit) verifyBank() error {
	return v.showVerify(http.StatusOK, v.R.URL.Query().Get("account"), pages.Problems{})
}

func (v *visit) showVerify(status int, id string, wrong pages.Problems) error {
	b, err := v.book()
	if err != nil {
		return err
	}
	m := b.Method(id)
	if m == nil || m.Status != credit.MethodUnverified || m.Verification == nil {
		return v.to("/banks")
	}
	f := &choosing{Action: Prefix + "/banks/verify", Hidden: []hidden{{"account", id}}, Acts: []design.Button{pages.Primary(v.Say("verify.go")), v.back("/banks")}}
	for _, name := range []string{"first", "second"} {
		f.Fields = append(f.Fields, design.Field{Name: name, Label: v.Say("verify." + name), Hint: v.Say("verify.hint"), Error: cmp.Or(wrong["both"], wrong[name]), Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Max: 10, Required: true, Width: design.Half})
	}
	summary := design.Summarize(f.Fields[0], f.Fields[1])
	if wrong["both"] != "" { // one error, shown once
		summary = design.Summarize(f.Fields[0])
	}
	return v.show(status, page{
		Shell: v.shell("banks", v.Say("verify.title")), Title: design.Title{Text: v.Say("verify.title"), Lead: v.Say("verify.lead", v.Account(m), v.Day(m.Verification.ExpiresOn), 3-m.Verification.Tries)},
		Summary: summary, Sections: []section{{Choices: f}},
	})
}

// proveBank verifies them. The third wrong answer ends the verification.
func (v *visit) proveBank() error {
	id, wrong := v.Answer("account"), pages.Problems{}
	var amounts []money.Amount
	for _, name := range []string{"first", "second"} {
		a, ok := pages.Dollars(strings.TrimPrefix(v.Answer(name), "$"))
		if !ok || a >= 1_00 {
			wrong[name] = v.Say("verify.wrong")
		}
		amounts = append(amounts, a)
	}
	b, err := v.book()
	if err != nil {
		return err
	}
	switch {
	case b.Method(id) == nil:
		return v.stop(http.StatusNotFound, "lost")
	case len(wrong) > 0:
		return v.showVerify(pages.Wrong, id, wrong)
	}
	m, err := v.Desk.VerifyAccount(v.Ctx(), v.Person.ID, id, amounts, v.Address)
	switch {
	case pages.Refused(err) != nil:
		return v.to("/banks")
	case err != nil:
		return err
	case m.Usable():
		return v.done("/banks", "proved")
	case m.Status == credit.MethodDisabled:
		return v.done("/banks", "unproved")
	}
	return v.showVerify(pages.Wrong, id, pages.Problems{"both": v.Say("verify.other")}) // it does not say which of the two is wrong
}

// autopay asks which account to debit for each shop's orders.
func (v *visit) autopay() error { return v.showAutopay(http.StatusOK, pages.Problems{}) }

func (v *visit) showAutopay(status int, wrong pages.Problems) error {
	b, err := v.book()
	if err != nil {
		return err
	}
	if b.Company.AutopayPaused() != "" {
		return v.show(http.StatusOK, page{
			Shell: v.shell("banks", v.Say("repay.later")), Title: design.Title{Text: v.Say("a.paused"), Lead: v.Say("a.paused.text", v.Ask())}, Acts: []design.Button{v.link("back", "/banks", design.Outline)},
		})
	}
	c := &choosing{Action: Prefix + "/autopay", Acts: []design.Button{pages.Primary(v.Say("autopay.go")), v.back("/banks")}}
	var faulty []design.Faulty
	for _, id := range b.Company.Linked {
		x := v.autopayChoices(b, id, wrong)
		c.Cards, faulty = append(c.Cards, x), append(faulty, x)
	}
	c.Terms = []string{v.Say("autopay.terms", v.lender(), cmp.Or(v.company.LegalName, v.company.Name)), v.Say("debit.when"), v.Say("debit.revoke", v.Ask())}
	c.Checks = []design.Check{{Name: "debits", Text: v.Say("debit.agree"), Detail: v.Say("autopay.agree.more"), Error: wrong["debits"]}}
	p := page{
		Shell: v.shell("banks", v.Say("autopay.title")), Title: design.Title{Text: v.Say("autopay.title"), Lead: v.Say("autopay.lead")},
		Summary: design.Summarize(append(faulty, c.Checks[0])...), Sections: []section{{Choices: c}},
	}
	if text := wrong["refused"]; text != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: text, Spoken: design.Alert}}
	}
	return v.show(status, p)
}

func (v *visit) autopayChoices(b *buyer.Book, merchant string, wrong pages.Problems) design.Choices {
	a := b.Company.AutopayOf(merchant)
	c := design.Choices{Name: "autopay_" + merchant, Legend: b.Merchant(merchant), Error: wrong["autopay_"+merchant]}
	for _, m := range v.debitable(b, merchant) {
		c.Choices = append(c.Choices, design.Choice{Value: m.ID, Text: v.Say("repay.auto", v.Account(m)), Chosen: a.Enabled && a.Method == m.ID})
	}
	off := !slices.ContainsFunc(c.Choices, func(x design.Choice) bool { return x.Chosen })
	c.Choices = append(c.Choices, design.Choice{Value: "off", Text: v.Say("debit.self"), Detail: v.Say("autopay.self"), Chosen: off})
	return c
}

// debitable returns the accounts that an owner may use for a shop's orders.
func (v *visit) debitable(b *buyer.Book, merchant string) (out []*credit.PaymentMethod) {
	for _, m := range b.Methods {
		if m.Bank != nil && m.Usable() && m.UsableBy(credit.Actor{Merchant: merchant}) {
			out = append(out, m)
		}
	}
	return out
}

// setAutopay changes autopay as chosen, shop by shop. Unchanged choices stay as they are.
func (v *visit) setAutopay() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	wrong, changed := pages.Problems{}, map[string]string{}
	for _, id := range b.Company.Linked {
		how, a := v.Answer("autopay_"+id), b.Company.AutopayOf(id)
		known := slices.ContainsFunc(v.debitable(b, id), func(m *credit.PaymentMethod) bool { return m.ID == how })
		switch {
		case how != "off" && !known:
			wrong["autopay_"+id] = v.Say("wrong.how")
		case how == "off" && a.Enabled, how != "off" && (!a.Enabled || a.Method != how):
			changed[id] = how
		}
	}
	if v.Answer("debits") != "yes" && slices.ContainsFunc(b.Company.Linked, func(id string) bool { return changed[id] != "" && changed[id] != "off" }) {
		wrong["debits"] = v.Say("wrong.debits")
	}
	if len(wrong) > 0 {
		return v.showAutopay(pages.Wrong, wrong)
	}
	for _, id := range b.Company.Linked {
		if err := v.switchAutopay(id, changed[id]); err != nil {
			text, ok := v.refused(err)
			if !ok {
				return err
			}
			return v.showAutopay(http.StatusConflict, pages.Problems{"refused": text})
		}
	}
	return v.done("/banks", "autopay")
}

func (v *visit) switchAutopay(merchant, how string) error {
	switch how {
	case "":
		return nil
	case "off":
		return v.Desk.StopAutopay(v.Ctx(), v.Person.ID, v.company.ID, merchant, v.Address)
	}
	_, err := v.Desk.StartAutopay(v.Ctx(), buyer.Debits{
		Company: v.company.ID, Merchant: merchant, Person: v.Person.ID, Method: how, AcceptedAt: v.Desk.Now(), Reference: "account",
	}, v.Address)
	return err
}
