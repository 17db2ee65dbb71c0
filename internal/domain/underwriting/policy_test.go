package underwriting

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"tenor/internal/domain/money"
)

func TestDefaultPolicy(t *testing.T) {
	p := Default()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	most := 0
	for _, f := range p.points(good(), today) {
		most += f.Max
	}
	if most != 100 || len(p.States) != 51 || !slices.IsSorted(p.States) {
		t.Errorf("%d points, %d states", most, len(p.States))
	}
}

func TestPolicyCheck(t *testing.T) {
	for name, change := range map[string]func(*Policy){
		"version":            func(p *Policy) { p.Version = 0 },
		"no state":           func(p *Policy) { p.States = nil },
		"a state in words":   func(p *Policy) { p.States = []string{"Ohio"} },
		"revenue":            func(p *Policy) { p.MinRevenue = -1 },
		"points":             func(p *Policy) { p.FilePoints = -1 },
		"rows":               func(p *Policy) { p.PaymentRows = 0 },
		"step":               func(p *Policy) { p.LimitStep = 0 },
		"least above most":   func(p *Policy) { p.MaxLimit = p.MinLimit - 1 },
		"rise":               func(p *Policy) { p.IncreaseAge = -1 },
		"source":             func(p *Policy) { p.Needs = []Source{"HOROSCOPE"} },
		"no score band":      func(p *Policy) { p.Scores = nil },
		"scores fall":        func(p *Policy) { p.Scores[1].Points = 40 },
		"scores unsorted":    func(p *Policy) { p.Scores[1].From = 600 },
		"scale unsorted":     func(p *Policy) { p.Scores[1].Scale = 2 },
		"revenue band falls": func(p *Policy) { p.Revenues[0].Points = 40 },
		"months band falls":  func(p *Policy) { p.Months[0].Points = 40 },
		"no tier":            func(p *Policy) { p.Tiers = nil },
		"tier unsorted":      func(p *Policy) { p.Tiers[1].From = 70 },
		"worse tier richer":  func(p *Policy) { p.Tiers[1].Share = money.MustParseRate("0.13") },
		"tier below review":  func(p *Policy) { p.Tiers[2].From = 20 },
		"tier without name":  func(p *Policy) { p.Tiers[0].Name = "" },
	} {
		p := Default()
		change(&p)
		if p.Check() == nil {
			t.Errorf("%s: a policy that cannot be is taken", name)
		}
	}
}

func TestTierByName(t *testing.T) {
	p := Default()
	if b, ok := p.Tier("B"); !ok || b.From != 50 {
		t.Errorf("tier B is %+v", b)
	}
	if x, ok := p.Tier("Z"); ok {
		t.Errorf("there is a tier Z: %+v", x)
	}
}

func TestReasonsHaveSentences(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Reasons() {
		if s, ok := w.Reason.Sentence(); !ok || s != w.Sentence || len(s) < 20 || seen[s] || seen[string(w.Reason)] {
			t.Errorf("%s: %q", w.Reason, s)
		}
		seen[w.Sentence], seen[string(w.Reason)] = true, true
	}
	if len(Reasons()) != 18 {
		t.Errorf("%d reasons, want 18", len(Reasons()))
	}
	if _, ok := Reason("made_up").Sentence(); ok {
		t.Error("a reason that is made up has a sentence")
	}
}

func TestPrequalify(t *testing.T) {
	amount := func(text string) *money.Amount { a := money.MustParse(text); return &a }
	months := 60
	for _, c := range []struct {
		name    string
		given   Given
		pass    bool
		tier    string
		limit   string
		message string
		reasons []Reason
	}{
		{"score alone", Given{Score: &Score{FICO: 720}}, true, "A", "0", "These figures are those of tier A. This is an estimate, not an approval.", nil},
		{"scale alone", Given{Score: &Score{Scale: 1}}, false, "", "0", "Minimum FICO scale is 2.", []Reason{CreditScore}},
		{"revenue alone", Given{AnnualRevenue: amount("300000")}, true, "A", "36000", "The estimated limit is $36,000 in tier A. This is an estimate, not an approval.", nil},
		{"asked for less", Given{AnnualRevenue: amount("300000"), Requested: amount("1234.56")}, true, "A", "1200", "The estimated limit is $1,200 in tier A. This is an estimate, not an approval.", nil},
		{"asked for too little", Given{AnnualRevenue: amount("300000"), Requested: amount("100")}, false, "", "0", "The estimated limit is below the least of $500.", []Reason{AnnualRevenue}},
		{"few points", Given{Score: &Score{FICO: 600}, AnnualRevenue: amount("40000")}, false, "", "0", "These figures reach 8 of 100 points; 35 are needed.", []Reason{CreditScore, AnnualRevenue}},
		{"all factors", Given{&Score{FICO: 750}, amount("1000000"), &months, &Bank{AverageBalance: 1e9}, &BusinessFile{true, true}, amount("5000")}, true, "A", "5000",
			"The estimated limit is $5,000 in tier A. This is an estimate, not an approval.", nil},
	} {
		q, err := Prequalify(Default(), c.given)
		if err != nil || q.Pass != c.pass || q.Tier != c.tier || q.Limit != money.MustParse(c.limit) || !slices.Equal(q.Messages, []string{c.message}) || !slices.Equal(q.Reasons, c.reasons) {
			t.Errorf("%s: %+v, %v", c.name, q, err)
		}
	}
	for _, g := range []Given{{}, {Requested: amount("5000")}, {Score: &Score{}}} {
		if _, err := Prequalify(Default(), g); !errors.Is(err, ErrNothingGiven) {
			t.Errorf("%+v: %v", g, err)
		}
	}
}

// A policy version that has decided something never changes: other numbers are another
// version, and this list grows.
func TestVersionsStayAsTheyAre(t *testing.T) {
	want := []string{"98e0be3825629e1be751f860f37fbc74c87506ef64c107cdd4bfa8711bc0c8db"}
	all := Versions()
	if len(all) != len(want) || all[len(all)-1].Version != Default().Version {
		t.Fatalf("%d versions, want %d, the last one that of today", len(all), len(want))
	}
	for i, p := range all {
		text, err := json.Marshal(p)
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); err != nil || p.Version != i+1 || sum != want[i] {
			t.Errorf("version %d, %v: its numbers are now %s", p.Version, err, sum)
		}
		if got, ok := Version(i + 1); !ok || got.Version != i+1 {
			t.Errorf("version %d is not found", i+1)
		}
	}
	if _, ok := Version(len(all) + 1); ok {
		t.Error("a version that there is not is found")
	}
}
