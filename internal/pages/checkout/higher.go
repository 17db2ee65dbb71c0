package checkout

import (
	"net/http"

	"tenor/internal/domain/money"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// higherPage asks an owner for the data that a higher line depends on.
func (v *visit) higherPage() error { return v.showHigher(http.StatusOK, pages.Problems{}) }

// whole proposes the line with which the order would fit.
func (v *visit) whole() money.Amount {
	return pages.Proposed(v.company.Limit.Add(v.x.Checkout.Amount).Sub(v.company.Available()))
}

func (v *visit) showHigher(status int, wrong pages.Problems) error {
	f, err := v.HigherForm(v.company, v.filled(), v.whole(), wrong, v.path("higher"), v.link("back", "line", design.Ghost))
	if err != nil {
		return err
	}
	return v.show(status, page{
		Shell: v.shell(0, v.Say("higher.title")), Title: design.Title{Text: v.Say("higher.title"), Lead: v.Say("higher.lead", v.company.Name)}, Form: f, Summary: f.Summary(),
	})
}

// askHigher submits an application for a higher line, with the company's data on file, or what
// was entered if there is none.
func (v *visit) askHigher() error {
	f, wrong, err := v.ReadHigher(v.company, v.filled)
	switch {
	case err != nil:
		return err
	case len(wrong) > 0:
		return v.showHigher(pages.Wrong, wrong)
	}
	return v.send(f, v.company.ID)
}
