package httpapi

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type merchantID struct {
	ID string `path:"id" prefix:"mch_" doc:"The merchant's identifier." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
}

type merchantBody struct {
	Name string `json:"name" required:"true" minLength:"1" doc:"Its name, unique in the deployment." example:"Shelfworks"`
	becauseBody
	programBody
}

type newProgramBody struct {
	EffectiveFrom calendar.Date `json:"effective_from" required:"true" doc:"First business date it applies: after today and after the previous version's." example:"2026-07-01"`
	becauseBody
	programBody
}

type merchantPage struct {
	rest.Page
}

type programPage struct {
	merchantID
	rest.Page
}

// operatorMerchants is who sells, and on what terms.
func (s *Service) operatorMerchants() []rest.Operation {
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeSettings}.With([]rest.Operation{
		{
			ID: "createMerchant", Method: "POST", Path: "/v1/operator/merchants", Summary: "Create a merchant",
			Doc:     "The first version of its program applies immediately. Omitted terms take the defaults.",
			Success: 201, Response: resource.Merchant{}, ETag: true,
			Endpoint: rest.Handle(s.createMerchant),
		},
		{
			ID: "listMerchants", Method: "GET", Path: "/v1/operator/merchants", Summary: "List merchants",
			Response: resource.List[resource.Merchant]{}, Endpoint: rest.Handle(s.listMerchants),
		},
		{
			ID: "getMerchant", Method: "GET", Path: "/v1/operator/merchants/{id}", Summary: "Retrieve a merchant",
			Response: resource.Merchant{}, ETag: true, Endpoint: rest.Handle(s.getMerchant),
		},
		{
			ID: "addProgram", Method: "POST", Path: "/v1/operator/merchants/{id}/programs", Summary: "Add a version to a merchant's program",
			Doc:     "A full replacement: omitted terms take the defaults, not the previous values. Orders keep the version they were authorized under.",
			Success: 201, Response: resource.Program{},
			Endpoint: rest.Handle(s.addProgram),
		},
		{
			ID: "listPrograms", Method: "GET", Path: "/v1/operator/merchants/{id}/programs", Summary: "List the versions of a merchant's program",
			Doc:      "Latest first.",
			Response: resource.List[resource.Program]{}, Endpoint: rest.Handle(s.listPrograms),
		},
	})
}

func (s *Service) createMerchant(c *rest.Call, _ *rest.None, b *merchantBody) (rest.Answer, error) {
	settings, p := b.settings()
	if p != nil {
		return rest.Answer{}, p
	}
	create := merchants.CreateMerchant{Title: b.Name, Settings: settings}
	if s.Sandbox { // where nothing can be lost
		create.Limits.Exposure = credit.Unlimited
	}
	return s.do(c, create, func(ch credit.Changes) success {
		m := ch.Result.(*credit.Merchant)
		w := s.merchant(m)
		return success{body: &w, location: "/v1/operator/merchants/" + m.ID, etag: versionTag(m.Version)}
	})
}

func (s *Service) addProgram(c *rest.Call, p *merchantID, b *newProgramBody) (rest.Answer, error) {
	settings, bad := b.settings()
	if bad != nil {
		return rest.Answer{}, bad
	}
	return s.do(c, merchants.AddProgram{Merchant: p.ID, From: b.EffectiveFrom, Settings: settings}, func(ch credit.Changes) success {
		w := resource.NewProgram(ch.Result.(credit.Program))
		return success{body: &w, location: "/v1/operator/merchants/" + p.ID + "/programs"}
	})
}

func (s *Service) getMerchant(c *rest.Call, p *merchantID, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		m, err := findMerchant(v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return answer(s.merchant(m), versionTag(m.Version))
	})
}

func findMerchant(v store.View, id string) (*credit.Merchant, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Merchants: []string{id}}); err != nil {
		return nil, err
	}
	m := state.Merchants[id]
	if m == nil {
		return nil, rest.NotFound()
	}
	return m, nil
}

func (s *Service) listMerchants(c *rest.Call, q *merchantPage, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		all, err := store.AllMerchants(v)
		at := func(m *credit.Merchant) rest.Position { return rest.Position{CreatedAt: m.CreatedAt, ID: m.ID} }
		return listed(c, q.Page, cut(q.Page, all, at), at, s.merchant), err
	})
}

func (s *Service) listPrograms(c *rest.Call, q *programPage, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		m, err := findMerchant(v, q.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		// The resources know when each version ends, which the next one says.
		all := resource.NewMerchant(m).Programs
		at := func(p resource.Program) rest.Position {
			return rest.Position{CreatedAt: time.UnixMicro(int64(p.Version)), ID: strconv.Itoa(p.Version)}
		}
		return listed(c, q.Page, cut(q.Page, all, at), at, func(p resource.Program) resource.Program { return p }), nil
	})
}

// cut takes one page, and one record more, of a list that is short enough to be read
// whole: merchants of a deployment, versions of a program.
func cut[R any](p rest.Page, all []R, at func(R) rest.Position) []R {
	order := func(a, b rest.Position) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) }
	rest := slices.SortedFunc(slices.Values(all), func(a, b R) int { return order(at(a), at(b)) })
	if p.After != nil {
		rest = slices.DeleteFunc(rest, func(r R) bool { return order(at(r), *p.After) <= 0 })
	}
	return rest[:min(len(rest), p.Limit+1)]
}
