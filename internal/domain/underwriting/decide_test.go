package underwriting

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

func TestRefusalsAndTheirOrder(t *testing.T) {
	all := good()
	all.Screening, all.Identity, all.State, all.OpenBankruptcy = ScreeningExact, IdentityUnproved, "PR", true
	all.LargestOwner, all.ControlPerson, all.OwnerScore, all.AnnualRevenue = 0, false, Score{FICO: 599}, 0
	for _, c := range []struct {
		name   string
		change func(*Inputs)
		want   []Reason
	}{
		{"sanctions", func(in *Inputs) { in.Screening = ScreeningExact }, []Reason{SanctionsMatch}},
		{"identity", func(in *Inputs) { in.Identity = IdentityUnproved }, []Reason{IdentityUnverified}},
		{"not registered", func(in *Inputs) { in.Registration = RegistrationNone }, []Reason{IdentityUnverified}},
		{"state", func(in *Inputs) { in.State = "PR" }, []Reason{StateNotServed}},
		{"state of the register", func(in *Inputs) { in.RegistryState = "XX" }, []Reason{StateNotServed}},
		{"bankruptcy", func(in *Inputs) { in.OpenBankruptcy = true }, []Reason{Bankruptcy}},
		{"owners", func(in *Inputs) { in.LargestOwner, in.ControlPerson = money.MustParseRate("0.249999"), false }, []Reason{OwnershipUnverified}},
		{"score", func(in *Inputs) { in.OwnerScore = Score{FICO: 599} }, []Reason{CreditScore}},
		{"scale", func(in *Inputs) { in.OwnerScore = Score{Scale: 1} }, []Reason{CreditScore}},
		{"revenue", func(in *Inputs) { in.AnnualRevenue = money.MustParse("39999.99") }, []Reason{AnnualRevenue}},
		{"the first four of all", func(in *Inputs) { *in = all }, []Reason{SanctionsMatch, IdentityUnverified, StateNotServed, Bankruptcy}},
		{"the last four of all", func(in *Inputs) {
			*in = all
			in.Screening, in.Identity, in.State = ScreeningClear, IdentityProved, "OH"
		}, []Reason{Bankruptcy, OwnershipUnverified, CreditScore, AnnualRevenue}},
	} {
		in := good()
		c.change(&in)
		if o := Decide(Default(), in, today); o.Decision != Declined || !slices.Equal(o.Reasons, c.want) || o.Limit != 0 || o.Points != nil {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

func TestWhatIsNoRefusal(t *testing.T) {
	for name, change := range map[string]func(*Inputs){
		"an owner of 25 %":           func(in *Inputs) { in.LargestOwner, in.ControlPerson = money.MustParseRate("0.25"), false },
		"a control person":           func(in *Inputs) { in.LargestOwner = 0 },
		"a sole proprietor":          func(in *Inputs) { in.EntityType, in.Registration = SoleProprietor, RegistrationNone },
		"a duplicate that is a rise": func(in *Inputs) { *in = rise(); in.Duplicate = true },
		"no optional source":         func(in *Inputs) { in.Bank, in.BusinessFile = nil, nil },
		"a value beside a scale":     func(in *Inputs) { in.OwnerScore = Score{FICO: 800, Scale: 1} },
	} {
		in := good()
		change(&in)
		if o := Decide(Default(), in, today); o.Decision != Approved {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestWhatAPersonDecides(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Inputs)
		why    string
	}{
		{"possible match", func(in *Inputs) { in.Screening = ScreeningPossible }, "A name resembles one on a sanctions list."},
		{"possible match, and a refusal", func(in *Inputs) { in.Screening, in.OwnerScore = ScreeningPossible, Score{FICO: 500} }, "A name resembles one on a sanctions list."},
		{"duplicate", func(in *Inputs) { in.Duplicate = true }, "The tax number belongs to another company or application."},
		{"duplicate, and a refusal", func(in *Inputs) { in.Duplicate, in.OpenBankruptcy = true, true }, "The tax number belongs to another company or application."},
		{"no registry", func(in *Inputs) { in.Identity = "" }, "The business registry is missing."},
		{"no screening", func(in *Inputs) { in.Screening = "" }, "The screening against sanctions lists is missing."},
		{"bureau silent", func(in *Inputs) {
			in.OwnerScore, in.Missed = Score{}, []Missed{{SourceBusinessFile, Broken}, {SourceOwnerScore, Silent}}
		}, "The owner's credit score did not answer in time."},
		{"bureau broken", func(in *Inputs) { in.OwnerScore, in.Missed = Score{}, []Missed{{SourceOwnerScore, Broken}} }, "The owner's credit score gave no answer that can be used."},
		{"bureau not there", func(in *Inputs) { in.OwnerScore, in.Missed = Score{}, []Missed{{SourceOwnerScore, NotConfigured}} }, "The owner's credit score is not connected."},
		{"thin file", func(in *Inputs) { in.OwnerScore, in.Missed = Score{}, []Missed{{SourceOwnerScore, NothingFound}} }, "The owner's credit score has nothing on this business."},
		{"no score that can be", func(in *Inputs) { in.OwnerScore = Score{FICO: 9999} }, "The owner's credit score is missing."},
		{"no state", func(in *Inputs) { in.State = "" }, "The state of the business is not known."},
		{"too small", func(in *Inputs) { in.Requested = money.MustParse("499.99") }, "Less is asked for than is granted at least."},
		{"two at once", func(in *Inputs) { in.Duplicate, in.Identity = true, "" }, "The tax number belongs to another company or application. The business registry is missing."},
	} {
		in := good()
		c.change(&in)
		if o := Decide(Default(), in, today); o.Decision != InReview || o.Why != c.why || o.Limit != 0 || o.Tier != "" {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
	p := Default()
	p.Needs = append(p.Needs, SourceBankData)
	in := good()
	in.Bank = nil
	if o := Decide(p, in, today); o.Decision != InReview || !slices.Equal(o.Missing, []Source{SourceBankData}) {
		t.Errorf("a policy that needs bank data: %+v", o)
	}
}

// A live deployment without any source decides nothing and says why.
func TestNothingConnected(t *testing.T) {
	in := good()
	in.Identity, in.Registration, in.OwnerScore, in.BusinessFile, in.Bank, in.Screening = "", "", Score{}, nil, nil, ""
	for _, s := range sources() {
		in.Missed = append(in.Missed, Missed{s, NotConfigured})
	}
	o := Decide(Default(), in, today)
	if o.Decision != InReview || len(o.Reasons) != 0 || strings.Count(o.Why, "is not connected.") != 3 || !slices.Equal(o.Missing, sources()) {
		t.Errorf("%+v", o)
	}
}

func TestWhyLess(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Inputs, *Policy)
		limit  string
		want   []Reason
	}{
		{"the maximum", func(in *Inputs, _ *Policy) { in.Requested = money.MustParse("60000") }, "50000", []Reason{LimitMaximum}},
		{"the steps", func(in *Inputs, _ *Policy) { in.Requested = money.MustParse("1050") }, "1000", []Reason{LimitStep}},
		{"the revenue, though no point is lost", func(in *Inputs, p *Policy) {
			in.Requested, p.Tiers[0].Share = money.MustParse("20000"), money.MustParseRate("0.01")
			p.Tiers = p.Tiers[:1]
		}, "10000", []Reason{AnnualRevenue}},
		{"the revenue", func(in *Inputs, _ *Policy) {
			in.Requested, in.AnnualRevenue = money.MustParse("50000"), money.MustParse("333333.33")
		}, "39900", []Reason{AnnualRevenue}},
		{"nothing", func(*Inputs, *Policy) {}, "10000", nil},
	} {
		in, p := good(), Default()
		c.change(&in, &p)
		o := Decide(p, in, today)
		if o.Decision != Approved || o.Limit != money.MustParse(c.limit) || !slices.Equal(o.Reasons, c.want) || o.CounterOffer != (c.want != nil) {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
	in, p := good(), Default()
	in.AnnualRevenue, p.Tiers[0].Share, p.Tiers[1].Share, p.Tiers[2].Share = money.MustParse("40000"), money.MustParseRate("0.01"), money.MustParseRate("0.01"), money.MustParseRate("0.01")
	if o := Decide(p, in, today); o.Decision != Declined || !slices.Equal(o.Reasons, []Reason{AnnualRevenue}) {
		t.Errorf("a limit below the least: %+v", o)
	}
}

// rise is a LINE_INCREASE that meets every condition of F26.
func rise() Inputs {
	in := good()
	in.Kind, in.Requested = LineIncrease, money.MustParse("15000")
	in.Line = &Line{
		Limit: money.MustParse("10000"), Used: money.MustParse("5000.01"), OpenedOn: today.AddDays(-60), PaidInstallments: 3, LowestLimit: money.MustParse("10000"),
	}
	return in
}

func TestLineIncrease(t *testing.T) {
	if o := Decide(Default(), rise(), today); o.Decision != Approved || o.Limit != money.MustParse("15000") {
		t.Errorf("every condition is met: %+v", o)
	}
	for _, c := range []struct {
		change func(*Inputs)
		why    string
	}{
		{func(in *Inputs) { in.Line = nil }, "The line that is to be raised is not known."},
		{func(in *Inputs) { in.Requested = in.Line.Limit }, "No more is asked for than the line that there is."},
		{func(in *Inputs) { in.Line.WorstDPD = 1 }, "An order is past due."},
		{func(in *Inputs) { in.Line.PaidInstallments = 2 }, "Too few installments are paid."},
		{func(in *Inputs) { in.Line.OpenedOn = today.AddDays(-59) }, "The line is too young."},
		{func(in *Inputs) { in.Line.OpenedOn = calendar.None }, "The line is too young."},
		{func(in *Inputs) { in.Line.Used = money.MustParse("5000") }, "Too little of the line is used."},
		{func(in *Inputs) { in.BureauOn = today.AddDays(-90) }, "The bureau's data are too old."},
		{func(in *Inputs) { in.Requested = money.MustParse("15000.01") }, "More is asked for than a line may rise by at once."},
		{func(in *Inputs) { in.Line.LowestLimit = money.MustParse("9999.99") }, "More is asked for than a line may rise by at once."},
	} {
		in := rise()
		c.change(&in)
		if o := Decide(Default(), in, today); o.Decision != InReview || o.Why != c.why {
			t.Errorf("%s: %+v", c.why, o)
		}
	}
	in := rise()
	in.AnnualRevenue = money.MustParse("83400") // 12 % is 10,008.00, the current line
	if o := Decide(Default(), in, today); o.Decision != Declined || !slices.Equal(o.Reasons, []Reason{AnnualRevenue}) || o.Limit != 0 {
		t.Errorf("no more than the line that there is: %+v", o)
	}
}

func TestMonthsInBusiness(t *testing.T) {
	for _, c := range []struct {
		from, registry, today string
		want                  int
	}{
		{"2025-01-15", "", "2026-01-14", 11}, {"2025-01-15", "", "2026-01-15", 12}, {"2025-01-31", "", "2025-02-28", 1},
		{"2024-02-29", "", "2025-02-28", 12}, {"2026-01-15", "", "2026-01-01", 0}, {"", "", "2026-01-01", 0},
		{"2000-01-01", "2025-01-01", "2026-01-01", 12}, {"", "2024-01-01", "2026-01-01", 24},
	} {
		in := Inputs{FormedOn: calendar.None, RegistryFormedOn: calendar.None}
		if c.from != "" {
			in.FormedOn = calendar.MustParse(c.from)
		}
		if c.registry != "" {
			in.RegistryFormedOn = calendar.MustParse(c.registry)
		}
		if got := in.Months(calendar.MustParse(c.today)); got != c.want {
			t.Errorf("%+v: %d months", c, got)
		}
	}
}

// No member of the inputs could hold what must not be scored (F27).
func TestInputsHoldNothingThatMustNotBeScored(t *testing.T) {
	var names []string
	var walk func(reflect.Type)
	walk = func(x reflect.Type) {
		for x.Kind() == reflect.Pointer || x.Kind() == reflect.Slice {
			x = x.Elem()
		}
		if x.Kind() != reflect.Struct {
			return
		}
		for i := range x.NumField() {
			names = append(names, strings.ToLower(x.Field(i).Name))
			walk(x.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[Inputs]())
	walk(reflect.TypeFor[Given]())
	if !slices.Contains(names, "averagebalance") || !slices.Contains(names, "state") {
		t.Fatalf("the members were not walked: %q", names)
	}
	for _, name := range names {
		for _, word := range []string{"mail", "name", "zip", "postal", "city", "street", "address", "phone", "location", "country", "birth", "age", "sex", "race"} {
			if strings.Contains(name, word) && name != "averagebalance" {
				t.Errorf("the member %s can hold what must not be scored (%s)", name, word)
			}
		}
	}
}

// What is stored with a decision is all that is needed to repeat it.
func TestStoredInputsDecideTheSame(t *testing.T) {
	for _, in := range []Inputs{good(), rise(), {FormedOn: calendar.None, RegistryFormedOn: calendar.None, BureauOn: calendar.None, Missed: []Missed{{SourceRegistry, Silent}}}} {
		var back Inputs
		var policy Policy
		for _, x := range []struct{ from, to any }{{in, &back}, {Default(), &policy}} {
			text, err := json.Marshal(x.from)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, x.to); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(in, back); diff != "" {
			t.Errorf("inputs (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(Decide(Default(), in, today), Decide(policy, back, today)); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
	}
}
