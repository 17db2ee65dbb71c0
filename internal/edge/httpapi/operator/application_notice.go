package operator

import (
	"errors"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
	"tenor/internal/office/statement"
)

type applicationNoticeParams struct {
	serve.ApplicationID
	Owner bool `query:"owner" doc:"The notice to an owner whose credit report was used but who did not apply." example:"false"`
}

func (s API) getApplicationNotice(c *rest.Call, p *applicationNoticeParams, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := serve.FindApplication(c, v, p.ID)
		if err == nil && owedOf(x, p.Owner) == nil {
			err = rest.NotFound()
		}
		if err != nil {
			return rest.Answer{}, err
		}
		if err := s.mayNotify(v); err != nil {
			return rest.Answer{}, err
		}
		l, at, err := s.noticeLetter(v, x, p.Owner)
		if errors.Is(err, buyer.ErrErased) {
			err = rest.NotFound()
		}
		if err != nil {
			return rest.Answer{}, err
		}
		if c.Accepted != rest.MediaJSON {
			return serve.Print(c, letterPaper(l, x.Business.LegalName, at))
		}
		w := resource.NewNoticeLetter(x.ID, owedOf(x, p.Owner), l.Name, l.To, l.Subject, l.Text, at)
		return serve.Tagged(&w)
	})
}

// owedOf returns the notice that an application requires: the applicant's, or the owner's;
// nil for none.
func owedOf(x *credit.Application, owner bool) *credit.NoticeDuty {
	if owner {
		return x.OwnerDuty
	}
	return x.Duty
}

// noticeLetter returns a notice that an application requires, and its postal address: that
// of the business, or the owner's home.
func (s API) noticeLetter(v store.View, x *credit.Application, owner bool) (buyer.Letter, credit.CompanyAddress, error) {
	if owner {
		return s.Desk.OwnerNotice(v, x)
	}
	l, err := s.Desk.Notice(v, x)
	return l, x.Business.Address, err
}

// mayNotify refuses a notice that would not name the lender or its regulator.
func (s API) mayNotify(v store.View) error {
	lender, err := serve.LenderIn(v)
	if err != nil {
		return err
	}
	said := credit.NoticeLender{Creditor: lender.Settings.Creditor, Regulator: lender.Settings.Regulator}
	if missing := said.Missing(); missing != nil {
		return incomplete(missing)
	}
	return nil
}

// incomplete lists what the lender has not set and a notice must name.
func incomplete(missing []string) *rest.Problem {
	return &rest.Problem{Code: CodeLender, Detail: "The lender's settings lack " + strings.Join(missing, ", ") + ".", Members: map[string]any{"missing": missing}}
}

// letterPaper is a letter about a business in its postal form, paragraph by paragraph.
func letterPaper(l buyer.Letter, business string, at credit.CompanyAddress) statement.Paper {
	p := statement.Paper{
		Title: l.Subject,
		Facts: []statement.Fact{{Name: "To", Value: l.Name}, {Name: "Business", Value: business},
			{Name: "Address", Value: at.Street + ", " + at.City + ", " + at.State + " " + at.PostalCode}},
	}
	for part := range strings.SplitSeq(strings.TrimSpace(l.Text), "\n\n") {
		p.Notes = append(append(p.Notes, unwrapped(part)...), "") // a gap between paragraphs
	}
	return p
}

// full is the minimum length of a mail's line that was broken because it was full.
const full = 60

// unwrapped returns the lines of a paragraph before a mail broke them: paper has a
// different width.
func unwrapped(part string) (out []string) {
	before := ""
	for line := range strings.SplitSeq(part, "\n") {
		if len(before) > full && !strings.HasPrefix(line, "- ") {
			out[len(out)-1] += " " + line
		} else {
			out = append(out, line)
		}
		before = line
	}
	return out
}
