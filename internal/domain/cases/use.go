package cases

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// The limits on cases for one company: for its people together, and for each merchant
// separately.
const (
	MaxOpenCases     = 10
	MaxOpenQuestions = 5 // of those open
	MaxCasesDay      = 20
	MaxQuestionsDay  = 10 // of those a day
	maxCaseFilesDay  = 20 // a file may have 10 MiB
	maxAskFilesDay   = 10 // of those, with questions
)

// day is what a side submitted on a day.
func day(u *credit.CaseUse, on calendar.Date, merchant string) credit.CaseDay {
	i := slices.IndexFunc(u.Days, func(d credit.CaseDay) bool { return d.On == on && d.Merchant == merchant })
	if i < 0 {
		return credit.CaseDay{On: on, Merchant: merchant}
	}
	return u.Days[i]
}

// with returns the use with a day replaced and earlier days dropped.
func with(u credit.CaseUse, d credit.CaseDay) credit.CaseUse {
	u.Days = slices.DeleteFunc(slices.Clone(u.Days), func(x credit.CaseDay) bool { return x.On != d.On || x.Merchant == d.Merchant })
	u.Days = append(u.Days, d)
	return u
}

// refuse returns which limit one more case of a kind would exceed.
func refuse(u *credit.CaseUse, k credit.CaseKind, merchant string, today calendar.Date) *credit.Rejection {
	open, questions, d := 0, 0, day(u, today, merchant)
	for _, x := range u.Open {
		if x.Merchant == merchant {
			if open++; x.Kind == credit.CaseQuestion {
				questions++
			}
		}
	}
	asks := k == credit.CaseQuestion
	switch {
	case open >= MaxOpenCases:
		return tooManyCases("cases_open", MaxOpenCases, "Ten cases wait already. Add a note to one of them, or withdraw one.")
	case asks && questions >= MaxOpenQuestions:
		return tooManyCases("questions_open", MaxOpenQuestions, "Five questions wait already. Add a note to one of them, or withdraw one.")
	case d.Cases >= MaxCasesDay:
		return tooManyCases("cases_a_day", MaxCasesDay, "Twenty cases were opened today. Open the next one tomorrow.")
	case asks && d.Questions >= MaxQuestionsDay:
		return tooManyCases("questions_a_day", MaxQuestionsDay, "Ten questions were asked today. Ask the next one tomorrow.")
	}
	return nil
}

func tooManyCases(limit string, maximum int, detail string) *credit.Rejection {
	return credit.LimitExceeded.With(detail, map[string]any{"limit": limit, "maximum": maximum})
}

// takePlace counts a new case.
func takePlace(d *credit.Draft, x *credit.Case) {
	u := &d.Companies.Edit(x.Company).Servicing.Cases
	u.Open = append(slices.Clone(u.Open), credit.OpenPlace{ID: x.ID, Kind: x.Kind, Merchant: x.Merchant})
	day := day(u, d.Env.Today(), x.Merchant)
	if day.Cases++; x.Kind == credit.CaseQuestion {
		day.Questions++
	}
	*u = with(*u, day)
}

// freePlace releases a case's slot.
func freePlace(d *credit.Draft, x *credit.Case) {
	u := &d.Companies.Edit(x.Company).Servicing.Cases
	u.Open = slices.DeleteFunc(slices.Clone(u.Open), func(p credit.OpenPlace) bool { return p.ID == x.ID })
}
