package apr

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// load decodes a file of testdata into v.
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

// number reads "12.5" or "19/30".
func number(t *testing.T, text string) float64 {
	t.Helper()
	num, den, ratio := strings.Cut(text, "/")
	n, err := strconv.ParseFloat(num, 64)
	if err != nil {
		t.Fatal(err)
	}
	if !ratio {
		return n
	}
	return n / number(t, den)
}

type published struct {
	ID, Source, Label, Advance string
	AdvanceDate                string `json:"advance_date"`
	UnitsPerYear               string `json:"units_per_year"`
	Series                     []struct {
		Amount    string
		Count     int
		Periods   int
		Fraction  string
		FirstDate string `json:"first_date"`
		Every     string
	}
	APR, Tolerance, Recomputed string
}

// flows lays out the payments in unit-periods.
func (p published) flows(t *testing.T) []Flow {
	var flows []Flow
	for _, s := range p.Series {
		for k := range s.Count {
			flows = append(flows, Flow{money.MustParse(s.Amount), s.Periods + k, number(t, s.Fraction)})
		}
	}
	return flows
}

// dated lays out the payments by date; ok is false if the vector has none.
func (p published) dated(t *testing.T) (payments []Dated, ok bool) {
	for _, s := range p.Series {
		if s.FirstDate == "" {
			return nil, false
		}
		first, n := calendar.MustParse(s.FirstDate), 0
		if s.Every != "" {
			n = int(number(t, strings.Fields(s.Every)[0]))
		}
		for k := range s.Count {
			d := first.AddMonths(n * k)
			if strings.Contains(s.Every, "week") {
				d = first.AddDays(7 * n * k)
			}
			payments = append(payments, Dated{money.MustParse(s.Amount), d})
		}
	}
	return payments, true
}

func TestPublishedRates(t *testing.T) {
	var file struct{ Vectors []published }
	load(t, "published.json", &file)
	byDate := 0
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			advance := money.MustParse(v.Advance)
			want, tolerance := number(t, v.APR), number(t, v.Tolerance)
			got, err := Solve([]Flow{{Amount: advance}}, v.flows(t), number(t, v.UnitsPerYear))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-want) > tolerance {
				t.Errorf("%s: rate %.6f, published %s", v.Source, got, v.APR)
			}
			if r := number(t, v.Recomputed); math.Abs(got-r) > 1e-6 {
				t.Errorf("rate %.6f, recomputed %s", got, v.Recomputed)
			}
			payments, ok := v.dated(t)
			if !ok {
				return
			}
			byDate++
			dated, err := solveDates([]Dated{{advance, calendar.MustParse(v.AdvanceDate)}}, payments)
			if err != nil || math.Abs(dated-got) > 1e-9 {
				t.Errorf("by dates %.6f (%v), by unit-periods %.6f", dated, err, got)
			}
		})
	}
	if len(file.Vectors) != 14 || byDate != 10 {
		t.Errorf("ran %d vectors, %d of them by date, want 14 and 10", len(file.Vectors), byDate)
	}
}

// The two examples that distinguish a right solver from a wrong one: a short first period with
// a fraction, and a fraction that must not be compounded. They are repeated here so that no
// change of testdata can lose them.
func TestExamplesThatMustAlwaysRun(t *testing.T) {
	c3ii := []Flow{}
	for k := range 19 {
		c3ii = append(c3ii, Flow{950, k, 8. / 14})
	}
	c3ii = append(c3ii, Flow{3000, 19, 8. / 14})
	tests := []struct {
		name         string
		advance      money.Amount
		payments     []Flow
		unitsPerYear float64
		want         string
	}{
		{"Appendix J (c)(3)(ii)", 20000, c3ii, 26, "12.22"},
		{"Appendix J (c)(5)(iii)", 100000, []Flow{{113519, 1, 0.5}}, 1, "8.76"},
	}
	for _, test := range tests {
		got, err := Solve([]Flow{{Amount: test.advance}}, test.payments, test.unitsPerYear)
		if err != nil || Round(got).String() != test.want {
			t.Errorf("%s: %v %v, want %s", test.name, Round(got), err, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	lent := []Flow{{Amount: 100}}
	tests := []struct {
		name               string
		advances, payments []Flow
		want               error
	}{
		{"nothing lent", nil, lent, ErrUndefined},
		{"nothing paid", lent, nil, ErrUndefined},
		{"a cent short", lent, []Flow{{99, 1, 0}}, ErrUndefined},
		{"even", lent, []Flow{{100, 1, 0}}, nil},
		{"1000 % per unit-period", lent, []Flow{{1100, 1, 0}}, nil},
		{"more than that", lent, []Flow{{1101, 1, 0}}, ErrTooHigh},
		{"zero payment", lent, []Flow{{100, 1, 0}, {0, 2, 0}}, ErrFlow},
		{"negative advance", []Flow{{-100, 0, 0}}, lent, ErrFlow},
		{"before the first advance", lent, []Flow{{101, -1, 0}}, ErrFlow},
		{"not a number", lent, []Flow{{101, 1, math.NaN()}}, ErrFlow},
	}
	for _, test := range tests {
		if _, err := Solve(test.advances, test.payments, 12); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestRoundAndFormat(t *testing.T) {
	tests := []struct {
		in   float64
		want string
	}{
		{0, "0.00"}, {12, "12.00"}, {11.994999, "11.99"}, {11.995, "12.00"}, {0.005, "0.01"}, {1.005, "1.01"}, {434.297454, "434.30"},
	}
	for _, test := range tests {
		if got := Round(test.in).String(); got != test.want {
			t.Errorf("Round(%v) = %s, want %s", test.in, got, test.want)
		}
	}
	if got := Percent(1200).Rate(); got != money.MustParseRate("0.12") {
		t.Errorf("12.00 %% as a rate is %s", got)
	}
}
