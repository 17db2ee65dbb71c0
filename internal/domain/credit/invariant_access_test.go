package credit_test

import (
	"slices"
	"testing"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
)

// Each corrupted change of a client, an endpoint or a resend is detected, naming the invariant
// that it breaks.
func TestCheckOfAccess(t *testing.T) {
	owner := func(s *scene) credit.Actor { return s.owner }
	boss := func(*scene) credit.Actor { return operator }
	make := func(s *scene) credit.Command { return newClient(s.owner.Merchant) }
	roll := func(s *scene) credit.Command {
		return access.RollClient{Client: s.client, SecretHash: hashOf("two"), At: s.now, OldUntil: s.now.Add(time.Hour)}
	}
	revoke := func(s *scene) credit.Command { return access.RevokeClient{Client: s.client, At: s.now} }
	create := func(s *scene) credit.Command { return newEndpoint(s.owner) }
	turnOff := func(s *scene) credit.Command { return access.UpdateEndpoint{Endpoint: s.endpoint, Enabled: new(bool)} }
	rotate := func(s *scene) credit.Command {
		return access.RotateEndpoint{Endpoint: s.endpoint, Sealed: []byte("x"), At: s.now}
	}
	drop := func(s *scene) credit.Command { return access.DeleteEndpoint{Endpoint: s.endpoint} }
	test := func(s *scene) credit.Command { return access.TestEndpoint{Endpoint: s.endpoint} }
	again := func(s *scene) credit.Command { return access.ResendEvents{Endpoint: s.endpoint, Event: "evt_1"} }
	span := func(s *scene) credit.Command {
		return access.ResendEvents{Endpoint: s.endpoint, From: s.now.Add(-time.Hour), To: s.now}
	}
	client := func(c *credit.Changes) *credit.Client { return c.Clients[0] }
	endpoint := func(c *credit.Changes) *credit.Endpoint { return c.Endpoints[0] }
	for name, x := range map[string]struct {
		invariant, state string
		command          func(*scene) credit.Command
		actor            func(*scene) credit.Actor
		spoil            func(*credit.Changes)
	}{
		"a scope of the operator": {"AU3", "no order", make, boss, func(c *credit.Changes) { client(c).Scopes = []string{"operator:read"} }},
		"a merchant's scope":      {"AU3", "no order", make, boss, func(c *credit.Changes) { client(c).Merchant = "" }},
		"no scope":                {"AU3", "no order", make, boss, func(c *credit.Changes) { client(c).Scopes = nil }},
		"a scope twice":           {"AU3", "no order", make, boss, func(c *credit.Changes) { client(c).Scopes = []string{"orders:read", "orders:read"} }},
		"a wider scope": {"AU3", "client", roll, boss, func(c *credit.Changes) {
			client(c).Scopes = append(slices.Clone(client(c).Scopes), access.ScopeSandbox)
		}},
		"a second version at once":      {"AU3", "no order", make, boss, func(c *credit.Changes) { client(c).Version = 2 }},
		"a version that stays":          {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Version = 1 }},
		"a version over":                {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Version = 3 }},
		"another merchant":              {"AU1", "client", roll, boss, func(c *credit.Changes) { client(c).Merchant = "mch_other" }},
		"a plain secret":                {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Secrets[0].Hash = "tns_secret" }},
		"three secrets":                 {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Secrets = append(client(c).Secrets, client(c).Secrets[1]) }},
		"no secret":                     {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Secrets = nil }},
		"a secret that has ended":       {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Secrets[1].Until = client(c).UpdatedAt }},
		"an old secret for ever":        {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Secrets[1].Until = time.Time{} }},
		"a new secret that ends":        {"AU3", "client", roll, boss, func(c *credit.Changes) { client(c).Secrets[0].Until = client(c).UpdatedAt }},
		"an old secret of the revoked":  {"AU3", "client", revoke, boss, func(c *credit.Changes) { client(c).Secrets = nil }},
		"an endpoint's other merchant":  {"AU1", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).Merchant = "mch_other" }},
		"an endpoint's version stays":   {"EV6", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).Version = 1 }},
		"an endpoint's version over":    {"EV6", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).Version = 3 }},
		"a test that changes something": {"EV6", "endpoint", test, owner, func(c *credit.Changes) { endpoint(c).Description = "x" }},
		"off without a reason":          {"EV6", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).DisabledReason = "" }},
		"off for a made-up reason":      {"EV6", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).DisabledReason = "tired" }},
		"on with a reason":              {"EV6", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).Enabled = true }},
		"deleted and on":                {"EV6", "endpoint", drop, owner, func(c *credit.Changes) { endpoint(c).Enabled = true }},
		"an unknown type":               {"EV6", "endpoint", rotate, owner, func(c *credit.Changes) { endpoint(c).EventTypes = []credit.EventType{"order.eaten"} }},
		"types out of order":            {"EV6", "endpoint", rotate, owner, func(c *credit.Changes) { endpoint(c).EventTypes = []credit.EventType{"order.created", "invoice.paid"} }},
		"no address":                    {"EV6", "endpoint", rotate, owner, func(c *credit.Changes) { endpoint(c).URL = "" }},
		"three signing secrets":         {"EV5", "endpoint", rotate, owner, func(c *credit.Changes) { endpoint(c).Secrets = append(endpoint(c).Secrets, endpoint(c).Secrets[1]) }},
		"no signing secret":             {"EV5", "endpoint", rotate, owner, func(c *credit.Changes) { endpoint(c).Secrets = nil }},
		"an empty signing secret":       {"EV5", "no order", create, owner, func(c *credit.Changes) { endpoint(c).Secrets[0].Sealed = nil }},
		"an old one that signs on":      {"EV5", "endpoint", rotate, owner, func(c *credit.Changes) { endpoint(c).Secrets[1].Until = time.Time{} }},
		"secrets of the deleted":        {"EV5", "endpoint", drop, owner, func(c *credit.Changes) { endpoint(c).Secrets = []credit.EndpointSecret{{Sealed: []byte("x")}} }},
		"no place":                      {"EV6", "no order", create, owner, func(c *credit.Changes) { c.Claims = nil }},
		"a place that stays taken":      {"EV6", "endpoint", drop, owner, func(c *credit.Changes) { c.Claims = nil }},
		"two places":                    {"EV6", "no order", create, owner, func(c *credit.Changes) { c.Claims[credit.EndpointPlace(endpoint(c).Merchant, 7)] = endpoint(c).ID }},
		"a place of somebody else":      {"EV6", "no order", create, owner, func(c *credit.Changes) { c.Claims[credit.EndpointPlace("mch_other", 0)] = "whk_other" }},
		"a test of another merchant":    {"EV6", "endpoint", test, owner, func(c *credit.Changes) { c.Events[0].Merchant = "mch_other" }},
		"a test of another endpoint":    {"EV6", "endpoint", test, owner, func(c *credit.Changes) { c.Events[0].Object.ID = "whk_other" }},
		"a test that all read":          {"EV6", "endpoint", test, owner, func(c *credit.Changes) { c.Events[0].Merchant = "" }},
		"a test while off":              {"EV6", "endpoint", test, owner, func(c *credit.Changes) { endpoint(c).Enabled, endpoint(c).DisabledReason = false, credit.DisabledGone }},
		"an order's event of it":        {"EV1", "endpoint", test, owner, func(c *credit.Changes) { c.Events[0].Type = credit.OrderCreatedEvent }},
		"a test that is not counted":    {"EV1", "endpoint", test, owner, func(c *credit.Changes) { endpoint(c).EventSeq-- }},
		"an event that nobody wrote":    {"EV1", "endpoint", turnOff, owner, func(c *credit.Changes) { endpoint(c).EventSeq++ }},
		"a resend for another merchant": {"EV6", "endpoint", again, owner, func(c *credit.Changes) { c.Resends[0].Merchant = "mch_other" }},
		"a resend to another endpoint":  {"EV6", "endpoint", again, owner, func(c *credit.Changes) { c.Resends[0].Endpoint = "whk_other" }},
		"a resend of nothing":           {"EV6", "endpoint", again, owner, func(c *credit.Changes) { c.Resends[0].Event = "" }},
		"a resend of both kinds":        {"EV6", "endpoint", span, owner, func(c *credit.Changes) { c.Resends[0].Event = "evt_1" }},
		"a span without a beginning":    {"EV6", "endpoint", span, owner, func(c *credit.Changes) { c.Resends[0].To = time.Time{} }},
		"a span of what is to come":     {"EV6", "endpoint", span, owner, func(c *credit.Changes) { c.Resends[0].To = c.Resends[0].To.Add(time.Second) }},
	} {
		if got := tampered(t, x.state, x.command, x.actor, x.spoil); got != x.invariant {
			t.Errorf("%s is found as %s, not as %s", name, got, x.invariant)
		}
	}
}

// Changes that no command may make are detected regardless of the command.
func TestCheckOfWhatHasEnded(t *testing.T) {
	s := newScene(t, "client")
	st := credit.NewState()
	client := *s.all.Clients[s.client]
	client.Version++
	change := credit.Changes{Clients: []*credit.Client{&client}}
	for name, spoil := range map[string]func(*credit.Client){
		"revoked":            func(x *credit.Client) { x.RevokedAt = s.now },
		"made on the server": func(x *credit.Client) { x.Version = 0 },
	} {
		old := *s.all.Clients[s.client]
		spoil(&old)
		st.Clients[s.client] = &old
		if err := invariant.Check(change, st); err == nil {
			t.Errorf("a client that is %s is changed", name)
		}
	}
	st.Clients[s.client] = s.all.Clients[s.client]
	if err := invariant.Check(change, st); err != nil {
		t.Error(err)
	}
	s = newScene(t, "endpoint deleted")
	endpoint := *s.all.Endpoints[s.endpoint]
	endpoint.Version++
	if err := invariant.Check((credit.Changes{Endpoints: []*credit.Endpoint{&endpoint}}), s.all); err == nil {
		t.Error("a deleted endpoint is changed")
	}
}
