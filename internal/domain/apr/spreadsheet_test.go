package apr

import (
	"errors"
	"math"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// The rate functions of spreadsheets are the same equation under other names. Each is
// translated into advances and payments here; XIRR counts whole days and compounds them to a
// year, EFFECT and NOMINAL are one loan viewed by the year and by the quarter.
func TestSpreadsheetFunctions(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Function, Expected, Tolerance string
			Args                              []string
		}
	}
	load(t, "spreadsheet.json", &file)
	solvers := map[string]func(*testing.T, []string) (float64, error){
		"RATE": rate, "IRR": irr, "XIRR": xirr, "EFFECT": effect, "NOMINAL": nominal,
	}
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			want := number(t, v.Expected)
			got, err := solvers[v.Function](t, v.Args)
			if want < 0 { // F19 only searches i ≥ 0
				if !errors.Is(err, ErrUndefined) {
					t.Errorf("got %v, %v, want %v", got, err, ErrUndefined)
				}
				return
			}
			if err != nil || math.Abs(got-want) > number(t, v.Tolerance) {
				t.Errorf("got %v, %v, want %s", got, err, v.Expected)
			}
		})
	}
	if len(file.Vectors) != 8 {
		t.Errorf("ran %d vectors, want 8", len(file.Vectors))
	}
}

type twoSides struct{ advances, payments []Flow }

// add puts a signed sum, positive if received, on the borrower's side.
func (s *twoSides) add(sum float64, period int) {
	cents := money.Amount(math.Round(sum * 100))
	switch {
	case cents > 0:
		s.advances = append(s.advances, Flow{cents, period, 0})
	case cents < 0:
		s.payments = append(s.payments, Flow{-cents, period, 0})
	}
}

// solve returns the rate of one unit-period, whichever side comes first.
func (s *twoSides) solve(investor bool) (float64, error) {
	if investor {
		s.advances, s.payments = s.payments, s.advances
	}
	percent, err := Solve(s.advances, s.payments, 1)
	return percent / 100, err
}

func rate(t *testing.T, args []string) (float64, error) {
	value := func(i int) float64 {
		if i >= len(args) {
			return 0
		}
		if a, b, product := strings.Cut(args[i], "*"); product {
			return number(t, a) * number(t, b)
		}
		return number(t, args[i])
	}
	n, pmt, pv, fv := int(value(0)), value(1), value(2), value(3)
	var s twoSides
	s.add(pv, 0)
	for k := 1; k <= n; k++ {
		s.add(pmt, k)
	}
	s.add(fv, n)
	return s.solve(pv < 0)
}

func irr(t *testing.T, args []string) (float64, error) {
	var s twoSides
	for k, a := range args {
		s.add(number(t, a), k)
	}
	return s.solve(true)
}

func xirr(t *testing.T, args []string) (float64, error) {
	var s twoSides
	var start calendar.Date
	for k, a := range args {
		sum, date, _ := strings.Cut(a, "@")
		d := calendar.MustParse(date)
		if k == 0 {
			start = d
		}
		s.add(number(t, sum), start.DaysUntil(d))
	}
	i, err := s.solve(true)
	return math.Pow(1+i, 365) - 1, err
}

const large = 1_000_000_000 // keeps the rounding to cents below the tolerances

func effect(t *testing.T, args []string) (float64, error) {
	var s twoSides
	s.add(large, 0)
	s.add(-large*math.Pow(1+number(t, args[0])/number(t, args[1]), number(t, args[1])), 1)
	return s.solve(false)
}

func nominal(t *testing.T, args []string) (float64, error) {
	var s twoSides
	s.add(large, 0)
	s.add(-large*(1+number(t, args[0])), int(number(t, args[1])))
	i, err := s.solve(false)
	return i * number(t, args[1]), err
}
