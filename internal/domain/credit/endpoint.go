package credit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/ulid"
)

// Limits of endpoints.
const (
	// MaxEndpoints is how many endpoints a merchant may have at a time.
	MaxEndpoints = 20
	// SecretOverlap is how long the old signing secret goes on beside the new one.
	SecretOverlap = 24 * time.Hour
	// maxSpan is the longest span of time that can be sent again at once.
	maxSpan = 31 * 24 * time.Hour
)

// SigningSecretOf is what the sealing of an endpoint's signing secrets is bound to, its
// table, row and column: a secret that was copied to another endpoint does not open.
func SigningSecretOf(endpoint string) string { return "endpoints/" + endpoint + "/secrets" }

// formerSecretOf is what the sealing was bound to while endpoints were not named before
// their secrets were drawn.
func formerSecretOf(merchant string) string { return "webhook-secret:" + merchant }

// OpenSecret opens a signing secret of the endpoint with the deployment's keys. Its errors
// are those of open, and hold nothing of the secret.
func (x *Endpoint) OpenSecret(s EndpointSecret, open func(sealed []byte, about string) ([]byte, error)) ([]byte, error) {
	plain, err := open(s.Sealed, SigningSecretOf(x.ID))
	if err != nil {
		if former, e := open(s.Sealed, formerSecretOf(x.Merchant)); e == nil {
			return former, nil
		}
	}
	return plain, err
}

// EndpointID draws the identifier of a new endpoint from a seed at an instant of business
// time, so that its secret can be sealed for it before it is made.
func EndpointID(seed [16]byte, at time.Time) string {
	g := IDs{seed: seed, ms: at.UnixMilli()}
	return g.Next(prefixEndpoint)
}

// endpointShaped reports that a text has the form of an endpoint's identifier.
func endpointShaped(id string) bool {
	drawn, ok := strings.CutPrefix(id, prefixEndpoint)
	return ok && ulid.Is(drawn)
}

// CreateEndpoint gives a merchant an address to which its events are sent.
type CreateEndpoint struct {
	ID          string      `json:"id,omitzero"` // of EndpointID; "": drawn
	Merchant    string      `json:"merchant"`
	URL         string      `json:"url"`
	URLProblem  string      `json:"url_problem"` // what the edge holds against the address; "" if nothing
	Description string      `json:"description"`
	EventTypes  []EventType `json:"event_types"` // empty: every type
	Enabled     bool        `json:"enabled"`
	Sealed      []byte      `json:"sealed"` // the signing secret, sealed
}

func (CreateEndpoint) Name() string { return "webhook.create" }

// Keys asks for the merchant and its places for endpoints.
func (c CreateEndpoint) Keys(*State, Env) Keys {
	k := Keys{Merchants: []string{c.Merchant}}
	if c.ID != "" {
		k.Endpoints = []string{c.ID}
	}
	k.Claims = (&Endpoint{Merchant: c.Merchant}).Places()
	return k
}

// endpointPlace is one of the places that a merchant has for endpoints: a claim on
// it is what bounds their number, over all nodes.
func endpointPlace(merchant string, n int) Claim {
	return Claim{Kind: ClaimEndpointPlace, Scope: merchant, Name: fmt.Sprint(n + 1)}
}

// Places are the claims of which an endpoint of this kind holds one.
func (x *Endpoint) Places() []Claim {
	if x.Kind == EndpointCheckout {
		return []Claim{checkoutPlace(x.Merchant)}
	}
	list := make([]Claim, MaxEndpoints)
	for n := range list {
		list[n] = endpointPlace(x.Merchant, n)
	}
	return list
}

func (c CreateEndpoint) Admit(s *State, e Env) *Rejection {
	if s.Merchants[c.Merchant] == nil || e.Actor.Merchant != "" && e.Actor.Merchant != c.Merchant {
		return NotFound.Because("There is no such merchant.")
	}
	return nil
}

func (c CreateEndpoint) Decide(s *State, e Env) (Changes, *Rejection) {
	free := -1
	for n := range MaxEndpoints {
		if s.Claims[endpointPlace(c.Merchant, n)] == "" {
			free = n
			break
		}
	}
	if free < 0 {
		return Changes{}, LimitExceeded.Because(fmt.Sprintf("A merchant has at most %d endpoints.", MaxEndpoints))
	}
	if r := refuseURL(c.URL, c.URLProblem); r != nil {
		return Changes{}, r
	}
	types, r := eventTypes(c.EventTypes)
	if r != nil {
		return Changes{}, r
	}
	if len(c.Sealed) == 0 {
		return Changes{}, ValidationFailed.Because("An endpoint needs a signing secret.")
	}
	if c.ID != "" && (s.Endpoints[c.ID] != nil || !endpointShaped(c.ID)) {
		return Changes{}, ValidationFailed.Because("The endpoint's identifier is taken, or is none.")
	}
	d := NewDraft(s, e)
	id := c.ID
	if id == "" {
		id = d.IDs.Next(prefixEndpoint)
	}
	x := &Endpoint{
		ID: id, Merchant: c.Merchant, URL: c.URL, Description: c.Description, EventTypes: types,
		Enabled: c.Enabled, Secrets: []EndpointSecret{{Sealed: c.Sealed}}, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	}
	if !c.Enabled {
		x.DisabledReason = DisabledByMerchant
	}
	d.Endpoints.Add(x.ID, x)
	d.Claim(endpointPlace(c.Merchant, free), x.ID)
	return d.Done(x, true), nil
}

