// Package cases decides on disputes and questions: who may open how many, what is added to
// them, and how they end.
package cases

import "tenor/internal/domain/credit"

// OpenCase opens a case: for a person, from the pages, or for a merchant about its own order.
// Result is the *Case.
type OpenCase struct {
	Company int64             `json:"company_id"` // for a person; a merchant's is the order's
	Person  string            `json:"person"`
	Kind    credit.CaseKind   `json:"kind"`
	What    credit.CaseMatter `json:"what"`
	Order   string            `json:"order"`   // what it is about: an order,
	Payment string            `json:"payment"` // a payment, or neither
	Text    string            `json:"text"`    // handle
	Secrets []credit.Secret   `json:"-"`
}

func (OpenCase) Name() string { return "case.open" }

// company is the company that the case belongs to, 0 if unknown.
func (c OpenCase) company(s *credit.State) int64 {
	if c.Person != "" {
		return c.Company
	}
	if o := s.Orders[c.Order]; o != nil {
		return o.Company
	}
	return 0
}

// Keys requests the company, the person, and the subject of the case.
func (c OpenCase) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{}.OwnersWord(c.Person)
	if c.Order != "" {
		k.Orders = []string{c.Order}
	}
	if c.Payment != "" {
		k.Payments = []string{c.Payment}
	}
	if id := c.company(s); id != 0 {
		k.Companies = []int64{id}
	}
	return k
}

func (c OpenCase) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	o, p := s.Orders[c.Order], s.Payments[c.Payment]
	if c.Person == "" {
		switch {
		case e.Actor.Merchant == "": // staff do not open cases, they answer them
			return credit.NotFound.Because("There is no such command.")
		case o == nil || o.Merchant != e.Actor.Merchant:
			return credit.NotFound.Because("There is no such order.")
		}
		return nil
	}
	if r := admitPerson(s, e, c.Person, c.Company); r != nil {
		return r
	}
	switch {
	case s.Companies[c.Company] == nil:
		return credit.NotFound.Because("There is no such company.")
	case c.Order != "" && (o == nil || o.Company != c.Company):
		return credit.NotFound.Because("There is no such order.")
	case c.Payment != "" && (p == nil || p.Company != c.Company):
		return credit.NotFound.Because("There is no such payment.")
	}
	return nil
}

// admitPerson admits a command that the pages pass on for somebody who currently acts for a
// company.
func admitPerson(s *credit.State, e credit.Env, person string, company int64) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() {
		return credit.NotFound.Because("There is no such person.")
	}
	if _, ok := p.RoleAt(company); !ok {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

// mayDispute requires that a person may speak in a case of a kind: a VIEWER may only ask.
func mayDispute(s *credit.State, person string, company int64, k credit.CaseKind) *credit.Rejection {
	if person == "" || k == credit.CaseQuestion {
		return nil
	}
	if r, _ := s.Person(person).RoleAt(company); r.Role != credit.RoleOwner && r.Role != credit.RoleBuyer {
		return credit.OwnerRequired.Because("Only an owner or a buyer of the company can open a dispute. A viewer can ask a question.")
	}
	return nil
}

func (c OpenCase) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	company := c.company(s)
	switch r := mayDispute(s, c.Person, company, c.Kind); {
	case r != nil:
		return credit.Changes{}, r
	case c.Text == "":
		return credit.Changes{}, credit.ValidationFailed.Because("Give a subject and a text for the case.")
	case c.Order != "" && c.Payment != "" || c.Person == "" && c.Payment != "":
		return credit.Changes{}, credit.ValidationFailed.Because("A case must be about one resource; a merchant's case must be about its own order.")
	}
	if r := refuse(&s.Companies[company].Servicing.Cases, c.Kind, e.Actor.Merchant, e.Today()); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x := &credit.Case{RecordHead: d.NewRecord(credit.NounCase), Kind: c.Kind, What: c.What, Person: c.Person, Text: c.Text, DueOn: e.Today().AddDays(caseDisputeDays)}
	if c.Kind == credit.CaseQuestion {
		x.DueOn = e.Today().AddBankingDays(caseQuestionDays)
	}
	x.Company, x.Merchant, x.Of = company, e.Actor.Merchant, c.Order+c.Payment
	if why := credit.NewRecordProblem(x); why != "" {
		return credit.Changes{}, credit.ValidationFailed.Because("A case must be a DISPUTE or a QUESTION about an existing resource.")
	}
	credit.AddRecord(d, x)
	d.Changes.Secrets = c.Secrets
	takePlace(d, x)
	caseMail(d, "case_opened", x)
	return d.Done(x, true), nil
}

// caseMail notifies the person who opened a case, as long as she acts for the company. A mail
// says that there is something to read, and nothing of the content. Merchants read their cases
// through the API.
func caseMail(d *credit.Draft, template string, x *credit.Case) {
	p := credit.PeekRecord[*credit.Person](d, x.Person)
	if x.Person == "" || p == nil {
		return
	}
	if _, ok := p.RoleAt(x.Company); ok {
		d.Mail(template, p.Addressee(), x.RecordHead, nil)
	}
}

// No law sets a deadline for resolving a business's dispute. For a consumer's billing error it
// is two billing cycles; a month is within that, and comes before the next installment. A
// question has a week.
const (
	caseDisputeDays  = 30 // calendar days
	caseQuestionDays = 5  // banking days
)
