package access

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/outcome"
)

// Limits of endpoints.
const (
	// SecretOverlap is how long the old signing secret stays in use alongside the new one.
	SecretOverlap = 24 * time.Hour
	// maxSpan is the longest time span that can be resent at once.
	maxSpan = 31 * 24 * time.Hour
)

// CreateEndpoint creates an address to which a merchant's events are sent.
type CreateEndpoint struct {
	ID          string             `json:"id,omitzero"` // from EndpointID; "": generated
	Merchant    string             `json:"merchant"`
	URL         string             `json:"url"`
	URLProblem  string             `json:"url_problem"` // the edge's objection to the address; "" if none
	Description string             `json:"description"`
	EventTypes  []credit.EventType `json:"event_types"` // empty: every type
	Enabled     bool               `json:"enabled"`
	Sealed      []byte             `json:"sealed"` // the signing secret, sealed
}

func (CreateEndpoint) Name() string { return "webhook.create" }

// Keys requests the merchant and its endpoint slots.
func (c CreateEndpoint) Keys(*credit.State, credit.Env) credit.Keys {
	k := credit.Keys{Merchants: []string{c.Merchant}}
	if c.ID != "" {
		k.Endpoints = []string{c.ID}
	}
	k.Claims = (&credit.Endpoint{Merchant: c.Merchant}).Places()
	return k
}

func (c CreateEndpoint) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if s.Merchants[c.Merchant] == nil || e.Actor.Merchant != "" && e.Actor.Merchant != c.Merchant {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return nil
}

func (c CreateEndpoint) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	free := -1
	for n := range credit.MaxEndpoints {
		if s.Claims[credit.EndpointPlace(c.Merchant, n)] == "" {
			free = n
			break
		}
	}
	if free < 0 {
		return credit.Changes{}, credit.LimitExceeded.Because(fmt.Sprintf("A merchant can have at most %d endpoints.", credit.MaxEndpoints))
	}
	if r := refuseURL(c.URL, c.URLProblem); r != nil {
		return credit.Changes{}, r
	}
	types, r := outcome.CheckEventTypes(c.EventTypes)
	if r != nil {
		return credit.Changes{}, r
	}
	if len(c.Sealed) == 0 {
		return credit.Changes{}, credit.ValidationFailed.Because("An endpoint needs a signing secret.")
	}
	if c.ID != "" && (s.Endpoints[c.ID] != nil || !credit.EndpointShaped(c.ID)) {
		return credit.Changes{}, credit.ValidationFailed.Because("The endpoint identifier is invalid or already in use.")
	}
	d := credit.NewDraft(s, e)
	id := c.ID
	if id == "" {
		id = d.IDs.Next(credit.PrefixEndpoint)
	}
	x := &credit.Endpoint{
		ID: id, Merchant: c.Merchant, URL: c.URL, Description: c.Description, EventTypes: types,
		Enabled: c.Enabled, Secrets: []credit.EndpointSecret{{Sealed: c.Sealed}}, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	}
	if !c.Enabled {
		x.DisabledReason = credit.DisabledByMerchant
	}
	d.Endpoints.Add(x.ID, x)
	d.Claim(credit.EndpointPlace(c.Merchant, free), x.ID)
	return d.Done(x, true), nil
}

// refuseURL rejects an address by the edge's verdict; the edge knows networks.
func refuseURL(url, problem string) *credit.Rejection {
	if problem == "" && url == "" {
		problem = "There is no URL."
	}
	if problem != "" {
		return credit.URLNotAllowed.Because(problem)
	}
	return nil
}

// UpdateEndpoint changes an endpoint. Nil members stay as they are. The sender disables an
// endpoint whose receiver answered 410 with Gone, and names in IfMatch the version that it had
// sent to: the merchant may have changed the URL in the meantime.
type UpdateEndpoint struct {
	Endpoint    string                             `json:"endpoint"`
	Merchant    string                             `json:"merchant"` // its required owner; "" for the operator and the sender
	IfMatch     []string                           `json:"if_match"`
	URL         *string                            `json:"url"`
	URLProblem  string                             `json:"url_problem"`
	Description *string                            `json:"description"`
	EventTypes  *lending.Patch[[]credit.EventType] `json:"event_types"` // null or empty: every type
	Enabled     *bool                              `json:"enabled"`
	Gone        bool                               `json:"gone"` // the receiver answered 410: disable it
}

