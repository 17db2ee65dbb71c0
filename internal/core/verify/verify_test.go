package verify

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	sqlitestore "tenor/internal/core/store/sqlite"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/resource"
)

var seed = flag.Uint64("seed", 0, "seed of the random business; 0: a few fixed ones")

// A healthy business is clean, and every pass has checked something.
func TestCleanStory(t *testing.T) {
	b := newBook(t, memory.New())
	b.live()
	report := verifyBook(t, b.db)
	for _, v := range report.Violations {
		t.Errorf("%s %s: %s", v.Invariant, v.Object, v.Detail)
	}
	if len(report.Checks) != len(Passes()) {
		t.Errorf("%d checks, %d passes", len(report.Checks), len(Passes()))
	}
	for _, c := range report.Checks {
		if c.Rows == 0 {
			t.Errorf("the pass %s has seen no rows", c.Name)
		}
	}
}

func TestCleanWhenEmpty(t *testing.T) {
	if report := verifyBook(t, memory.New()); !report.Clean() || report.Seq != 0 {
		t.Errorf("an empty database: %+v", report)
	}
}

// Whatever arrives, what the engine accepts is clean: no false alarm.
func TestCleanRandomBusiness(t *testing.T) {
	seeds := []uint64{1, 2, 3, 4, 5, 6}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	accepted := map[string]int{}
	for _, n := range seeds {
		t.Logf("go test ./internal/core/verify -run TestCleanRandomBusiness -seed %d", n)
		b := newBook(t, memory.New())
		b.trade(rand.New(rand.NewPCG(n, 0)), 400)
		report := verifyBook(t, b.db)
		for i, v := range report.Violations {
			if i < 10 {
				t.Errorf("seed %d: %s %s: %s", n, v.Invariant, v.Object, v.Detail)
			}
		}
		for name, n := range b.accepted {
			accepted[name] += n
		}
	}
	for _, name := range []string{"order.create", "order.update", "order.partial", "order.refund", "payment.record", "payment.refund", "payment.return", "order.service",
		"client.create", "client.roll", "client.revoke", "webhook.create", "webhook.update", "webhook.rotate", "webhook.delete", "webhook.test", "webhook.resend"} {
		if accepted[name] == 0 && *seed == 0 {
			t.Errorf("no %s was accepted: the random business is too tame", name)
		}
	}
}

// Money in transit raises none either: debits, returns, retries, charges, payouts and
// files.
func TestCleanRandomRails(t *testing.T) {
	seeds := []uint64{1, 2, 3, 6, 8}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	accepted := map[string]int{}
	for _, n := range seeds {
		t.Logf("go test ./internal/core/verify -run TestCleanRandomRails -seed %d", n)
		b := newBook(t, memory.New())
		b.railTrade(rand.New(rand.NewPCG(n, 1)), "2026-09-20")
		for i, v := range verifyBook(t, b.db).Violations {
			if i < 10 {
				t.Errorf("seed %d: %s %s: %s", n, v.Invariant, v.Object, v.Detail)
			}
		}
		for name, n := range b.accepted {
			accepted[name] += n
		}
	}
	for _, name := range []string{"transfer.service", "transfer.return", "card.complete", "card.settle", "card.dispute", "payout.run", "payout.remit",
		"credit.send", "payment.cancel", "payment.refund", "order.hold"} {
		if accepted[name] == 0 && *seed == 0 {
			t.Errorf("no %s was accepted: the random rails are too tame", name)
		}
	}
}

func TestRunNeedsZoneAndScratch(t *testing.T) {
	for name, o := range map[string]Options{"zone": {Scratch: memory.Scratch}, "temporary database": {Zone: zone(t)}} {
		if _, err := Run(context.Background(), memory.New(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without a %s: error %v", name, err)
		}
	}
}

// The log is also decided again into a file, which is gone afterwards.
func TestDecideAgainIntoAFile(t *testing.T) {
	b := newBook(t, memory.New())
	b.live()
	t.Setenv("TMPDIR", t.TempDir())
	r, err := Run(context.Background(), b.db, Options{Scratch: sqlitestore.Temporary, Zone: b.zone, EncodeEvent: encodeEvent, Wire: resource.APIVersion, Open: opened})
	if err != nil || !r.Clean() {
		t.Errorf("%v, %v", r.Violations, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A caller that has gone gets an error, not half a report.
func TestRunStops(t *testing.T) {
	b := newBook(t, memory.New())
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, b.db, Options{Scratch: memory.Scratch, Zone: b.zone, Progress: func(done, total int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A zone other than the book's is detected (TM1).
func TestOtherZone(t *testing.T) {
	b := newBook(t, memory.New())
	b.now = b.zone.At(calendar.MustParse("2026-01-20"), 23, 30)
	b.live()
	r, err := Run(context.Background(), b.db, Options{Scratch: memory.Scratch, Zone: calendar.NewZone(b.now.UTC().Location())})
	if err != nil {
		t.Fatal(err)
	}
	if !found(r, "TM1") {
		t.Errorf("found %v", r.Violations)
	}
}

func TestReportJSON(t *testing.T) {
	text, err := json.Marshal(Report{Seq: 3, Checks: []Check{{Name: "x", Invariants: []string{"LG1"}, Rows: 2}}, Violations: []Violation{{"LG1", "entry e", "d"}}})
	want := `{"seq":3,"checks":[{"name":"x","invariants":["LG1"],"rows":2}],"violations":[{"invariant":"LG1","object":"entry e","detail":"d"}],"more":0}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

// Deliveries deleted because they finished long ago are not missing, however many there
// are; and the report says how many it did not find.
func TestPurgedDeliveriesAreNotMissing(t *testing.T) {
	b := newBook(t, memory.New())
	b.live()
	for _, limit := range []int{3, 20, 1000} {
		if _, err := b.db.Purge(context.Background(), store.Retention{Deliveries: b.carrier.wall.Add(-time.Hour)}, limit); err != nil {
			t.Fatal(err)
		}
		r := verifyBook(t, b.db)
		if !r.Clean() {
			t.Errorf("after %d were deleted: %v", limit, r.Violations[0])
		}
		if note := noteOf(t, r, "deliveries"); !strings.Contains(note, "are missing") {
			t.Errorf("after %d were deleted the report says %q", limit, note)
		}
	}
}

// Without the deployment's key an answer that shows a secret cannot be compared, and the
// report says so; it is no violation.
func TestSealedAnswersWithoutTheKey(t *testing.T) {
	b := newBook(t, memory.New())
	b.live()
	r, err := Run(context.Background(), b.db, Options{Scratch: memory.Scratch, Zone: b.zone})
	if err != nil || !r.Clean() {
		t.Fatalf("%v, %v", r.Violations, err)
	}
	if note := noteOf(t, r, "answers"); !strings.Contains(note, "cannot be compared without the key") {
		t.Errorf("the report says %q", note)
	}
	if note := noteOf(t, verifyBook(t, b.db), "answers"); note != "" {
		t.Errorf("with the key the report says %q", note)
	}
}
