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
	o := proposal(a)
	causes := v.causes(false)
	for i := range min(len(causes), len(o.Reasons)) {
		causes[i].Value = string(o.Reasons[i])
	}
	less := v.causes(true)
	less[0].Hint = v.say("act.cause.less")
	return []act{
		act{name: "approve", elsewhere: true, permission: permit.DecideCredit, fields: append([]field{v.amountOf("amount", "act.limit", offered(a, o), v.say("act.approve.hint", v.language().Money(a.Requested))), v.tierOf(cmp.Or(o.Tier, "B"))}, less...), command: func(g given) credit.Command {
			c := onboarding.DecideApplication{Application: a.ID, IfMatch: g.match, Approve: true, Limit: g.amounts["amount"], Tier: g.texts["tier"], Note: g.reason}
			if c.Limit < a.Requested { // no notice has reasons for all that was requested
				c.Reasons = g.chosen("cause")
			}
			return c
		}}.possible(open, "decided"),
		act{name: "decline", elsewhere: true, permission: permit.DecideCredit, fields: causes, command: func(g given) credit.Command {
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
