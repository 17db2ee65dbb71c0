package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"

	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

const shown = `{"secret":"whsec_s3cr3t-1"}`

// secret is a request whose answer shows a secret.
func secret(id, key string) Request {
	q := keyed(id, key)
	q.Encode = func(credit.Changes, *credit.Rejection) Response {
		return Response{Status: 201, Body: []byte(shown), ContentType: "application/json", Location: "/" + id, ETag: `"1"`, Secret: true}
	}
	return q
}

func sealing(t *testing.T, label string) func(*Config) {
	t.Helper()
	ring, err := seal.New(seal.Derive([]byte("a secret of the deployment"), label))
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Seal, c.Open = ring.Seal, ring.Open }
}

// An answer that shows a secret is stored so that nobody can read it, and a repeat still
// gets the same bytes, in the same batch and later (ID2, A61).
func TestSecretAnswer(t *testing.T) {
	r := newRig(t, sealing(t, "one"))
	got := r.batch(secret("a", "k"), secret("a", "k"), request("b"))
	first := r.want(got[0], shown, 1, nil)
	twin := r.want(got[1], shown, 1, nil)
	later := r.want(r.batch(secret("a", "k"))[0], shown, 1, nil)
	if first.Replayed || !twin.Replayed || !later.Replayed {
		t.Errorf("replayed: %v, %v, %v", first.Replayed, twin.Replayed, later.Replayed)
	}
	if !later.Secret || later.Status != 201 || later.Location != "/a" || later.ETag != `"1"` || later.ContentType != "application/json" {
		t.Errorf("replayed %+v", later.Response)
	}
	kept := r.backend.answers[store.KeyID{Client: "cli", Key: "k"}]
	if !kept.Sealed || bytes.Contains(kept.Body, []byte("s3cr3t")) {
		t.Errorf("stored sealed %v as %q", kept.Sealed, kept.Body)
	}
	r.want(r.batch(keyed("bb", "k"))[0], "", 0, ErrKeyReused)
	if len(r.alarms) > 0 || r.commands() != "a b " {
		t.Errorf("alarms %v, log %q", r.alarms, r.commands())
	}
}

// An answer without a secret is stored in the clear, with or without a key; and without an
// Idempotency-Key nothing is stored, so no key is needed.
func TestPlainAnswers(t *testing.T) {
	r := newRig(t, sealing(t, "one"))
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	if kept := r.backend.answers[store.KeyID{Client: "cli", Key: "k"}]; kept.Sealed || string(kept.Body) != "a" {
		t.Errorf("stored sealed %v as %q", kept.Sealed, kept.Body)
	}
	bare := newRig(t)
	bare.want(bare.batch(secret("a", ""))[0], shown, 1, nil)
	if len(bare.backend.answers) != 0 || len(bare.alarms) != 0 {
		t.Errorf("stored %v, alarms %v", bare.backend.answers, bare.alarms)
	}
}

// A deployment without a key stores no secret: the command does not happen, and its
// neighbors do not suffer (EN12).
func TestSecretWithoutAKeyToSealWith(t *testing.T) {
	r := newRig(t)
	got := r.batch(request("b"), secret("a", "k"), request("c"))
	r.want(got[0], "b", 1, nil)
	r.want(got[1], "", 0, ErrInternal)
	r.want(got[2], "c", 2, nil)
	if r.commands() != "b c " || len(r.backend.answers) != 0 {
		t.Errorf("log %q, answers %v", r.commands(), r.backend.answers)
	}
	if len(r.alarms) != 1 || r.alarms[0].What != AlarmFault || !errors.Is(r.alarms[0].Err, errNoSeal) {
		t.Errorf("alarms %v", r.alarms)
	}
}

// A removed key, a value moved to another place, and a deployment that has lost all its
// keys: the repeat gets no wrong answer and is not executed again.
func TestSealedAnswerThatDoesNotOpen(t *testing.T) {
	other := store.KeyID{Client: "cli", Key: "l"}
	for name, c := range map[string]struct {
		change func(*rig)
		key    string
		want   error
	}{
		"another key": {func(r *rig) { sealing(t, "two")(&r.cfg) }, "k", seal.ErrUnknownKey},
		"another row": {func(r *rig) { r.backend.answers[other] = r.backend.answers[store.KeyID{Client: "cli", Key: "k"}] }, "l", seal.ErrBroken},
		"no key":      {func(r *rig) { r.cfg.Seal, r.cfg.Open = nil, nil }, "k", errNoSeal},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, sealing(t, "one"))
			r.batch(secret("a", "k"))
			c.change(r)
			got := r.batch(secret("a", c.key), request("b"))
			r.want(got[0], "", 0, ErrInternal)
			r.want(got[1], "b", 2, nil)
			if r.commands() != "a b " {
				t.Errorf("log %q", r.commands())
			}
			if len(r.alarms) != 1 || !errors.Is(r.alarms[0].Err, c.want) || strings.Contains(r.alarms[0].Err.Error(), "s3cr3t") {
				t.Errorf("alarms %v", r.alarms)
			}
		})
	}
}

// One of the pair without the other is a configuration error.
func TestSealAndOpenGoTogether(t *testing.T) {
	r := newRig(t, sealing(t, "one"))
	cfg := r.cfg
	cfg.Open = nil
	if _, err := New(cfg); err == nil {
		t.Error("an engine that can seal and cannot open")
	}
	cfg.Seal, cfg.Open = nil, r.cfg.Open
	if _, err := New(cfg); err == nil {
		t.Error("an engine that can open and cannot seal")
	}
}

// Across the members of a group on a real backend, 20 callers with one key: one executes,
// all see the same secret, and no dump of the database shows it.
func TestGroupSecret(t *testing.T) {
	s := newShop(t, 1, money.MustParse("1000.00"))
	cfg := s.cfg
	sealing(t, "one")(&cfg)
	g, err := NewGroup(cfg, 2)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { g.Run(t.Context()); close(done) }()
	q := s.authorize(s.companies[0], money.MustParse("100.00"), "order")
	q.Actor.Key, q.RequestHash = "k", [32]byte{1}
	q.Encode = func(credit.Changes, *credit.Rejection) Response {
		return Response{Status: 201, Body: []byte(shown), Secret: true}
	}
	var callers sync.WaitGroup
	results := make(chan Result, 20)
	for range 20 {
		callers.Go(func() {
			x, err := g.Submit(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			results <- x
		})
	}
	callers.Wait()
	close(results)
	first := 0
	for x := range results {
		if string(x.Body) != shown || x.Q != 3 {
			t.Errorf("answered %q at %d", x.Body, x.Q)
		}
		if !x.Replayed {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d of them ran", first)
	}
	var dump strings.Builder
	if err := store.WriteDump(t.Context(), s.db, &dump); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"s3cr3t", hex.EncodeToString([]byte("s3cr3t")), base64.StdEncoding.EncodeToString([]byte(shown))[:16]} {
		if strings.Contains(dump.String(), form) {
			t.Errorf("the dump shows the secret as %s", form)
		}
	}
	if !strings.Contains(dump.String(), "idempotency") {
		t.Error("this is no dump")
	}
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-done
}
