package credit_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/outcome"
)

// access submits one random command on clients and endpoints.
func (m *market) access(t *rapid.T, shop credit.Actor) {
	who := rapid.SampledFrom([]credit.Actor{operator, shop}).Draw(t, "who")
	client, endpoint := "cli_none", "whk_none"
	if len(m.clients) > 0 {
		client = rapid.SampledFrom(m.clients).Draw(t, "client")
	}
	if len(m.endpoints) > 0 {
		endpoint = rapid.SampledFrom(m.endpoints).Draw(t, "endpoint")
	}
	types := rapid.SliceOfN(rapid.SampledFrom(outcome.EventTypes()), 0, 3).Draw(t, "types")
	days := time.Duration(rapid.IntRange(-1, 40).Draw(t, "days")) * 24 * time.Hour
	switch rapid.SampledFrom(accesses).Draw(t, "access") {
	case "client":
		merchant := rapid.SampledFrom([]string{"", shop.Merchant}).Draw(t, "merchant")
		scopes := rapid.SliceOfN(rapid.SampledFrom(append(access.MerchantScopes(), access.OperatorScopes()...)), 0, 2).Draw(t, "scopes")
		m.ask(operator, access.CreateClient{Merchant: merchant, Title: "client", Scopes: scopes, SecretHash: hashOf("one"), At: m.now})
	case "roll":
		m.ask(operator, access.RollClient{Client: client, SecretHash: hashOf("two"), At: m.now, OldUntil: m.now.Add(days)})
	case "revoke":
		m.ask(operator, access.RevokeClient{Client: client, At: m.now})
	case "endpoint":
		m.ask(who, access.CreateEndpoint{Merchant: shop.Merchant, URL: "https://m.example/", EventTypes: types, Enabled: rapid.Bool().Draw(t, "on"), Sealed: []byte("x")})
	case "change":
		on := rapid.Bool().Draw(t, "on")
		m.ask(who, access.UpdateEndpoint{Endpoint: endpoint, Merchant: who.Merchant, EventTypes: &lending.Patch[[]credit.EventType]{Value: types}, Enabled: &on})
	case "gone":
		m.ask(operator, access.UpdateEndpoint{Endpoint: endpoint, Gone: true})
	case "rotate":
		m.ask(who, access.RotateEndpoint{Endpoint: endpoint, Merchant: who.Merchant, Sealed: []byte("y"), At: m.now})
	case "delete":
		m.ask(who, access.DeleteEndpoint{Endpoint: endpoint, Merchant: who.Merchant})
	case "test":
		m.ask(who, access.TestEndpoint{Endpoint: endpoint, Merchant: who.Merchant})
	case "resend":
		m.ask(who, access.ResendEvents{Endpoint: endpoint, Merchant: who.Merchant, From: m.now.Add(-days), To: m.now})
	}
}

var accesses = []string{"client", "roll", "revoke", "endpoint", "endpoint", "endpoint", "endpoint", "change", "gone", "rotate", "delete", "test", "resend"}

// verifyEndpoints compares a merchant's slots with its endpoints, and the events of each
// endpoint with its count.
func (m *market) verifyEndpoints() {
	m.t.Helper()
	places, live := map[string]string{}, map[string]int{}
	for claim, owner := range m.all.Claims {
		if claim.Kind == credit.ClaimEndpointPlace && owner != "" {
			places[owner] = claim.Scope
			live[claim.Scope]++
		}
	}
	for _, n := range live {
		if n > credit.MaxEndpoints {
			m.t.Fatalf("a merchant has %d endpoints", n)
		}
	}
	told := map[string]int64{}
	for _, e := range m.events {
		if e.Object.Type == "webhook" {
			told[e.Object.ID]++
		}
	}
	for _, id := range m.endpoints {
		x := m.all.Endpoints[id]
		want := x.Merchant
		if !x.DeletedAt.IsZero() {
			want = ""
		}
		if places[id] != want {
			m.t.Fatalf("endpoint %+v has a place of %q", x, places[id])
		}
		if told[id] != x.EventSeq {
			m.t.Fatalf("endpoint %s has told %d events and counts %d", id, told[id], x.EventSeq)
		}
	}
}

// Clients, endpoints and resends in any order keep every rule (T3): ask checks each change and
// compares the whole.
func TestAnythingKeepsAccess(t *testing.T) {
	comesAbout := []string{
		"client.create", "client.roll", "client.revoke", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "webhook.test",
		"webhook.resend", "client_locked", "endpoint_disabled", "not_found", "validation_failed",
	}
	live(t, comesAbout, func(t *rapid.T, accepted map[string]int) {
		m := newMarket(t)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.access(t, rapid.SampledFrom(m.shops).Draw(t, "shop"))
			m.now = m.now.Add(time.Duration(rapid.IntRange(0, 48).Draw(t, "hours")) * time.Hour)
		}
		for k, n := range m.accepted {
			accepted[k] += n
		}
	})
}
