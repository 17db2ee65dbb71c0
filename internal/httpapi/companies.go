package httpapi

import (
	"strconv"

	"tenor/internal/credit"
	"tenor/internal/store"
	"tenor/internal/wire"
)

type companyKey struct {
	CompanyID CompanyID `path:"company_id" doc:"The company's identifier: ten digits." example:"1000000001"`
}

type companyQuery struct {
	companyKey
	asOfQuery
}

func (s *Service) companies() []Operation {
	return []Operation{
		{
			ID: "getCompany", Method: "GET", Path: "/v2/companies/{company_id}", Tag: "Companies", Summary: "Retrieve a company",
			Doc:    "404 if there is no company with the identifier, 403 if it is not linked to the caller's merchant.",
			Scopes: []string{"companies:read"}, Response: wire.Company{}, ETag: true, Problems: []string{"company_not_linked"}, Endpoint: Handle(s.getCompany),
		},
		{
			ID: "listCompanies", Method: "GET", Path: "/v1/companies", Tag: "Companies", Summary: "List the companies linked to the merchant",
			Scopes: []string{"companies:read"}, Response: wire.List[wire.Company]{}, Endpoint: Handle(s.listCompanies),
		},
	}
}

func (s *Service) getCompany(c *Call, p *companyQuery, _ *None) (Answer, error) {
	return s.readAt(c, p.AsOf, func(v store.View, m moment) (Answer, error) {
		x, err := companyAt(c, v, int64(p.CompanyID), m)
		if err != nil {
			return Answer{}, err
		}
		var late wire.Lateness
		if m.past {
			late, err = latenessAt(v, x, m)
		} else {
			late, err = s.lateness(v, x)
		}
		if err != nil {
			return Answer{}, err
		}
		w := companyFor(c.Principal, x, late)
		return Tagged(&w)
	})
}

// companyFor is a company as a caller sees it.
func companyFor(p Principal, x *credit.Company, late wire.Lateness) wire.Company {
	w := wire.NewCompany(x, late, p.Operator)
	if !p.Operator {
		w.For(x, p.MerchantID)
	}
	return w
}

type companyFilter struct {
	Page
}

func (s *Service) listCompanies(c *Call, f *companyFilter, _ *None) (Answer, error) {
	return s.read(c, func(v store.View) (Answer, error) {
		found, err := v.Companies(c.Principal.MerchantID, f.Page.store())
		if err != nil {
			return Answer{}, err
		}
		ids := make([]int64, len(found))
		for i, x := range found {
			ids[i] = x.ID
		}
		sums, err := v.PastDues(ids, "", s.today())
		if err != nil {
			return Answer{}, err
		}
		var failed error
		a := listed(c, f.Page, found, func(x *credit.Company) Position { return Position{x.CreatedAt, strconv.FormatInt(x.ID, 10)} },
			func(x *credit.Company) wire.Company {
				late, err := s.lateBeside(v, x, sums[x.ID])
				if err != nil {
					failed = err
				}
				return companyFor(c.Principal, x, late)
			})
		return a, failed
	})
}