func (UpdateEndpoint) Name() string { return "webhook.update" }

// Keys requests the endpoint.
func (c UpdateEndpoint) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Endpoints: []string{c.Endpoint}}
}

func (c UpdateEndpoint) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c UpdateEndpoint) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Endpoints[c.Endpoint]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	next := *old
	if r := c.ofCheckout(old); r != nil {
		return credit.Changes{}, r
	}
	if c.URL != nil {
		next.URL = *c.URL
	}
	if r := refuseURL(next.URL, c.URLProblem); r != nil && old.Kind == credit.EndpointOwn {
		return credit.Changes{}, r
	}
	if c.Description != nil {
		next.Description = *c.Description
	}
	if c.EventTypes != nil {
		types, r := outcome.CheckEventTypes(c.EventTypes.Value)
		if r != nil {
			return credit.Changes{}, r
		}
		next.EventTypes = types
	}
	switch {
	case c.Gone && old.Enabled:
		next.Enabled, next.DisabledReason = false, credit.DisabledGone
	case c.Gone:
	case c.Enabled != nil && *c.Enabled:
		next.Enabled, next.DisabledReason = true, ""
	case c.Enabled != nil && old.Enabled:
		next.Enabled, next.DisabledReason = false, credit.DisabledByMerchant
	}
	if next.URL == old.URL && next.Description == old.Description && next.Enabled == old.Enabled &&
		slices.Equal(next.EventTypes, old.EventTypes) {
		return credit.Changes{Result: old}, nil
	}
	return changeEndpoint(s, e, next)
}

// ofCheckout rejects changes of a merchant's CHECKOUT endpoint that are not possible: where
// its events go, and which.
func (c UpdateEndpoint) ofCheckout(x *credit.Endpoint) *credit.Rejection {
	switch {
	case x.Kind != credit.EndpointCheckout:
	case c.URL != nil:
		return credit.URLNotAllowed.Because("This endpoint has no URL of its own: each checkout names one as order_complete_url.")
	case c.EventTypes != nil:
		return credit.ValidationFailed.Because("This endpoint is sent checkout.accepted and nothing else.")
	}
	return nil
}

// changeEndpoint writes the next version of an endpoint.
func changeEndpoint(s *credit.State, e credit.Env, next credit.Endpoint) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	x := d.Endpoints.Edit(next.ID)
	*x = next
	x.Version, x.UpdatedAt = next.Version+1, e.Now
	return d.Done(x, false), nil
}

// ownEndpoint requires that the endpoint exists and belongs to the named merchant, if any, and
// to the calling merchant, if any.
func ownEndpoint(s *credit.State, e credit.Env, id, merchant string) *credit.Rejection {
	x := s.Endpoints[id]
	if x == nil || !x.DeletedAt.IsZero() || merchant != "" && x.Merchant != merchant ||
		e.Actor.Merchant != "" && x.Merchant != e.Actor.Merchant {
		return credit.NotFound.Because("There is no such endpoint.")
	}
	return nil
}

// RotateEndpoint gives an endpoint a new signing secret. The previous one signs alongside it
// for a day; any older one ends.
type RotateEndpoint struct {
	Endpoint string    `json:"endpoint"`
	Merchant string    `json:"merchant"`
	Sealed   []byte    `json:"sealed"`
	At       time.Time `json:"at"` // wall clock
}

func (RotateEndpoint) Name() string { return "webhook.rotate" }

// Keys requests the endpoint.
func (c RotateEndpoint) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Endpoints: []string{c.Endpoint}}
}