// refuseURL refuses an address; the edge, which knows networks, has judged it.
func refuseURL(url, problem string) *Rejection {
	if problem == "" && url == "" {
		problem = "There is no URL."
	}
	if problem != "" {
		return URLNotAllowed.Because(problem)
	}
	return nil
}

// eventTypes checks and sorts the types that an endpoint asks for; nil stands for
// every type.
func eventTypes(list []EventType) ([]EventType, *Rejection) {
	known := EventTypes()
	for _, t := range list {
		if !slices.Contains(known, t) {
			return nil, ValidationFailed.Because("There is no such event type.")
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return sorted(list), nil
}

// UpdateEndpoint changes an endpoint. Members that are nil stay as they are. The
// sender disables an endpoint whose receiver said 410 with Gone, and names in IfMatch
// the version to which it had sent: the merchant may have changed the URL meanwhile.
type UpdateEndpoint struct {
	Endpoint    string              `json:"endpoint"`
	Merchant    string              `json:"merchant"` // that must own it; "" for the operator and the sender
	IfMatch     []string            `json:"if_match"`
	URL         *string             `json:"url"`
	URLProblem  string              `json:"url_problem"`
	Description *string             `json:"description"`
	EventTypes  *Patch[[]EventType] `json:"event_types"` // null, as none: every type
	Enabled     *bool               `json:"enabled"`
	Gone        bool                `json:"gone"` // the receiver said 410: disable it
}

func (UpdateEndpoint) Name() string { return "webhook.update" }

// Keys asks for the endpoint.
func (c UpdateEndpoint) Keys(*State, Env) Keys { return Keys{Endpoints: []string{c.Endpoint}} }

func (c UpdateEndpoint) Admit(s *State, e Env) *Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c UpdateEndpoint) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Endpoints[c.Endpoint]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	next := *old
	if r := c.ofCheckout(old); r != nil {
		return Changes{}, r
	}
	if c.URL != nil {
		next.URL = *c.URL
	}
	if r := refuseURL(next.URL, c.URLProblem); r != nil && old.Kind == EndpointOwn {
		return Changes{}, r
	}
	if c.Description != nil {
		next.Description = *c.Description
	}
	if c.EventTypes != nil {
		types, r := eventTypes(c.EventTypes.Value)
		if r != nil {
			return Changes{}, r
		}
		next.EventTypes = types
	}
	switch {
	case c.Gone && old.Enabled:
		next.Enabled, next.DisabledReason = false, DisabledGone
	case c.Gone:
	case c.Enabled != nil && *c.Enabled:
		next.Enabled, next.DisabledReason = true, ""
	case c.Enabled != nil && old.Enabled:
		next.Enabled, next.DisabledReason = false, DisabledByMerchant
	}
	if next.URL == old.URL && next.Description == old.Description && next.Enabled == old.Enabled &&
		slices.Equal(next.EventTypes, old.EventTypes) {
		return Changes{Result: old}, nil
	}
	return changeEndpoint(s, e, next)
}

// ofCheckout refuses what cannot be changed of a merchant's CHECKOUT endpoint: where and
// of what it is sent events.
func (c UpdateEndpoint) ofCheckout(x *Endpoint) *Rejection {
	switch {
	case x.Kind != EndpointCheckout:
	case c.URL != nil:
		return URLNotAllowed.Because("This endpoint has no URL of its own: each checkout names one as order_complete_url.")
	case c.EventTypes != nil:
		return ValidationFailed.Because("This endpoint is sent checkout.accepted and nothing else.")
	}
	return nil
}

// changeEndpoint writes the next version of an endpoint.
func changeEndpoint(s *State, e Env, next Endpoint) (Changes, *Rejection) {
	d := NewDraft(s, e)
	x := d.Endpoints.Edit(next.ID)
	*x = next
	x.Version, x.UpdatedAt = next.Version+1, e.Now
	return d.Done(x, false), nil
}

// ownEndpoint asks that there is such an endpoint, of the merchant that is named, if
// any is, and of the merchant that asks, if one does.
func ownEndpoint(s *State, e Env, id, merchant string) *Rejection {
	x := s.Endpoints[id]
	if x == nil || !x.DeletedAt.IsZero() || merchant != "" && x.Merchant != merchant ||
		e.Actor.Merchant != "" && x.Merchant != e.Actor.Merchant {
		return NotFound.Because("There is no such endpoint.")
	}
	return nil
}

