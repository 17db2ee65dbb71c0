package checkout

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// repayment is how the payments are made.
type repayment struct {
	Action, Key, For string
	How, Text        string // if there is no choice
	NextHead         design.Heading
	Next             design.Table
	Later            *design.Notice
	Choose           *debiting
	Acts             []design.Button
}

// debiting is an owner's choice: each account on record, another one, or none.
type debiting struct {
	Choices design.Choices // another account has fields
	Terms   []string       // the authorization, sentence by sentence
	All     dates
	Agree   design.Check
}

// Ways to repay, besides the IDs of accounts on record.
const (
	paysSelf  = "self"
	paysNew   = "new"   // from the account entered with it
	paysTyped = "typed" // from the account entered before
	paysSeen  = "seen"  // autopay was already on
)

// debits is how many payments are shown before expanding all of them.
const debits = 3

// repayPage is page 6: how the payments are made. Autopay that is on stays on; an owner may turn
// it on with the acceptance.
func (v *visit) repayPage() error {
	return v.showRepay(http.StatusOK, v.Draft["repay"], pages.Problems{})
}

func (v *visit) showRepay(status int, how string, wrong pages.Problems) error {
	o, _ := v.chosen()
	x := o.Disclosure
	account, err := v.Desk.AutopayAccount(v.Ctx(), v.company, v.x.Checkout.Merchant)
	if err != nil {
		return err
	}
	f := &repayment{Action: v.path("repay"), Key: v.key(), For: v.repayFor(), How: v.Say("repay.self"), Text: v.Say("repay.self.text", v.Session.Masked())}
	p := page{
		Shell: v.shell(4, v.Say("repay.title")), Repay: f, After: v.Say("terms.after"),
		Title: design.Title{Text: v.Say("repay.title"), Lead: v.Say("repay.lead", v.planName(o), v.Money(x.Payment))},
	}
	column, day := v.Say("dates.due"), func(d calendar.Date) calendar.Date { return d }
	switch {
	case account != nil:
		f.How, f.Text = v.Say("repay.auto", v.Account(account)), v.Say("repay.auto.text")
		column, day = v.Say("repay.debited"), collected
		if v.config.Account != "" && !v.framed() { // it cannot be shown in a frame
			f.Later = &design.Notice{Icon: "landmark", Text: v.Say("repay.off"), Links: []design.Link{{Text: v.Say("account"), Href: v.Handing(v.config.Account)}}}
		}
	case v.mayDebit():
		if f.Choose, err = v.debiting(o, how, wrong); err != nil {
			return err
		}
		p.Summary = f.Choose.summary()
	default:
		f.Later = &design.Notice{Icon: "landmark", Title: v.Say("repay.later"), Text: v.Say("repay.later.owner")}
		if v.company.AutopayPaused() != "" {
			f.Later.Text = v.Say("repay.later.paused", v.Ask())
		}
	}
	f.NextHead = design.Heading{ID: "payments", Text: v.Say("dates.title")}
	if n := len(x.Rows); n > debits {
		f.NextHead.Text = v.Say("repay.next", debits, n)
	}
	f.Next = v.payments(x, f.NextHead.Text, column, debits, day)
	f.Acts = []design.Button{pages.Primary(v.Say("go")), v.link("back", "terms", design.Ghost)}
	return v.show(status, p)
}

// payments is a table of the first n payments of a plan with their dates.
func (v *visit) payments(x lending.Disclosure, caption, column string, n int, day func(calendar.Date) calendar.Date) design.Table {
	t := design.Table{Caption: caption, Columns: []design.Column{{Text: column}, {Text: v.Say("dates.payment"), Number: true}}}
	for _, r := range x.Rows[:min(n, len(x.Rows))] {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: v.Day(day(r.DueDate))}, {Text: v.Money(r.Amount)}}})
	}
	return t
}

// collected returns the day on which a payment is debited: due dates that are not banking days
// move to the next one.
func collected(due calendar.Date) calendar.Date {
	if due.IsBankingDay() {
		return due
	}
	return due.NextBankingDay()
}

// mayDebit reports whether the person may authorize debits of the business's accounts: an owner,
// unless the lender is reviewing a return.
func (v *visit) mayDebit() bool {
	role, _ := v.Person.RoleAt(v.company.ID)
	return role.Role == credit.RoleOwner && v.company.AutopayPaused() == ""
}

