package credit

import (
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
)

// DocumentSignature is the proof of a signature outside a checkout: who signed, with which
// words, from where, as JSON.
const DocumentSignature = "SIGNATURE"

// SignAgreement records that the master agreement of a company was signed (F21): by one of its
// owners in a session of her own, who has the papers with a proof of how she signed; or on
// paper, which the operator records with a copy of it, who signed, and when. It is signed once.
// Result is the *Company.
type SignAgreement struct {
	Company int64         `json:"company_id"`
	Person  string        `json:"person,omitzero"` // owner; "": on paper
	On      calendar.Date `json:"on,omitzero"`     // when it was signed on paper
	Papers  []Paper       `json:"papers"`
	Secrets []Secret      `json:"-"`
}

// SignedOnPaper is when a master agreement was signed that was signed on paper, and when the
// operator has recorded it. Who signed stands in the proof, which is sealed.
type SignedOnPaper struct {
	On calendar.Date `json:"on"`
	At time.Time     `json:"at"`
}

func (SignAgreement) Name() string { return "company.sign" }

// Keys asks for the company, and for who signs; on paper, for its people, who hear of it.
func (c SignAgreement) Keys(s *State, _ Env) Keys {
	if c.Person == "" {
		return peopleKeys(s, c.Company)
	}
	return Keys{Companies: []int64{c.Company}}.OwnersWord(c.Person)
}

func (c SignAgreement) Admit(s *State, e Env) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	if s.Companies[c.Company] == nil {
		return NotFound.Because("There is no such company.")
	}
	return AdmitOwner(s, e, c.Person, c.Company)
}

func (c SignAgreement) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	if r := c.refuse(old, e); r != nil {
		return Changes{}, r
	}
	if !old.Servicing.Unsigned {
		return Changes{Result: old}, nil // twice is once
	}
	d := NewDraft(s, e)
	d.Changes.Secrets = c.Secrets
	x := d.Companies.Edit(c.Company)
	for _, p := range c.Papers {
		doc := d.File(p, RecordHead{ID: strconv.FormatInt(c.Company, 10), Company: c.Company})
		if p.Kind == DocumentMaster {
			x.Servicing.Unsigned, x.Servicing.Agreement = false, doc.ID
		}
	}
	about := RecordHead{ID: x.Servicing.Agreement, Company: c.Company}
	if c.Person != "" {
		d.Mail("agreement_copy", s.Person(c.Person).Addressee(), about, map[string]string{"who": c.Person})
		return d.Done(x, false), nil
	}
	x.Servicing.OnPaper = SignedOnPaper{On: c.On, At: e.Now}
	d.writeOwners(c.Company, "agreement_on_paper", about, nil)
	return d.Done(x, false), nil
}

// refuse answers what is no signature: without its papers, of a day to come, of a company that
// is closed, or that has signed already where the operator says so. Who signs twice on the pages
// has signed.
func (c SignAgreement) refuse(x *Company, e Env) *Rejection {
	onPaper := c.Person == ""
	without := func(kind string) bool {
		return !slices.ContainsFunc(c.Papers, func(p Paper) bool { return p.Kind == kind })
	}
	switch {
	case onPaper && (c.On <= 0 || c.On > e.Today()):
		return ValidationFailed.Because("The signature date must not be in the future.")
	case onPaper && x.Status == CompanyClosed:
		return CompanyNotEligible.Because("The company is closed.")
	case onPaper && !x.Servicing.Unsigned:
		return InvalidTransition.Because("The company has already signed the master agreement.")
	case x.Servicing.Unsigned && (without(DocumentMaster) || without(DocumentSignature)):
		return ValidationFailed.Because("A signature needs the signed agreement and its proof.")
	}
	return nil
}
