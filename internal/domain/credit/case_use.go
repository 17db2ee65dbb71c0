package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
)

// CaseUse is what a company's cases take of its bounds. Those of its people and those of each
// merchant are counted apart, so that no merchant keeps a buyer from disputing; questions have
// a part of the places only, so that no VIEWER, who may not dispute, does either.
type CaseUse struct {
	Open []OpenPlace `json:"open,omitzero"` // cases that are not resolved, oldest first
	Days []CaseDay   `json:"days,omitzero"` // what was opened on the last day on which anything was
}

// OpenPlace is the place of a case that is not resolved.
type OpenPlace struct {
	ID       string   `json:"id"`
	Kind     CaseKind `json:"kind"`
	Merchant string   `json:"merchant,omitzero"` // "": of the company's people
}

// CaseDay counts what has come on a day from the company's people, or from a merchant.
type CaseDay struct {
	On        calendar.Date `json:"on"`
	Merchant  string        `json:"merchant,omitzero"`
	Cases     int           `json:"cases,omitzero"`
	Questions int           `json:"questions,omitzero"` // of them
	Files     int           `json:"files,omitzero"`
	AskedWith int           `json:"asked_with,omitzero"` // of these files, those of questions
}

// The bounds of those who open cases for one company: its people together, each merchant by
// itself.
const (
	maxOpenCases     = 10
	maxOpenQuestions = 5 // of them
	maxCasesDay      = 20
	maxQuestionsDay  = 10 // of them
	maxCaseFilesDay  = 20 // a file may have 10 MiB
	maxAskFilesDay   = 10 // of them, with questions
)

// day is what has come from a side on a day.
func (u *CaseUse) day(on calendar.Date, merchant string) CaseDay {
	i := slices.IndexFunc(u.Days, func(d CaseDay) bool { return d.On == on && d.Merchant == merchant })
	if i < 0 {
		return CaseDay{On: on, Merchant: merchant}
	}
	return u.Days[i]
}

// with is the use in which a day is replaced; days before it are over.
func (u CaseUse) with(d CaseDay) CaseUse {
	u.Days = slices.DeleteFunc(slices.Clone(u.Days), func(x CaseDay) bool { return x.On != d.On || x.Merchant == d.Merchant })
	u.Days = append(u.Days, d)
	return u
}

// refuse says which bound one more case of a kind would break.
func (u *CaseUse) refuse(k CaseKind, merchant string, today calendar.Date) *Rejection {
	open, questions, d := 0, 0, u.day(today, merchant)
	for _, x := range u.Open {
		if x.Merchant == merchant {
			if open++; x.Kind == CaseQuestion {
				questions++
			}
		}
	}
	asks := k == CaseQuestion
	switch {
	case open >= maxOpenCases:
		return tooManyCases("cases_open", maxOpenCases, "Ten cases wait already. Add a note to one of them, or withdraw one.")
	case asks && questions >= maxOpenQuestions:
		return tooManyCases("questions_open", maxOpenQuestions, "Five questions wait already. Add a note to one of them, or withdraw one.")
	case d.Cases >= maxCasesDay:
		return tooManyCases("cases_a_day", maxCasesDay, "Twenty cases were opened today. Open the next one tomorrow.")
	case asks && d.Questions >= maxQuestionsDay:
		return tooManyCases("questions_a_day", maxQuestionsDay, "Ten questions were asked today. Ask the next one tomorrow.")
	}
	return nil
}

func tooManyCases(limit string, maximum int, detail string) *Rejection {
	return LimitExceeded.With(detail, map[string]any{"limit": limit, "maximum": maximum})
}

// takePlace counts a new case.
func (d *Draft) takePlace(x *Case) {
	u := &d.Companies.Edit(x.Company).Servicing.Cases
	u.Open = append(slices.Clone(u.Open), OpenPlace{x.ID, x.Kind, x.Merchant})
	day := u.day(d.Env.Today(), x.Merchant)
	if day.Cases++; x.Kind == CaseQuestion {
		day.Questions++
	}
	*u = u.with(day)
}

// freePlace gives the place of a case back.
func (d *Draft) freePlace(x *Case) {
	u := &d.Companies.Edit(x.Company).Servicing.Cases
	u.Open = slices.DeleteFunc(slices.Clone(u.Open), func(p OpenPlace) bool { return p.ID == x.ID })
}
