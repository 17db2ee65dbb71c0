package credit

import (
	"slices"
	"strconv"
)

// DocumentSignature is the proof of a signature outside a checkout: who signed, with which
// words, from where, as JSON.
const DocumentSignature = "SIGNATURE"

// SignAgreement records that the master agreement of a company was signed (F21): by one of its
// owners in a session of her own, who has the papers with a proof of how she signed; or on
// paper, which the operator records with a copy of it. It is signed once. Result is the
// *Company.
type SignAgreement struct {
	Company int64    `json:"company_id"`
	Person  string   `json:"person,omitzero"` // owner; "": on paper
	Papers  []Paper  `json:"papers"`
	Secrets []Secret `json:"-"`
}

// Name is the command's word in the audit log.
func (SignAgreement) Name() string { return "company.sign" }

// Keys asks for the company, and for who signs.
func (c SignAgreement) Keys(*State, Env) Keys {
	return Keys{Companies: []int64{c.Company}}.ownersWord(c.Person)
}

func (c SignAgreement) admit(s *State, e Env) *Rejection {
	if r := ownPages(e); r != nil {
		return r
	}
	if s.Companies[c.Company] == nil {
		return NotFound.because("There is no such company.")
	}
	return admitOwner(s, e, c.Person, c.Company)
}

func (c SignAgreement) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	if !old.Servicing.Unsigned {
		return Changes{Result: old}, nil // twice is once
	}
	kinds := []string{DocumentMaster}
	if c.Person != "" {
		kinds = append(kinds, DocumentSignature)
	}
	for _, kind := range kinds {
		if !slices.ContainsFunc(c.Papers, func(p Paper) bool { return p.Kind == kind }) {
			return Changes{}, ValidationFailed.because("A signature comes with the agreement that was signed, and one on these pages with its proof.")
		}
	}
	d := newDraft(s, e)
	d.c.Secrets = c.Secrets
	x := d.companies.edit(c.Company)
	for _, p := range c.Papers {
		doc := d.file(p, RecordHead{ID: strconv.FormatInt(c.Company, 10), Company: c.Company})
		if p.Kind == DocumentMaster {
			x.Servicing.Unsigned, x.Servicing.Agreement = false, doc.ID
		}
	}
	if c.Person != "" {
		d.mail("agreement_copy", s.Person(c.Person).addressee(), RecordHead{ID: x.Servicing.Agreement, Company: c.Company}, map[string]string{"who": c.Person})
	}
	return d.done(x, false), nil
}
