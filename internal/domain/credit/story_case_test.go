package credit_test

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
)

// inCase builds the commands on cases.
func (s *story) inCase(verb, name string, a args) credit.Command {
	id, person := s.id(name), s.id(a.named["person"])
	switch verb {
	case "disputes", "asks":
		c := cases.OpenCase{
			Company: s.company(a.named["company"]), Person: person, Kind: credit.CaseDispute, What: credit.CaseMatter(a.named["what"]),
			Order: s.id(a.named["order"]), Payment: s.id(a.named["payment"]), Text: "words of " + name,
		}
		if verb == "asks" {
			c.Kind = credit.CaseQuestion
		}
		c.Secrets = sealed(c.Text)
		return c
	case "writes":
		c := cases.AddCaseNote{Case: id, Person: person, Text: a.sentence("text")}
		c.Secrets = sealed(c.Text)
		return c
	case "resolves":
		c := cases.ResolveCase{Case: id, Outcome: credit.CaseOutcome(a.named["as"]), Text: a.sentence("text"), IfMatch: a.list("version")}
		c.Secrets = sealed(c.Text)
		return c
	case "drops":
		return cases.ResolveCase{Case: id, Person: person, Outcome: credit.CaseWithdrawn}
	}
	return s.onStaff(verb, name, a)
}

func (s *story) reportCase(x *credit.Case, was string) {
	text := fmt.Sprintf("case %s: %s%s, %s", s.short(x.ID), was, x.Status, x.Kind)
	if x.What != "" {
		text += " / " + string(x.What)
	}
	text += " of " + s.short(strconv.FormatInt(x.Company, 10))
	if x.Of != "" {
		text += " about " + s.short(x.Of)
	}
	switch {
	case x.Person != "":
		text += ", " + s.short(x.Person)
	default:
		text += ", merchant " + s.short(x.Merchant)
	}
	text += ", due " + x.DueOn.String()
	if len(x.Documents) > 0 {
		text += fmt.Sprintf(", %d documents", len(x.Documents))
	}
	if !x.NextAt.IsZero() {
		text += ", kept until " + minute(x.NextAt)
	}
	s.say("%s", text)
	if n := len(x.Notes); n > 0 {
		var by []string
		for _, note := range x.Notes[max(0, n-3):] {
			by = append(by, string(note.By))
		}
		s.say("  %d notes, the last by %s", n, strings.Join(by, ", "))
	}
	if r := x.Resolution; r != nil {
		s.say("  %s by %s", r.Outcome, r.By)
	}
}
