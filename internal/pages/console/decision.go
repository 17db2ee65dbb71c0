package console

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
	"tenor/internal/ui/design"
)

// decision is what the policy makes of an application; who may decide it gets the form.
func (v *visit) decision(a *credit.Application) (d decision, err error) {
	o := proposal(a)
	if a.Outcome != nil {
		d.Lead = v.say("review.policy", a.Outcome.Policy)
	}
	if permit.Masked(v.visitor.Staff.Roles) { // a score and the reasons are about people
		return d, nil
	}
	if len(o.Points) > 0 {
		most := 0
		for _, x := range o.Points {
			d.Points = append(d.Points, point{worded(string(x.Factor)), v.factor(a, x.Factor), x.Points, x.Max})
			most += x.Max
		}
		d.Total, d.Of = strconv.Itoa(o.Total), v.say("review.points", most)
	}
	if o.Tier != "" {
		d.Tier = v.say("review.tier", o.Tier)
	}
	if d.Facts, err = v.decided(a); err != nil || a.Decided() || v.visitor.May(permit.DecideCredit) == permit.None {
		return d, err
	}
	d.Form, err = v.deciding(a, o)
	return d, err
}

// factor is the value that a factor's points are for.
func (v *visit) factor(a *credit.Application, f underwriting.Reason) string {
	in := v.inputs(a)
	if in == nil {
		return ""
	}
	missing := v.say("review.missing")
	switch {
	case f == underwriting.CreditScore && in.OwnerScore.Valid():
		return scoreText(v, in.OwnerScore)
	case f == underwriting.AnnualRevenue:
		return v.language().Money(in.AnnualRevenue)
	case f == underwriting.TimeInBusiness:
		return v.say("review.months", in.Months(v.desk().Zone.Date(a.CreatedAt)))
	case f == underwriting.BankBalance && in.Bank != nil:
		return v.language().Money(in.Bank.AverageBalance)
	case f == underwriting.ReturnedItems && in.Bank != nil:
		return v.say("review.items", in.Bank.ReturnedItems)
	case f == underwriting.BusinessCreditFile && in.BusinessFile != nil && in.BusinessFile.Present && in.BusinessFile.Clean:
		return v.say("review.clean")
	case f == underwriting.BusinessCreditFile && in.BusinessFile != nil && in.BusinessFile.Present:
		return v.say("review.adverse")
	}
	return missing
}

// deciding is the form, filled in with what the policy would do.
func (v *visit) deciding(a *credit.Application, o underwriting.Outcome) (*deciding, error) {
	policy, err := v.desk().Policy(v.r.Context())
	if err != nil {
		return nil, err
	}
	at := Prefix + "/applications/" + a.ID + "/act/"
	f := &deciding{Approve: at + "approve", Decline: at + "decline", Due: v.dayOr(onboarding.DecideBy(a, v.desk().Zone)), Lead: v.say("review.reasons.lead")}
	hint := v.say("act.approve.hint", v.language().Money(a.Requested))
	if policy.Required {
		hint = v.say("review.limit", v.language().Money(policy.Limit(permit.DecideCredit)))
	}
	line, tier := v.amountOf("amount", "act.limit", offered(a, o), hint).Field, v.tierOf(cmp.Or(o.Tier, "B"))
	line.InputMode, line.Prefix, line.Digits, line.Required = "decimal", "$", true, true
	f.Fields = []design.Field{line, tier.Field}
	lost := map[underwriting.Reason]int{}
	for _, x := range o.Points {
		lost[x.Factor] = x.Max - x.Points
	}
	codes := o.Reasons
	if len(codes) == 0 {
		codes = underwriting.Lost(o.Points)
	}
	for i, code := range codes {
		text, _ := code.Sentence()
		f.Causes = append(f.Causes, cause{"cause" + strconv.Itoa(i+1), string(code), text, lost[code], len(o.Reasons) > 0})
	}
	return f, nil
}

// offered is the line that the policy would grant, or what was requested.
func offered(a *credit.Application, o underwriting.Outcome) money.Amount {
	return cmp.Or(o.Limit, a.Requested)
}

// tierOf is the field for the tier of a line.
func (v *visit) tierOf(first string) field {
	return v.pick("tier", "company.tier", first, design.Option{Value: "A", Text: "A"}, design.Option{Value: "B", Text: "B"}, design.Option{Value: "C", Text: "C"})
}

// decided is what was decided, what was requested, and what has to follow.
func (v *visit) decided(a *credit.Application) (out []design.Fact, err error) {
	add := func(label, text string) {
		if text != "" {
			out = append(out, design.Fact{Label: v.say(label), Text: text})
		}
	}
	if o := a.Outcome; o != nil && a.Status != credit.ApplicationInReview {
		add("application.why", o.Why)
	}
	for _, r := range a.Requests {
		add("application.wanted", v.say("application.wanted.by", r.What, v.dayOr(r.Due)))
	}
	if d := a.Decision; d != nil {
		by, err := v.who(d.By)
		if err != nil {
			return nil, err
		}
		add("application.at", v.say("review.by", v.moment(d.At), by))
		if d.Approved {
			add("application.granted", v.say("application.line", v.language().Money(d.Limit), d.Tier))
		}
		add("application.given", strings.Join(reasonsInWords(d.Reasons), "; "))
		add("approvals.note", d.Note)
	}
	if n := a.Duty; n != nil {
		text := v.say("application.notice.due", v.dayOr(n.DueOn))
		if !n.SentAt.IsZero() {
			text = v.say("notice.sent", v.moment(n.SentAt))
		}
		add("company.notice", worded(strings.ToLower(string(n.Kind)))+": "+text)
	}
	return slices.Clip(out), nil
}
