package buyers

import (
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type companyQuery struct {
	serve.CompanyKey
	serve.AsOfQuery
}

// Companies returns the reads of companies.
func (s API) Companies() []rest.Operation {
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

func (s API) getCompany(c *rest.Call, p *companyQuery, _ *rest.None) (rest.Answer, error) {
	return s.ReadAt(c, p.AsOf, func(v store.View, m serve.Moment) (rest.Answer, error) {
		x, err := serve.CompanyAt(c, v, int64(p.CompanyID), m)
		if err != nil {
			return rest.Answer{}, err
		}
		var late resource.Lateness
		if m.Past {
			late, err = serve.LatenessAt(v, x, m)
		} else {
			late, err = s.Lateness(v, x)
		}
		if err != nil {
			return rest.Answer{}, err
		}
		w := serve.CompanyFor(c.Principal, x, late)
		return serve.Tagged(&w)
	})
}

type companyFilter struct {
	rest.Page
}

func (s API) listCompanies(c *rest.Call, f *companyFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListCompanies(v, c.Principal.Tenant, serve.PageOf(f.Page))
		if err != nil {
			return rest.Answer{}, err
		}
		ids := make([]int64, len(found))
		for i, x := range found {
			ids[i] = x.ID
		}
		sums, err := store.PastDues(v, ids, "", s.Today())
		if err != nil {
			return rest.Answer{}, err
		}
		var failed error
		a := serve.Listed(c, f.Page, found, func(x *credit.Company) rest.Position {
			return rest.Position{CreatedAt: x.CreatedAt, ID: strconv.FormatInt(x.ID, 10)}
		},
			func(x *credit.Company) resource.Company {
				late, err := s.LateBeside(v, x, sums[x.ID])
				if err != nil {
					failed = err
				}
				return serve.CompanyFor(c.Principal, x, late)
			})
		return a, failed
	})
}