// debiting returns the choices. Of an entered account number, only the last four digits are
// shown.
func (v *visit) debiting(o onboarding.Offer, how string, wrong pages.Problems) (*debiting, error) {
	all, err := v.Desk.AutopayChoices(v.Ctx(), v.company.ID, v.x.Checkout.Merchant)
	if err != nil {
		return nil, err
	}
	f := &debiting{
		Choices: design.Choices{Name: "how", Legend: v.Say("repay.title"), LegendHidden: true, Error: wrong["how"]},
		Terms:   v.debitTerms(o),
		All:     dates{v.Say("debit.all"), v.payments(o.Disclosure, v.Say("debit.all"), v.Say("repay.debited"), len(o.Disclosure.Rows), collected)},
		Agree:   design.Check{Name: "debits", Text: v.Say("debit.agree"), Error: wrong["debits"], Required: true},
	}
	add := func(value, text, detail string) {
		f.Choices.Choices = append(f.Choices.Choices, design.Choice{Value: value, Text: text, Detail: detail, Chosen: value == how})
	}
	for _, m := range all {
		add(m.ID, v.Say("repay.auto", v.Account(m)), v.Say("debit.on.record"))
	}
	if a, ok := v.otherAccount(); ok {
		if how == paysNew && len(wrong) == 0 {
			how = paysTyped
		}
		add(paysTyped, v.Say("repay.auto", v.Bank(a.Type, a.Last4())), v.Say("debit.typed"))
	}
	add(paysNew, v.Say("debit.new"), v.Say("debit.new.more"))
	another := &f.Choices.Choices[len(f.Choices.Choices)-1]
	another.AsksLead, another.Asks = v.Say("debit.new.lead"), v.AccountFields(cmp.Or(v.company.LegalName, v.company.Name), wrong)
	add(paysSelf, v.Say("debit.self"), v.Say("repay.self.text", v.Session.Masked()))
	if !slices.ContainsFunc(f.Choices.Choices, func(c design.Choice) bool { return c.Chosen }) {
		f.Choices.Choices[len(f.Choices.Choices)-1].Chosen = true
	}
	return f, nil
}

// summary gathers the errors, in the order of the page.
func (f *debiting) summary() design.Summary {
	return design.Summarize(f.Choices, f.Agree)
}

// chooseRepay saves how the payments will be made. Nothing changes before the order is accepted.
// A form for another business or other terms is ignored.
func (v *visit) chooseRepay() error {
	if v.Answer("for") != v.repayFor() {
		return v.to("repay")
	}
	on, err := v.Desk.AutopayAccount(v.Ctx(), v.company, v.x.Checkout.Merchant)
	switch how := v.Answer("how"); {
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

// chooseDebits saves the account for an owner's debits.
func (v *visit) chooseDebits(how string) error {
	wrong, kept := pages.Problems{}, buyer.Draft{}
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
		if err := v.Keep(kept); err != nil { // not entered again if the authorization is missing
			return err
		}
		how = paysTyped
	case known == nil && (how != paysTyped || !typed):
		wrong["how"] = v.Say("wrong.how")
	}
	if v.Answer("debits") != "yes" {
		wrong["debits"] = v.Say("wrong.debits")
	}
	if len(wrong) > 0 {
		return v.showRepay(http.StatusUnprocessableEntity, how, wrong)
	}
	return v.chose(how, kept)
}

// onRecord returns the chosen account on record, nil if it is not one of them.
func (v *visit) onRecord(id string) (*credit.PaymentMethod, error) {
	all, err := v.Desk.AutopayChoices(v.Ctx(), v.company.ID, v.x.Checkout.Merchant)
	if i := slices.IndexFunc(all, func(m *credit.PaymentMethod) bool { return m.ID == id }); i >= 0 {
		return all[i], err
	}
	return nil, err
}

// readAccount parses another account, and reports what is wrong with it.
func (v *visit) readAccount(wrong pages.Problems) buyer.Draft {
	a := v.ReadAccount(wrong)
	if len(wrong) > 0 {
		return nil
	}
	return buyer.Draft{"bank_for": strconv.FormatInt(v.company.ID, 10), "bank_routing": a.Routing, "bank_number": a.Number, "bank_kind": a.Type, "bank_holder": a.Holder}
}

// chose saves the choice, for the business and the terms for which it was made.
func (v *visit) chose(how string, with buyer.Draft) error {
	with["repay"], with["repay_for"] = how, v.repayFor()
	if err := v.Keep(with); err != nil {
		return err
	}
	return v.next()
}
