package sim

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// client is the state of an API client.
type client struct {
	merchant string
	secrets  int
	changes  int
	revoked  bool
}

// endpoint is the state of an endpoint.
type endpoint struct {
	id, merchant     string
	enabled, deleted bool
	types            []credit.EventType
	tests            int
}

// midnight returns the instant at which a business date begins.
func (m *Model) midnight(day calendar.Date) time.Time {
	y, month, d := day.Civil()
	return time.Date(y, time.Month(month), d, 0, 0, 0, 0, m.location).UTC()
}

// Clients lists the API clients in order of creation.
func (m *Model) Clients() (all []string) {
	for _, f := range m.facts {
		if _, ok := f.command.(access.CreateClient); ok {
			all = append(all, f.id)
		}
	}
	return all
}

// Endpoints lists the endpoints in order of creation, including deleted ones.
func (m *Model) Endpoints() (all []string) {
	for _, f := range m.facts {
		if _, ok := f.command.(access.CreateEndpoint); ok {
			all = append(all, f.id)
		}
	}
	return all
}

// client replays a client; nil if it does not exist.
func (m *Model) client(id string) (c *client) {
	for _, f := range m.facts {
		switch x := f.command.(type) {
		case access.CreateClient:
			if f.id == id {
				c = &client{merchant: x.Merchant, secrets: 1, changes: 1}
			}
		case access.RollClient:
			if x.Client == id {
				c.changes++
				if c.secrets = 1; x.OldUntil.After(x.At) {
					c.secrets = 2
				}
			}
		case access.RevokeClient:
			if x.Client == id && !c.revoked {
				c.changes++
				c.revoked = true
			}
		}
	}
	return c
}

// endpoint replays an endpoint; nil if it does not exist.
func (m *Model) endpoint(id string) (x *endpoint) {
	for _, f := range m.facts {
		switch c := f.command.(type) {
		case access.CreateEndpoint:
			if f.id == id {
				x = &endpoint{id: id, merchant: c.Merchant, enabled: c.Enabled, types: c.EventTypes}
			}
		case access.UpdateEndpoint:
			if c.Endpoint == id {
				x.update(c)
			}
		case access.DeleteEndpoint:
			if c.Endpoint == id {
				x.enabled, x.deleted = false, true
			}
		case access.TestEndpoint:
			if c.Endpoint == id {
				x.tests++
			}
		}
	}
	return x
}

func (x *endpoint) update(c access.UpdateEndpoint) {
	if c.EventTypes != nil {
		x.types = c.EventTypes.Value
	}
	if c.Enabled != nil {
		x.enabled = *c.Enabled
	}
	if c.Gone {
		x.enabled = false
	}
}

// access predicts commands on clients and endpoints; it returns false for any other.
func (a ask) access(command credit.Command) (code string, known bool) {
	if id := EndpointOf(command); id != "" {
		return a.onEndpoint(command, a.m.endpoint(id)), true
	}
	switch c := command.(type) {
	case access.CreateClient:
		return a.createClient(c), true
	case access.RollClient:
		return a.rollClient(c), true
	case access.RevokeClient:
		if a.actor.Merchant != "" || a.m.client(c.Client) == nil {
			return "not_found", true
		}
		return "", true
	case access.CreateEndpoint:
		return a.createEndpoint(c), true
	}
	return "", false
}

func (a ask) createClient(c access.CreateClient) string {
	if a.actor.Merchant != "" {
		return "not_found"
	}
	for _, s := range c.Scopes {
		operators := s == "operator:read" || s == "operator:write"
		if s != "sandbox" && operators != (c.Merchant == "") {
			return "validation_failed"
		}
	}
	return ""
}

func (a ask) rollClient(c access.RollClient) string {
	x := a.m.client(c.Client)
	switch overlap := c.OldUntil.Sub(c.At); {
	case a.actor.Merchant != "" || x == nil:
		return "not_found"
	case x.revoked:
		return "client_locked"
	case overlap < 0 || overlap > 30*24*time.Hour:
		return "validation_failed"
	}
	return ""
}

