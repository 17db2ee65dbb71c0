package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

func TestBatchIsOneTransaction(t *testing.T) {
	r := newRig(t)
	got := r.batch(request("a"), request("b"), request("c"))
	for i, t := range got {
		r.want(t, []string{"a", "b", "c"}[i], int64(i+1), nil)
	}
	if len(r.backend.batches) != 1 || r.backend.updates != 1 || len(r.backend.loads) != 1 {
		t.Fatalf("%d batches in %d updates with %d loads, want one each", len(r.backend.batches), r.backend.updates, len(r.backend.loads))
	}
	// Each was decided on the state that its predecessor left.
	if v := r.backend.state.Companies[1].Version; v != 3 {
		t.Errorf("company is at version %d, want 3", v)
	}
	b := r.backend.batches[0]
	want := store.Audit{
		At: time.Date(2026, time.March, 6, 17, 0, 0, 123456000, time.UTC), Actor: credit.Actor{Client: "cli", Merchant: "m1"},
		Address: "192.0.2.1", Company: 1, Object: "1", Command: "test.b", Payload: []byte(`{"ID":"b"}`), Seed: [16]byte{1},
		Result: "ok", BodyHash: sha256.Sum256([]byte("b")),
	}
	if diff := cmp.Diff(want, b.Decided[1].Audit); diff != "" {
		t.Errorf("audit row (-want +got):\n%s", diff)
	}
	if e := string(b.Decided[2].Events[0]); e != "company.updated 3 by cli" {
		t.Errorf("event %q", e)
	}
	if b.Digest != AuditDigest(credit.RulesVersion, "v1", r.backend.audits()) || b.Rules != credit.RulesVersion || b.Wire != "v1" || b.Node != "node 1" || b.BusinessDate != calendar.MustParse("2026-03-06") {
		t.Errorf("batch row: %x, %q, %v", b.Digest, b.Node, b.BusinessDate)
	}
}

// The audit row records the reason, for a refusal too.
func TestReasonIsAudited(t *testing.T) {
	r := newRig(t)
	first, second := request("a"), deciding("no", refuse(credit.InsufficientCredit))
	first.Reason, second.Reason = "Asked for <by phone>.", "Why not?"
	r.batch(first, second)
	rows := r.backend.audits()
	if got := string(rows[0].Payload); got != `{"act":{"ID":"a"},"reason":"Asked for \u003cby phone\u003e."}` {
		t.Errorf("kept %s", got)
	}
	if got := string(rows[1].Payload); got != `{"act":{"ID":"no"},"reason":"Why not?"}` || rows[1].Result != "insufficient_credit" {
		t.Errorf("kept %s of what was answered with %s", got, rows[1].Result)
	}
}

// A refusal is an answer of its own: its neighbors are unaffected (M9), and what it leaves
// depends on its stage.
func TestRefusalsLeaveNeighboursAlone(t *testing.T) {
	r := newRig(t)
	unknown := keyed("u", "key u")
	unknown.Command.(*command).admit = func(*credit.State) *credit.Rejection {
		return &credit.Rejection{Reason: credit.NotFound}
	}
	rule := keyed("r", "key r")
	rule.Command.(*command).decide = refuse(credit.InsufficientCredit)
	late := deciding("l", refuse(credit.CompanyNotLinked))
	got := r.batch(request("a"), unknown, rule, late, request("b"))
	r.want(got[0], "a", 1, nil)
	r.want(got[1], "not_found", 0, nil)
	r.want(got[2], "insufficient_credit", 2, nil)
	r.want(got[3], "company_not_linked", 0, nil)
	r.want(got[4], "b", 3, nil)
	if log := r.commands(); log != "a r b " {
		t.Errorf("audit log %q", log)
	}
	row := r.backend.batches[0].Decided[1]
	if row.Audit.Result != "insufficient_credit" || row.Audit.Object != "" || row.Audit.Company != 1 || !row.Changes.Empty() || len(row.Events) != 0 {
		t.Errorf("row of a refusal: %+v", row)
	}
	if len(r.backend.answers) != 1 || r.backend.answers[store.KeyID{Client: "cli", Key: "key r"}].Status != 422 {
		t.Errorf("stored answers: %v", r.backend.answers)
	}
	if s := r.Stats(); s.Decided != 3 || s.Rejected != 1 || s.NotAdmitted != 2 {
		t.Errorf("stats %+v", s)
	}
}

