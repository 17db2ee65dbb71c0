package credit_test

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// access creates the owner's client or endpoint of a state.
func (s *scene) access(state string) {
	switch state {
	case "client", "client revoked", "client made on the server":
		s.client = s.must(operator, newClient(s.owner.Merchant)).(*credit.Client).ID
	default:
		s.endpoint = s.must(s.owner, newEndpoint(s.owner)).(*credit.Endpoint).ID
	}
	switch state {
	case "client revoked":
		s.must(operator, access.RevokeClient{Client: s.client, At: s.now})
	case "client made on the server":
		x := *s.all.Clients[s.client]
		x.Version, x.Secrets = 0, nil
		s.all.Clients[x.ID] = &x
	case "endpoint off":
		s.must(s.owner, access.UpdateEndpoint{Endpoint: s.endpoint, Enabled: new(bool)})
	case "endpoint deleted":
		s.must(s.owner, access.DeleteEndpoint{Endpoint: s.endpoint})
	case "twenty endpoints":
		for range credit.MaxEndpoints - 1 {
			s.must(s.owner, newEndpoint(s.owner))
		}
	}
}

func newClient(merchant string) access.CreateClient {
	return access.CreateClient{Merchant: merchant, Title: "backend", SecretHash: hashOf("one"), At: time.Date(2026, 1, 10, 15, 0, 0, 0, time.UTC)}
}

func newEndpoint(of credit.Actor) access.CreateEndpoint {
	return access.CreateEndpoint{Merchant: of.Merchant, URL: "https://m.example/hook", Enabled: true, Sealed: []byte("sealed")}
}

func accessRequests() []request {
	on := true
	return []request{
		{"create client", func(s *scene) credit.Command { return newClient(s.owner.Merchant) }},
		{"roll client", func(s *scene) credit.Command {
			return access.RollClient{Client: s.client, SecretHash: hashOf("two"), OldUntil: s.now, At: s.now}
		}},
		{"revoke client", func(s *scene) credit.Command { return access.RevokeClient{Client: s.client, At: s.now} }},
		{"create the owner's endpoint", func(s *scene) credit.Command { return newEndpoint(s.owner) }},
		{"switch endpoint on", func(s *scene) credit.Command { return access.UpdateEndpoint{Endpoint: s.endpoint, Enabled: &on} }},
		{"switch endpoint off", func(s *scene) credit.Command { return access.UpdateEndpoint{Endpoint: s.endpoint, Enabled: new(bool)} }},
		{"receiver gone", func(s *scene) credit.Command { return access.UpdateEndpoint{Endpoint: s.endpoint, Gone: true} }},
		{"rotate secret", func(s *scene) credit.Command {
			return access.RotateEndpoint{Endpoint: s.endpoint, Sealed: []byte("x"), At: s.now}
		}},
		{"delete endpoint", func(s *scene) credit.Command { return access.DeleteEndpoint{Endpoint: s.endpoint} }},
		{"test endpoint", func(s *scene) credit.Command { return access.TestEndpoint{Endpoint: s.endpoint} }},
		{"send one again", func(s *scene) credit.Command { return access.ResendEvents{Endpoint: s.endpoint, Event: "evt_1"} }},
		{"send a span again", func(s *scene) credit.Command {
			return access.ResendEvents{Endpoint: s.endpoint, From: s.now.Add(-time.Hour), To: s.now}
		}},
	}
}

// Every state of a client and an endpoint with every command on them (T1).
func TestAccessTransitions(t *testing.T) {
	compareCells(t, "testdata/access.csv", []string{
		"no order", "client", "client revoked", "client made on the server", "endpoint", "endpoint off", "endpoint deleted", "twenty endpoints",
	}, accessRequests())
}

func TestPrecedenceOfEndpoints(t *testing.T) {
	create := func(set func(*scene, *access.CreateEndpoint)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*access.CreateEndpoint)) }
	}
	refusedForFirst(t, "endpoint", func(s *scene) *access.CreateEndpoint { c := newEndpoint(s.owner); return &c }, []fault{
		{"not_found", notMine},
		{"limit_exceeded", create(func(s *scene, _ *access.CreateEndpoint) {
			for n := range credit.MaxEndpoints {
				s.all.Claims[credit.EndpointPlace(s.owner.Merchant, n)] = "whk_other"
			}
		})},
		{"url_not_allowed", create(func(_ *scene, c *access.CreateEndpoint) { c.URLProblem = "The address is private." })},
		{"validation_failed", create(func(_ *scene, c *access.CreateEndpoint) { c.EventTypes = []credit.EventType{"order.eaten"} })},
	})
	update := func(set func(*scene, *access.UpdateEndpoint)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*access.UpdateEndpoint)) }
	}
	refusedForFirst(t, "endpoint", func(s *scene) *access.UpdateEndpoint { return &access.UpdateEndpoint{Endpoint: s.endpoint} }, []fault{
		{"not_found", notMine},
		{"precondition_failed", update(func(_ *scene, c *access.UpdateEndpoint) { c.IfMatch = []string{`"7"`} })},
		{"url_not_allowed", update(func(_ *scene, c *access.UpdateEndpoint) { c.URL = new(string) })},
		{"validation_failed", update(func(_ *scene, c *access.UpdateEndpoint) {
			c.EventTypes = &lending.Patch[[]credit.EventType]{Value: []credit.EventType{"x"}}
		})},
	})
	again := func(set func(*scene, *access.ResendEvents)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*access.ResendEvents)) }
	}
	refusedForFirst(t, "endpoint", func(s *scene) *access.ResendEvents { return &access.ResendEvents{Endpoint: s.endpoint, Event: "evt_1"} }, []fault{
		{"not_found", notMine},
		{"endpoint_disabled", again(func(s *scene, _ *access.ResendEvents) {
			x := *s.all.Endpoints[s.endpoint]
			x.Enabled = false
			s.all.Endpoints[x.ID] = &x
		})},
		{"validation_failed", again(func(_ *scene, c *access.ResendEvents) { c.Event = "" })},
	})
}

