package checkout

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// plans is a form for choosing one of several cards, with their details.
type plans struct {
	Action, Key, After string
	Choices            design.Choices
	Dates              []dates
	Acts               []design.Button
}

// dates are all payments of a plan, which expand below a line.
type dates struct {
	Title string
	Table design.Table
}

// planName returns the name of a plan.
func (v *visit) planName(o onboarding.Offer) string {
	n := o.Disclosure.Count
	switch {
	case o.Terms.Plan == schedule.Net30:
		return v.Say("plan.net30")
	case n == 1:
		return v.Say("plan.one")
	}
	return v.Say("plan.many", n)
}

// rate formats an annual percentage rate as disclosed.
func rate(hundredths int64) string {
	cents := strconv.FormatInt(hundredths%100, 10)
	if len(cents) == 1 {
		cents = "0" + cents
	}
	return strconv.FormatInt(hundredths/100, 10) + "." + cents + "%"
}

// cost describes the cost of a plan in one line.
func (v *visit) cost(x lending.Disclosure) string {
	parts := []string{v.Say("cost.charge", v.Money(x.FinanceCharge)), v.Say("cost.apr", rate(x.APR))}
	if x.FinanceCharge > 0 {
		parts = slices.Insert(parts, 1, v.Say("cost.total", v.Money(x.TotalPayments)))
	}
	return strings.Join(parts, " · ")
}

// termsPage is page 5: one card per plan, and none preselected.
func (v *visit) termsPage() error { return v.showTerms(http.StatusOK, "") }

func (v *visit) showTerms(status int, problem string) error {
	total := v.Money(v.x.Checkout.Amount)
	f := &plans{Action: v.path("terms"), Key: v.key(), After: v.Say("terms.after")}
	f.Choices = design.Choices{Name: "plan", Legend: v.Say("step.terms"), LegendHidden: true, Error: problem}
	for _, o := range v.offers() {
		x := o.Disclosure
		c := design.Choice{
			Value: strconv.Itoa(o.Terms.Installments), Text: v.planName(o), Figure: v.Money(x.Payment), Cost: v.cost(x),
			Detail: v.Say("terms.first", v.Day(x.FirstDueDate)), Chosen: v.Draft["plan"] == strconv.Itoa(o.Terms.Installments),
		}
		if x.Count == 1 {
			c.Detail = v.Say("terms.once", v.Day(x.FirstDueDate))
		} else {
			c.Per = v.Say("terms.month")
		}
		f.Choices.Choices = append(f.Choices.Choices, c)
		f.Dates = append(f.Dates, dates{v.planName(o), v.table(x)})
	}
	f.Acts = []design.Button{pages.Primary(v.Say("go")), v.link("back.shop", "leave", design.Ghost)}
	p := page{
		Shell: v.shell(3, v.Say("terms.title")), Plans: f, Summary: design.Summarize(f.Choices),
		Title: design.Title{Text: v.Say("terms.head", total), Lead: v.Say("terms.lead", v.company.Name, v.Money(v.company.Available()))},
	}
	if len(f.Choices.Choices) == 0 {
		p.Plans, p.Title.Lead = nil, v.Say("terms.none", v.x.Merchant.Name)
		p.Acts = []design.Button{v.link("back.shop", "leave", design.Primary)}
	}
	if was := v.Draft["changed"]; was != "" {
		p.Notices = []design.Notice{{Tone: design.Warn, Icon: "triangle-alert", Title: v.Say("terms.changed"), Text: v.Say("terms.changed.text", was), Spoken: design.Alert}}
	}
	return v.show(status, p)
}

// table is a schedule.
func (v *visit) table(x lending.Disclosure) design.Table {
	t := design.Table{Caption: v.Say("dates.title"), Columns: []design.Column{
		{Text: v.Say("dates.due")}, {Text: v.Say("dates.principal"), Number: true}, {Text: v.Say("dates.charge"), Number: true}, {Text: v.Say("dates.payment"), Number: true},
	}}
	for _, r := range x.Rows {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: v.Language.Day(r.DueDate)}, {Text: v.Money(r.Principal)}, {Text: v.Money(r.Charge)}, {Text: v.Money(r.Amount)},
		}})
	}
	return t
}

// chooseTerms saves the plan, with the figures shown for it.
func (v *visit) chooseTerms() error {
	for _, o := range v.offers() {
		if v.Answer("plan") == strconv.Itoa(o.Terms.Installments) {
			if err := v.Keep(buyer.Draft{"plan": v.Answer("plan"), "shown": v.figures(o), "changed": ""}); err != nil {
				return err
			}
			return v.to("repay")
		}
	}
	return v.showTerms(wrong, v.Say("terms.wrong"))
}

// figures describes a plan's figures in a sentence, to say later what has changed.
func (v *visit) figures(o onboarding.Offer) string {
	x := o.Disclosure
	return v.Say("terms.shown", x.Count, v.Money(x.Payment), v.Day(x.FirstDueDate), v.Money(x.FinanceCharge), v.Money(x.TotalPayments), rate(x.APR))
}
