package facts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// vendor plays all ports. Each port's answer depends on the try.
type vendor struct {
	registry func(context.Context, int) (Fact[Registration], error)
	bureau   func(context.Context, int) (Fact[CreditReport], error)
	bank     func(context.Context, int) (Fact[BankAccount], error)
	keys     atomic.Pointer[string] // of the bureau
	asked    atomic.Pointer[BureauQuestion]
}

func (v *vendor) LookUp(ctx context.Context, a Ask, _ RegistryQuestion) (Fact[Registration], error) {
	return v.registry(ctx, a.Try)
}

func (v *vendor) Report(ctx context.Context, a Ask, q BureauQuestion) (Fact[CreditReport], error) {
	key := a.Key(Bureau)
	v.keys.Store(&key)
	v.asked.Store(&q)
	return v.bureau(ctx, a.Try)
}

func (v *vendor) Account(ctx context.Context, a Ask, _ BankQuestion) (Fact[BankAccount], error) {
	return v.bank(ctx, a.Try)
}

func (v *vendor) ports() Ports { return Ports{Registry: v, Bureau: v, Bank: v} }

// answering is a vendor that says the best about everyone.
func answering() *vendor {
	return &vendor{
		registry: func(context.Context, int) (Fact[Registration], error) {
			return Fact[Registration]{Source: "registry", RawHash: "r", Answer: Registration{underwriting.IdentityProved, underwriting.RegistrationFound, calendar.MustParse("2015-03-01"), "OH"}}, nil
		},
		bureau: func(context.Context, int) (Fact[CreditReport], error) {
			return Fact[CreditReport]{Source: "bureau", RawHash: "b", Answer: CreditReport{Score: underwriting.Score{FICO: 720}, File: underwriting.BusinessFile{Present: true, Clean: true}, OpenBankruptcy: true}}, nil
		},
		bank: func(context.Context, int) (Fact[BankAccount], error) {
			return Fact[BankAccount]{Source: "bank", RawHash: "k", Answer: BankAccount{true, money.MustParse("900"), 1}}, nil
		},
	}
}

// at is the time of every answer: 1 March in New York, 2 March in UTC.
var at = time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)

// waits never end, unless after ends them.
func waits(after func(time.Duration) <-chan time.Time) Waits {
	if after == nil {
		after = func(time.Duration) <-chan time.Time { return nil }
	}
	return Waits{Now: func() time.Time { return at }, After: after}
}

// over is a wait that has ended.
func over(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- at
	return c
}

func question() Question {
	home := Address{"12 Secret Lane", "Dayton", "OH", "45401"}
	return Question{
		Application: "app_1", LegalName: "Harbor Hidden LLC", EIN: "123456789", EntityType: underwriting.LLC, FormedOn: calendar.MustParse("2014-01-01"),
		StateOfFormation: "OH", Address: home, Phone: "5135550100",
		Owners: []Owner{
			{"Ann", "Hidden", calendar.MustParse("1980-01-02"), home, 30, false}, {"Bea", "Hidden", calendar.MustParse("1981-01-02"), home, 40, false},
			{"Cid", "Hidden", calendar.MustParse("1982-01-02"), home, 10, true},
		},
	}
}

func newYork(t *testing.T) calendar.Zone {
	t.Helper()
	l, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	return calendar.NewZone(l)
}