func (a ask) createEndpoint(c access.CreateEndpoint) string {
	if a.actor.Merchant != "" && a.actor.Merchant != c.Merchant {
		return "not_found"
	}
	live := 0
	for _, id := range a.m.Endpoints() {
		if x := a.m.endpoint(id); x.merchant == c.Merchant && !x.deleted {
			live++
		}
	}
	if live >= 20 {
		return "limit_exceeded"
	}
	if c.URLProblem != "" {
		return "url_not_allowed"
	}
	return ""
}

func (a ask) onEndpoint(command credit.Command, x *endpoint) string {
	if x == nil || x.deleted || a.actor.Merchant != "" && a.actor.Merchant != x.merchant {
		return "not_found"
	}
	switch c := command.(type) {
	case access.TestEndpoint:
		if !x.enabled {
			return "endpoint_disabled"
		}
	case access.ResendEvents:
		to := c.To
		if a.at.Before(to) {
			to = a.at
		}
		switch {
		case !x.enabled:
			return "endpoint_disabled"
		case c.Event == "" && (!c.From.Before(to) || to.Sub(c.From) > 31*24*time.Hour):
			return "validation_failed"
		}
	}
	return ""
}

// compareAccess compares clients, endpoints and the readers of events with the model.
func (m *Model) compareAccess(b *Books) error {
	if n := len(m.Clients()); n != len(b.Clients) {
		return fmt.Errorf("the model has %d clients, the books %d", n, len(b.Clients))
	}
	if n := len(m.Endpoints()); n != len(b.Endpoints) {
		return fmt.Errorf("the model has %d endpoints, the books %d", n, len(b.Endpoints))
	}
	for _, id := range m.Clients() {
		c, x := m.client(id), b.Clients[id]
		if err := differ("merchant", c.merchant, x.Merchant, "secrets", c.secrets, len(x.Secrets), "version", c.changes, x.Version,
			"revoked", c.revoked, !x.RevokedAt.IsZero()); err != nil {
			return fmt.Errorf("AU3: client %s: %w", id, err)
		}
	}
	for _, id := range m.Endpoints() {
		e, x := m.endpoint(id), b.Endpoints[id]
		if err := differ("merchant", e.merchant, x.Merchant, "enabled", e.enabled, x.Enabled, "deleted", e.deleted, !x.DeletedAt.IsZero(),
			"types", len(e.types), len(x.EventTypes), "events", e.tests, int(x.EventSeq)); err != nil {
			return fmt.Errorf("EV6: endpoint %s: %w", id, err)
		}
	}
	return m.compareReaders(b)
}

// compareReaders compares the readers of the newest events with the links as each command left
// them (EV6, AU2). The k-th accepted command is the model's k-th fact.
func (m *Model) compareReaders(b *Books) error {
	if m.readTo > b.Seq {
		m.readTo = 0 // other books
	}
	accepted := make([]int, len(b.Audits)+1) // by commit
	for q, a := range b.Audits {
		accepted[q+1] = accepted[q]
		if a.Result == "ok" {
			accepted[q+1]++
		}
	}
	found := map[store.ReaderRow]bool{}
	for _, r := range b.Readers {
		found[r] = true
	}
	for _, e := range b.Events {
		if e.Q <= m.readTo {
			continue
		}
		var want []string
		switch e.Merchant {
		case credit.OperatorOnly:
		case "":
			want = slices.Sorted(slices.Values(m.company(e.Company, accepted[e.Q]).linked))
		default:
			want = []string{e.Merchant}
		}
		if !slices.Equal(e.Readers, want) {
			return fmt.Errorf("EV6: event %s of commit %d is read by %q, the model says %q", e.Type, e.Q, e.Readers, want)
		}
		for _, r := range want {
			if !found[store.ReaderRow{Merchant: r, Q: e.Q}] {
				return fmt.Errorf("AU2: %s does not find event %s of commit %d", r, e.Type, e.Q)
			}
		}
	}
	m.readTo = b.Seq
	return nil
}
