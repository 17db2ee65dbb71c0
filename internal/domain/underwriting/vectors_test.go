package underwriting

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

const today = calendar.Date(20500) // 2026-02-16

func load(t *testing.T, name string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// good is an application with nothing against it, and the best of everything except what a
// test changes.
func good() Inputs {
	return Inputs{
		Kind: New, Requested: money.MustParse("10000"), EntityType: LLC, FormedOn: today.AddMonths(-60), AnnualRevenue: money.MustParse("1000000"),
		State: "OH", LargestOwner: money.MustParseRate("0.5"), ControlPerson: true, Identity: IdentityProved, Registration: RegistrationFound,
		RegistryFormedOn: calendar.None, OwnerScore: Score{FICO: 800}, BusinessFile: &BusinessFile{Present: true, Clean: true}, BureauOn: today,
		Bank: &Bank{AverageBalance: money.MustParse("50000")}, Screening: ScreeningClear,
	}
}

type band struct {
	Source, Factor               string
	FICO, Scale, Months, Revenue [][2]json.Number
}

type f27 struct {
	Decisions []struct {
		ID, Source         string
		FICO, Scale        int
		Revenue, Requested money.Amount
		Months             int
		Bank               *Bank
		File               *BusinessFile
		Points             []int
		Total              int
		Decision           Decision
		Tier               string
		Limit              money.Amount
		CounterOffer       bool `json:"counter_offer"`
		Reasons            []Reason
	}
	Bands            []band
	Prequalification struct {
		Source         string
		FICO, Total    int
		Revenue, Limit money.Amount
		Tier           string
	}
}

func TestScorecardChecks(t *testing.T) {
	var file f27
	load(t, "f27.json", &file)
	for _, v := range file.Decisions {
		in := good()
		in.OwnerScore, in.AnnualRevenue, in.FormedOn = Score{v.FICO, v.Scale}, v.Revenue, today.AddMonths(-v.Months)
		in.Bank, in.BusinessFile, in.Requested = v.Bank, v.File, v.Requested
		o := Decide(Default(), in, today)
		var points []int
		for _, f := range o.Points {
			points = append(points, f.Points)
		}
		if !slices.Equal(points, v.Points) || o.Total != v.Total || o.Decision != v.Decision || o.Tier != v.Tier || o.Limit != v.Limit ||
			o.CounterOffer != v.CounterOffer || !slices.Equal(o.Reasons, v.Reasons) {
			t.Errorf("%s (%s): %+v", v.ID, v.Source, o)
		}
	}
	if len(file.Decisions) != 8 {
		t.Errorf("ran %d decisions, want 8", len(file.Decisions))
	}
}

func TestScorecardBands(t *testing.T) {
	var file f27
	load(t, "f27.json", &file)
	p, ran := Default(), 0
	for _, b := range file.Bands {
		for _, kind := range []struct {
			rows   [][2]json.Number
			points func(json.Number) int
		}{
			{b.FICO, func(n json.Number) int { return p.scorePoints(Score{FICO: whole(n)}) }},
			{b.Scale, func(n json.Number) int { return p.scorePoints(Score{Scale: whole(n)}) }},
			{b.Months, func(n json.Number) int { return p.monthsPoints(whole(n)) }},
			{b.Revenue, func(n json.Number) int { return p.revenuePoints(money.MustParse(n.String())) }},
		} {
			for _, row := range kind.rows {
				ran++
				if got := kind.points(row[0]); got != whole(row[1]) {
					t.Errorf("%s: %s has %d points, want %s", b.Source, row[0], got, row[1])
				}
			}
		}
	}
	if ran != 27 {
		t.Errorf("ran %d figures, want 27", ran)
	}
}

func whole(n json.Number) int {
	i, err := n.Int64()
	if err != nil {
		panic(err)
	}
	return int(i)
}

func TestPrequalificationCheck(t *testing.T) {
	var file f27
	load(t, "f27.json", &file)
	v := file.Prequalification
	q, err := Prequalify(Default(), Given{Score: &Score{FICO: v.FICO}, AnnualRevenue: &v.Revenue})
	if err != nil || !q.Pass || q.Total != v.Total || q.Tier != v.Tier || q.Limit != v.Limit || len(q.Points) != 2 {
		t.Errorf("%s: %+v, %v", v.Source, q, err)
	}
}

// The published answers are those of a lender whose minimum score is 650; its limit and rate
// come from an unpublished scorecard.
func TestPublishedPrequalifications(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Status, Message string
			Input               struct {
				Revenue json.Number `json:"gross_annual_revenue"`
				FICO    int         `json:"fico_score"`
			} `json:"input_example"`
		}
	}
	load(t, "creditkey_prequalification_samples.json", &file)
	p := Default()
	p.Scores = slices.Clone(p.Scores[1:]) // from 650 on
	given := map[string][2]string{"pq2": {"649", "40000"}, "pq3": {"650", "39999.99"}, "pq4": {"649", "39999.99"}}
	for _, v := range file.Vectors {
		score, revenue := Score{FICO: v.Input.FICO}, v.Input.Revenue.String()
		if g, ok := given[v.ID]; ok {
			score.FICO, revenue = whole(json.Number(g[0])), g[1]
		}
		amount := money.MustParse(revenue)
		q, err := Prequalify(p, Given{Score: &score, AnnualRevenue: &amount})
		if err != nil || q.Pass != (v.Status == "pass") {
			t.Errorf("%s: %+v, %v; want %s", v.ID, q, err, v.Status)
		}
		if said := strings.Join(q.Messages, " "); !q.Pass && !strings.HasSuffix(strings.TrimSpace(v.Message), "Credit Key terms. "+said) {
			t.Errorf("%s: says %q, published %q", v.ID, said, v.Message)
		}
	}
	if len(file.Vectors) != 4 {
		t.Errorf("ran %d answers, want 4", len(file.Vectors))
	}
}

// The payment that a balance must cover is that of a loan's schedule (F1).
func TestPaymentIsThatOfASchedule(t *testing.T) {
	p := Default()
	for _, text := range []string{"500", "1200", "4800.50", "10000", "36000", "50000", "9999999.99"} {
		amount := money.MustParse(text)
		loan, err := schedule.New("ord", 0, schedule.Terms{Plan: schedule.Amortized, Principal: amount, Installments: p.PaymentRows, AnnualRate: p.PaymentRate, CaptureDate: today})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Payment(amount); got != loan.Level {
			t.Errorf("%s: %s a month, the schedule says %s", text, got, loan.Level)
		}
	}
	p.PaymentRate = 0
	if got := p.Payment(money.MustParse("1200")); got != money.MustParse("100") {
		t.Errorf("without charge: %s a month", got)
	}
}
