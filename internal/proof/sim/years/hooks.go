package years

import (
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/proof/sim"
)

// hookKinds returns what shops do with their webhook endpoints.
func hookKinds() []string {
	return []string{
		"endpoint", "subscribe", "move endpoint", "switch endpoint", "mend endpoint", "mend endpoint", "mend endpoint", "rotate", "delete endpoint",
		"test endpoint", "send again", "send again", "send again", "send span again",
	}
}

// hook generates what a shop does with an endpoint; false if the kind is not one of these, nil if
// there is no endpoint for it.
func (p *cast) hook(kind string) (credit.Command, bool) {
	if !slices.Contains(hookKinds(), kind) {
		return nil, false
	}
	live := p.endpoints(func(x *credit.Endpoint) bool { return x.DeletedAt.IsZero() })
	switch {
	case kind == "endpoint" && len(live) < 5 || len(live) == 0:
		return p.endpoint(sim.Pick(p.y.Source, p.merchants)), true
	case kind == "endpoint":
		return nil, true
	case kind == "send again":
		return p.sendAgain(), true
	case kind == "mend endpoint":
		live = slices.DeleteFunc(live, func(x *credit.Endpoint) bool { return x.Enabled })
	}
	if len(live) == 0 {
		return nil, true
	}
	return p.onEndpoint(kind, sim.Pick(p.y.Source, live)), true
}

// onEndpoint generates an action on an endpoint.
func (p *cast) onEndpoint(kind string, x *credit.Endpoint) credit.Command {
	s, now := p.y.Source, p.y.Clock.Now()
	c, on := access.UpdateEndpoint{Endpoint: x.ID, Merchant: x.Merchant}, true
	switch kind {
	case "rotate":
		return access.RotateEndpoint{Endpoint: x.ID, Merchant: x.Merchant, Sealed: sim.Sealed([]byte(p.y.post.at(x).secret()), credit.SigningSecretOf(x.ID)), At: now}
	case "delete endpoint":
		if sim.Chance(s, 60) {
			return nil
		}
		return access.DeleteEndpoint{Endpoint: x.ID, Merchant: x.Merchant}
	case "test endpoint":
		return access.TestEndpoint{Endpoint: x.ID, Merchant: x.Merchant}
	case "send span again":
		from := now.Add(-time.Duration(1+s.Intn(30)) * 24 * time.Hour)
		return access.ResendEvents{Endpoint: x.ID, Merchant: x.Merchant, From: from, To: from.Add(time.Duration(1+s.Intn(200)) * time.Hour)}
	case "subscribe":
		c.EventTypes = &lending.Patch[[]credit.EventType]{Value: p.subscription()}
	case "move endpoint":
		url := x.URL + "+"
		c.URL = &url
	case "switch endpoint":
		on = !x.Enabled && sim.Chance(s, 50)
		c.Enabled = &on
	default:
		c.Enabled = &on
	}
	return c
}

// endpoint generates a shop's endpoint, at an unused receiver.
func (p *cast) endpoint(merchant string) credit.Command {
	r := p.y.post.receiver()
	id := credit.EndpointID(seedOf(r.host, 0), p.y.Clock.Now())
	return access.CreateEndpoint{
		ID: id, Merchant: merchant, URL: "https://" + r.host + "/hook", EventTypes: p.subscription(), Enabled: true,
		Sealed: sim.Sealed([]byte(r.secrets[0]), credit.SigningSecretOf(id)),
	}
}

// subscription generates the events an endpoint subscribes to: mostly all.
func (p *cast) subscription() []credit.EventType {
	return sim.Pick(p.y.Source, [][]credit.EventType{
		nil, nil, nil, {credit.OrderCapturedEvent, credit.OrderUpdatedEvent}, {credit.PaymentSucceededEvent, credit.CreditLineChangedEvent},
	})
}

// sendAgain generates a resend of an event that a shop wants again: mostly one that it did not
// accept.
func (p *cast) sendAgain() credit.Command {
	var parked, all []*note
	for _, id := range sim.SortedKeys(p.y.post.notes) {
		n := p.y.post.notes[id]
		x := p.draw.Books.Endpoints[n.Endpoint]
		if x == nil || !x.Enabled {
			continue
		}
		if all = append(all, n); n.State == store.DeliveryParked && !p.y.post.at(x).has(n.Event) {
			parked = append(parked, n)
		}
	}
	switch {
	case len(parked) > 0:
		all = parked
	case len(all) == 0 || sim.Chance(p.y.Source, 70):
		return nil
	}
	n := sim.Pick(p.y.Source, all)
	return access.ResendEvents{Endpoint: n.Endpoint, Merchant: n.Merchant, Event: n.Event}
}

// endpoints lists the fitting ones, as last seen.
func (p *cast) endpoints(fits func(*credit.Endpoint) bool) (list []*credit.Endpoint) {
	for _, id := range sim.SortedKeys(p.draw.Books.Endpoints) {
		if x := p.draw.Books.Endpoints[id]; fits(x) {
			list = append(list, x)
		}
	}
	return list
}

// shopOf returns the shop that a command on an endpoint belongs to.
func (p *cast) shopOf(c credit.Command) string {
	if c, ok := c.(access.CreateEndpoint); ok {
		return c.Merchant
	}
	return p.draw.Books.Endpoints[sim.EndpointOf(c)].Merchant
}
