package auth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
)

var start = time.Date(2026, time.March, 6, 17, 0, 0, 0, time.UTC)

// rig is an authenticator over the reference store with a wall clock that the test moves.
type rig struct {
	*Authenticator
	Issuer
	t   *testing.T
	db  *counted
	now time.Time
	ctx context.Context
}

// counted counts the lookups and can fail.
type counted struct {
	*memory.DB
	lookups int
	err     error
}

func (c *counted) TokenByHash(ctx context.Context, hash [32]byte) (store.Pass, bool, error) {
	c.lookups++
	if c.err != nil {
		return store.Pass{}, false, c.err
	}
	return c.DB.TokenByHash(ctx, hash)
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, db: &counted{DB: memory.New()}, now: start, ctx: context.Background()}
	wall := func() time.Time { return r.now }
	r.Authenticator = NewAuthenticator(r.db, wall)
	e, err := engine.New(engine.Config{
		Backend: r.db, Zone: calendar.NewZone(time.UTC), Now: wall, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Issuer = Issuer{Store: r.db, Submit: engine.Alone{Engine: e}, Now: wall}
	r.beside(credit.Changes{Merchants: []*credit.Merchant{{ID: "mch_1", Name: "Shop", Version: 1}, {ID: "mch_2", Name: "Yard", Version: 1}}})
	return r
}

// beside commits rows that no command created.
func (r *rig) beside(c credit.Changes) {
	r.t.Helper()
	_, err := r.db.Update(r.ctx, func(tx store.Tx) error {
		head, err := tx.Head()
		if err != nil {
			return err
		}
		at := start
		if head.At.After(at) {
			at = head.At
		}
		return tx.Apply(store.Batch{
			ID: store.BatchID{byte(head.Q), 1}, Epoch: head.Epoch, At: at, BusinessDate: calendar.NewZone(time.UTC).Date(at),
			Decided: []store.Decided{{Audit: store.Audit{At: at, Command: "test", Result: "ok"}, Changes: c}},
		})
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) client(merchant string, scopes ...string) credit.Client {
	r.t.Helper()
	c, err := r.NewClient(r.ctx, merchant, "shop", scopes)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *rig) token(c credit.Client, ttl time.Duration, scopes ...string) string {
	r.t.Helper()
	secret, _, err := r.Issuer.NewToken(r.ctx, c, scopes, ttl)
	if err != nil {
		r.t.Fatal(err)
	}
	return secret
}

// is checks whether a token is accepted.
func (r *rig) is(secret string, valid bool, when string) Principal {
	r.t.Helper()
	p, ok, err := r.Authenticate(r.ctx, Hash(secret))
	if err != nil || ok != valid {
		r.t.Errorf("%s: valid %v, %v, want %v", when, ok, err, valid)
	}
	if !ok && (p.Client != "" || p.Scopes != nil) {
		r.t.Errorf("%s: a refused token says who it was: %+v", when, p)
	}
	return p
}

func TestTokensAreOpaqueAndStoredAsHashes(t *testing.T) {
	r := newRig(t)
	seen := map[string]bool{}
	for range 100 {
		secret, hash := NewToken()
		if rest, ok := strings.CutPrefix(secret, "tnr_"); !ok || len(rest) < 26 { // 26 × 5 bits ≥ 128
			t.Fatalf("token of %d characters", len(secret))
		}
		if seen[secret] || hash != Hash(secret) {
			t.Fatal("a token twice, or with another's hash")
		}
		seen[secret] = true
	}
	c := r.client("mch_1")
	secret := r.token(c, time.Hour)
	stored, found, err := r.db.DB.TokenByHash(r.ctx, Hash(secret))
	if err != nil || !found || stored.Token.Client != c.ID || !strings.HasPrefix(c.ID, "cli_") || len(c.ID) != 30 {
		t.Errorf("stored %+v, %v, %v of client %q", stored, found, err, c.ID)
	}
}

func TestPrincipal(t *testing.T) {
	r := newRig(t)
	p := r.is(r.token(r.client("mch_1"), time.Hour), true, "merchant")
	if p.Merchant != "mch_1" || p.Operator || p.PerMinute != DefaultPerMinute || p.Burst != access.DefaultBurst || len(p.Scopes) != len(access.MerchantScopes()) {
		t.Errorf("merchant: %+v", p)
	}
	p = r.is(r.token(r.client(""), time.Hour), true, "operator")
	if p.Merchant != "" || !p.Operator || !slices.Equal(p.Scopes, access.WideScopes()) {
		t.Errorf("operator: %+v", p)
	}
	r.is("tnr_NOBODY", false, "unknown token")
}

func TestTokenEnds(t *testing.T) {
	r := newRig(t)
	secret := r.token(r.client("mch_1"), time.Hour)
	r.is(secret, true, "new")
	r.now = start.Add(time.Hour - time.Nanosecond)
	r.is(secret, true, "just before its end")
	r.now = start.Add(time.Hour)
	r.is(secret, false, "at its end, which no cache may stretch")
}

// AU3: a revoked token is dead within a second.
func TestRevokedIsDeadWithinASecond(t *testing.T) {
	for _, what := range []string{"token", "client"} {
		r := newRig(t)
		c := r.client("mch_1")
		secret := r.token(c, time.Hour)
		r.is(secret, true, "new")
		if what == "client" {
			if found, err := r.Issuer.Revoke(r.ctx, c.ID); !found || err != nil {
				t.Fatal(found, err)
			}
		} else if err := r.RevokeToken(r.ctx, Hash(secret)); err != nil {
			t.Fatal(err)
		}
		r.now = r.now.Add(time.Second)
		r.is(secret, false, what+" revoked a second ago")
	}
}

func TestCacheAsksOncePerSecond(t *testing.T) {
	r := newRig(t)
	secret := r.token(r.client("mch_1"), time.Hour)
	for range 10 {
		r.is(secret, true, "cached")
		r.now = r.now.Add(100 * time.Millisecond)
	}
	if r.db.lookups != 1 {
		t.Errorf("%d look-ups within a second, want 1", r.db.lookups)
	}
	r.is(secret, true, "after a second")
	if r.db.lookups != 2 {
		t.Errorf("%d look-ups, want a second one after a second", r.db.lookups)
	}
}

func TestCacheIsBounded(t *testing.T) {
	r := newRig(t)
	c := r.client("mch_1")
	for range cacheSize + 10 {
		r.is(r.token(c, time.Hour), true, "many tokens")
	}
	for range 10 {
		r.is("tnr_GUESS", false, "guess")
	}
	if len(r.cache) > cacheSize {
		t.Errorf("%d tokens in the cache", len(r.cache))
	}
	r.now = r.now.Add(CacheFor)
	r.is(r.token(c, time.Hour), true, "after the sweep")
	if len(r.cache) != 1 {
		t.Errorf("%d tokens in the cache after the sweep, want 1", len(r.cache))
	}
}

func TestScopesNeverExceedTheClients(t *testing.T) {
	r := newRig(t)
	c := r.client("mch_1", "orders:read", "orders:write", "orders:read")
	if !slices.Equal(c.Scopes, []string{"orders:read", "orders:write"}) {
		t.Errorf("client holds %v", c.Scopes)
	}
	var unknown *UnknownScopeError
	if _, _, err := r.Issuer.NewToken(r.ctx, c, []string{"payments:read"}, time.Hour); !errors.As(err, &unknown) || unknown.Scope != "payments:read" {
		t.Errorf("token beyond its client: %v", err)
	}
}

// A row written or changed outside the program grants nothing (AU9).
func TestRowsBesideTheProgram(t *testing.T) {
	r := newRig(t)
	c := r.client("mch_1", "orders:read")
	secret := r.token(c, time.Hour)
	r.is(secret, true, "by commands")
	made, hash := NewToken()
	r.beside(credit.Changes{Tokens: []*credit.Token{{Hash: hash, Client: c.ID, Scopes: c.Scopes, ExpiresAt: start.Add(time.Hour)}}})
	r.is(made, false, "a token that was inserted")
	up := c
	up.ID, up.Merchant, up.Scopes = "cli_up", "", []string{"operator:read"}
	other, hash := NewToken()
	r.beside(credit.Changes{
		Clients: []*credit.Client{&up},
		Tokens:  []*credit.Token{{Hash: hash, Client: up.ID, Scopes: up.Scopes, ExpiresAt: start.Add(time.Hour)}},
	})
	r.is(other, false, "a client that was inserted with a token")
	late := r.token(c, time.Minute)
	x := r.row(late)
	x.ExpiresAt = start.Add(24 * time.Hour)
	r.beside(credit.Changes{Tokens: []*credit.Token{&x}})
	r.is(late, false, "a token that lives longer")
	wide := c
	wide.Scopes, wide.Version = []string{"orders:read", "orders:write"}, 2
	r.beside(credit.Changes{Clients: []*credit.Client{&wide}})
	r.now = r.now.Add(time.Second)
	r.is(secret, false, "a client whose scopes were widened")
	// A command on the row does not make it valid.
	if err := r.Limit(r.ctx, c.ID, 7, 7); err != nil {
		t.Fatal(err)
	}
	r.is(secret, false, "a client that was widened and then changed by a command")
	if _, found, err := r.FindClient(r.ctx, "mch_1", "shop"); found || err != nil {
		t.Errorf("the console goes on with it: %v", err)
	}
}

func (r *rig) row(secret string) credit.Token {
	r.t.Helper()
	p, found, err := r.db.DB.TokenByHash(r.ctx, Hash(secret))
	if err != nil || !found {
		r.t.Fatal(found, err)
	}
	return *p.Token.Token
}

func TestClientScopesByKindAndMode(t *testing.T) {
	r := newRig(t)
	for _, x := range []struct {
		merchant string
		scope    string
		sandbox  bool
		ok       bool
	}{
		{"mch_1", "orders:read", false, true},
		{"mch_1", "operator:read", false, false},
		{"mch_1", "sandbox", false, false},
		{"mch_1", "sandbox", true, true},
		{"", "operator:write", false, true},
		{"", "money:manage", false, true},
		{"mch_1", "money:manage", false, false},
		{"", "orders:read", false, false},
		{"", "sandbox", true, true},
		{"mch_1", "Orders:read", false, false},
		{"mch_1", "", false, false},
	} {
		r.Issuer.Sandbox = x.sandbox
		_, err := r.NewClient(r.ctx, x.merchant, "c", []string{x.scope})
		if (err == nil) != x.ok {
			t.Errorf("merchant %q, scope %q, sandbox %v: %v", x.merchant, x.scope, x.sandbox, err)
		}
	}
}

func TestFindClient(t *testing.T) {
	r := newRig(t)
	first := r.client("mch_1")
	if got, found, err := r.FindClient(r.ctx, "mch_1", "shop"); err != nil || !found || got.ID != first.ID {
		t.Errorf("found %+v, %v, %v", got, found, err)
	}
	for _, x := range [][2]string{{"mch_2", "shop"}, {"", "shop"}, {"mch_1", "other"}} {
		if _, found, _ := r.FindClient(r.ctx, x[0], x[1]); found {
			t.Errorf("found a client of %q named %q", x[0], x[1])
		}
	}
	for _, x := range []struct {
		client string
		found  bool
	}{{"cli_none", false}, {first.ID, true}, {first.ID, true}} {
		if found, err := r.Issuer.Revoke(r.ctx, x.client); err != nil || found != x.found {
			t.Errorf("revoke %s: %v, %v", x.client, found, err)
		}
	}
	if _, found, _ := r.FindClient(r.ctx, "mch_1", "shop"); found {
		t.Error("found a revoked client")
	}
}

func TestStoreFailureIsNotARefusal(t *testing.T) {
	r := newRig(t)
	r.db.err = errors.New("disk gone")
	if _, ok, err := r.Authenticate(r.ctx, Hash("tnr_X")); ok || !errors.Is(err, r.db.err) {
		t.Errorf("got %v, %v, want the store's error", ok, err)
	}
}

func TestTokenNeedsALife(t *testing.T) {
	r := newRig(t)
	if _, _, err := r.Issuer.NewToken(r.ctx, r.client("mch_1"), nil, 0); err == nil {
		t.Error("a token without an end")
	}
}
