package console

import (
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
	"tenor/internal/ui/design"
)

// companySubject is a company as its acts' pages name it.
func (v *visit) companySubject(x *companyBook) *subject {
	c, lead := x.company, v.say("company.lead", x.company.Tier)
	id := strconv.FormatInt(c.ID, 10)
	return &subject{section: "companies", path: "/companies/" + id, name: v.companyName(c), lead: lead, version: c.Version, company: c.ID, acts: v.companyActs(c)}
}

func findCompanySubject(v *visit) (*subject, error) {
	x, err := v.findCompany("")
	if x == nil || err != nil {
		return nil, err
	}
	return v.companySubject(x), nil
}

// companyActs are what can be done with a company.
func (v *visit) companyActs(c *credit.Company) []act {
	message := field{Field: design.Field{Name: "message", Label: v.say("act.message"), Hint: v.say("act.message.hint"), Optional: true}}
	limit := v.amountOf("limit", "act.limit", c.Limit, "")
	limit.least = 0
	tier := v.tierOf(c.Tier)
	methods := []design.Option{{Value: string(credit.Check), Text: v.say("method.CHECK")}, {Value: string(credit.Wire), Text: v.say("method.WIRE")}, {Value: string(credit.CashM), Text: v.say("method.CASH")}, {Value: string(credit.Other), Text: v.say("method.OTHER")}}
	return []act{
		act{name: "release", main: true, permission: permit.HoldCompanies, command: func(g given) credit.Command {
			return lending.UpdateCompany{Company: c.ID, IfMatch: g.match, Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanyOnHold, credit.CompanySuspended}}
		}}.possible(c.Status == credit.CompanyOnHold || c.Status == credit.CompanySuspended, "unheld"),
		act{name: "hold", permission: permit.HoldCompanies, fields: []field{message}, command: func(g given) credit.Command {
			return lending.UpdateCompany{Company: c.ID, IfMatch: g.match, Status: credit.CompanyOnHold, From: []credit.CompanyStatus{credit.CompanyApproved}, StatusCode: "manual_hold", StatusMessage: g.texts["message"]}
		}}.possible(c.Status == credit.CompanyApproved, "not_approved"),
		act{name: "record", permission: permit.Service, fields: []field{
			v.amountOf("amount", "orders.amount", 0, ""), v.pick("method", "col.method", string(credit.Check), methods...),
			{kind: dayField, Field: design.Field{Name: "day", Label: v.say("act.received"), Hint: v.say("act.received.hint"), Optional: true}},
			{Field: design.Field{Name: "reference", Label: v.say("act.reference"), Hint: v.say("act.reference.hint"), Optional: true}},
		}, command: func(g given) credit.Command {
			return payments.RecordPayment{Company: c.ID, Amount: g.amounts["amount"], Method: credit.Method(g.texts["method"]), ScheduledDate: calendar.None, EffectiveDate: g.days["day"], Reference: g.texts["reference"], Memo: g.reason}
		}}.possible(c.Outstanding > 0, "unowed"),
		act{name: "line", permission: permit.DecideCredit, fields: append([]field{limit, tier}, v.causes(true)...), command: func(g given) credit.Command {
			amount := g.amounts["limit"]
			return lending.UpdateCompany{Company: c.ID, IfMatch: g.match, Limit: &amount, Tier: g.texts["tier"], Reasons: g.chosen("cause")}
		}}.possible(c.Status != credit.CompanyClosed, "closed"),
		act{name: "close", permission: permit.DecideCredit, fields: append([]field{message}, v.causes(true)...), command: func(g given) credit.Command {
			return lending.UpdateCompany{Company: c.ID, IfMatch: g.match, Status: credit.CompanyClosed, StatusCode: "closed_by_operator", StatusMessage: g.texts["message"], Reasons: g.chosen("cause")}
		}}.possible(c.Status != credit.CompanyClosed, "closed"),
	}
}

// causes are the fields for up to four reasons of a notice: codes of the closed list.
func (v *visit) causes(optional bool) (out []field) {
	list := []design.Option{{Text: v.say("act.cause.none")}}
	for _, r := range underwriting.Reasons() {
		list = append(list, design.Option{Value: string(r.Reason), Text: r.Sentence})
	}
	for i := range 4 {
		n := strconv.Itoa(i + 1)
		f := v.pick("cause"+n, "act.cause."+n, "", list...)
		f.Optional = optional || i > 0
		if i == 0 {
			f.Hint = v.say("act.cause.hint")
		}
		out = append(out, f)
	}
	return out
}

// reasonsInWords are the sentences of the reasons of a notice; what is no code is its own words.
func reasonsInWords(codes []string) (out []string) {
	for _, code := range codes {
		if text, ok := underwriting.Reason(code).Sentence(); ok {
			code = text
		}
		out = append(out, code)
	}
	return out
}
