package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/ports/facts"
)

const today = calendar.Date(20503) // Thursday 2026-02-19

// usual is the application of an ordinary business.
func usual() underwriting.Inputs {
	return underwriting.Inputs{
		Kind: underwriting.New, Requested: money.MustParse("10000"), EntityType: underwriting.LLC, FormedOn: today.AddMonths(-30), AnnualRevenue: money.MustParse("300000"),
		State: "OH", ControlPerson: true, Screening: underwriting.ScreeningClear, RegistryFormedOn: calendar.None, BureauOn: calendar.None,
	}
}

// apply queries the ports about a tax number and decides.
func apply(t *testing.T, ein string, in underwriting.Inputs) (underwriting.Outcome, bool, underwriting.Inputs, facts.Gathered) {
	t.Helper()
	q := facts.Question{Application: "app_1", EIN: ein, Owners: []facts.Owner{{Control: true}}}
	// No wait ever ends: silence here is an explicit error.
	g, err := facts.Gather(t.Context(), Ports(), q, facts.Waits{After: func(time.Duration) <-chan time.Time { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	in = g.Into(in, calendar.NewZone(time.UTC))
	o, ok := Find(ein)
	if !ok {
		return underwriting.Decide(underwriting.Default(), in, today), false, in, g
	}
	in = o.Inputs(in)
	out, overridden := o.Decide(underwriting.Default(), in, today)
	return out, overridden, in, g
}

// outcomes are those of each magic EIN (docs/underwriting.md, In a sandbox).
func outcomes() []struct {
	ein, decision, tier, limit string
	reasons                    string
	overridden                 bool // for the usual application
} {
	return []struct {
		ein, decision, tier, limit string
		reasons                    string
		overridden                 bool
	}{
		{"00-0000001", "APPROVED", "A", "25000", "", true}, {"00-0000002", "APPROVED", "A", "250", "limit_maximum", true},
		{"00-0000003", "IN_REVIEW", "", "0", "", true}, {"00-0000004", "DECLINED", "", "0", "bankruptcy credit_score", false},
		{"00-0000005", "IN_REVIEW", "", "0", "", true}, {"00-0000006", "APPROVED", "A", "10000", "", false},
		{"00-0000007", "IN_REVIEW", "", "0", "", false}, {"00-0000008", "APPROVED", "A", "10000", "", false},
		{"00-0000011", "APPROVED", "B", "10000", "", false}, {"00-0000012", "APPROVED", "C", "10000", "", false},
		{"00-0000013", "APPROVED", "A", "5000", "limit_maximum", true}, {"00-0000014", "APPROVED", "A", "800", "limit_maximum", true},
		{"00-0000015", "IN_REVIEW", "", "0", "", false},
		{"00-0000030", "DECLINED", "", "0", "credit_score", false}, {"00-0000031", "DECLINED", "", "0", "annual_revenue", true},
		{"00-0000032", "DECLINED", "", "0", "identity_unverified", false}, {"00-0000033", "DECLINED", "", "0", "state_not_served", false},
		{"00-0000034", "DECLINED", "", "0", "bankruptcy", false}, {"00-0000041", "DECLINED", "", "0", "sanctions_match", false},
		{"00-0000050", "IN_REVIEW", "", "0", "", false}, {"00-0000051", "IN_REVIEW", "", "0", "", false}, {"00-0000060", "IN_REVIEW", "", "0", "", false},
	}
}

func TestEveryMagicEIN(t *testing.T) {
	for _, c := range outcomes() {
		for _, ein := range []string{c.ein, strings.ReplaceAll(c.ein, "-", "")} {
			out, overridden, _, _ := apply(t, ein, usual())
			if string(out.Decision) != c.decision || out.Tier != c.tier || out.Limit != money.MustParse(c.limit) || overridden != c.overridden ||
				out.Decision != underwriting.InReview && words(out.Reasons) != c.reasons || out.Why == "" {
				t.Errorf("%s: %+v, overridden %v", ein, out, overridden)
			}
		}
	}
	told := slices.DeleteFunc(Outcomes(), func(o Outcome) bool { return o.Ready != 0 })
	if len(told) != len(outcomes()) {
		t.Errorf("%d magic EINs are told, %d are tested", len(told), len(outcomes()))
	}
}

func words(reasons []underwriting.Reason) string {
	var out []string
	for _, r := range reasons {
		out = append(out, string(r))
	}
	return strings.Join(out, " ")
}

// What an application says does not change the outcome of its EIN, except for the limit from the
// scorecard.
func TestMagicHoldsWhateverIsSaid(t *testing.T) {
	for _, c := range outcomes() {
		for _, change := range []func(*underwriting.Inputs){
			func(in *underwriting.Inputs) { in.AnnualRevenue = 0 },
			func(in *underwriting.Inputs) { in.AnnualRevenue = money.Max },
			func(in *underwriting.Inputs) { in.State, in.ControlPerson = "PR", false },
			func(in *underwriting.Inputs) { in.Requested, in.FormedOn = money.MustParse("500"), today },
			func(in *underwriting.Inputs) { in.Requested = money.MustParse("60000") },
			func(in *underwriting.Inputs) { in.Duplicate = true },
		} {
			in := usual()
			change(&in)
			out, _, after, _ := apply(t, c.ein, in)
			if c.ein != "00-0000060" && after.Duplicate {
				t.Errorf("%s is a duplicate", c.ein)
			}
			if string(out.Decision) != c.decision || out.Tier != c.tier || out.Decision == underwriting.Declined && words(out.Reasons) != c.reasons ||
				out.CounterOffer != (out.Limit < in.Requested && out.Decision == underwriting.Approved) || out.CounterOffer && len(out.Reasons) == 0 {
				t.Errorf("%s, said %+v: %+v", c.ein, in, out)
			}
		}
	}
}

// No magic EIN clears a name that is on a sanctions list.
func TestMagicDoesNotClearNames(t *testing.T) {
	for _, o := range Outcomes() {
		for _, s := range []underwriting.Screening{underwriting.ScreeningPossible, underwriting.ScreeningExact} {
			in := usual()
			in.Screening = s
			out, _, after, _ := apply(t, o.EIN, in)
			exact := after.Screening == underwriting.ScreeningExact
			if out.Decision == underwriting.Approved || exact && (out.Decision != underwriting.Declined || out.Reasons[0] != underwriting.SanctionsMatch) || s == underwriting.ScreeningExact && !exact {
				t.Errorf("%s with a name that is %s: %+v", o.EIN, s, out)
			}
		}
	}
}

func TestOtherEINs(t *testing.T) {
	for _, ein := range []string{"12-3456789", "00-0000099", "00-0000000", "1", "", "00-0000901"} {
		out, overridden, in, _ := apply(t, ein, usual())
		if in.OwnerScore.FICO != 720 || !in.BusinessFile.Clean || in.Bank != nil || in.Identity != underwriting.IdentityProved || overridden {
			t.Errorf("%s: %+v", ein, in)
		}
		// 25 for the score, 20 for the revenue, 10 for 30 months, 10 for the file
		if out.Total != 65 || out.Tier != "B" || out.Limit != money.MustParse("10000") {
			t.Errorf("%s: %+v", ein, out)
		}
	}
	in := usual()
	in.Duplicate = true
	if out, _, _, _ := apply(t, "00-0000901", in); out.Decision != underwriting.InReview {
		t.Errorf("the EIN of a ready company that is there: %+v", out)
	}
}

func TestHowTheBureauBehaves(t *testing.T) {
	for _, c := range []struct {
		ein   string
		why   underwriting.Absence
		tries int
	}{
		{"00-0000001", "", 1}, {"00-0000006", "", 2}, {"00-0000050", underwriting.Silent, 2}, {"00-0000051", underwriting.Broken, 2},
	} {
		out, _, _, g := apply(t, c.ein, usual())
		if g.Bureau.Why != c.why || g.Bureau.Tries != c.tries {
			t.Errorf("%s: %+v", c.ein, g.Bureau)
		}
		if c.why == "" && (g.Bureau.Fact.Source != Source || len(g.Bureau.Fact.RawHash) != 64 || g.Registry.Fact.RawHash == g.Bureau.Fact.RawHash) {
			t.Errorf("%s: source %s, hash %s", c.ein, g.Bureau.Fact.Source, g.Bureau.Fact.RawHash)
		}
		if c.why != "" && !slices.Contains(out.Missing, underwriting.SourceOwnerScore) {
			t.Errorf("%s: missing %v", c.ein, out.Missing)
		}
	}
}

func TestLater(t *testing.T) {
	want := map[string]struct {
		act Act
		on  string
	}{
		"00-0000003": {Approve, "2026-02-20"}, "00-0000015": {Decline, "2026-02-20"}, "00-0000008": {Suspend, "2026-03-21"}, "00-0000005": {RequestDocuments, "2026-02-19"},
	}
	for _, o := range Outcomes() {
		w, ok := want[o.EIN]
		if len(o.Later) > 1 || ok != (len(o.Later) == 1) {
			t.Errorf("%s: later %+v", o.EIN, o.Later)
			continue
		}
		if !ok {
			continue
		}
		s := o.Later[0]
		if on := s.On(today); s.Act != w.act || on.String() != w.on || (s.What != "") != (s.Act == RequestDocuments) {
			t.Errorf("%s: %s on %s", o.EIN, s.Act, on)
		}
		in := usual()
		in.AnnualRevenue = 0
		_, _, in, _ = apply(t, o.EIN, in)
		switch out, overridden := o.Then(s, underwriting.Default(), in, today.AddDays(1)); s.Act {
		case Approve:
			if out.Decision != underwriting.Approved || out.Limit != money.MustParse("500") || !overridden {
				t.Errorf("%s: then %+v", o.EIN, out)
			}
		case Decline:
			if out.Decision != underwriting.Declined || len(out.Reasons) == 0 || !overridden {
				t.Errorf("%s: then %+v", o.EIN, out)
			}
		}
	}
	if friday := calendar.MustParse("2026-02-13"); Outcomes()[2].Later[0].On(friday).String() != "2026-02-17" {
		t.Error("Monday 2026-02-16 is a holiday")
	}
}

// A company created with a magic EIN asks for more under the same rules as everybody.
func TestARiseIsNotMagic(t *testing.T) {
	in := usual()
	in.Kind, in.Requested = underwriting.LineIncrease, money.MustParse("30000")
	in.Line = &underwriting.Line{Limit: money.MustParse("25000"), Used: money.MustParse("20000"), LowestLimit: money.MustParse("25000"), OpenedOn: today.AddDays(-100), PaidInstallments: 3}
	out, overridden, in, _ := apply(t, "00-0000001", in)
	if want := underwriting.Decide(underwriting.Default(), in, today); overridden || out.Decision != want.Decision || out.Limit != want.Limit {
		t.Errorf("%+v", out)
	}
}

func TestTableIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Outcomes() {
		if len(o.EIN) != 10 || o.EIN[2] != '-' || seen[o.EIN] || !strings.HasSuffix(o.Says, ".") {
			t.Errorf("%+v", o)
		}
		seen[o.EIN] = true
	}
	if len(seen) != 32 || Ports().Live() == nil {
		t.Errorf("%d EINs; a live deployment takes these ports", len(seen))
	}
	if o, ok := Find("00-0000904"); !ok || o.Ready != 1_000_000_004 {
		t.Errorf("%+v", o)
	}
}