func TestAnsweringNobodyWritesNothing(t *testing.T) {
	r := newRig(t)
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	unknown := request("u")
	unknown.Command.(*command).admit = func(*credit.State) *credit.Rejection {
		return &credit.Rejection{Reason: credit.NotFound}
	}
	dry := request("d")
	dry.DryRun = true
	got := r.batch(keyed("a", "k"), unknown, dry)
	r.want(got[0], "a", 1, nil)
	r.want(got[1], "not_found", 0, nil)
	r.want(got[2], "d", 1, nil)
	if len(r.backend.batches) != 1 {
		t.Errorf("%d batches were written, want 1", len(r.backend.batches))
	}
}

// A dry run predicts from its place in the batch and leaves nothing (P13, M35).
func TestDryRun(t *testing.T) {
	r := newRig(t)
	dry := keyed("dry", "k")
	dry.DryRun = true
	got := r.batch(request("a"), dry, request("b"))
	x := r.want(got[1], "dry", 1, nil)
	if len(x.Changes.Companies) != 1 || x.Changes.Companies[0].Version != 2 || x.State.Companies[1].Version != 1 || x.At.IsZero() {
		t.Errorf("changes %+v from %+v at %v, want version 2 from 1", x.Changes.Companies, x.State.Companies[1], x.At)
	}
	y := r.want(got[2], "b", 2, nil)
	if y.Changes.Companies != nil {
		t.Error("a real command returned its changes")
	}
	if v := r.backend.state.Companies[1].Version; v != 2 || len(r.backend.answers) != 0 || r.commands() != "a b " {
		t.Errorf("version %d, answers %v, log %q", v, r.backend.answers, r.commands())
	}
}

// A dry run ignores keys: it reports what would happen now.
func TestDryRunIgnoresKeys(t *testing.T) {
	r := newRig(t)
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	dry := keyed("a", "k")
	dry.DryRun = true
	if x := r.want(r.batch(dry)[0], "a", 1, nil); x.Replayed || len(x.Changes.Companies) != 1 {
		t.Errorf("replayed: %v, changes %+v", x.Replayed, x.Changes)
	}
}

// Changes returned with a rejection are not applied (CL8).
func TestRefusedChangesAreDropped(t *testing.T) {
	r := newRig(t)
	r.batch(deciding("a", func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
		c, _ := raise(s, e)
		return c, &credit.Rejection{Reason: credit.InsufficientCredit}
	}))
	if d := r.backend.batches[0].Decided[0]; !d.Changes.Empty() || len(d.Events) != 0 || r.backend.state.Companies[1] != nil {
		t.Errorf("stored %+v", d)
	}
}

// A bug in one command is answered to that command alone, wherever it occurs (EN12). The
// others are decided again and committed.
func TestBugStrikesOneCommand(t *testing.T) {
	inKeys := request("x")
	inKeys.Command.(*command).keys = func(*credit.State) credit.Keys { panic("boom") }
	inAdmit := request("x")
	inAdmit.Command.(*command).admit = func(*credit.State) *credit.Rejection { panic("boom") }
	inEncode := request("x")
	inEncode.Encode = func(credit.Changes, *credit.Rejection) Response { panic("boom") }
	inAnswer := request("x")
	inAnswer.Encode = func(credit.Changes, *credit.Rejection) Response { return Response{Status: 500} }
	inEvent := deciding("x", func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
		c, r := raise(s, e)
		c.Events[0].Type = "bad"
		return c, r
	})
	inApply := deciding("x", func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
		return credit.Changes{Programs: []credit.Program{{Merchant: "nobody"}}}, nil
	})
	endless := request("x")
	endless.Command.(*command).keys = func(s *credit.State) credit.Keys {
		return credit.Keys{Companies: []int64{1}, Orders: []string{strings.Repeat("o", len(s.Orders)+1)}}
	}
	for name, bad := range map[string]Request{
		"keys": inKeys, "admit": inAdmit, "decide": deciding("x", breaks), "encode": inEncode, "5xx": inAnswer,
		"event": inEvent, "apply": inApply, "endless keys": endless,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(c *Config) {
				encode := c.EncodeEvent
				c.EncodeEvent = func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
					if e.Type == "bad" {
						return nil, errors.New("no such event")
					}
					return encode(e, at, by)
				}
			})
			bad.Actor.Key = "k"
			got := r.batch(request("a"), bad, request("b"))
			r.want(got[0], "a", 1, nil)
			r.want(got[1], "", 0, ErrInternal)
			r.want(got[2], "b", 2, nil)
			if v := r.backend.state.Companies[1].Version; v != 2 || r.commands() != "a b " || len(r.backend.answers) != 0 {
				t.Errorf("version %d, log %q, answers %v", v, r.commands(), r.backend.answers)
			}
			if len(r.alarms) != 1 || r.alarms[0].Command != bad.Command || r.alarms[0].Err == nil {
				t.Errorf("alarms %+v", r.alarms)
			}
			if r.Health() != nil {
				t.Errorf("health %v", r.Health())
			}
		})
	}
}

