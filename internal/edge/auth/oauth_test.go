package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/credit"
)

// desk is a Server over a shelf, with two clients and a wall clock that the test moves.
type desk struct {
	*Server
	t      *testing.T
	shelf  *shelf
	auth   *Authenticator
	now    time.Time
	ctx    context.Context
	secret Secret // of cli_A
	other  Secret // of cli_B
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, now: start, ctx: context.Background(), shelf: &shelf{clients: map[string]credit.Client{}, tokens: map[[32]byte]credit.Token{}}}
	d.secret, d.other = d.client("cli_A", "orders:read", "orders:write"), d.client("cli_B", "orders:read")
	wall := func() time.Time { return d.now }
	d.auth = NewAuthenticator(d.shelf, wall)
	d.Server = NewServer(d.shelf, d.shelf, d.auth, wall)
	return d
}

func (d *desk) client(id string, scopes ...string) Secret {
	s, hash := NewSecret()
	d.shelf.clients[id] = credit.Client{
		ID: id, Merchant: "mch_1", Scopes: scopes, PerMinute: 600, Burst: 100, Version: 1, Secrets: []credit.ClientSecret{{Hash: hash}},
	}
	return s
}

func at(text string) netip.Addr { return netip.MustParseAddr(text) }

func (d *desk) sign(client string, s Secret, from string) error {
	_, err := d.Authenticate(d.ctx, Credentials{Client: client, Secret: s, Address: at(from)})
	return err
}

func (d *desk) grant(client string, scopes ...string) Grant {
	d.t.Helper()
	g, err := d.Grant(d.ctx, Caller{}, d.shelf.clients[client], scopes)
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

func (d *desk) valid(token Secret) bool {
	d.t.Helper()
	_, ok, err := d.auth.Authenticate(d.ctx, Hash(string(token)))
	if err != nil {
		d.t.Fatal(err)
	}
	return ok
}

// AU3: a secret has at least 192 random bits, and only its hash is stored.
func TestSecretsAreRandomAndKeptAsHashes(t *testing.T) {
	seen := map[Secret]bool{}
	for range 100 {
		s, hash := NewSecret()
		rest, ok := strings.CutPrefix(s.Reveal(), SecretPrefix)
		if !ok || len(rest) < 39 || seen[s] { // 39 × 5 bits ≥ 192
			t.Fatalf("a secret of %d characters, or one twice", len(s))
		}
		seen[s] = true
		if len(hash) != 64 || hash != HashSecret(s) || strings.Contains(hash, rest) {
			t.Fatalf("hash %s", hash)
		}
	}
}

// A secret that is printed, logged or encoded by mistake reveals nothing.
func TestSecretSaysNothing(t *testing.T) {
	s := Secret("tns_s3cr3t-client-1")
	c := Credentials{Client: "cli_A", Secret: s}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", s, "credentials", c, "grant", Grant{Token: s})
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "credentials", c, "grant", Grant{Token: s})
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{
		log.String(), string(text), s.String(), fmt.Sprintf("%v %s %q %x %d %#v %+v", s, s, s, s, s, s, s),
		fmt.Sprintf("%v %+v %#v %x", c, c, c, c), fmt.Sprint(&c), (&LimitedError{Wait: 1}).Error(), ErrInvalidClient.Error(),
	} {
		if strings.Contains(out, "s3cr3t") || strings.Contains(out, "73336372337") {
			t.Errorf("the secret is in %s", out)
		}
	}
	if s.Reveal() != "tns_s3cr3t-client-1" {
		t.Error("Reveal does not give the secret")
	}
}

