package verify

import (
	"context"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// older is a database that an older release has written to: its batches carry the versions
// of that release, and its payloads a format that this one does not write.
type older struct {
	store.Backend
	rules int
	wire  string // "" leaves the format alone
}

func (o *older) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	return o.Backend.Update(ctx, func(tx store.Tx) error { return fn(&olderTx{tx, o}) })
}

type olderTx struct {
	store.Tx
	of *older
}

func (x *olderTx) Apply(b store.Batch) error {
	b.Rules = x.of.rules
	if x.of.wire != "" {
		b.Wire = x.of.wire
	}
	var audits []store.Audit
	for i := range b.Decided {
		audits = append(audits, b.Decided[i].Audit)
		for n, text := range b.Decided[i].Events {
			if x.of.wire != "" {
				b.Decided[i].Events[n] = []byte(strings.Replace(string(text), "{", `{"gone_since":1,`, 1))
			}
		}
	}
	b.Digest = engine.AuditDigest(b.Rules, b.Wire, audits)
	return x.Tx.Apply(b)
}

// grow writes the story with an older release and one more order with this one.
func grow(t *testing.T, o *older) *book {
	t.Helper()
	o.Backend = memory.New()
	b := newBook(t, o)
	b.live()
	o.rules, o.wire = credit.RulesVersion, ""
	b.must(b.shops[0], lending.CreateOrder{Company: b.companies[0], Amount: money.MustParse("120.00"), Installments: 1, Authorize: true})
	return b
}

func noteOf(t *testing.T, r Report, name string) string {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c.Note
		}
	}
	t.Fatalf("no pass %s", name)
	return ""
}

// What other rules decided is not compared with today's: the books are clean, and the
// report says what was skipped.
func TestOtherRules(t *testing.T) {
	b := grow(t, &older{rules: credit.RulesVersion + 7})
	r := verifyBook(t, b.db)
	if !r.Clean() {
		t.Errorf("found %v", r.Violations[0])
	}
	if note := noteOf(t, r, "decide again"); !strings.Contains(note, "not comparable before commit") {
		t.Errorf("the report says %q", note)
	}
	for _, c := range r.Checks {
		if c.Rows == 0 && c.Name != "decide again" {
			t.Errorf("the pass %s was left out too", c.Name)
		}
	}
}

// Sums are proved regardless of the rules.
func TestOtherRulesStillSum(t *testing.T) {
	o := &older{rules: credit.RulesVersion + 7}
	grow(t, o)
	if r := verifyBook(t, &cut{o.Backend}); !found(r, "LG3") {
		t.Errorf("found %v", r.Violations)
	}
}

// cut is a database that has lost a balance.
type cut struct{ store.Backend }

func (c *cut) View(ctx context.Context, fn func(store.View) error) error {
	return c.Backend.View(ctx, func(v store.View) error { return fn(&cutView{v}) })
}

// Payloads of another format are compared by what every format has: id, type, sequence and
// readers.
func TestOtherWire(t *testing.T) {
	o := &older{rules: credit.RulesVersion, wire: "2020-01-01"}
	b := grow(t, o)
	r := verifyBook(t, b.db)
	if !r.Clean() {
		t.Errorf("found %v", r.Violations[0])
	}
	if note := noteOf(t, r, "decide again"); !strings.Contains(note, "2020-01-01") {
		t.Errorf("the report says %q", note)
	}
	for name, change := range map[string]func(*store.EventRow){
		"type":   func(e *store.EventRow) { e.Type = "order.gone" },
		"reader": func(e *store.EventRow) { e.Merchant = credit.OperatorOnly },
		"order":  func(e *store.EventRow) { e.Sequence++ },
	} {
		if r := verifyBook(t, &twisted{o.Backend, 20, change}); !found(r, "EV4") {
			t.Errorf("an old event's %s was changed: found %v", name, r.Violations)
		}
	}
	// In its own format every byte counts.
	last := r.Seq
	payload := func(e *store.EventRow) { e.Payload = []byte(strings.Replace(string(e.Payload), "{", `{"x":1,`, 1)) }
	if r := verifyBook(t, &twisted{o.Backend, last, payload}); !found(r, "EV4") {
		t.Errorf("a payload was changed: found %v", r.Violations)
	}
}

// The bytes of a format can only be compared by an encoder that states its version.
func TestEncoderNeedsVersion(t *testing.T) {
	if _, err := Run(context.Background(), memory.New(), Options{Scratch: memory.Scratch, Zone: zone(t), EncodeEvent: encodeEvent}); err == nil {
		t.Error("ran with an encoder of no version")
	}
}