func TestEveryPortAnswers(t *testing.T) {
	v := answering()
	g, err := Gather(t.Context(), v.ports(), question(), waits(nil))
	if err != nil {
		t.Fatal(err)
	}
	if g.Registry.Tries != 1 || g.Bureau.Fact.Source != "bureau" || g.Bureau.Fact.RawHash != "b" || !g.Bank.Fact.At.Equal(at) {
		t.Errorf("%+v", g)
	}
	in := g.Into(underwriting.Inputs{EntityType: underwriting.LLC, Missed: []underwriting.Missed{{Source: "old"}}}, newYork(t))
	want := underwriting.Inputs{
		EntityType: underwriting.LLC, Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound,
		RegistryFormedOn: calendar.MustParse("2015-03-01"), RegistryState: "OH", OwnerScore: underwriting.Score{FICO: 720},
		BusinessFile: &underwriting.BusinessFile{Present: true, Clean: true}, OpenBankruptcy: true, BureauOn: calendar.MustParse("2026-03-01"),
		Bank: &underwriting.Bank{AverageBalance: money.MustParse("900"), ReturnedItems: 1},
	}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if *v.keys.Load() != "app_1-credit_bureau" || v.asked.Load().Owner.FirstName != "Bea" {
		t.Errorf("the bureau was asked under %s about %s", *v.keys.Load(), v.asked.Load().Owner.FirstName)
	}
}

func TestWhatIsMissing(t *testing.T) {
	hang := func(ctx context.Context, _ int) (Fact[CreditReport], error) {
		<-ctx.Done()
		return Fact[CreditReport]{}, ctx.Err()
	}
	for _, c := range []struct {
		name   string
		bureau func(context.Context, int) (Fact[CreditReport], error)
		after  func(time.Duration) <-chan time.Time
		why    underwriting.Absence
		text   string
		tries  int
	}{
		{"silent", hang, over, underwriting.Silent, "No answer came in time.", 2},
		{"deaf", func(context.Context, int) (Fact[CreditReport], error) { select {} }, over, underwriting.Silent, "No answer came in time.", 2},
		{"says that it is silent", func(context.Context, int) (Fact[CreditReport], error) {
			return Fact[CreditReport]{}, fmt.Errorf("x: %w", &Failure{underwriting.Silent, "made up"})
		}, nil, underwriting.Silent, "made up", 2},
		{"its own deadline", func(context.Context, int) (Fact[CreditReport], error) {
			return Fact[CreditReport]{}, context.DeadlineExceeded
		}, nil, underwriting.Silent, "", 2},
		{"broken, and talks", func(context.Context, int) (Fact[CreditReport], error) {
			return Fact[CreditReport]{}, errors.New("no file of Bea Hidden")
		}, nil, underwriting.Broken, "", 2},
		{"panics", func(context.Context, int) (Fact[CreditReport], error) { panic("Bea Hidden") }, nil, underwriting.Broken, "The adapter has failed.", 2},
		{"no score that can be", func(context.Context, int) (Fact[CreditReport], error) {
			return Fact[CreditReport]{Answer: CreditReport{Score: underwriting.Score{FICO: 99}}}, nil
		}, nil, underwriting.Broken, "The answer is invalid: owner_score is not a valid score.", 2},
		{"once silent", func(ctx context.Context, try int) (Fact[CreditReport], error) {
			if try == 1 {
				return Fact[CreditReport]{}, &Failure{underwriting.Silent, "made up"}
			}
			return answering().bureau(ctx, try)
		}, nil, "", "", 2},
	} {
		v := answering()
		v.bureau = c.bureau
		w := waits(nil)
		p := v.ports()
		if c.after != nil {
			w, p = waits(c.after), Ports{Bureau: v} // if its waits ended at once, the others could lose
		}
		g, err := Gather(t.Context(), p, question(), w)
		if err != nil || g.Bureau.Why != c.why || g.Bureau.Text != c.text || g.Bureau.Tries != c.tries || (g.Bureau.Fact != nil) != (c.why == "") {
			t.Errorf("%s: %+v, %v", c.name, g.Bureau, err)
		}
		in := g.Into(underwriting.Inputs{}, newYork(t))
		missed := []underwriting.Missed{{Source: underwriting.SourceOwnerScore, Why: c.why}, {Source: underwriting.SourceBusinessFile, Why: c.why}}
		if got := slices.DeleteFunc(in.Missed, func(m underwriting.Missed) bool { return m.Why == underwriting.NotConfigured }); c.why != "" && !slices.Equal(got, missed) {
			t.Errorf("%s: missing %v", c.name, got)
		}
	}
}

