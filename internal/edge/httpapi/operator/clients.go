package operator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type clientID struct {
	ID string `path:"id" prefix:"cli_" doc:"The client's identifier." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
}

type clientPage struct {
	rest.Page
	MerchantID *string `query:"merchant_id" prefix:"mch_" doc:"Clients of this merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
}

// scopeName is an existing scope. Whether a client may have it depends on the scope's owner
// and the mode.
type scopeName string

func (scopeName) Words() []string {
	return append(append(auth.Scopes(false, false), auth.Scopes(true, false)...), auth.Sandbox)
}

type clientBody struct {
	MerchantID    *string     `json:"merchant_id" prefix:"mch_" doc:"The merchant; omit or null for the lender." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Name          string      `json:"name" required:"true" minLength:"1" doc:"Display name." example:"shop backend"`
	Scopes        []scopeName `json:"scopes" minItems:"1" maxItems:"50" maxLength:"64" doc:"Scopes its tokens may have. Default: all merchant scopes, or operator:read and operator:write for the lender. An empty list is rejected." example:"[\"orders:read\",\"orders:write\"]"`
	RatePerMinute int         `json:"rate_per_minute" minimum:"1" maximum:"1000000" default:"600" doc:"Requests per minute." example:"600"`
	Burst         int         `json:"burst" minimum:"1" maximum:"100000" default:"100" doc:"Burst of requests." example:"100"`
	serve.BecauseBody
}

type rollBody struct {
	OverlapSeconds int `json:"overlap_seconds" minimum:"0" maximum:"2592000" default:"86400" doc:"Seconds the old secret stays valid; 0 ends it immediately." example:"86400"`
	serve.BecauseBody
}

// Clients returns the operations on API clients.
func (s API) Clients() []rest.Operation {
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeClients, Response: resource.APIClient{}, ETag: true}.With([]rest.Operation{
		{
			ID: "createClient", Method: "POST", Path: "/v1/operator/clients", Summary: "Create an API client",
			Doc:     "The response shows the client secret once. 404 if there is no such merchant. A client can grant lender scopes and `sandbox` only if its own token has them, otherwise 403 `insufficient_scope`. It can grant any merchant scope.",
			Success: 201, Problems: []string{"not_found"}, Endpoint: rest.Handle(s.createClient),
		},
		{
			ID: "listClients", Method: "GET", Path: "/v1/operator/clients", Summary: "List API clients",
			Response: resource.List[resource.APIClient]{}, Endpoint: rest.Handle(s.listClients),
		},
		{
			ID: "getClient", Method: "GET", Path: "/v1/operator/clients/{id}", Summary: "Retrieve an API client", Endpoint: rest.Handle(s.getClient),
		},
		{
			ID: "rollClient", Method: "POST", Path: "/v1/operator/clients/{id}/roll", Summary: "Give an API client a new secret",
			Doc:      "The response shows it once. The previous secret stays valid for the given time; older ones end. 403 `insufficient_scope` if the client has a lender scope or `sandbox` that the token does not have.",
			Problems: []string{"client_locked"}, Endpoint: rest.Handle(s.rollClient),
		},
		{
			ID: "revokeClient", Method: "POST", Path: "/v1/operator/clients/{id}/revoke", Summary: "Revoke an API client",
			Doc:      "Its secrets and tokens stop working within a second, on every server, permanently. 403 `insufficient_scope` if the client has a lender scope or `sandbox` that the token does not have.",
			Problems: []string{"client_locked"}, Endpoint: rest.Handle(s.revokeClient),
		},
	})
}

// scopesOf returns the scopes of the token: never nil, which would mean the program itself.
func scopesOf(c *rest.Call) []string { return append([]string{}, c.Principal.Scopes...) }

// clientAnswer answers with a client, and with its secret if that is new.
func clientAnswer(secret auth.Secret) func(credit.Changes) serve.Success {
	return func(ch credit.Changes) serve.Success {
		x := ch.Result.(*credit.Client)
		w := resource.NewAPIClient(x, secret.Reveal())
		ok := serve.Success{Body: &w, Etag: serve.VersionTag(x.Version), Secret: secret != ""}
		if ch.Created {
			ok.Location = "/v1/operator/clients/" + x.ID
		}
		return ok
	}
}

func (s API) createClient(c *rest.Call, _ *rest.None, b *clientBody) (rest.Answer, error) {
	scopes, p := s.grantable(b)
	if p != nil {
		return rest.Answer{}, p
	}
	secret, hash := auth.NewSecret()
	return s.DoSecret(c, access.CreateClient{
		Merchant: serve.Deref(b.MerchantID), Title: b.Name, Scopes: scopes, PerMinute: b.RatePerMinute, Burst: b.Burst,
		SecretHash: hash, At: c.Wall(), Held: scopesOf(c),
	}, secret.Reveal(), clientAnswer(secret))
}

// grantable returns the scopes requested for a new client, or what is wrong with them.
func (s API) grantable(b *clientBody) ([]string, *rest.Problem) {
	whose, allowed := "An operator's", auth.Scopes(true, s.Sandbox)
	if b.MerchantID != nil {
		whose, allowed = "A merchant's", auth.Scopes(false, s.Sandbox)
	}
	var scopes []string
	var invalid []rest.FieldError
	for i, name := range b.Scopes {
		scope := string(name)
		if scopes = append(scopes, scope); !slices.Contains(allowed, scope) {
			detail := whose + " client can hold " + strings.Join(allowed, ", ") + "."
			if scope == auth.Sandbox {
				detail = "The scope exists only in a sandbox."
			}
			invalid = append(invalid, rest.FieldError{Pointer: "/scopes/" + strconv.Itoa(i), Code: "not_in_enum", Detail: detail})
		}
	}
	if len(invalid) > 0 {
		return nil, &rest.Problem{Code: rest.CodeValidation, Errors: invalid}
	}
	return scopes, nil
}

func (s API) rollClient(c *rest.Call, p *clientID, b *rollBody) (rest.Answer, error) {
	secret, hash := auth.NewSecret()
	now := c.Wall()
	return s.DoSecret(c, access.RollClient{
		Client: p.ID, SecretHash: hash, OldUntil: now.Add(time.Duration(b.OverlapSeconds) * time.Second), At: now, Held: scopesOf(c),
	}, secret.Reveal(), clientAnswer(secret))
}

func (s API) revokeClient(c *rest.Call, p *clientID, _ *serve.BecauseBody) (rest.Answer, error) {
	ans, err := s.Do(c, access.RevokeClient{Client: p.ID, At: c.Wall(), Held: scopesOf(c)}, clientAnswer(""))
	if err == nil {
		s.OAuth.Ended(p.ID) // here at once, on other servers within a second
	}
	return ans, err
}

// getClient finds clients of both kinds: those created here, and those created on the
// server itself.
func (s API) getClient(c *rest.Call, p *clientID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Clients: []string{p.ID}}); err != nil {
			return rest.Answer{}, err
		}
		x := state.Clients[p.ID]
		if x == nil {
			return rest.Answer{}, rest.NotFound()
		}
		return serve.Answer(resource.NewAPIClient(x, ""), serve.VersionTag(x.Version))
	})
}

func (s API) listClients(c *rest.Call, q *clientPage, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListClients(v, serve.Deref(q.MerchantID), serve.PageOf(q.Page))
		at := func(x *credit.Client) rest.Position { return rest.Position{CreatedAt: x.CreatedAt, ID: x.ID} }
		return serve.Listed(c, q.Page, found, at, func(x *credit.Client) resource.APIClient { return resource.NewAPIClient(x, "") }), err
	})
}
