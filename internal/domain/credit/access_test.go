package credit

import (
	"fmt"
	"testing"
	"time"
)

// access brings a client or an endpoint of the owner into a state.
func (s *scene) access(state string) {
	switch state {
	case "client", "client revoked", "client made on the server":
		s.client = s.must(operator, newClient(s.owner.Merchant)).(*Client).ID
	default:
		s.endpoint = s.must(s.owner, newEndpoint(s.owner)).(*Endpoint).ID
	}
	switch state {
	case "client revoked":
		s.must(operator, RevokeClient{Client: s.client, At: s.now})
	case "client made on the server":
		x := *s.all.Clients[s.client]
		x.Version, x.Secrets = 0, nil
		s.all.Clients[x.ID] = &x
	case "endpoint off":
		s.must(s.owner, UpdateEndpoint{Endpoint: s.endpoint, Enabled: new(bool)})
	case "endpoint deleted":
		s.must(s.owner, DeleteEndpoint{Endpoint: s.endpoint})
	case "twenty endpoints":
		for range MaxEndpoints - 1 {
			s.must(s.owner, newEndpoint(s.owner))
		}
	}
}

func newClient(merchant string) CreateClient {
	return CreateClient{Merchant: merchant, Title: "backend", SecretHash: hashOf("one"), At: time.Date(2026, 1, 10, 15, 0, 0, 0, time.UTC)}
}

func newEndpoint(of Actor) CreateEndpoint {
	return CreateEndpoint{Merchant: of.Merchant, URL: "https://m.example/hook", Enabled: true, Sealed: []byte("sealed")}
}

func accessRequests() []request {
	on := true
	return []request{
		{"create client", func(s *scene) Command { return newClient(s.owner.Merchant) }},
		{"roll client", func(s *scene) Command {
			return RollClient{Client: s.client, SecretHash: hashOf("two"), OldUntil: s.now, At: s.now}
		}},
		{"revoke client", func(s *scene) Command { return RevokeClient{Client: s.client, At: s.now} }},
		{"create the owner's endpoint", func(s *scene) Command { return newEndpoint(s.owner) }},
		{"switch endpoint on", func(s *scene) Command { return UpdateEndpoint{Endpoint: s.endpoint, Enabled: &on} }},
		{"switch endpoint off", func(s *scene) Command { return UpdateEndpoint{Endpoint: s.endpoint, Enabled: new(bool)} }},
		{"receiver gone", func(s *scene) Command { return UpdateEndpoint{Endpoint: s.endpoint, Gone: true} }},
		{"rotate secret", func(s *scene) Command { return RotateEndpoint{Endpoint: s.endpoint, Sealed: []byte("x"), At: s.now} }},
		{"delete endpoint", func(s *scene) Command { return DeleteEndpoint{Endpoint: s.endpoint} }},
		{"test endpoint", func(s *scene) Command { return TestEndpoint{Endpoint: s.endpoint} }},
		{"send one again", func(s *scene) Command { return ResendEvents{Endpoint: s.endpoint, Event: "evt_1"} }},
		{"send a span again", func(s *scene) Command {
			return ResendEvents{Endpoint: s.endpoint, From: s.now.Add(-time.Hour), To: s.now}
		}},
	}
}

// Every state of a client and of an endpoint meets every command on them (T1).
func TestAccessTransitions(t *testing.T) {
	compareCells(t, "testdata/access.csv", []string{
		"no order", "client", "client revoked", "client made on the server", "endpoint", "endpoint off", "endpoint deleted", "twenty endpoints",
	}, accessRequests())
}

func TestPrecedenceOfEndpoints(t *testing.T) {
	create := func(set func(*scene, *CreateEndpoint)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*CreateEndpoint)) }
	}
	refusedForFirst(t, "endpoint", func(s *scene) *CreateEndpoint { c := newEndpoint(s.owner); return &c }, []fault{
		{"not_found", notMine},
		{"limit_exceeded", create(func(s *scene, _ *CreateEndpoint) {
			for n := range MaxEndpoints {
				s.all.Claims[endpointPlace(s.owner.Merchant, n)] = "whk_other"
			}
		})},
		{"url_not_allowed", create(func(_ *scene, c *CreateEndpoint) { c.URLProblem = "The address is private." })},
		{"validation_failed", create(func(_ *scene, c *CreateEndpoint) { c.EventTypes = []EventType{"order.eaten"} })},
	})
	update := func(set func(*scene, *UpdateEndpoint)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*UpdateEndpoint)) }
	}
	refusedForFirst(t, "endpoint", func(s *scene) *UpdateEndpoint { return &UpdateEndpoint{Endpoint: s.endpoint} }, []fault{
		{"not_found", notMine},
		{"precondition_failed", update(func(_ *scene, c *UpdateEndpoint) { c.IfMatch = []string{`"7"`} })},
		{"url_not_allowed", update(func(_ *scene, c *UpdateEndpoint) { c.URL = new(string) })},
		{"validation_failed", update(func(_ *scene, c *UpdateEndpoint) { c.EventTypes = &Patch[[]EventType]{Value: []EventType{"x"}} })},
	})
	again := func(set func(*scene, *ResendEvents)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*ResendEvents)) }
	}
	refusedForFirst(t, "endpoint", func(s *scene) *ResendEvents { return &ResendEvents{Endpoint: s.endpoint, Event: "evt_1"} }, []fault{
		{"not_found", notMine},
		{"endpoint_disabled", again(func(s *scene, _ *ResendEvents) {
			x := *s.all.Endpoints[s.endpoint]
			x.Enabled = false
			s.all.Endpoints[x.ID] = &x
		})},
		{"validation_failed", again(func(_ *scene, c *ResendEvents) { c.Event = "" })},
	})
}

