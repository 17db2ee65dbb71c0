package years

import (
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// caseKinds returns what people, shops and staff do with disputes and questions.
func caseKinds() []string {
	return []string{"dispute", "ask", "note", "note", "attach to case", "resolve", "withdraw case", "serve case"}
}

// onCase generates a step of a case; no command if there is nothing to act on.
func (p *cast) onCase(kind string) (credit.Actor, credit.Command) {
	s, now := p.y.Source, p.y.Clock.Now()
	if kind == "dispute" || kind == "ask" {
		return p.opensCase(map[string]credit.CaseKind{"dispute": credit.CaseDispute, "ask": credit.CaseQuestion}[kind])
	}
	x, ok := recordOf(p, func(x *credit.Case) bool {
		if kind == "serve case" {
			return !x.NextAt.IsZero() && !x.NextAt.After(now)
		}
		return x.Status != credit.CaseResolved || sim.Chance(s, 5)
	})
	if !ok {
		return credit.Actor{}, nil
	}
	who, person := p.owner(x)
	text := p.handle("words")
	switch kind {
	case "note":
		if sim.Chance(s, 50) {
			who, person = sim.Operator(), ""
		}
		return who, cases.AddCaseNote{Case: x.ID, Person: person, Text: text, Secrets: vaulted(text)}
	case "attach to case":
		paper := p.paper("upload")
		return who, cases.AttachCaseDocument{Case: x.ID, Person: person, Paper: paper, Secrets: vaulted(paper.Content)}
	case "withdraw case":
		return who, cases.ResolveCase{Case: x.ID, Person: person, Outcome: credit.CaseWithdrawn}
	case "resolve":
		outcome := sim.Pick(s, []credit.CaseOutcome{credit.CaseUpheld, credit.CaseRejected})
		if x.Kind == credit.CaseQuestion {
			outcome = credit.CaseAnswered
		}
		return sim.Operator(), cases.ResolveCase{Case: x.ID, Outcome: outcome, Text: text, Secrets: vaulted(text)}
	}
	return sim.Operator(), cases.ServiceCase{Case: x.ID}
}

// owner returns who acts for the one who opened a case.
func (p *cast) owner(x *credit.Case) (credit.Actor, string) {
	if x.Merchant != "" {
		return sim.Shop(x.Merchant), ""
	}
	return sim.Operator(), x.Person
}

// opensCase generates a case opened by somebody who acts for a company, or by a shop about an
// order.
func (p *cast) opensCase(kind credit.CaseKind) (credit.Actor, credit.Command) {
	s, text := p.y.Source, p.handle("words")
	c := cases.OpenCase{Kind: kind, What: sim.Pick(s, append(credit.CaseMatters(), "")), Text: text, Secrets: vaulted(text)}
	if sim.Chance(s, 40) {
		o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(*credit.Order) bool { return true })
		if !ok {
			return credit.Actor{}, nil
		}
		c.Order = o.Key
		return sim.Shop(o.Merchant), c
	}
	who, ok := recordOf(p, func(q *credit.Person) bool { return len(q.Roles) > 0 })
	if !ok {
		return credit.Actor{}, nil
	}
	c.Company, c.Person = who.Roles[0].Company, who.ID
	if o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool { return o.Company == c.Company }); ok && sim.Chance(s, 70) {
		c.Order = o.Key
	} else if x, ok := onrails.One(p.draw, p.draw.Books.Payments, func(x *credit.Payment) bool { return x.Company == c.Company }); ok && sim.Chance(s, 50) {
		c.Payment = x.ID
	}
	return sim.Operator(), c
}
