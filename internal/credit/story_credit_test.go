package credit

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// creditDue adds what time brings to companies' credit.
func (s *story) creditDue(due func(time.Time, Command)) {
	for _, company := range slices.Sorted(maps.Keys(s.all.Credits)) {
		for _, x := range s.all.Credits[company] {
			due(x.NextAt, ServiceCredit{Company: company})
		}
	}
}

// reportCredits tells of credit that waits although its day has come.
func (s *story) reportCredits(ch Changes) {
	for _, x := range ch.Credits {
		if x.Waits != "" && x.Amount != 0 {
			s.say("%s", s.creditText(x))
		}
	}
}

// showCredits lists a company's credit with the day on which it goes back.
func (s *story) showCredits(company string) {
	for _, x := range s.all.Credits[s.company(company)] {
		s.say("%s", s.creditText(x))
	}
}

func (s *story) creditText(x Credit) string {
	text := fmt.Sprintf("credit of %s since %s: %s", s.short(x.Source), x.Date, x.Amount)
	if x.Waits != "" {
		text += ", " + string(x.Waits)
	}
	if !x.NextAt.IsZero() {
		text += ", looked at " + x.NextAt.In(s.zone.Location()).Format("2006-01-02 15:04")
	}
	return text
}
