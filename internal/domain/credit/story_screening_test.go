package credit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
)

// screening are the commands on sanctions lists, on authorizations and on frozen money.
func (s *story) screening(verb, id string, a args) Command {
	switch verb {
	case "screen":
		c := RecordScreening{List: a.named["list"], Names: a.list("names")}
		if c.Company, _ = strconv.ParseInt(id, 10, 64); c.Company == 0 {
			c.Merchant = id
		}
		for _, m := range a.list("found") {
			entry, score, _ := strings.Cut(m, ":")
			n, _ := strconv.Atoi(score)
			c.Matches = append(c.Matches, Match{Entry: entry, Name: "NAME OF " + entry, Score: n})
		}
		return c
	case "confirm", "clear":
		return DecideScreening{Screening: id, Confirmed: verb == "confirm", Reason: a.named["reason"]}
	case "unfreeze":
		return UnfreezeCompany{Company: s.company(a.words[2]), Reason: a.named["reason"]}
	case "report":
		return ReportCompany{Company: s.company(a.words[2]), Kind: ReportKind(a.words[3]), On: calendar.MustParse(a.named["on"]), Reason: a.named["reason"]}
	case "withdraw":
		return WithdrawReport{Company: s.company(a.words[2]), Kind: ReportKind(a.words[3]), Reason: a.named["reason"]}
	case "reauthorize":
		at := s.now
		if v := a.named["at"]; v != "" {
			at, _ = time.Parse(time.RFC3339, v)
		}
		return AuthorizeMethod{Method: id, Authorization: Authorization{Channel: "WRITTEN", AcceptedAt: at, Reference: a.named["reference"]}}
	}
	return nil
}

func (s *story) reportScreenings(ch Changes) {
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
