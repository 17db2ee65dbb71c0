package operator

import (
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type merchantID struct {
	ID string `path:"id" prefix:"mch_" doc:"The merchant's identifier." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
}

type merchantBody struct {
	Name string `json:"name" required:"true" minLength:"1" doc:"Its name, unique in the deployment." example:"Shelfworks"`
	serve.BecauseBody
	programBody
}

type newProgramBody struct {
	EffectiveFrom calendar.Date `json:"effective_from" required:"true" doc:"First business date it applies: after today and after the previous version's." example:"2026-07-01"`
	serve.BecauseBody
	programBody
}

type merchantPage struct {
	rest.Page
}

type programPage struct {
	merchantID
	rest.Page
}

// Merchants returns the operations on who sells, and on what terms.
func (s API) Merchants() []rest.Operation {
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

func (s API) createMerchant(c *rest.Call, _ *rest.None, b *merchantBody) (rest.Answer, error) {
	settings, p := b.settings()
	if p != nil {
		return rest.Answer{}, p
	}
	create := merchants.CreateMerchant{Title: b.Name, Settings: settings}
	if s.Sandbox { // where nothing can be lost
		create.Limits.Exposure = credit.Unlimited
	}
	return s.Do(c, create, func(ch credit.Changes) serve.Success {
		m := ch.Result.(*credit.Merchant)
		w := s.merchant(m)
		return serve.Success{Body: &w, Location: "/v1/operator/merchants/" + m.ID, Etag: serve.VersionTag(m.Version)}
	})
}

func (s API) addProgram(c *rest.Call, p *merchantID, b *newProgramBody) (rest.Answer, error) {
	settings, bad := b.settings()
	if bad != nil {
		return rest.Answer{}, bad
	}
	return s.Do(c, merchants.AddProgram{Merchant: p.ID, From: b.EffectiveFrom, Settings: settings}, func(ch credit.Changes) serve.Success {
		w := resource.NewProgram(ch.Result.(credit.Program))
		return serve.Success{Body: &w, Location: "/v1/operator/merchants/" + p.ID + "/programs"}
	})
}

func (s API) getMerchant(c *rest.Call, p *merchantID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		m, err := serve.FindMerchant(v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(s.merchant(m), serve.VersionTag(m.Version))
	})
}

func (s API) listMerchants(c *rest.Call, q *merchantPage, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		all, err := store.AllMerchants(v)
		at := func(m *credit.Merchant) rest.Position { return rest.Position{CreatedAt: m.CreatedAt, ID: m.ID} }
		return serve.Listed(c, q.Page, serve.Cut(q.Page, all, at), at, s.merchant), err
	})
}

func (s API) listPrograms(c *rest.Call, q *programPage, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		m, err := serve.FindMerchant(v, q.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		// The resources know when each version ends, which the next one says.
		all := resource.NewMerchant(m, nil).Programs
		at := func(p resource.Program) rest.Position {
			return rest.Position{CreatedAt: time.UnixMicro(int64(p.Version)), ID: strconv.Itoa(p.Version)}
		}
		return serve.Listed(c, q.Page, serve.Cut(q.Page, all, at), at, func(p resource.Program) resource.Program { return p }), nil
	})
}