func TestNothingConfiguredOrFound(t *testing.T) {
	g, err := Gather(t.Context(), Ports{}, question(), Waits{})
	in := g.Into(underwriting.Inputs{}, newYork(t))
	if err != nil || len(in.Missed) != 4 || slices.ContainsFunc(in.Missed, func(m underwriting.Missed) bool { return m.Why != underwriting.NotConfigured }) {
		t.Errorf("%+v, %v", in.Missed, err)
	}
	v := &vendor{
		registry: func(context.Context, int) (Fact[Registration], error) { return Fact[Registration]{}, nil },
		bureau:   func(context.Context, int) (Fact[CreditReport], error) { return Fact[CreditReport]{}, nil },
		bank:     func(context.Context, int) (Fact[BankAccount], error) { return Fact[BankAccount]{}, nil },
	}
	g, err = Gather(t.Context(), v.ports(), question(), waits(nil))
	nothing := underwriting.NothingFound
	want := []underwriting.Missed{{Source: underwriting.SourceRegistry, Why: nothing}, {Source: underwriting.SourceOwnerScore, Why: nothing}, {Source: underwriting.SourceBankData, Why: nothing}}
	if in := g.Into(underwriting.Inputs{}, newYork(t)); err != nil || !slices.Equal(in.Missed, want) || in.BusinessFile == nil || in.BusinessFile.Present {
		t.Errorf("%+v, %v", in, err)
	}
	given := &underwriting.Bank{AverageBalance: money.MustParse("12.34")}
	if in := g.Into(underwriting.Inputs{Bank: given}, newYork(t)); *in.Bank != *given || slices.Contains(in.Missed, want[2]) {
		t.Errorf("what the applicant gave of its bank is lost: %+v", in)
	}
}

