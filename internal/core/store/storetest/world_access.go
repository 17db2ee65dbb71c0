package storetest

import (
	"encoding/hex"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/outcome"
)

// accessActs are the commands on clients and endpoints. They are the domain's own, since
// every edge they move along is allowed.
func accessActs() []func(*change) string {
	return []func(*change) string{
		(*change).newClient, (*change).rollClient, (*change).revokeClient, (*change).newToken, (*change).revokeToken, (*change).newEndpoint, (*change).newEndpoint,
		(*change).editEndpoint, (*change).rotateEndpoint, (*change).testEndpoint, (*change).deleteEndpoint, (*change).resend,
	}
}

// decide applies a command; a refused one changes nothing.
func (c *change) decide(command credit.Command) string {
	e := credit.Env{Now: c.w.at, Zone: calendar.NewZone(time.UTC), Seed: [16]byte(c.w.bytes(16)), Actor: credit.Actor{Client: access.Console, Operator: true}}
	r := credit.Admit(c.w.State, e, command)
	if r == nil {
		c.Changes, r = credit.Decide(c.w.State, e, command)
	}
	if r != nil {
		c.Changes = credit.Changes{}
	}
	for _, x := range c.Events {
		c.w.events = append(c.w.events, x.ID)
	}
	return command.Name()
}

// wall is a wall-clock instant, independent of the business clock.
func (w *World) wall() time.Time {
	return time.Date(2026, 3, 1, 0, 0, w.rng.IntN(1_000_000), w.rng.IntN(1_000_000)*1000, time.UTC)
}

func (c *change) newClient() string {
	w := c.w
	name := c.decide(access.CreateClient{
		Merchant: pick(w, append([]string{""}, w.merchants...)), Title: w.id("Till"), PerMinute: w.rng.IntN(2) * 60,
		SecretHash: hex.EncodeToString(w.bytes(32)), At: w.wall(),
	})
	w.clients = append(w.clients, c.Clients[0].ID)
	return name
}

func (c *change) rollClient() string {
	if len(c.w.clients) == 0 {
		return c.newClient()
	}
	at := c.w.wall()
	return c.decide(access.RollClient{
		Client: pick(c.w, c.w.clients), SecretHash: hex.EncodeToString(c.w.bytes(32)),
		OldUntil: at.Add(time.Duration(c.w.rng.IntN(3)) * time.Hour), At: at,
	})
}

func (c *change) revokeClient() string {
	if len(c.w.clients) == 0 || c.w.rng.IntN(2) == 0 {
		return c.newClient()
	}
	return c.decide(access.RevokeClient{Client: pick(c.w, c.w.clients), At: c.w.wall()})
}

func (c *change) newToken() string {
	w := c.w
	if len(w.clients) == 0 {
		return c.newClient()
	}
	of, at := w.State.Clients[pick(w, w.clients)], w.wall()
	name := c.decide(access.IssueToken{
		Hash: hex.EncodeToString(w.bytes(32)), Client: of.ID, Scopes: of.Scopes[w.rng.IntN(len(of.Scopes)):], ExpiresAt: at.Add(48 * time.Hour), At: at,
	})
	for _, x := range c.Tokens {
		w.tokens = append(w.tokens, x.Key())
	}
	return name
}

func (c *change) revokeToken() string {
	if len(c.w.tokens) == 0 {
		return c.newToken()
	}
	return c.decide(access.RevokeToken{Hash: pick(c.w, c.w.tokens), At: c.w.wall().Add(24 * time.Hour)}) // none has ended when couriers start
}

func (c *change) newEndpoint() string {
	w := c.w
	name := c.decide(access.CreateEndpoint{
		Merchant: pick(w, w.merchants), URL: "https://shop.example/" + w.id("hook"), Description: "é",
		EventTypes: c.someTypes(), Enabled: w.rng.IntN(4) > 0, Sealed: w.bytes(48),
	})
	for _, x := range c.Endpoints {
		w.endpoints = append(w.endpoints, x.ID)
	}
	return name
}

func (c *change) someTypes() []credit.EventType {
	var list []credit.EventType
	if c.w.rng.IntN(2) == 0 {
		return list
	}
	for _, t := range outcome.EventTypes() {
		if c.w.rng.IntN(3) == 0 {
			list = append(list, t)
		}
	}
	return list
}

// endpoint picks one to delete, "" if there is none yet.
func (w *World) endpoint() string {
	if len(w.endpoints) == 0 {
		return ""
	}
	return pick(w, w.endpoints)
}

func (c *change) editEndpoint() string {
	w := c.w
	command := access.UpdateEndpoint{Endpoint: w.endpoint()}
	switch w.rng.IntN(4) {
	case 0:
		command.Gone = true
	case 1:
		enabled := w.rng.IntN(3) > 0
		command.Enabled = &enabled
	case 2:
		url := "https://shop.example/" + w.id("hook")
		command.URL = &url
	case 3:
		types := c.someTypes()
		command.EventTypes = &lending.Patch[[]credit.EventType]{Value: types}
	}
	return c.decide(command)
}

func (c *change) rotateEndpoint() string {
	return c.decide(access.RotateEndpoint{Endpoint: c.w.endpoint(), Sealed: c.w.bytes(48), At: c.w.wall()})
}

func (c *change) deleteEndpoint() string {
	if c.w.rng.IntN(3) > 0 {
		return c.editEndpoint()
	}
	return c.decide(access.DeleteEndpoint{Endpoint: c.w.endpoint()})
}

func (c *change) testEndpoint() string {
	return c.decide(access.TestEndpoint{Endpoint: c.w.endpoint()})
}

func (c *change) resend() string {
	w := c.w
	command := access.ResendEvents{Endpoint: w.endpoint(), From: w.at.Add(-time.Hour), To: w.at}
	if len(w.events) > 0 && w.rng.IntN(2) == 0 {
		command.Event, command.From, command.To = pick(w, w.events), time.Time{}, time.Time{}
	}
	return c.decide(command)
}