// A stored answer that cannot be read fails the request that repeats it, and no other of its batch.
func TestUnreadAnswer(t *testing.T) {
	r := newRig(t)
	key := store.KeyID{Client: "cli", Key: "k"}
	r.backend.answers[key] = store.Answer{Q: 7}
	again := request("again")
	again.Actor.Key = key.Key
	got := r.batch(request("a"), again, request("b"))
	r.want(got[0], "a", 1, nil)
	r.want(got[1], "", 0, ErrInternal)
	r.want(got[2], "b", 2, nil)
	if len(r.alarms) != 1 || !errors.Is(r.alarms[0].Err, errUnread) {
		t.Errorf("alarms %+v", r.alarms)
	}
}

// A failed check stops all writing and keeps the evidence (EN12).
func TestFailedCheckStopsWriting(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Batch = 2 })
	bad := deciding("bad", func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
		return credit.Changes{Companies: []*credit.Company{{ID: 1, Version: -1}}}, nil
	})
	got := r.batch(request("a"), bad, request("still queued"))
	for _, x := range got {
		r.want(x, "", 0, ErrReadOnly)
	}
	if len(r.backend.batches) != 0 {
		t.Error("something was written")
	}
	if len(r.alarms) != 1 || r.alarms[0].What != AlarmCheck || r.alarms[0].Command != bad.Command || len(r.alarms[0].Changes.Companies) != 1 {
		t.Errorf("alarms %+v", r.alarms)
	}
	if _, err := r.Enqueue(context.Background(), request("b")); !errors.Is(err, ErrReadOnly) || !errors.Is(r.Health(), ErrReadOnly) {
		t.Errorf("afterwards: %v, health %v", err, r.Health())
	}
	if r.Step(context.Background()) {
		t.Error("a broken engine found something to do")
	}
}

// Keys resolve in rounds, with one load per round for the whole batch.
func TestKeysResolveInRounds(t *testing.T) {
	r := newRig(t)
	r.backend.state.Payments["p"] = &credit.Payment{ID: "p", Order: "o"}
	r.backend.state.Orders["o"] = &credit.Order{Key: "o", Company: 7}
	r.backend.state.Companies[7] = &credit.Company{ID: 7}
	byPayment := func(s *credit.State) credit.Keys {
		k := credit.Keys{Payments: []string{"p"}}
		if p := s.Payments["p"]; p != nil {
			k.Orders = []string{p.Order}
			if o := s.Orders[p.Order]; o != nil {
				k.Companies = []int64{o.Company}
			}
		}
		return k
	}
	requests := []Request{request("a"), request("b"), request("c")}
	requests[0].Command.(*command).keys = byPayment
	requests[1].Command.(*command).keys = byPayment
	requests[2].Command.(*command).keys = func(*credit.State) credit.Keys { return credit.Keys{Companies: []int64{9, 7, 3}} }
	for _, q := range requests {
		q.Command.(*command).decide = func(s *credit.State, _ credit.Env) (credit.Changes, *credit.Rejection) {
			if s.Companies[7] == nil {
				t.Error("decided without the company")
			}
			return credit.Changes{}, nil
		}
	}
	r.batch(requests...)
	want := []credit.Keys{
		{Companies: []int64{3, 7, 9}, Payments: []string{"p"}},
		{Orders: []string{"o"}},
	}
	if diff := cmp.Diff(want, r.backend.loads); diff != "" {
		t.Errorf("loads (-want +got):\n%s", diff)
	}
	if a := r.backend.audits(); a[0].Company != 7 || a[2].Company != 0 {
		t.Errorf("companies in the log: %d, %d, want 7 and none", a[0].Company, a[2].Company)
	}
}