// A stopping server records nothing as missing.
func TestGatherEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v, asked := answering(), 0
	v.bureau = func(ctx context.Context, _ int) (Fact[CreditReport], error) {
		asked++
		cancel()
		<-ctx.Done()
		return Fact[CreditReport]{}, ctx.Err()
	}
	if _, err := Gather(ctx, v.ports(), question(), waits(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// All ports are queried concurrently: none of these answers before the others are queried.
func TestPortsAreAskedAtOnce(t *testing.T) {
	v, arrived := answering(), make(chan struct{}, 3)
	all := make(chan struct{})
	meet := func(ctx context.Context) error {
		arrived <- struct{}{}
		if len(arrived) == cap(arrived) {
			close(all)
		}
		select {
		case <-all:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	registry, bureau, bank := v.registry, v.bureau, v.bank
	v.registry = func(ctx context.Context, n int) (Fact[Registration], error) {
		if err := meet(ctx); err != nil {
			return Fact[Registration]{}, err
		}
		return registry(ctx, n)
	}
	v.bureau = func(ctx context.Context, n int) (Fact[CreditReport], error) {
		if err := meet(ctx); err != nil {
			return Fact[CreditReport]{}, err
		}
		return bureau(ctx, n)
	}
	v.bank = func(ctx context.Context, n int) (Fact[BankAccount], error) {
		if err := meet(ctx); err != nil {
			return Fact[BankAccount]{}, err
		}
		return bank(ctx, n)
	}
	g, err := Gather(t.Context(), v.ports(), question(), Waits{Timeout: 30 * time.Second})
	if err != nil || g.Registry.Fact == nil || g.Bureau.Fact == nil || g.Bank.Fact == nil {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestWhoVouches(t *testing.T) {
	for _, c := range []struct {
		owners []Owner
		want   string
	}{
		{[]Owner{{FirstName: "A", Percent: 30}, {FirstName: "B", Percent: 60}}, "B"},
		{[]Owner{{FirstName: "A", Percent: 50}, {FirstName: "B", Percent: 50}}, "A"},
		{[]Owner{{FirstName: "A", Percent: 24}, {FirstName: "B", Control: true}}, "B"},
		{[]Owner{{FirstName: "A", Percent: 25}, {FirstName: "B", Percent: 10, Control: true}}, "A"},
		{[]Owner{{FirstName: "A", Percent: 24}}, ""},
	} {
		if got := (Question{Owners: c.owners}).Vouches(); got.FirstName != c.want {
			t.Errorf("%q vouches, want %q", got.FirstName, c.want)
		}
	}
}

func TestAnswersThatCannotBe(t *testing.T) {
	long := strings.Repeat("ä", maxText+1)
	for _, x := range []answer{
		Registration{Identity: "MAYBE"}, Registration{Registration: "MAYBE"}, Registration{State: "Ohio"}, Registration{State: "o1"},
		CreditReport{Score: underwriting.Score{FICO: 851}}, CreditReport{Score: underwriting.Score{Scale: 6}}, CreditReport{LowestScore: 2, BestScore: 1},
		CreditReport{KeyFactors: make([]string, maxFactors+1)}, CreditReport{Contact: long}, CreditReport{KeyFactors: []string{long}},
		BankAccount{ReturnedItems: -1},
	} {
		if x.check() == nil {
			t.Errorf("%T is taken: %s", x, mustJSON(t, x))
		}
	}
	if err := (CreditReport{Contact: strings.Repeat("ä", maxText), KeyFactors: make([]string, maxFactors)}).check(); err != nil {
		t.Error(err)
	}
}

func mustJSON(t *testing.T, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Nothing that a person has said, or that was said about one, can be printed or logged.
func TestNothingPersonalIsPrinted(t *testing.T) {
	v := answering()
	v.bureau = func(ctx context.Context, n int) (Fact[CreditReport], error) {
		f, err := answering().bureau(ctx, n)
		f.Answer.KeyFactors = []string{"Hidden factor"}
		return f, err
	}
	g, err := Gather(t.Context(), v.ports(), question(), waits(nil))
	if err != nil {
		t.Fatal(err)
	}
	q := question()
	things := []any{q, &q, q.registry(), q.bureau(), q.bank(), q.Owners, q.Owners[0], q.Address, q.bureau().Owner, q.bureau().Business, g, *g.Registry.Fact, *g.Bureau.Fact, *g.Bank.Fact, g.Bureau.Fact.Answer, g.Bank.Fact.Answer, g.Registry.Fact.Answer}
	var out bytes.Buffer
	timeless := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{} // its digits may be those of a secret
		}
		return a
	}}
	logs := []*slog.Logger{slog.New(slog.NewJSONHandler(&out, timeless)), slog.New(slog.NewTextHandler(&out, timeless))}
	for _, x := range things {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %d\n", x, x, x, x, x, x)
		if _, slice := x.([]Owner); slice {
			continue // JSON of a slice is JSON, which shows it
		}
		for _, l := range logs {
			l.Info("x", "thing", x)
		}
	}
	for _, secret := range []string{"Hidden", "Secret", "123456789", "1980", "45401", "5135550100", "720", "900"} {
		if i := strings.Index(out.String(), secret); i >= 0 {
			t.Errorf("%s is shown: …%s…", secret, out.String()[max(0, i-80):min(out.Len(), i+80)])
		}
	}
	if !strings.Contains(out.String(), withheld) || !strings.Contains(mustJSON(t, q.bureau()), "Secret Lane") {
		t.Error("nothing was printed, or a vendor would be told nothing")
	}
}

func TestLivePorts(t *testing.T) {
	if err := (Ports{}).Live(); err != nil {
		t.Errorf("no ports: %v", err)
	}
	if err := (Ports{Sandbox: true}).Live(); !errors.Is(err, ErrSandbox) {
		t.Errorf("ports of a sandbox: %v", err)
	}
}
