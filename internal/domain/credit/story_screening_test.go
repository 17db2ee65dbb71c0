package credit_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// screening builds the commands on sanctions lists, on authorizations and on frozen money.
func (s *story) screening(verb, id string, a args) credit.Command {
	switch verb {
	case "screen":
		c := compliance.RecordScreening{List: a.named["list"], Names: a.list("names")}
		if c.Company, _ = strconv.ParseInt(id, 10, 64); c.Company == 0 {
			c.Merchant = id
		}
		for _, m := range a.list("found") {
			entry, score, _ := strings.Cut(m, ":")
			n, _ := strconv.Atoi(score)
			c.Matches = append(c.Matches, credit.Match{Entry: entry, Name: "NAME OF " + entry, Score: n})
		}
		return c
	case "confirm", "clear":
		return compliance.DecideScreening{Screening: id, Confirmed: verb == "confirm", Reason: a.named["reason"]}
	case "unfreeze":
		return compliance.UnfreezeCompany{Company: s.company(a.words[2]), Reason: a.named["reason"]}
	case "report":
		return lending.ReportCompany{Company: s.company(a.words[2]), Kind: credit.ReportKind(a.words[3]), On: calendar.MustParse(a.named["on"]), Reason: a.named["reason"]}
	case "withdraw":
		return lending.WithdrawReport{Company: s.company(a.words[2]), Kind: credit.ReportKind(a.words[3]), Reason: a.named["reason"]}
	case "reauthorize":
		at := s.now
		if v := a.named["at"]; v != "" {
			at, _ = time.Parse(time.RFC3339, v)
		}
		return payments.AuthorizeMethod{Method: id, Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: at, Reference: a.named["reference"]}}
	}
	return nil
}

func (s *story) reportScreenings(ch credit.Changes) {
	for _, x := range ch.Screenings {
		if s.alias[x.ID] == "" {
			s.name(x.ID, fmt.Sprintf("s%d", len(s.all.Screenings)))
		}
		var found []string
		for _, m := range x.Matches {
			found = append(found, fmt.Sprintf("%s %d%%", m.Entry, m.Score))
		}
		text := fmt.Sprintf("screening %s: %s, %s", s.short(x.ID), x.Status, strings.Join(found, ", "))
		if x.ReportBy != calendar.None {
			text += ", to be reported by " + x.ReportBy.String()
		}
		s.say("%s", text)
	}
	for _, c := range ch.Companies {
		if c.Servicing.Frozen != "" {
			s.say("  its money does not move: %s", c.Servicing.Frozen)
		}
	}
	for _, m := range ch.Merchants {
		if m.Account.Screened.Review != "" {
			s.say("  payouts wait for %s", s.short(m.Account.Screened.Review))
		}
	}
}
