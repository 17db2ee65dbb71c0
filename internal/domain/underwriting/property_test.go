package underwriting

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenor/internal/domain/money"
)

// drawInputs changes some members of an application with nothing against it.
func drawInputs(t *rapid.T) Inputs {
	in := good()
	changed := func(member string) bool { return rapid.SampledFrom([]bool{false, true, false, false}).Draw(t, member) }
	in.Requested = money.Amount(rapid.SampledFrom([]int64{49_999, 50_000, 120_000, 1_000_000, 5_000_000, 6_000_000}).Draw(t, "requested") + rapid.Int64Range(0, 20_000).Draw(t, "more"))
	in.FormedOn = today.AddDays(-rapid.IntRange(-100, 4000).Draw(t, "days"))
	in.AnnualRevenue = money.Amount(rapid.SampledFrom([]int64{3_999_999, 4_000_000, 12_000_000, 30_000_000, 120_000_000}).Draw(t, "revenue") + rapid.Int64Range(0, 5_000_000).Draw(t, "beyond"))
	in.OwnerScore.FICO = rapid.SampledFrom([]int{700, 0, 299, 580, 599, 600, 649, 650, 699, 749, 750, 850}).Draw(t, "fico")
	in.EntityType = rapid.SampledFrom([]EntityType{SoleProprietor, Partnership, LLC, Corporation, Nonprofit}).Draw(t, "entity")
	if changed("owners") {
		in.LargestOwner, in.ControlPerson = money.Rate(rapid.Int64Range(0, money.RateScale).Draw(t, "owner")), rapid.Bool().Draw(t, "control")
	}
	if changed("registry") {
		in.State = rapid.SampledFrom([]string{"CA", "PR", ""}).Draw(t, "state")
		in.Identity = rapid.SampledFrom([]Identity{IdentityProved, IdentityUnproved, ""}).Draw(t, "identity")
		in.Registration = rapid.SampledFrom([]RegistryMatch{RegistrationFound, RegistrationNone, ""}).Draw(t, "registration")
	}
	if changed("flags") {
		in.OpenBankruptcy, in.Duplicate = rapid.Bool().Draw(t, "bankrupt"), rapid.Bool().Draw(t, "duplicate")
		in.Screening = rapid.SampledFrom([]Screening{ScreeningClear, ScreeningPossible, ScreeningExact, ""}).Draw(t, "screening")
	}
	in.Bank, in.BusinessFile = nil, nil
	if rapid.Bool().Draw(t, "bank") {
		in.Bank = &Bank{money.Amount(rapid.Int64Range(-1000, 1_000_000).Draw(t, "balance")), rapid.IntRange(0, 3).Draw(t, "returned")}
	}
	if rapid.Bool().Draw(t, "file") {
		in.BusinessFile = &BusinessFile{rapid.Bool().Draw(t, "present"), rapid.Bool().Draw(t, "clean")}
	}
	if changed("kind") {
		in.Kind, in.BureauOn = LineIncrease, today.AddDays(-rapid.IntRange(0, 120).Draw(t, "bureau"))
		limit := money.Amount(rapid.Int64Range(50_000, 5_000_000).Draw(t, "limit"))
		in.Line = &Line{Limit: limit, Used: limit, OpenedOn: today.AddDays(-61), PaidInstallments: 3, LowestLimit: limit}
	}
	return in
}

// Whatever the facts about a business, the outcome keeps F27's bounds and a decline has its
// reasons.
func TestEveryOutcomeIsWhole(t *testing.T) {
	p, known, seen := Default(), Reasons(), map[Decision]int{}
	check := func(t *rapid.T) {
		in := drawInputs(t)
		o := Decide(p, in, today)
		seen[o.Decision]++
		if diff := cmp.Diff(o, Decide(p, in, today)); diff != "" {
			t.Fatalf("the same inputs decide otherwise:\n%s", diff)
		}
		if len(o.Reasons) > 4 || (o.Decision == Declined || o.CounterOffer) && len(o.Reasons) == 0 {
			t.Fatalf("%d reasons: %+v", len(o.Reasons), o)
		}
		for i, r := range o.Reasons {
			if slices.Contains(o.Reasons[:i], r) || !slices.ContainsFunc(known, func(w Worded) bool { return w.Reason == r }) {
				t.Fatalf("reason %s twice, or unknown: %+v", r, o)
			}
		}
		switch o.Decision {
		case Approved:
			tier, ok := p.Tier(o.Tier)
			if !ok || o.Total < tier.From || o.Limit < p.MinLimit || o.Limit > p.MaxLimit || o.Limit > in.Requested || o.Limit > tier.Share.Of(in.AnnualRevenue) ||
				o.Limit%10_000 != 0 || o.CounterOffer != (o.Limit < in.Requested) {
				t.Fatalf("out of bounds: %+v", o)
			}
			if in.Screening != ScreeningClear || in.Identity != IdentityProved || !in.OwnerScore.Valid() || in.Duplicate && in.Kind == New || in.OpenBankruptcy {
				t.Fatalf("approved by itself: %+v", o)
			}
		case InReview:
			if o.Limit != 0 || o.Tier != "" || o.Why == "" {
				t.Fatalf("a review decides nothing: %+v", o)
			}
		case Declined:
			if o.Limit != 0 || o.Tier != "" || in.Screening == ScreeningPossible {
				t.Fatalf("declined by itself: %+v", o)
			}
		}
	}
	for range 10 {
		rapid.Check(t, check)
	}
	for _, d := range []Decision{Approved, Declined, InReview} {
		if seen[d] == 0 {
			t.Errorf("%s was never reached", d)
		}
	}
}

