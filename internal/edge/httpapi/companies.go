package httpapi

import (
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type companyKey struct {
	CompanyID values.CompanyID `path:"company_id" doc:"The company's identifier: ten digits." example:"1000000001"`
}

type companyQuery struct {
	companyKey
	asOfQuery
}

func (s *Service) companies() []rest.Operation {
	return rest.Group{Tag: "Companies", Reads: "companies:read"}.With([]rest.Operation{
		{
			ID: "getCompany", Method: "GET", Path: "/v2/companies/{company_id}", Summary: "Retrieve a company",
			Doc:      "404 if there is no such company, 403 if it is not linked to the caller's merchant.",
			Response: resource.Company{}, ETag: true, Problems: []string{"company_not_linked"}, Endpoint: rest.Handle(s.getCompany),
		},
		{
			ID: "listCompanies", Method: "GET", Path: "/v1/companies", Summary: "List the companies linked to the merchant",
			Response: resource.List[resource.Company]{}, Endpoint: rest.Handle(s.listCompanies),
		},
	})
}

func (s *Service) getCompany(c *rest.Call, p *companyQuery, _ *rest.None) (rest.Answer, error) {
	return s.readAt(c, p.AsOf, func(v store.View, m moment) (rest.Answer, error) {
		x, err := companyAt(c, v, int64(p.CompanyID), m)
		if err != nil {
			return rest.Answer{}, err
		}
		var late resource.Lateness
		if m.past {
			late, err = latenessAt(v, x, m)
		} else {
			late, err = s.lateness(v, x)
		}
		if err != nil {
			return rest.Answer{}, err
		}
		w := companyFor(c.Principal, x, late)
		return tagged(&w)
	})
}

// companyFor is a company as a caller sees it.
func companyFor(p rest.Principal, x *credit.Company, late resource.Lateness) resource.Company {
	w := resource.NewCompany(x, late, p.Operator)
	if !p.Operator {
		w.For(x, p.Tenant)
	}
	return w
}

type companyFilter struct {
	rest.Page
}

func (s *Service) listCompanies(c *rest.Call, f *companyFilter, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListCompanies(v, c.Principal.Tenant, pageOf(f.Page))
		if err != nil {
			return rest.Answer{}, err
		}
		ids := make([]int64, len(found))
		for i, x := range found {
			ids[i] = x.ID
		}
		sums, err := store.PastDues(v, ids, "", s.today())
		if err != nil {
			return rest.Answer{}, err
		}
		var failed error
		a := listed(c, f.Page, found, func(x *credit.Company) rest.Position {
			return rest.Position{CreatedAt: x.CreatedAt, ID: strconv.FormatInt(x.ID, 10)}
		},
			func(x *credit.Company) resource.Company {
				late, err := s.lateBeside(v, x, sums[x.ID])
				if err != nil {
					failed = err
				}
				return companyFor(c.Principal, x, late)
			})
		return a, failed
	})
}
