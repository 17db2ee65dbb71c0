package operator

import (
	"errors"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/people"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/buyer"
)

type personBody struct {
	Email     string        `json:"email" required:"true" format:"email" maxLength:"254" doc:"E-mail address of the person. Somebody new to the company is invited, and can act once the address is verified and the invitation accepted." example:"ada@alder.example"`
	FirstName *string       `json:"first_name" minLength:"1" maxLength:"100" doc:"First name of a new person." example:"Ada"`
	LastName  *string       `json:"last_name" minLength:"1" maxLength:"100" doc:"Last name of a new person." example:"Marsh"`
	Role      string        `json:"role" required:"true" enum:"OWNER,BUYER,VIEWER" doc:"An OWNER accepts orders of any amount and signs for the company, a BUYER accepts orders up to limit, a VIEWER accepts none." example:"OWNER"`
	Limit     *money.Amount `json:"limit" minimum:"0.01" doc:"Largest order a BUYER can accept; only for BUYER." example:"500.00"`
	serve.BecauseBody
}

// Check requires an amount for a BUYER, and forbids it otherwise.
func (b *personBody) Check(report func(name, code, detail string)) {
	switch buys := b.Role == string(credit.RoleBuyer); {
	case buys && b.Limit == nil:
		report("/limit", "required", "A BUYER needs a limit.")
	case !buys && b.Limit != nil:
		report("/limit", "not_allowed", "Only a BUYER has an order limit.")
	}
}

type personKey struct {
	serve.CompanyKey
	ID string `path:"id" prefix:"per_" doc:"The person's identifier." example:"per_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// People returns the operations on who acts for a company, as the lender sees it and
// changes it when nobody at the company can.
func (s API) People() []rest.Operation {
	const path = "/v1/operator/companies/{company_id}/people"
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeCompanies}.With([]rest.Operation{
		{
			ID: "listPeople", Method: "GET", Path: path, Summary: "List the people of a company",
			Doc:      "Oldest first, at most 50. Access is recorded.",
			Response: resource.List[resource.NamedPerson]{}, Endpoint: rest.Handle(s.listPeople),
		},
		{
			ID: "setPerson", Method: "POST", Path: path, Summary: "Invite a person to act for a company, or change a role",
			Doc: "Normally owners do this in the company's account; use this when none can. A new person is invited by e-mail, again on every call; somebody who already acts for the company gets the role immediately. " +
				"Every owner is notified. The only OWNER who has accepted must stay one: 409 `owner_required`.",
			Response: resource.Person{}, Problems: []string{"owner_required", "limit_exceeded", "mail_unavailable"}, Endpoint: rest.Handle(s.setPerson),
		},
		{
			ID: "removePerson", Method: "POST", Path: path + "/{id}/remove", Summary: "End a person's role at a company",
			Doc:      "Or withdraw an invitation. The person and every owner are notified. The only OWNER who has accepted cannot be removed: 409 `owner_required` until another one has accepted.",
			Response: resource.Person{}, Problems: []string{"owner_required"}, Endpoint: rest.Handle(s.removePerson),
		},
	})
}

// companyIn reads a company of a snapshot.
func companyIn(v store.View, id values.CompanyID) (*credit.Company, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Companies: []int64{int64(id)}}); err != nil {
		return nil, err
	}
	if x := state.Companies[int64(id)]; x != nil {
		return x, nil
	}
	return nil, rest.NotFound()
}

func (s API) listPeople(c *rest.Call, p *serve.CompanyKey, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := companyIn(v, p.CompanyID)
		if err != nil {
			return rest.Answer{}, err
		}
		all, err := s.Desk.PeopleIn(v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		list, listed := []resource.NamedPerson{}, []string(nil)
		for _, one := range all {
			listed = append(listed, one.Person.ID)
			list = append(list, resource.NamedPerson{
				Person: resource.NewPerson(one.Person, x.ID), Email: resource.Text(one.Contact.Email), FirstName: resource.Text(one.Contact.FirstName), LastName: resource.Text(one.Contact.LastName),
			})
		}
		return rest.Answer{Body: resource.NewList(list, ""), Listed: listed}, nil
	})
}

func (s API) setPerson(c *rest.Call, p *serve.CompanyKey, b *personBody) (rest.Answer, error) {
	s.Hidden(c)
	cmd, err := s.Desk.Invitation(int64(p.CompanyID),
		buyer.Contact{Email: b.Email, FirstName: serve.Deref(b.FirstName), LastName: serve.Deref(b.LastName)}, credit.Role(b.Role), serve.Deref(b.Limit))
	switch {
	case errors.Is(err, buyer.ErrMailUnavailable):
		return rest.Answer{}, rest.NewProblem("mail_unavailable", "People cannot be invited: this deployment has no mail server.")
	case err != nil:
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, personAnswer(p.CompanyID))
}

func (s API) removePerson(c *rest.Call, p *personKey, _ *serve.BecauseBody) (rest.Answer, error) {
	return s.Do(c, people.SetPerson{Company: int64(p.CompanyID), Person: p.ID}, personAnswer(p.CompanyID))
}

// personAnswer answers with a person without name and email address: answers are stored.
func personAnswer(company values.CompanyID) func(credit.Changes) serve.Success {
	return func(ch credit.Changes) serve.Success {
		w := resource.NewPerson(ch.Result.(*credit.Person), int64(company))
		return serve.Success{Body: &w, Status: 200}
	}
}
