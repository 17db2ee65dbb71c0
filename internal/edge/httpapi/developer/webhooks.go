package developer

import (
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/outcome"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type webhookID struct {
	ID string `path:"id" prefix:"whk_" doc:"The endpoint's identifier." example:"whk_01KB2C4E6G8J0M2P4R6T8V0X2Z"`
}

type webhookPage struct {
	rest.Page
}

// EventTypeName is an event type that an endpoint may subscribe to: one that this version
// emits, or every one.
type EventTypeName string

// everyType subscribes to all types, including those of later versions.
const everyType EventTypeName = "*"

// Words returns the types that an endpoint can name.
func (EventTypeName) Words() []string {
	var list []string
	for _, t := range outcome.EventTypes() {
		list = append(list, string(t))
	}
	return append(list, string(everyType))
}

type webhookBody struct {
	URL         string          `json:"url" required:"true" minLength:"1" maxLength:"2048" doc:"URL to POST events to: https, not on a private network." example:"https://shop.example/hooks/tenor"`
	Description string          `json:"description" doc:"Note by the merchant." example:"stock system"`
	EventTypes  []EventTypeName `json:"event_types" maxItems:"100" maxLength:"64" listed:"those that the page /docs/events lists" doc:"Event types to send. Omitted, empty or *: every type." example:"[\"order.captured\"]"`
	Enabled     bool            `json:"enabled" default:"true" doc:"Whether events are sent." example:"true"`
}

type webhookPatch struct {
	URL         rest.Opt[string]          `json:"url" minLength:"1" maxLength:"2048" doc:"URL to POST events to: https, not on a private network." example:"https://shop.example/hooks/tenor"`
	Description rest.Opt[string]          `json:"description" nullable:"true" doc:"Note by the merchant." example:"stock system"`
	EventTypes  rest.Opt[[]EventTypeName] `json:"event_types" nullable:"true" maxItems:"100" maxLength:"64" listed:"those that the page /docs/events lists" doc:"Replaces the list of event types to send. Empty, null or *: every type." example:"[\"order.captured\"]"`
	Enabled     rest.Opt[bool]            `json:"enabled" doc:"Whether events are sent." example:"false"`
}

type replayBody struct {
	From time.Time `json:"from" required:"true" doc:"Start of the span, inclusive." example:"2026-01-14T00:00:00Z"`
	To   time.Time `json:"to" required:"true" doc:"End of the span, exclusive; at most 31 days after the start." example:"2026-01-15T00:00:00Z"`
}

// Check refuses an empty or reversed span.
func (b *replayBody) Check(report func(name, code, detail string)) {
	if !b.From.Before(b.To) {
		report("/to", "reversed", "to is not after from.")
	}
}

// Webhooks returns the operations on endpoints.
func (s API) Webhooks() []rest.Operation {
	return rest.Group{Tag: "Webhooks", Reads: "webhooks:read", Writes: "webhooks:write", Response: resource.Webhook{}, ETag: true}.With([]rest.Operation{
		{
			ID: "createWebhook", Method: "POST", Path: "/v1/webhooks", Summary: "Create a webhook endpoint",
			Doc:        "The response shows the signing secret once. A merchant has at most 20 endpoints.",
			TenantOnly: true, Success: 201, Problems: []string{"limit_exceeded", "url_not_allowed"}, Endpoint: rest.Handle(s.createWebhook),
		},
		{
			ID: "listWebhooks", Method: "GET", Path: "/v1/webhooks", Summary: "List endpoints",
			Response: resource.List[resource.Webhook]{}, Endpoint: rest.Handle(s.listWebhooks),
		},
		{
			ID: "getWebhook", Method: "GET", Path: "/v1/webhooks/{id}", Summary: "Retrieve an endpoint", Endpoint: rest.Handle(s.getWebhook),
		},
		{
			ID: "updateWebhook", Method: "PATCH", Path: "/v1/webhooks/{id}", Summary: "Update an endpoint",
			Doc:      "A merge patch (RFC 7396). `url` and `event_types` of an endpoint of kind CHECKOUT cannot be changed. Use this to re-enable an endpoint that was disabled because its receiver answered 410.",
			Problems: []string{"precondition_failed", "url_not_allowed", "validation_failed"}, Endpoint: rest.Handle(s.updateWebhook),
		},
		{
			ID: "deleteWebhook", Method: "DELETE", Path: "/v1/webhooks/{id}", Summary: "Delete an endpoint",
			Doc:     "Undelivered events are not sent. An endpoint of kind CHECKOUT is re-created, with a new secret, with the next checkout that has an `order_complete_url`; disable it to stop these calls.",
			Success: 204, Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.deleteWebhook),
		},
		{
			ID: "rotateWebhook", Method: "POST", Path: "/v1/webhooks/{id}/rotate", Summary: "Give an endpoint a new signing secret",
			Doc:        "The response shows it once. For 24 hours deliveries are signed with both secrets. Use this to get the secret of an endpoint of kind CHECKOUT.",
			TenantOnly: true, Endpoint: rest.Handle(s.rotateWebhook),
		},
		{
			ID: "testWebhook", Method: "POST", Path: "/v1/webhooks/{id}/test", Summary: "Send an endpoint a test event",
			Doc:      "Returns the event, of type `webhook.test`. It is sent regardless of the subscribed types. An endpoint of kind CHECKOUT has no URL to send it to.",
			Response: resource.Event[resource.Webhook]{}, Problems: []string{"endpoint_disabled", "validation_failed"}, Endpoint: rest.Handle(s.testWebhook),
		},
		{
			ID: "replayWebhook", Method: "POST", Path: "/v1/webhooks/{id}/replay", Summary: "Resend the events of a time span",
			Doc:     "All events of the types the endpoint was subscribed to at the time. `Location` points to the new deliveries.",
			Success: 201, Response: resource.Resend{}, Problems: []string{"endpoint_disabled"}, Endpoint: serve.Decides(s.Service, resendAnswer, replayWebhook),
		},
	})
}