// RotateEndpoint gives an endpoint a new signing secret. The one before signs beside
// it for a day; any older one ends.
type RotateEndpoint struct {
	Endpoint string    `json:"endpoint"`
	Merchant string    `json:"merchant"`
	Sealed   []byte    `json:"sealed"`
	At       time.Time `json:"at"` // wall clock
}

func (RotateEndpoint) Name() string { return "webhook.rotate" }

// Keys asks for the endpoint.
func (c RotateEndpoint) Keys(*State, Env) Keys { return Keys{Endpoints: []string{c.Endpoint}} }

func (c RotateEndpoint) Admit(s *State, e Env) *Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c RotateEndpoint) Decide(s *State, e Env) (Changes, *Rejection) {
	if len(c.Sealed) == 0 {
		return Changes{}, ValidationFailed.Because("An endpoint needs a signing secret.")
	}
	next := *s.Endpoints[c.Endpoint]
	old := next.Secrets[0]
	old.Until = stored(c.At).Add(SecretOverlap)
	next.Secrets = []EndpointSecret{{Sealed: c.Sealed}, old}
	return changeEndpoint(s, e, next)
}

// DeleteEndpoint ends an endpoint. What was not delivered is not sent any more.
type DeleteEndpoint struct {
	Endpoint string   `json:"endpoint"`
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match"`
}

func (DeleteEndpoint) Name() string { return "webhook.delete" }

// Keys asks for the endpoint and its merchant's places.
func (c DeleteEndpoint) Keys(s *State, _ Env) Keys {
	k := Keys{Endpoints: []string{c.Endpoint}}
	if x := s.Endpoints[c.Endpoint]; x != nil {
		k.Claims = x.Places()
	}
	return k
}

func (c DeleteEndpoint) Admit(s *State, e Env) *Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c DeleteEndpoint) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Endpoints[c.Endpoint]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
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

// TestEndpoint sends an endpoint an event of the type webhook.test, whatever types it
// asks for.
type TestEndpoint struct {
	Endpoint string `json:"endpoint"`
	Merchant string `json:"merchant"`
}

func (TestEndpoint) Name() string { return "webhook.test" }

// Keys asks for the endpoint.
func (c TestEndpoint) Keys(*State, Env) Keys { return Keys{Endpoints: []string{c.Endpoint}} }

func (c TestEndpoint) Admit(s *State, e Env) *Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c TestEndpoint) Decide(s *State, e Env) (Changes, *Rejection) {
	switch x := s.Endpoints[c.Endpoint]; {
	case !x.Enabled:
		return Changes{}, EndpointDisabled.Because("Nothing is sent to an endpoint that is not enabled.")
	case x.Kind == EndpointCheckout:
		return Changes{}, ValidationFailed.Because("This endpoint has no URL of its own, so there is nowhere to send a test event to. Accept a checkout in the sandbox.")
	}
	d := NewDraft(s, e)
	d.facts = append(d.facts, fact{kind: WebhookTestEvent, object: webhookRef(c.Endpoint)})
	return d.Done(d.Endpoints.Edit(c.Endpoint), false), nil
}

// ResendEvents asks that an endpoint is sent one event again, or all events of a
// span of time for which it was subscribed.
type ResendEvents struct {
	Endpoint string    `json:"endpoint"`
	Merchant string    `json:"merchant"`
	Event    string    `json:"event"` // evt_…, which the edge has found; "" for a span
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
}

func (ResendEvents) Name() string { return "webhook.resend" }

// Keys asks for the endpoint.
func (c ResendEvents) Keys(*State, Env) Keys { return Keys{Endpoints: []string{c.Endpoint}} }

func (c ResendEvents) Admit(s *State, e Env) *Rejection {
	return ownEndpoint(s, e, c.Endpoint, c.Merchant)
}

func (c ResendEvents) Decide(s *State, e Env) (Changes, *Rejection) {
	x := s.Endpoints[c.Endpoint]
	r := Resend{Endpoint: x.ID, Merchant: x.Merchant, Event: c.Event, CreatedAt: e.Now}
	if c.Event == "" {
		// What is still to come is not sent again.
		r.From, r.To = stored(c.From), stored(earlier(c.To, e.Now))
	}
	switch {
	case !x.Enabled:
		return Changes{}, EndpointDisabled.Because("Nothing is sent to an endpoint that is not enabled.")
	case c.Event == "" && !r.From.Before(r.To):
		return Changes{}, ValidationFailed.Because("from must be before to, and in the past.")
	case c.Event == "" && r.To.Sub(r.From) > maxSpan:
		return Changes{}, ValidationFailed.Because("At most 31 days are sent again at once.")
	}
	d := NewDraft(s, e)
	r.ID = d.IDs.Next(prefixResend)
	d.Changes.Resends = append(d.Changes.Resends, r)
	return d.Done(r, true), nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