// If a neighbor's changes lead a command to something not loaded, it is decided in the next
// batch, before later ones.
func TestNeighbourChangesNeeds(t *testing.T) {
	r := newRig(t)
	name := credit.Claim{Kind: credit.ClaimMerchantOrderID, Name: "n"}
	maker := deciding("maker", func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
		return credit.Changes{Claims: map[credit.Claim]string{name: "o"}}, nil
	})
	maker.Command.(*command).keys = func(*credit.State) credit.Keys { return credit.Keys{Claims: []credit.Claim{name}} }
	var saw *credit.Order
	follow := func(id string) Request {
		q := deciding(id, func(s *credit.State, _ credit.Env) (credit.Changes, *credit.Rejection) {
			saw = s.Orders[s.Claims[name]]
			return credit.Changes{}, nil
		})
		q.Command.(*command).keys = func(s *credit.State) credit.Keys {
			k := credit.Keys{Claims: []credit.Claim{name}}
			if o := s.Claims[name]; o != "" {
				k.Orders = []string{o}
			}
			return k
		}
		return q
	}
	r.backend.state.Orders["o"] = &credit.Order{Key: "o"}
	got := r.batch(maker, follow("f1"), follow("f2"), request("a"))
	r.want(got[0], "maker", 1, nil)
	r.want(got[3], "a", 2, nil)
	if n := r.Stats(); n.Deferred != 2 || n.QueueDepth != 2 || saw != nil {
		t.Errorf("stats %+v, saw %v", n, saw)
	}
	later := r.batch(request("b"))
	r.want(got[1], "f1", 3, nil)
	r.want(got[2], "f2", 4, nil)
	r.want(later[0], "b", 5, nil)
	if saw == nil {
		t.Error("decided without the order")
	}
}

// Neither the instant nor the business date of a batch goes back (TM1).
func TestTimeNeverGoesBack(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		name  string
		clock time.Time
		at    string
		day   string
	}{
		{"first", start, "2026-03-06T17:00:00.123456Z", "2026-03-06"},
		{"clock back an hour", start.Add(-time.Hour), "2026-03-06T17:00:00.123456Z", "2026-03-06"},
		{"other zone, later, still Friday in New York", time.Date(2026, 3, 7, 13, 59, 0, 0, time.FixedZone("", 9*3600)), "2026-03-07T04:59:00Z", "2026-03-06"},
		{"forward over midnight", time.Date(2026, 3, 7, 5, 0, 0, 0, time.UTC), "2026-03-07T05:00:00Z", "2026-03-07"},
		{"back again", time.Date(2026, 3, 6, 5, 0, 0, 0, time.UTC), "2026-03-07T05:00:00Z", "2026-03-07"},
	} {
		r.now = c.clock
		var env credit.Env
		r.batch(deciding("a", func(_ *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
			env = e
			return credit.Changes{}, nil
		}))
		b := r.backend.batches[len(r.backend.batches)-1]
		if at := b.At.Format(time.RFC3339Nano); at != c.at || b.BusinessDate.String() != c.day || env.Now != b.At || env.Today() != b.BusinessDate {
			t.Errorf("%s: %s on %s, decided at %s on %s, want %s on %s", c.name, at, b.BusinessDate, env.Now, env.Today(), c.at, c.day)
		}
	}
	// A deployment moved west keeps its date too.
	r.backend.head.BusinessDate = calendar.MustParse("2026-03-08")
	r.batch(request("moved"))
	b := r.backend.batches[len(r.backend.batches)-1]
	if at := b.At.Format(time.RFC3339); at != "2026-03-08T05:00:00Z" || b.BusinessDate.String() != "2026-03-08" {
		t.Errorf("after a change of zone: %s on %s", at, b.BusinessDate)
	}
}
