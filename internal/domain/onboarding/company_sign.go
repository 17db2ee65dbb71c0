package onboarding

import (
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// DocumentSignature is the proof of a signature outside a checkout, as JSON: who signed, with
// which wording, from where.
const DocumentSignature = "SIGNATURE"

// SignAgreement records that a company's master agreement was signed (F21): by one of its
// owners in her own session, with the papers and a proof of how she signed; or on paper,
// recorded by the operator with a copy, who signed, and when. It is signed once. Result is the
// *Company.
type SignAgreement struct {
	Company int64           `json:"company_id"`
	Person  string          `json:"person,omitzero"` // owner; "": on paper
	On      calendar.Date   `json:"on,omitzero"`     // when it was signed on paper
	Papers  []credit.Paper  `json:"papers"`
	Secrets []credit.Secret `json:"-"`
}

func (SignAgreement) Name() string { return "company.sign" }

// Keys requests the company and the signer; on paper, its people, who are notified.
func (c SignAgreement) Keys(s *credit.State, _ credit.Env) credit.Keys {
	if c.Person == "" {
		return people.PeopleKeys(s, c.Company)
	}
	return credit.Keys{Companies: []int64{c.Company}}.OwnersWord(c.Person)
}

func (c SignAgreement) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if s.Companies[c.Company] == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	return credit.AdmitOwner(s, e, c.Person, c.Company)
}

func (c SignAgreement) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Companies[c.Company]
	if r := c.refuse(old, e); r != nil {
		return credit.Changes{}, r
	}
	if !old.Servicing.Unsigned {
		return credit.Changes{Result: old}, nil // idempotent
	}
	d := credit.NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	x := d.Companies.Edit(c.Company)
	for _, p := range c.Papers {
		doc := d.File(p, credit.RecordHead{ID: strconv.FormatInt(c.Company, 10), Company: c.Company})
		if p.Kind == credit.DocumentMaster {
			x.Servicing.Unsigned, x.Servicing.Agreement = false, doc.ID
		}
	}
	about := credit.RecordHead{ID: x.Servicing.Agreement, Company: c.Company}
	if c.Person != "" {
		d.Mail("agreement_copy", s.Person(c.Person).Addressee(), about, map[string]string{"who": c.Person})
		return d.Done(x, false), nil
	}
	x.Servicing.OnPaper = credit.SignedOnPaper{On: c.On, At: e.Now}
	d.WriteOwners(c.Company, "agreement_on_paper", about, nil)
	return d.Done(x, false), nil
}

// refuse rejects a signature without its papers, and on paper also a future date, a closed
// company, or one that has already signed. Signing twice on the pages is not an error.
func (c SignAgreement) refuse(x *credit.Company, e credit.Env) *credit.Rejection {
	onPaper := c.Person == ""
	without := func(kind string) bool {
		return !slices.ContainsFunc(c.Papers, func(p credit.Paper) bool { return p.Kind == kind })
	}
	switch {
	case onPaper && (c.On <= 0 || c.On > e.Today()):
		return credit.ValidationFailed.Because("The signature date must not be in the future.")
	case onPaper && x.Status == credit.CompanyClosed:
		return credit.CompanyNotEligible.Because("The company is closed.")
	case onPaper && !x.Servicing.Unsigned:
		return credit.InvalidTransition.Because("The company has already signed the master agreement.")
	case x.Servicing.Unsigned && (without(credit.DocumentMaster) || without(DocumentSignature)):
		return credit.ValidationFailed.Because("A signature needs the signed agreement and its proof.")
	}
	return nil
}
