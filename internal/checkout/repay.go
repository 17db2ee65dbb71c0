package checkout

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/buyer"
	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/design"
)

// repayment is how the payments are made.
type repayment struct {
	Action, Key, For string
	How, Text        string // where there is nothing to choose
	Next             design.Table
	Later            *design.Notice
	Choose           *debiting
	Acts             []design.Button
}

// debiting is what an owner may choose of: each account on record, another one, or none.
type debiting struct {
	Choices design.Choices
	Lead    string // above the fields of another account
	Fields  []design.Field
	Terms   []string // the authorization, sentence by sentence
	All     dates
	Agree   design.Check
}

// Ways to repay, beside the identifiers of accounts on record.
const (
	paysSelf  = "self"
	paysNew   = "new"   // from the account that is typed with it
	paysTyped = "typed" // from the account that was typed before
	paysSeen  = "seen"  // autopay was on already
)

// debits is how many payments are shown before all of them are.
const debits = 3

// repayPage is page 6: how the payments are made. Autopay that is on stays on; an owner may
// have it switched on with the acceptance.
func (v *visit) repayPage() error { return v.showRepay(http.StatusOK, v.draft["repay"], problems{}) }

func (v *visit) showRepay(status int, how string, wrong problems) error {
	o, _ := v.chosen()
	x := o.Disclosure
	account, err := v.config.Desk.AutopayAccount(v.ctx(), v.company, v.x.Checkout.Merchant)
	if err != nil {
		return err
	}
	f := &repayment{Action: v.path("repay"), Key: v.key(), For: v.repayFor(), How: v.say("repay.self"), Text: v.say("repay.self.text", v.session.Masked())}
	p := page{
		Shell: v.shell(4, v.say("repay.title")), Repay: f, After: v.say("terms.after"),
		Title: design.Title{Text: v.say("repay.title"), Lead: v.say("repay.lead", v.planName(o), v.money(x.Payment))},
	}
	column, day := v.say("dates.due"), func(d calendar.Date) calendar.Date { return d }
	switch {
	case account != nil:
		f.How, f.Text = v.say("repay.auto", v.account(account)), v.say("repay.auto.text")
		column, day = v.say("repay.debited"), collected
		if v.config.Account != "" {
			f.Later = &design.Notice{Icon: "landmark", Text: v.say("repay.off"), Links: []design.Link{{Text: v.say("account"), Href: v.config.Account}}}
		}
	case v.mayDebit():
		if f.Choose, err = v.debiting(o, how, wrong); err != nil {
			return err
		}
		p.Summary = f.Choose.summary()
	default:
		f.Later = &design.Notice{Icon: "landmark", Title: v.say("repay.later"), Text: v.say("repay.later.owner")}
		if v.company.AutopayPaused() != "" {
			f.Later.Text = v.say("repay.later.paused", v.contact())
		}
	}
	f.Next = v.payments(x, v.say("repay.next"), column, debits, day)
	f.Acts = []design.Button{primary(v.say("go")), v.link("back", "terms", design.Ghost)}
	return v.show(status, p)
}

// payments is a table of the first n payments of a plan, each with its day.
func (v *visit) payments(x credit.Disclosure, caption, column string, n int, day func(calendar.Date) calendar.Date) design.Table {
	t := design.Table{Caption: caption, Columns: []design.Column{{Text: column}, {Text: v.say("dates.payment"), Number: true}}}
	for _, r := range x.Rows[:min(n, len(x.Rows))] {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: v.day(day(r.DueDate))}, {Text: v.money(r.Amount)}}})
	}
	return t
}

// collected is the day on which a payment is debited: due dates that are no banking days move on.
func collected(due calendar.Date) calendar.Date {
	if due.IsBankingDay() {
		return due
	}
	return due.NextBankingDay()
}