// A better fact never costs a point or a cent of the limit, and never turns an approval into a
// decline.
func TestBetterFactsNeverHurt(t *testing.T) {
	p, rank := Default(), map[Decision]int{Declined: 0, InReview: 1, Approved: 2}
	better := map[string]func(*rapid.T, *Inputs){
		"score": func(t *rapid.T, in *Inputs) {
			in.OwnerScore.FICO = rapid.IntRange(max(600, in.OwnerScore.FICO), 850).Draw(t, "better")
		},
		"revenue": func(t *rapid.T, in *Inputs) {
			in.AnnualRevenue += money.Amount(rapid.Int64Range(0, 100_000_000).Draw(t, "better"))
		},
		"months": func(t *rapid.T, in *Inputs) {
			in.FormedOn = in.FormedOn.AddDays(-rapid.IntRange(0, 2000).Draw(t, "better"))
		},
		"balance": func(t *rapid.T, in *Inputs) {
			in.Bank = &Bank{in.bank().AverageBalance + money.Amount(rapid.Int64Range(0, 500_000).Draw(t, "better")), in.bank().ReturnedItems}
		},
		"returns": func(_ *rapid.T, in *Inputs) { in.Bank = &Bank{in.bank().AverageBalance, 0} },
		"file":    func(_ *rapid.T, in *Inputs) { in.BusinessFile = &BusinessFile{true, true} },
		"screening": func(_ *rapid.T, in *Inputs) {
			if in.Screening == ScreeningExact {
				in.Screening = ScreeningPossible
			}
		},
		"identity": func(_ *rapid.T, in *Inputs) {
			in.Identity, in.Registration, in.OpenBankruptcy = IdentityProved, RegistrationFound, false
		},
	}
	for name, change := range better {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := drawInputs(t)
				in.Kind, in.Line, in.OwnerScore.FICO = New, nil, max(in.OwnerScore.FICO, 300) // with a score: a missing one waits, and does not decline
				if name == "identity" && in.Identity == "" {
					in.Identity = IdentityUnproved
				}
				was := Decide(p, in, today)
				change(t, &in)
				now := Decide(p, in, today)
				if now.Total < was.Total && was.Points != nil || now.Limit < was.Limit || rank[now.Decision] < rank[was.Decision] {
					t.Fatalf("from %+v to %+v", was, now)
				}
			})
		})
	}
}

func (in Inputs) bank() Bank {
	if in.Bank == nil {
		return Bank{}
	}
	return *in.Bank
}

// A prequalification with every factor scores like the decision.
func TestPrequalificationScoresLikeTheDecision(t *testing.T) {
	p := Default()
	rapid.Check(t, func(t *rapid.T) {
		in := good()
		in.OwnerScore.FICO = rapid.IntRange(600, 850).Draw(t, "fico")
		in.AnnualRevenue = money.Amount(rapid.Int64Range(4_000_000, 200_000_000).Draw(t, "revenue"))
		in.FormedOn = today.AddMonths(-rapid.IntRange(0, 100).Draw(t, "months"))
		in.Bank = &Bank{money.Amount(rapid.Int64Range(0, 200_000).Draw(t, "balance")), rapid.IntRange(0, 1).Draw(t, "returned")}
		months := in.Months(today)
		o := Decide(p, in, today)
		q, err := Prequalify(p, Given{&in.OwnerScore, &in.AnnualRevenue, &months, in.Bank, in.BusinessFile, &in.Requested})
		if err != nil || q.Total != o.Total || q.Limit != o.Limit || q.Pass != (o.Decision == Approved) {
			t.Fatalf("%+v, %v; decided %+v", q, err, o)
		}
	})
}