func (c RotateEndpoint) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c RotateEndpoint) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if len(c.Sealed) == 0 {
		return credit.Changes{}, credit.ValidationFailed.Because("An endpoint needs a signing secret.")
	}
	next := *s.Endpoints[c.Endpoint]
	old := next.Secrets[0]
	old.Until = credit.Stored(c.At).Add(SecretOverlap)
	next.Secrets = []credit.EndpointSecret{{Sealed: c.Sealed}, old}
	return changeEndpoint(s, e, next)
}

// DeleteEndpoint deletes an endpoint. Undelivered events are no longer sent.
type DeleteEndpoint struct {
	Endpoint string   `json:"endpoint"`
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match"`
}

func (DeleteEndpoint) Name() string { return "webhook.delete" }

// Keys requests the endpoint and its merchant's slots.
func (c DeleteEndpoint) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Endpoints: []string{c.Endpoint}}
	if x := s.Endpoints[c.Endpoint]; x != nil {
		k.Claims = x.Places()
	}
	return k
}

func (c DeleteEndpoint) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c DeleteEndpoint) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Endpoints[c.Endpoint]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x := d.Endpoints.Edit(c.Endpoint)
	x.Enabled, x.DisabledReason, x.Secrets = false, "", nil // nothing is signed any more
	x.DeletedAt, x.UpdatedAt, x.Version = e.Now, e.Now, x.Version+1
	for _, place := range x.Places() {
		if s.Claims[place] == x.ID {
			d.Claim(place, "")
		}
	}
	return d.Done(x, false), nil
}

// TestEndpoint sends an endpoint an event of type webhook.test, regardless of its
// subscription.
type TestEndpoint struct {
	Endpoint string `json:"endpoint"`
	Merchant string `json:"merchant"`
}

func (TestEndpoint) Name() string { return "webhook.test" }

// Keys requests the endpoint.
func (c TestEndpoint) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Endpoints: []string{c.Endpoint}}
}

func (c TestEndpoint) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c TestEndpoint) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	switch x := s.Endpoints[c.Endpoint]; {
	case !x.Enabled:
		return credit.Changes{}, credit.EndpointDisabled.Because("The endpoint is not enabled, so nothing can be sent to it.")
	case x.Kind == credit.EndpointCheckout:
		return credit.Changes{}, credit.ValidationFailed.Because("This endpoint has no URL of its own, so there is nowhere to send a test event to. Accept a checkout in the sandbox.")
	}
	d := credit.NewDraft(s, e)
	d.WebhookEvent(credit.WebhookTestEvent, c.Endpoint)
	return d.Done(d.Endpoints.Edit(c.Endpoint), false), nil
}

// ResendEvents requests that an endpoint is sent one event again, or all events of a time span
// that it was subscribed to.
type ResendEvents struct {
	Endpoint string    `json:"endpoint"`
	Merchant string    `json:"merchant"`
	Event    string    `json:"event"` // evt_…, found by the edge; "" for a span
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
}

func (ResendEvents) Name() string { return "webhook.resend" }

// Keys requests the endpoint.
func (c ResendEvents) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Endpoints: []string{c.Endpoint}}
}

func (c ResendEvents) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c ResendEvents) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	x := s.Endpoints[c.Endpoint]
	r := credit.Resend{Endpoint: x.ID, Merchant: x.Merchant, Event: c.Event, CreatedAt: e.Now}
	if c.Event == "" {
		// Future events are not resent.
		r.From, r.To = credit.Stored(c.From), credit.Stored(earlier(c.To, e.Now))
	}
	switch {
	case !x.Enabled:
		return credit.Changes{}, credit.EndpointDisabled.Because("The endpoint is not enabled, so nothing can be sent to it.")
	case c.Event == "" && !r.From.Before(r.To):
		return credit.Changes{}, credit.ValidationFailed.Because("from must be before to, and in the past.")
	case c.Event == "" && r.To.Sub(r.From) > maxSpan:
		return credit.Changes{}, credit.ValidationFailed.Because("At most 31 days can be resent at once.")
	}
	d := credit.NewDraft(s, e)
	r.ID = d.IDs.Next(credit.PrefixResend)
	d.Changes.Resends = append(d.Changes.Resends, r)
	return d.Done(r, true), nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
