package accountpages

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// line asks for a higher line, or shows the state of the request.
func (v *visit) line() error { return v.showLine(http.StatusOK, pages.Problems{}) }

// waiting returns the business's undecided application, nil if there is none.
func (v *visit) waiting() (*credit.Application, error) {
	all, err := v.Desk.CompanyApplications(v.Ctx(), v.company.ID)
	for _, a := range all {
		if !a.Decided() {
			return a, err
		}
	}
	return nil, err
}

func (v *visit) showLine(status int, wrong pages.Problems) error {
	a, err := v.waiting()
	if err != nil {
		return err
	}
	title := design.Title{Text: v.Say("higher.title"), Lead: v.Say("higher.lead", v.company.Name)}
	switch {
	case a != nil:
		return v.show(http.StatusOK, page{Shell: v.shell("home", v.Say("higher.title")), Outcome: &design.Outcome{
			Badge: design.Badge{Tone: design.Warn, Text: v.Say("review.badge")}, Title: v.Say("line.waiting", v.Money(a.Requested)), Text: v.Say("line.waiting.text"),
			Points: []design.Point{{Icon: "mail", Text: v.Say("review.mail", v.Session.Masked())}}, Acts: []design.Button{v.link("a.home", "", design.Primary)},
		}})
	case v.company.Status != credit.CompanyApproved:
		return v.show(http.StatusOK, page{Shell: v.shell("home", title.Text), Title: design.Title{Text: title.Text, Lead: v.Say("line.not", v.Ask())}, Acts: []design.Button{v.link("a.home", "", design.Primary)}})
	}
	proposal := pages.Proposed(v.company.Limit.Add(max(v.company.Limit/2, money.Amount(1_000_00))))
	f, err := v.HigherForm(v.company, v.filled(), proposal, wrong, Prefix+"/line", v.back(""))
	if err != nil {
		return err
	}
	return v.show(status, page{Shell: v.shell("home", title.Text), Title: title, Form: f, Summary: f.Summary()})
}

// filled returns the answers so far: nothing is proposed.
func (v *visit) filled() buyer.Draft {
	out := buyer.Draft{}
	for name, text := range v.Draft {
		out[name] = text
	}
	return out
}

// askLine submits the application for a higher line, once, and requests its decision.
func (v *visit) askLine() error {
	if a, err := v.waiting(); err != nil || a != nil {
		return errors.Join(err, v.to("/line"))
	}
	f, wrong, err := v.ReadHigher(v.company, v.filled)
	switch {
	case err != nil:
		return err
	case len(wrong) > 0:
		return v.showLine(pages.Wrong, wrong)
	}
	through := buyer.Through{Company: v.company.ID, Person: v.Person.ID, Language: string(v.Language)}
	a, err := v.send(f, through, "line/"+strconv.FormatInt(v.company.ID, 10)+"/"+strconv.Itoa(v.company.Version))
	if text, ok := v.refused(err); ok {
		return v.showLine(http.StatusConflict, pages.Problems{"higher": text})
	}
	if err != nil || a == nil {
		return errors.Join(err, v.to("/line"))
	}
	if err := v.Keep(buyer.Draft{"higher": "", "revenue": "", "birth": "", "home": ""}); err != nil {
		return err
	}
	return v.done("", "line")
}

// decideWait is how long a page itself waits for a decision. After that the desk continues, and
// the next page checks again.
const decideWait = 1500 * time.Millisecond

// send submits an application once and requests its decision; nil if the same one was submitted
// before. An error may be a rejection.
func (v *visit) send(f buyer.Form, through buyer.Through, once string) (*credit.Application, error) {
	first, err := v.Desk.Once(v.Ctx(), "apply/"+once)
	if err != nil || !first {
		return nil, err
	}
	a, err := v.Desk.Send(v.Ctx(), f, through, v.Address)
	if err != nil {
		if pages.Refused(err) == nil { // it is unknown whether it was accepted
			return nil, err
		}
		return nil, errors.Join(err, v.Desk.Again(v.Ctx(), "apply/"+once))
	}
	wait, stop := context.WithTimeout(v.Ctx(), decideWait)
	defer stop()
	if err := v.Desk.Decide(wait, a.ID); err != nil && wait.Err() == nil {
		return nil, err
	}
	return a, nil
}
