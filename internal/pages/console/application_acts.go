package console

import (
	"cmp"
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
)

// applicationSubject is an application as its acts' pages name it.
func (v *visit) applicationSubject(a *credit.Application) *subject {
	return &subject{
		section: "applications", path: "/applications/" + a.ID, name: v.business(a), lead: v.say("application.lead", v.language().Money(a.Requested), v.say("application.kind."+string(a.Kind))),
		version: a.Version, company: a.Company, application: a.ID, acts: v.applicationActs(a),
	}
}

func findApplicationSubject(v *visit) (*subject, error) {
	x, err := v.findApplication()
	if x == nil || err != nil {
		return nil, err
	}
	return v.applicationSubject(x.app), nil
}

// applicationActs are what can be done with an application.
func (v *visit) applicationActs(a *credit.Application) []act {
	open := !a.Decided()
	limit, tier := a.Requested, "B"
	causes := v.causes(false)
	if o := a.Outcome; o != nil {
		if tier = cmp.Or(o.Tier, tier); o.Limit > 0 {
			limit = o.Limit
		}
		for i := range min(len(causes), len(o.Reasons)) {
			causes[i].Value = string(o.Reasons[i])
		}
	}
	grades := v.pick("tier", "company.tier", tier, design.Option{Value: "A", Text: "A"}, design.Option{Value: "B", Text: "B"}, design.Option{Value: "C", Text: "C"})
	less := v.causes(true)
	less[0].Hint = v.say("act.cause.less")
	return []act{
		act{name: "approve", main: true, permission: permit.DecideCredit, fields: append([]field{v.amountOf("amount", "act.limit", limit, v.say("act.approve.hint", v.language().Money(a.Requested))), grades}, less...), command: func(g given) credit.Command {
			return onboarding.DecideApplication{Application: a.ID, IfMatch: g.match, Approve: true, Limit: g.amounts["amount"], Tier: g.texts["tier"], Reasons: g.chosen("cause"), Note: g.reason}
		}}.possible(open, "decided"),
		act{name: "decline", permission: permit.DecideCredit, fields: causes, command: func(g given) credit.Command {
			return onboarding.DecideApplication{Application: a.ID, IfMatch: g.match, Reasons: g.chosen("cause"), Note: g.reason}
		}}.possible(open, "decided"),
		act{name: "request", permission: permit.Assist, fields: []field{
			{Field: design.Field{Name: "what", Label: v.say("act.wanted"), Hint: v.say("act.wanted.hint")}},
			{kind: dayField, Field: design.Field{Name: "day", Label: v.say("act.until"), Hint: v.say("act.until.hint", strconv.Itoa(credit.RequestDays)), Optional: true}},
		}, command: func(g given) credit.Command {
			return onboarding.RequestInformation{Application: a.ID, What: g.texts["what"], Due: g.days["day"]}
		}}.possible(open && a.Status != credit.ApplicationSubmitted, "unchecked"),
		act{name: "assign", permission: permit.Assist, plain: true, command: func(given) credit.Command {
			return onboarding.AssignApplication{Application: a.ID, To: v.visitor.Member}
		}}.possible(open && a.Assigned != v.visitor.Member, "assigned"),
	}
}
