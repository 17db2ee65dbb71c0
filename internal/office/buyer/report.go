package buyer

import (
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/office/statement"
	"tenor/internal/ports/facts"
)

// creditReport is a notice's data about an owner's credit report (15 USC 1681m). It is
// personal: it is stored only in the vault, for as long as the owner's own data.
type creditReport struct {
	Owner   string        `json:"owner"`
	Own     bool          `json:"own"` // the owner is the applicant, who gets the notice
	Bureau  string        `json:"bureau"`
	Contact string        `json:"contact"`
	Score   int           `json:"score,omitzero"` // 0: the bureau gave none
	Lowest  int           `json:"lowest,omitzero"`
	Best    int           `json:"best,omitzero"`
	On      calendar.Date `json:"on"`
	Factors []string      `json:"factors,omitzero"`
}

// sources returns the outcome of each request, without its answer.
func sources(g facts.Gathered) []credit.SourceAnswer {
	return []credit.SourceAnswer{
		sourceOf(facts.Registry, g.Registry), sourceOf(facts.Bureau, g.Bureau), sourceOf(facts.Bank, g.Bank),
	}
}

func sourceOf[A any](port facts.Port, r facts.Result[A]) credit.SourceAnswer {
	x := credit.SourceAnswer{Port: string(port), Tries: r.Tries, Missing: r.Why}
	if f := r.Fact; f != nil {
		x.Source, x.At, x.RawHash = f.Source, f.At, f.RawHash
	}
	return x
}

// keepReport seals what a notice will have to say if an owner's report was used. A bureau
// that knows nothing about the owner has reported nothing.
func (d *Desk) keepReport(c *onboarding.RecordFacts, g facts.Gathered, f Form) error {
	fact := g.Bureau.Fact
	if fact == nil || fact.Answer.Bureau == "" {
		return nil
	}
	a, who := fact.Answer, question("", f).Vouches()
	r := creditReport{
		Own: who.FirstName == f.Applicant.FirstName && who.LastName == f.Applicant.LastName, Owner: who.FirstName + " " + who.LastName, Bureau: a.Bureau, Contact: a.Contact, Score: max(a.Score.FICO, a.Score.Scale),
		Lowest: a.LowestScore, Best: a.BestScore, On: a.ReportedOn, Factors: a.KeyFactors,
	}
	if r.On == calendar.None {
		r.On = d.Zone.Date(fact.At)
	}
	secret, err := d.Keep(r)
	if err == nil {
		c.Report, c.ReportOther, c.Secrets = secret.ID, !r.Own, []credit.Secret{secret}
	}
	return err
}

// mostFactors is how many key factors of a score a notice names.
const mostFactors = 4

// report adds a notice's data about the report used. It goes only to the owner it is about:
// with the applicant's notice, or with one of the owner's own.
func (w *writer) report(handle string) error {
	var r creditReport
	if err := w.d.Read(w.v, handle, &r); err != nil || r.Own == w.owner {
		return err
	}
	w.data["owner"], w.data["bureau"], w.data["bureau_contact"] = r.Owner, r.Bureau, r.Contact
	if r.Score == 0 {
		return nil
	}
	factors := r.Factors[:min(len(r.Factors), mostFactors)]
	if len(factors) == 0 {
		factors = []string{"The agency has named none"}
	}
	w.data["score"], w.data["score_date"], w.data["score_factors"] = strconv.Itoa(r.Score), statement.Day(r.On), factors
	w.data["score_range"] = strconv.Itoa(r.Lowest) + " to " + strconv.Itoa(r.Best)
	return nil
}