// endpointAnswer answers with an endpoint, and with its secret if that is new.
func endpointAnswer(secret string) func(credit.Changes) serve.Success {
	return func(ch credit.Changes) serve.Success {
		x := ch.Result.(*credit.Endpoint)
		w := resource.NewWebhook(x, secret)
		ok := serve.Success{Body: &w, Etag: serve.VersionTag(x.Version), Secret: secret != ""}
		if ch.Created {
			ok.Location = "/v1/webhooks/" + x.ID
		}
		return ok
	}
}

// target returns a URL and what is wrong with it. A refused one is not stored: it may
// contain a password, and the audit log contains none.
func (s API) target(url string) (kept, problem string) {
	if problem = s.CheckURL(url); problem != "" {
		return "", problem
	}
	return url, ""
}

// eventTypes returns the requested types, none for all.
func eventTypes(names []EventTypeName) []credit.EventType {
	if slices.Contains(names, everyType) {
		return []credit.EventType{}
	}
	list := make([]credit.EventType, len(names))
	for i, name := range names {
		list[i] = credit.EventType(name)
	}
	return list
}

func (s API) createWebhook(c *rest.Call, _ *rest.None, b *webhookBody) (rest.Answer, error) {
	id := credit.EndpointID(s.Seed(), s.Now())
	shown, sealed := s.SigningSecret(id)
	url, problem := s.target(b.URL)
	return s.Do(c, access.CreateEndpoint{
		ID: id, Merchant: c.Principal.Tenant, URL: url, URLProblem: problem, Description: b.Description,
		EventTypes: eventTypes(b.EventTypes), Enabled: b.Enabled, Sealed: sealed,
	}, endpointAnswer(shown))
}

func (s API) updateWebhook(c *rest.Call, p *webhookID, b *webhookPatch) (rest.Answer, error) {
	cmd := access.UpdateEndpoint{
		Endpoint: p.ID, Merchant: c.Principal.Tenant, IfMatch: serve.IfMatch(c.IfMatch),
		Description: serve.Given(b.Description), Enabled: serve.Given(b.Enabled),
	}
	if b.URL.Set {
		url, problem := s.target(b.URL.Value)
		cmd.URL, cmd.URLProblem = &url, problem
	}
	if b.EventTypes.Set {
		cmd.EventTypes = &lending.Patch[[]credit.EventType]{Null: b.EventTypes.Null, Value: eventTypes(b.EventTypes.Value)}
	}
	return s.Do(c, cmd, endpointAnswer(""))
}

func (s API) deleteWebhook(c *rest.Call, p *webhookID, _ *rest.None) (rest.Answer, error) {
	cmd := access.DeleteEndpoint{Endpoint: p.ID, Merchant: c.Principal.Tenant, IfMatch: serve.IfMatch(c.IfMatch)}
	return s.Do(c, cmd, func(credit.Changes) serve.Success { return serve.Success{} })
}

func (s API) rotateWebhook(c *rest.Call, p *webhookID, _ *rest.None) (rest.Answer, error) {
	shown, sealed := s.SigningSecret(p.ID)
	return s.Do(c, access.RotateEndpoint{Endpoint: p.ID, Merchant: c.Principal.Tenant, Sealed: sealed, At: c.Wall()}, endpointAnswer(shown))
}

func (s API) testWebhook(c *rest.Call, p *webhookID, _ *rest.None) (rest.Answer, error) {
	by := serve.Actor(c)
	return s.Do(c, access.TestEndpoint{Endpoint: p.ID, Merchant: c.Principal.Tenant}, func(ch credit.Changes) serve.Success {
		e := ch.Events[0]
		payload, err := resource.EncodeEvent(e, e.At, by)
		if err != nil {
			panic(err) // an event that cannot be encoded is a bug; the engine isolates it
		}
		return serve.Success{Body: serve.RawBody(payload)}
	})
}

func replayWebhook(c *rest.Call, p *webhookID, b *replayBody) credit.Command {
	return access.ResendEvents{Endpoint: p.ID, Merchant: c.Principal.Tenant, From: b.From, To: b.To}
}

func resendAnswer(ch credit.Changes) serve.Success {
	r := ch.Result.(credit.Resend)
	w := resource.NewResend(&r)
	return serve.Success{Body: &w, Location: "/v1/webhooks/" + r.Endpoint + "/deliveries"}
}

// findEndpoint reads an endpoint that the caller may see.
func findEndpoint(c *rest.Call, v store.View, id string) (*credit.Endpoint, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Endpoints: []string{id}}); err != nil {
		return nil, err
	}
	x := state.Endpoints[id]
	if x == nil || !x.DeletedAt.IsZero() || !c.Principal.Operator && x.Merchant != c.Principal.Tenant {
		return nil, rest.NotFound()
	}
	return x, nil
}

func (s API) getWebhook(c *rest.Call, p *webhookID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := findEndpoint(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(resource.NewWebhook(x, ""), serve.VersionTag(x.Version))
	})
}

func (s API) listWebhooks(c *rest.Call, q *webhookPage, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListEndpoints(v, c.Principal.Tenant, serve.PageOf(q.Page))
		at := func(x *credit.Endpoint) rest.Position { return rest.Position{CreatedAt: x.CreatedAt, ID: x.ID} }
		return serve.Listed(c, q.Page, found, at, func(x *credit.Endpoint) resource.Webhook { return resource.NewWebhook(x, "") }), err
	})
}