// mayDebit reports that the person may have the business's accounts debited: an owner, where
// nothing has come back that the lender looks into.
func (v *visit) mayDebit() bool {
	role, _ := v.person.RoleAt(v.company.ID)
	return role.Role == credit.RoleOwner && v.company.AutopayPaused() == ""
}

// debiting is what there is to choose of. Of a number that was typed nothing comes back but
// its last four digits.
func (v *visit) debiting(o credit.Offer, how string, wrong problems) (*debiting, error) {
	all, err := v.config.Desk.AutopayChoices(v.ctx(), v.company.ID, v.x.Checkout.Merchant)
	if err != nil {
		return nil, err
	}
	f := &debiting{
		Choices: design.Choices{Name: "how", Legend: v.say("repay.title"), LegendHidden: true, Error: wrong["how"]},
		Lead:    v.say("debit.new.lead"), Fields: v.accountFields(wrong), Terms: v.debitTerms(o),
		All:   dates{v.say("debit.all"), v.payments(o.Disclosure, v.say("debit.all"), v.say("repay.debited"), len(o.Disclosure.Rows), collected)},
		Agree: design.Check{Name: "debits", Text: v.say("debit.agree"), Error: wrong["debits"]},
	}
	add := func(value, text, detail string) {
		f.Choices.Choices = append(f.Choices.Choices, design.Choice{Value: value, Text: text, Detail: detail, Chosen: value == how})
	}
	for _, m := range all {
		add(m.ID, v.say("repay.auto", v.account(m)), v.say("debit.on.record"))
	}
	if a, ok := v.otherAccount(); ok {
		if how == paysNew && len(wrong) == 0 {
			how = paysTyped
		}
		add(paysTyped, v.say("repay.auto", v.bank(a.Type, a.Last4())), v.say("debit.typed"))
	}
	add(paysNew, v.say("debit.new"), v.say("debit.new.more"))
	add(paysSelf, v.say("debit.self"), v.say("repay.self.text", v.session.Masked()))
	if !slices.ContainsFunc(f.Choices.Choices, func(c design.Choice) bool { return c.Chosen }) {
		f.Choices.Choices[len(f.Choices.Choices)-1].Chosen = true
	}
	return f, nil
}

// accountFields ask for another account. They are needed only where it is chosen.
func (v *visit) accountFields(wrong problems) []design.Field {
	holder := v.answer("holder")
	if holder == "" {
		holder = cmp.Or(v.company.LegalName, v.company.Name)
	}
	kind := v.answer("kind")
	return []design.Field{
		{Name: "routing", Label: v.say("debit.routing"), Hint: v.say("debit.routing.hint"), Error: wrong["routing"], InputMode: "numeric", Autocomplete: "off", Max: maxBank, Digits: true, Unspelled: true, Width: design.Half},
		{Name: "number", Label: v.say("debit.number"), Hint: v.say("debit.number.hint"), Error: wrong["number"], InputMode: "numeric", Autocomplete: "off", Max: maxBank, Digits: true, Unspelled: true, Width: design.Half},
		{Name: "kind", Label: v.say("debit.kind"), Error: wrong["kind"], Value: kind, Width: design.Half, Options: []design.Option{
			{Value: checking, Text: v.say("debit.checking")}, {Value: savings, Text: v.say("debit.savings")},
		}},
		{Name: "holder", Label: v.say("debit.holder"), Error: wrong["holder"], Value: holder, Autocomplete: "organization", Max: maxHolder, Width: design.Half},
	}
}

// Kinds of accounts, and the most characters that are typed of one: digits with spaces
// between them, and a name as the API takes it.
const (
	checking  = "CHECKING"
	savings   = "SAVINGS"
	maxBank   = 30
	maxHolder = 100
)

// summary gathers what is wrong, in the order of the page.
func (f *debiting) summary() design.Summary {
	all := []design.Faulty{f.Choices}
	for _, x := range f.Fields {
		all = append(all, x)
	}
	return design.Summarize(append(all, f.Agree)...)
}