// What the edge holds against an address is a refusal, whether an edge has kept the
// address or not, and of an endpoint that is changed as of one that is made.
func TestJudgedAddressesAreRefused(t *testing.T) {
	s := newScene(t, "endpoint")
	url := "https://10.0.0.1/"
	made := newEndpoint(s.owner)
	made.URL, made.URLProblem = url, "The address is private."
	for _, c := range []Command{made, UpdateEndpoint{Endpoint: s.endpoint, URL: &url, URLProblem: made.URLProblem}} {
		if _, r := s.do(s.owner, c); r == nil || r.Code != "url_not_allowed" {
			t.Errorf("%s: %v", c.Name(), r)
		}
	}
}

// An endpoint that is deleted gives its place to the next one, and only to one.
func TestEndpointsHaveTwentyPlaces(t *testing.T) {
	s := newScene(t, "twenty endpoints")
	for round := range 3 {
		if _, r := s.do(s.owner, newEndpoint(s.owner)); r == nil || r.Code != "limit_exceeded" {
			t.Fatalf("round %d, a twenty-first: %v", round, r)
		}
		s.must(s.other, newEndpoint(s.other))
		s.must(s.owner, DeleteEndpoint{Endpoint: s.endpoint})
		s.endpoint = s.must(s.owner, newEndpoint(s.owner)).(*Endpoint).ID
	}
}

// What reaches the domain with nanoseconds or in another zone is decided as a database
// gives it back: a batch and a log must come to the same.
func TestWallInstantsAreAsStored(t *testing.T) {
	s := newScene(t, "endpoint")
	odd := time.Date(2026, 1, 10, 16, 0, 0, 123456789, time.FixedZone("", 3600))
	want := time.Date(2026, 1, 10, 15, 0, 0, 123456000, time.UTC)
	c := newClient("")
	c.At = odd
	client := s.must(operator, c).(*Client)
	rolled := s.must(operator, RollClient{Client: client.ID, SecretHash: hashOf("two"), At: odd, OldUntil: odd.Add(time.Hour)}).(*Client)
	revoked := s.must(operator, RevokeClient{Client: client.ID, At: odd}).(*Client)
	endpoint := s.must(s.owner, RotateEndpoint{Endpoint: s.endpoint, Sealed: []byte("x"), At: odd}).(*Endpoint)
	s.now = want.Add(time.Hour)
	resend := s.must(s.owner, ResendEvents{Endpoint: s.endpoint, From: odd, To: odd.Add(time.Minute)}).(Resend)
	for name, at := range map[string]time.Time{
		"created": client.CreatedAt, "updated": rolled.UpdatedAt, "rolled": rolled.Secrets[1].Until.Add(-time.Hour), "revoked": revoked.RevokedAt,
		"rotated": endpoint.Secrets[1].Until.Add(-SecretOverlap), "from": resend.From, "to": resend.To.Add(-time.Minute),
	} {
		if at != want {
			t.Errorf("%s: %v, want %v", name, at, want)
		}
	}
}

// Secrets come sealed or hashed, and never not at all.
func TestSecretsAreAsked(t *testing.T) {
	s := newScene(t, "endpoint")
	client := s.must(operator, newClient("")).(*Client).ID
	for _, hash := range []string{"", "one", hashOf("one")[1:], "A" + hashOf("one")[1:], fmt.Sprint(hashOf("one"), "00")} {
		c := newClient("")
		c.SecretHash = hash
		if _, r := s.do(operator, c); r == nil || r.Code != "validation_failed" {
			t.Errorf("a client with the hash %q: %v", hash, r)
		}
		if _, r := s.do(operator, RollClient{Client: client, SecretHash: hash}); r == nil || r.Code != "validation_failed" {
			t.Errorf("rolled to the hash %q: %v", hash, r)
		}
	}
	bare := newEndpoint(s.owner)
	bare.Sealed = nil
	if _, r := s.do(s.owner, bare); r == nil || r.Code != "validation_failed" {
		t.Errorf("an endpoint without a secret: %v", r)
	}
	if _, r := s.do(s.owner, RotateEndpoint{Endpoint: s.endpoint}); r == nil || r.Code != "validation_failed" {
		t.Errorf("rotated to no secret: %v", r)
	}
}