// An address that the edge finds unacceptable is rejected, whether or not the edge stored it,
// when an endpoint is changed as when it is created.
func TestJudgedAddressesAreRefused(t *testing.T) {
	s := newScene(t, "endpoint")
	url := "https://10.0.0.1/"
	made := newEndpoint(s.owner)
	made.URL, made.URLProblem = url, "The address is private."
	for _, c := range []credit.Command{made, access.UpdateEndpoint{Endpoint: s.endpoint, URL: &url, URLProblem: made.URLProblem}} {
		if _, r := s.do(s.owner, c); r == nil || r.Code != "url_not_allowed" {
			t.Errorf("%s: %v", c.Name(), r)
		}
	}
}

// A deleted endpoint frees its slot for the next one, and only for one.
func TestEndpointsHaveTwentyPlaces(t *testing.T) {
	s := newScene(t, "twenty endpoints")
	for round := range 3 {
		if _, r := s.do(s.owner, newEndpoint(s.owner)); r == nil || r.Code != "limit_exceeded" {
			t.Fatalf("round %d, a twenty-first: %v", round, r)
		}
		s.must(s.other, newEndpoint(s.other))
		s.must(s.owner, access.DeleteEndpoint{Endpoint: s.endpoint})
		s.endpoint = s.must(s.owner, newEndpoint(s.owner)).(*credit.Endpoint).ID
	}
}

// Instants that reach the domain with nanoseconds or in another zone are truncated as a
// database would: a batch and a log must agree.
func TestWallInstantsAreAsStored(t *testing.T) {
	s := newScene(t, "endpoint")
	odd := time.Date(2026, 1, 10, 16, 0, 0, 123456789, time.FixedZone("", 3600))
	want := time.Date(2026, 1, 10, 15, 0, 0, 123456000, time.UTC)
	c := newClient("")
	c.At = odd
	client := s.must(operator, c).(*credit.Client)
	rolled := s.must(operator, access.RollClient{Client: client.ID, SecretHash: hashOf("two"), At: odd, OldUntil: odd.Add(time.Hour)}).(*credit.Client)
	revoked := s.must(operator, access.RevokeClient{Client: client.ID, At: odd}).(*credit.Client)
	endpoint := s.must(s.owner, access.RotateEndpoint{Endpoint: s.endpoint, Sealed: []byte("x"), At: odd}).(*credit.Endpoint)
	s.now = want.Add(time.Hour)
	resend := s.must(s.owner, access.ResendEvents{Endpoint: s.endpoint, From: odd, To: odd.Add(time.Minute)}).(credit.Resend)
	for name, at := range map[string]time.Time{
		"created": client.CreatedAt, "updated": rolled.UpdatedAt, "rolled": rolled.Secrets[1].Until.Add(-time.Hour), "revoked": revoked.RevokedAt,
		"rotated": endpoint.Secrets[1].Until.Add(-access.SecretOverlap), "from": resend.From, "to": resend.To.Add(-time.Minute),
	} {
		if at != want {
			t.Errorf("%s: %v, want %v", name, at, want)
		}
	}
}

// Secrets arrive sealed or hashed, and cannot be omitted.
func TestSecretsAreAsked(t *testing.T) {
	s := newScene(t, "endpoint")
	client := s.must(operator, newClient("")).(*credit.Client).ID
	for _, hash := range []string{"", "one", hashOf("one")[1:], "A" + hashOf("one")[1:], fmt.Sprint(hashOf("one"), "00")} {
		c := newClient("")
		c.SecretHash = hash
		if _, r := s.do(operator, c); r == nil || r.Code != "validation_failed" {
			t.Errorf("a client with the hash %q: %v", hash, r)
		}
		if _, r := s.do(operator, access.RollClient{Client: client, SecretHash: hash}); r == nil || r.Code != "validation_failed" {
			t.Errorf("rolled to the hash %q: %v", hash, r)
		}
	}
	bare := newEndpoint(s.owner)
	bare.Sealed = nil
	if _, r := s.do(s.owner, bare); r == nil || r.Code != "validation_failed" {
		t.Errorf("an endpoint without a secret: %v", r)
	}
	if _, r := s.do(s.owner, access.RotateEndpoint{Endpoint: s.endpoint}); r == nil || r.Code != "validation_failed" {
		t.Errorf("rotated to no secret: %v", r)
	}
}
