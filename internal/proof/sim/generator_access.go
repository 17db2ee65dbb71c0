package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// accessKinds returns the kinds of commands on clients and endpoints.
func accessKinds() []string {
	return []string{
		"client", "roll", "revoke", "endpoint", "change endpoint", "rotate", "delete endpoint", "test endpoint", "send again",
	}
}

// access generates a command on clients and endpoints. It returns false if the kind is not one of
// them or nothing exists for it to act on.
func (g *Generator) access(kind string, today calendar.Date) (credit.Command, bool) {
	at := g.Model.midnight(today)
	clients, endpoints := g.Model.Clients(), g.Model.Endpoints()
	switch kind {
	case "client":
		return g.client(at), true
	case "roll", "revoke":
		if len(clients) == 0 {
			return nil, false
		}
		id := Pick(g.Source, g.mostly(clients, func(id string) bool { return !g.Model.client(id).revoked }))
		if kind == "revoke" {
			return access.RevokeClient{Client: id, At: at}, true
		}
		days := time.Duration(Pick(g.Source, []int{-1, 0, 1, 1, 1, 30, 31}))
		return access.RollClient{Client: id, SecretHash: HashOf(fmt.Sprint(g.Source.Intn(9))), At: at, OldUntil: at.Add(days * 24 * time.Hour)}, true
	case "endpoint":
		c := access.CreateEndpoint{
			Merchant: Pick(g.Source, g.Model.Merchants()), URL: "https://shop.example/", EventTypes: g.types(), Enabled: !Chance(g.Source, 15), Sealed: []byte("sealed"),
		}
		if Chance(g.Source, 5) {
			c.URLProblem = "The address is private."
		}
		return c, true
	}
	if len(endpoints) == 0 {
		return nil, false
	}
	id := Pick(g.Source, g.mostly(endpoints, func(id string) bool { return !g.Model.endpoint(id).deleted }))
	return g.onEndpoint(kind, g.Model.endpoint(id), at), true
}

// mostly keeps the fitting ids, if any, except one time in eight.
func (g *Generator) mostly(ids []string, fits func(string) bool) []string {
	kept := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !fits(id) })
	if len(kept) == 0 || g.Source.Intn(8) == 0 {
		return ids
	}
	return kept
}

// HashOf returns the hash under which a secret is stored.
func HashOf(secret string) string {
	h := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(h[:])
}

func (g *Generator) client(at time.Time) access.CreateClient {
	c := access.CreateClient{Title: "backend", SecretHash: HashOf("first"), At: at}
	if Chance(g.Source, 70) {
		c.Merchant = Pick(g.Source, g.Model.Merchants())
	}
	if Chance(g.Source, 50) {
		c.Scopes = Pick(g.Source, [][]string{{"orders:read", "orders:write"}, {"operator:read"}, {"webhooks:write"}, {"sandbox"}})
	}
	return c
}

func (g *Generator) types() []credit.EventType {
	return Pick(g.Source, [][]credit.EventType{
		nil, {credit.OrderCapturedEvent}, {credit.PaymentSucceededEvent, credit.CreditLineChangedEvent}, {credit.WebhookTestEvent},
	})
}

func (g *Generator) onEndpoint(kind string, x *endpoint, at time.Time) credit.Command {
	switch kind {
	case "rotate":
		return access.RotateEndpoint{Endpoint: x.id, Sealed: []byte("sealed again"), At: at}
	case "delete endpoint":
		return access.DeleteEndpoint{Endpoint: x.id}
	case "test endpoint":
		return access.TestEndpoint{Endpoint: x.id}
	case "send again":
		if Chance(g.Source, 30) {
			return access.ResendEvents{Endpoint: x.id, Event: "evt_1"}
		}
		from := at.Add(-time.Duration(g.Source.Intn(40)) * 24 * time.Hour)
		return access.ResendEvents{Endpoint: x.id, From: from, To: from.Add(time.Duration(g.Source.Intn(35)) * 24 * time.Hour)}
	}
	c := access.UpdateEndpoint{Endpoint: x.id}
	switch g.Source.Intn(4) {
	case 0:
		c.Gone = true
	case 1:
		c.EventTypes = &lending.Patch[[]credit.EventType]{Value: g.types()}
	default:
		on := !x.enabled
		c.Enabled = &on
	}
	return c
}

// accessActor returns the sender of a command on clients and endpoints: mostly one who is allowed
// to.
func (g *Generator) accessActor(c credit.Command) (credit.Actor, bool) {
	merchants := g.Model.Merchants()
	if id := EndpointOf(c); id != "" {
		switch {
		case Chance(g.Source, 60):
			return Shop(g.Model.endpoint(id).merchant), true
		case Chance(g.Source, 50):
			return Operator(), true
		}
		return Shop(Pick(g.Source, merchants)), true
	}
	switch c := c.(type) {
	case access.CreateEndpoint:
		if Chance(g.Source, 80) {
			return Shop(c.Merchant), true
		}
		return Shop(Pick(g.Source, merchants)), true
	case access.CreateClient, access.RollClient, access.RevokeClient:
		if Chance(g.Source, 10) {
			return Shop(Pick(g.Source, merchants)), true
		}
		return Operator(), true
	}
	return credit.Actor{}, false
}

// EndpointOf returns the endpoint that a command names.
func EndpointOf(c credit.Command) string {
	switch c := c.(type) {
	case access.UpdateEndpoint:
		return c.Endpoint
	case access.RotateEndpoint:
		return c.Endpoint
	case access.DeleteEndpoint:
		return c.Endpoint
	case access.TestEndpoint:
		return c.Endpoint
	case access.ResendEvents:
		return c.Endpoint
	}
	return ""
}

// otherAccess returns a command on the same client or endpoint that differs in its bytes.
func otherAccess(c credit.Command) credit.Command {
	switch c := c.(type) {
	case access.CreateClient:
		c.Title += "x"
		return c
	case access.RollClient:
		c.SecretHash = HashOf("other")
		return c
	case access.RevokeClient:
		c.At = c.At.Add(time.Second)
		return c
	case access.CreateEndpoint:
		c.Description += "x"
		return c
	case access.UpdateEndpoint:
		other := "x"
		c.Description = &other
		return c
	case access.RotateEndpoint:
		c.Sealed = []byte("other")
		return c
	case access.DeleteEndpoint:
		return access.TestEndpoint{Endpoint: c.Endpoint}
	case access.TestEndpoint:
		return access.DeleteEndpoint{Endpoint: c.Endpoint}
	case access.ResendEvents:
		c.Event += "x"
		return c
	}
	return c
}