// account names an account without telling its number.
func (v *visit) account(m *credit.PaymentMethod) string {
	switch {
	case m.Bank != nil:
		return v.bank(m.Bank.AccountType, m.Bank.Last4)
	case m.Card != nil:
		return v.say("card", m.Card.Last4)
	}
	return m.ID
}

func (v *visit) bank(kind, last4 string) string {
	if kind == savings {
		return v.say("bank.savings", last4)
	}
	return v.say("bank.checking", last4)
}

// chooseRepay keeps how the payments are to be made. Nothing is switched before the order is
// accepted. A form that was for another business or other terms chooses nothing.
func (v *visit) chooseRepay() error {
	if v.answer("for") != v.repayFor() {
		return v.to("repay")
	}
	on, err := v.config.Desk.AutopayAccount(v.ctx(), v.company, v.x.Checkout.Merchant)
	switch how := v.answer("how"); {
	case err != nil:
		return err
	case on != nil:
		return v.chose(paysSeen, forgotten(nil))
	case how == paysSelf, !v.mayDebit():
		return v.chose(paysSelf, forgotten(nil))
	default:
		return v.chooseDebits(how)
	}
}

// chooseDebits keeps from which account an owner has the payments debited.
func (v *visit) chooseDebits(how string) error {
	wrong, kept := problems{}, buyer.Draft{}
	known, err := v.onRecord(how)
	if err != nil {
		return err
	}
	_, typed := v.otherAccount()
	switch {
	case how == paysNew:
		kept = v.readAccount(wrong)
		if len(wrong) > 0 {
			break
		}
		if err := v.keep(kept); err != nil { // not typed again if the authorization is missing
			return err
		}
		how = paysTyped
	case known == nil && (how != paysTyped || !typed):
		wrong["how"] = v.say("wrong.how")
	}
	if v.answer("debits") != "yes" {
		wrong["debits"] = v.say("wrong.debits")
	}
	if len(wrong) > 0 {
		return v.showRepay(http.StatusUnprocessableEntity, how, wrong)
	}
	return v.chose(how, kept)
}

// onRecord is the account on record that was chosen, nil if it is none of them.
func (v *visit) onRecord(id string) (*credit.PaymentMethod, error) {
	all, err := v.config.Desk.AutopayChoices(v.ctx(), v.company.ID, v.x.Checkout.Merchant)
	if i := slices.IndexFunc(all, func(m *credit.PaymentMethod) bool { return m.ID == id }); i >= 0 {
		return all[i], err
	}
	return nil, err
}

// readAccount reads another account, and says what is wrong with it. What is not wrong has to
// be typed again with what is: it is not shown back.
func (v *visit) readAccount(wrong problems) buyer.Draft {
	bare := strings.NewReplacer(" ", "", "-", "")
	a := buyer.Account{Routing: bare.Replace(v.answer("routing")), Number: bare.Replace(v.answer("number")), Type: v.answer("kind"), Holder: v.answer("holder")}
	if len([]rune(a.Holder)) > maxHolder {
		a.Holder = ""
	}
	for _, name := range a.Wrong() {
		if name == "type" {
			name = "kind"
		}
		wrong[name] = v.say("wrong." + name)
	}
	if len(wrong) > 0 {
		for _, name := range []string{"routing", "number"} {
			if wrong[name] == "" {
				wrong[name] = v.say("wrong." + name + ".again")
			}
		}
		return nil
	}
	return buyer.Draft{"bank_for": strconv.FormatInt(v.company.ID, 10), "bank_routing": a.Routing, "bank_number": a.Number, "bank_kind": a.Type, "bank_holder": a.Holder}
}

// chose keeps the choice, for the business and the terms for which it was made.
func (v *visit) chose(how string, with buyer.Draft) error {
	with["repay"], with["repay_for"] = how, v.repayFor()
	if err := v.keep(with); err != nil {
		return err
	}
	return v.next()
}