func TestCredentials(t *testing.T) {
	d := newDesk(t)
	revoked := d.client("cli_R", "orders:read")
	x := d.shelf.clients["cli_R"]
	x.RevokedAt = start
	d.shelf.clients["cli_R"] = x
	d.shelf.clients["cli_bare"] = credit.Client{ID: "cli_bare"}
	for _, tt := range []struct {
		name, client string
		secret       Secret
		ok           bool
	}{
		{"right", "cli_A", d.secret, true},
		{"another client's", "cli_A", d.other, false},
		{"none", "cli_A", "", false},
		{"a prefix", "cli_A", d.secret[:len(d.secret)-1], false},
		{"one byte changed", "cli_A", "T" + d.secret[1:], false},
		{"one byte more", "cli_A", d.secret + "A", false},
		{"its hash", "cli_A", Secret(HashSecret(d.secret)), false},
		{"a NUL behind", "cli_A", d.secret + "\x00", false},
		{"a megabyte", "cli_A", Secret(strings.Repeat("s", 1<<20)), false},
		{"unknown client", "cli_none", d.secret, false},
		{"no client", "", d.secret, false},
		{"other case", "CLI_A", d.secret, false},
		{"revoked", "cli_R", revoked, false},
		{"made on the server, without a secret", "cli_bare", "", false},
	} {
		err := d.sign(tt.client, tt.secret, "192.0.2.1")
		if tt.ok && err != nil || !tt.ok && !errors.Is(err, ErrInvalidClient) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A client without secrets does not match the hash used in their place.
func TestNoSecretIsNoSecret(t *testing.T) {
	for _, c := range []credit.Client{{}, {Secrets: []credit.ClientSecret{{}}}, {Secrets: []credit.ClientSecret{{Hash: strings.Repeat("0", 64), Until: start}}}} {
		for _, s := range []Secret{"", "tns_", Secret(strings.Repeat("0", 64)), Secret(make([]byte, 32))} {
			if opens(c, s, start) {
				t.Errorf("%+v opens with %q", c, s.Reveal())
			}
		}
	}
}

// A rolled secret stays valid until the overlap ends, by the wall clock.
func TestRollOverlaps(t *testing.T) {
	d := newDesk(t)
	x := d.shelf.clients["cli_A"]
	next, hash := NewSecret()
	old := x.Secrets[0]
	old.Until = start.Add(time.Hour)
	x.Secrets = []credit.ClientSecret{{Hash: hash}, old}
	d.shelf.clients["cli_A"] = x
	for _, when := range []struct {
		after time.Duration
		old   bool
	}{{0, true}, {time.Hour - 1, true}, {time.Hour, false}, {time.Hour + 1, false}} {
		d.now = start.Add(when.after)
		if err := d.sign("cli_A", next, "192.0.2.1"); err != nil {
			t.Errorf("new secret after %s: %v", when.after, err)
		}
		if err := d.sign("cli_A", d.secret, "192.0.2.1"); (err == nil) != when.old {
			t.Errorf("old secret after %s: %v", when.after, err)
		}
	}
}

// A4: guesses are limited per client and address, and the limit does not reveal whether the
// client exists.
func TestBruteForce(t *testing.T) {
	guess := func(d *desk, client, from string) int {
		n := 0
		for ; n < 1000; n++ {
			err := d.sign(client, Secret(fmt.Sprint("tns_", n)), from)
			var limited *LimitedError
			if errors.As(err, &limited) {
				if limited.Wait <= 0 || limited.Wait > time.Minute {
					t.Errorf("wait %s", limited.Wait)
				}
				break
			}
		}
		return n
	}
	d := newDesk(t)
	if n := guess(d, "cli_A", "192.0.2.1"); n != failuresOfClient {
		t.Errorf("%d guesses at a client, want %d", n, failuresOfClient)
	}
	if n := guess(d, "cli_none", "192.0.2.2"); n != failuresOfClient {
		t.Errorf("%d guesses at a client that there is not, want %d", n, failuresOfClient)
	}
	if n := guess(d, "cli_A", "192.0.2.1"); n != 0 {
		t.Errorf("%d more guesses", n)
	}
	if n := guess(d, "cli_B", "192.0.2.1"); n != failuresOfClient {
		t.Errorf("%d guesses at another client, want %d", n, failuresOfClient)
	}
	if n := guess(d, "cli_A", "192.0.2.3"); n != failuresOfClient {
		t.Errorf("%d guesses from another address, want %d", n, failuresOfClient)
	}
	d.now = d.now.Add(time.Minute / failuresOfClient)
	if n := guess(d, "cli_A", "192.0.2.3"); n != 1 {
		t.Errorf("%d guesses after the wait, want 1", n)
	}

	d = newDesk(t)
	n := 0
	for ; n < 1000; n++ {
		var limited *LimitedError
		if errors.As(d.sign(fmt.Sprintf("cli_%d", n), "tns_", "192.0.2.1"), &limited) {
			break
		}
	}
	if n != failuresFromAddress {
		t.Errorf("%d guesses at clients from one address, want %d", n, failuresFromAddress)
	}
	if err := d.sign("cli_A", d.secret, "192.0.2.2"); err != nil {
		t.Errorf("another address: %v", err)
	}
}

// Knowing a client's identifier is not enough to lock the client out: neither from
// elsewhere, nor from the client's own address, which many share behind a proxy. That holds
// for a secret that was never used here, too, and for one that was.
func TestGuessesDoNotShutOut(t *testing.T) {
	d := newDesk(t)
	const shared = "198.51.100.7"
	for i := range 3000 {
		_ = d.sign("cli_A", Secret(fmt.Sprint("tns_guess ", i)), fmt.Sprintf("192.0.2.%d", i%200))
		_ = d.sign("cli_A", Secret(fmt.Sprint("tns_guess ", i)), shared)
		_ = d.sign(fmt.Sprint("cli_", i), "tns_guess", shared)
	}
	for _, from := range []string{shared, "192.0.2.1", "203.0.113.9"} {
		for range 100 {
			if err := d.sign("cli_A", d.secret, from); err != nil {
				t.Fatalf("shut out at %s: %v", from, err)
			}
		}
		if err := d.sign("cli_B", d.other, from); err != nil {
			t.Errorf("another client, shut out at %s: %v", from, err)
		}
	}
	var limited *LimitedError
	if err := d.sign("cli_A", "tns_guess", shared); !errors.As(err, &limited) {
		t.Errorf("one more guess: %v", err)
	}
}

// Guesses from a source with too many failures take few places, and a client that has used
// its secret before waits for none of them. An expired secret has no such privilege.
func TestGuessesTakeFewPlaces(t *testing.T) {
	d := newDesk(t)
	const shared = "198.51.100.7"
	if err := d.sign("cli_A", d.secret, shared); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * failuresFromAddress {
		_ = d.sign(fmt.Sprint("cli_", i), "tns_guess", shared)
	}
	for range suspectsOfAddress {
		d.suspects.Enter(shared) // the maximum number of lookups
	}
	if err := d.sign("cli_A", d.secret, shared); err != nil {
		t.Errorf("who is known waits for guesses: %v", err)
	}
	short, cancel := context.WithTimeout(d.ctx, 10*time.Millisecond)
	defer cancel()
	d.ctx = short
	before := d.shelf.lookups
	var limited *LimitedError
	if err := d.sign("cli_A", "tns_guess", shared); !errors.As(err, &limited) || d.shelf.lookups != before {
		t.Errorf("one more guess: %v, %d look-ups", err, d.shelf.lookups-before)
	}
	d.ctx = context.Background()
	ended := d.shelf.clients["cli_A"]
	ended.RevokedAt = d.now
	d.shelf.clients["cli_A"] = ended
	if err := d.sign("cli_A", d.secret, shared); !errors.As(err, &limited) || d.proven.has(Hash("cli_A\x00"+d.secret.Reveal())) {
		t.Errorf("a client that has ended: %v", err)
	}
}

// No flood of clients and addresses grows the tables without bound.
func TestTablesAreBounded(t *testing.T) {
	d := newDesk(t)
	for i := range trackedKeys + 500 {
		d.proven.add(Hash(fmt.Sprint(i)))
	}
	if len(d.proven.marks) != trackedKeys {
		t.Errorf("%d credentials", len(d.proven.marks))
	}
	if !d.proven.has(Hash(fmt.Sprint(trackedKeys + 499))) {
		t.Error("the last one is not there")
	}
}

// AU3: a token holds no scope that its client does not hold, and lives for an hour.
func TestGrant(t *testing.T) {
	d := newDesk(t)
	g := d.grant("cli_A")
	if !slices.Equal(g.Scopes, []string{"orders:read", "orders:write"}) || g.TTL != time.Hour || !strings.HasPrefix(g.Token.Reveal(), TokenPrefix) {
		t.Errorf("granted %v for %s", g.Scopes, g.TTL)
	}
	if p, ok, err := d.auth.Authenticate(d.ctx, Hash(g.Token.Reveal())); err != nil || !ok || p.Client != "cli_A" || p.PerMinute != 600 || p.Burst != 100 {
		t.Errorf("principal %+v, %v, %v", p, ok, err)
	}
	if g := d.grant("cli_A", "orders:read", "orders:read"); !slices.Equal(g.Scopes, []string{"orders:read"}) {
		t.Errorf("granted %v", g.Scopes)
	}
	for _, scope := range []string{"payments:read", "operator:read", "", "Orders:read", "orders:read "} {
		var unknown *UnknownScopeError
		if _, err := d.Grant(d.ctx, Caller{}, d.shelf.clients["cli_B"], []string{"orders:read", scope}); !errors.As(err, &unknown) {
			t.Errorf("scope %q: %v", scope, err)
		}
	}
	d.now = start.Add(time.Hour)
	if d.valid(g.Token) {
		t.Error("a token after an hour")
	}
}

// Only a client's own token is revoked, and here it is dead at once.
func TestRevokeAndIntrospect(t *testing.T) {
	d := newDesk(t)
	a, b := d.shelf.clients["cli_A"], d.shelf.clients["cli_B"]
	g := d.grant("cli_A")
	state := func(c credit.Client, token Secret) State {
		t.Helper()
		s, err := d.Introspect(d.ctx, c, token)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if !d.valid(g.Token) {
		t.Fatal("the token is not taken")
	}
	want := State{Active: true, Client: "cli_A", Scopes: []string{"orders:read", "orders:write"}, ExpiresAt: start.Add(time.Hour)}
	if s := state(a, g.Token); fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("own token: %+v", s)
	}
	for name, s := range map[string]State{"another's": state(b, g.Token), "unknown": state(a, "tnr_X"), "empty": state(a, "")} {
		if fmt.Sprint(s) != fmt.Sprint(State{}) {
			t.Errorf("%s token: %+v", name, s)
		}
	}
	for name, c := range map[string]credit.Client{"another's": b, "unknown": a} {
		token := g.Token
		if name == "unknown" {
			token = "tnr_X"
		}
		if err := d.Revoke(d.ctx, Caller{}, c, token); err != nil || !d.valid(g.Token) {
			t.Errorf("revoking %s token: %v, still valid %v", name, err, d.valid(g.Token))
		}
	}
	if err := d.Revoke(d.ctx, Caller{}, a, g.Token); err != nil || d.valid(g.Token) {
		t.Errorf("revoking the own token: %v, still valid %v", err, d.valid(g.Token))
	}
	first := d.shelf.tokens[Hash(g.Token.Reveal())].RevokedAt
	d.now = start.Add(time.Minute)
	if err := d.Revoke(d.ctx, Caller{}, a, g.Token); err != nil || !d.shelf.tokens[Hash(g.Token.Reveal())].RevokedAt.Equal(first) {
		t.Errorf("revoking again: %v", err)
	}
	if s := state(a, g.Token); s.Active {
		t.Error("a revoked token is active")
	}
	late := d.grant("cli_A")
	d.now = d.now.Add(time.Hour)
	if s := state(a, late.Token); s.Active {
		t.Error("an expired token is active")
	}
}

func TestDatabaseFailureIsNotARefusal(t *testing.T) {
	d := newDesk(t)
	d.shelf.err = errors.New("disk gone")
	for range 2 * failuresOfClient {
		if err := d.sign("cli_A", d.secret, "192.0.2.1"); !errors.Is(err, d.shelf.err) || errors.Is(err, ErrInvalidClient) {
			t.Fatalf("authenticate: %v", err)
		}
	}
	if _, err := d.Grant(d.ctx, Caller{}, d.shelf.clients["cli_A"], nil); !errors.Is(err, d.shelf.err) {
		t.Errorf("grant: %v", err)
	}
	if err := d.Revoke(d.ctx, Caller{}, d.shelf.clients["cli_A"], "tnr_X"); !errors.Is(err, d.shelf.err) {
		t.Errorf("revoke: %v", err)
	}
	if _, err := d.Introspect(d.ctx, d.shelf.clients["cli_A"], "tnr_X"); !errors.Is(err, d.shelf.err) {
		t.Errorf("introspect: %v", err)
	}
}
