package money

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	accepted := map[string]Amount{
		"0": 0, "0.0": 0, "0.00": 0, "0.01": 1, "0.1": 10, "0.10": 10, "1": 100, "1.5": 150, "12.34": 1234,
		"1200.00": 120_000, "10000000": Max, "10000000.0": Max, "10000000.00": Max, "9999999.99": Max - 1,
	}
	for text, want := range accepted {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	refused := map[string]error{
		"10000000.01": ErrRange, "99999999.99": ErrRange, "99999999999999999999": ErrRange, "100000000": ErrRange,
		"": ErrSyntax, "-1": ErrSyntax, "-0.0": ErrSyntax, "+1": ErrSyntax, "1.005": ErrSyntax, "1e2": ErrSyntax,
		"1E2": ErrSyntax, "1e400": ErrSyntax, "0x10": ErrSyntax, "1,000": ErrSyntax, "1_000": ErrSyntax, " 1": ErrSyntax,
		"1 ": ErrSyntax, "1\n": ErrSyntax, "1\x00": ErrSyntax, "１２": ErrSyntax, "١": ErrSyntax, "01": ErrSyntax,
		"00": ErrSyntax, "00.01": ErrSyntax, "1.": ErrSyntax, ".5": ErrSyntax, ".": ErrSyntax, "1.2.3": ErrSyntax,
		"1..2": ErrSyntax, "NaN": ErrSyntax, "Inf": ErrSyntax, "true": ErrSyntax, "[]": ErrSyntax, "null": ErrSyntax,
		"$1": ErrSyntax, "1.0a": ErrSyntax, "99999999999999999999.001": ErrSyntax, `"1"`: ErrSyntax,
	}
	for text, want := range refused {
		if got, err := Parse(text); !errors.Is(err, want) || got != 0 {
			t.Errorf("Parse(%q) = %d, %v, want %v", text, got, err, want)
		}
	}
}

// MN3 is a regular expression and a bound; Parse accepts exactly that.
var mn3 = regexp.MustCompile(`\A(0|[1-9][0-9]{0,7})(\.[0-9]{1,2})?\z`)

func checkParse(t interface{ Errorf(string, ...any) }, text string) {
	a, err := Parse(text)
	exact, isNumber := new(big.Rat).SetString(text)
	if !mn3.MatchString(text) || !isNumber || exact.Cmp(big.NewRat(int64(Max), 100)) > 0 {
		if err == nil {
			t.Errorf("Parse(%q) = %s, want it refused", text, a)
		}
		return
	}
	if err != nil || exact.Cmp(big.NewRat(int64(a), 100)) != 0 {
		t.Errorf("Parse(%q) = %s, %v", text, a, err)
	}
}

func TestParseIsMN3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkParse(t, rapid.OneOf(
			rapid.StringMatching(`[0-9]{0,9}(\.[0-9]{0,3})?`),
			rapid.StringMatching(`[-+0-9.,eEx ]{0,8}`),
			rapid.String(),
		).Draw(t, "text"))
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0", "1.5", "10000000.00", "10000000.01", "1e2", "-0.0", ".5", "1.", "01", "１"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkParse(t, text) })
}

// MN3: parse(format(n)) = n for all n that a caller may send, and every amount round-trips
// through JSON.
func TestFormatAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Amount(rapid.Int64Range(0, int64(Max)).Draw(t, "cents"))
		if got, err := Parse(n.String()); err != nil || got != n {
			t.Errorf("%d written as %s, read as %d, %v", n, n, got, err)
		}
		if MustParse("-"+n.String()) != -n {
			t.Errorf("-%s read as %s", n, MustParse("-"+n.String()))
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		checkJSON(t, rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, -1, 0})).Draw(t, "cents"))
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(int64(0))
	f.Add(int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, cents int64) { checkJSON(t, cents) })
}

func checkJSON(t interface{ Errorf(string, ...any) }, cents int64) {
	in, out := Amount(cents), Amount(1)
	b, err := json.Marshal(in)
	if err != nil {
		t.Errorf("%v", err)
	}
	if _, cut, _ := strings.Cut(string(b), "."); len(cut) != 2 || string(b) != in.String() {
		t.Errorf("%d written as %s", cents, b)
	}
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("%d written as %s, read as %d, %v", cents, b, out, err)
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, text := range []string{
		"1", "1.0", "1.000", "-0.00", "01.00", "+1.00", "1e2", `"1.00"`, "null", "", "-", ".00", "1.0a",
		"92233720368547758.08", "-92233720368547758.09", "99999999999999999999999.00",
	} {
		a := Amount(7)
		if err := a.UnmarshalJSON([]byte(text)); err == nil || a != 7 {
			t.Errorf("read %s as %s", text, a)
		}
	}
}

func TestString(t *testing.T) {
	for a, want := range map[Amount]string{
		0: "0.00", 5: "0.05", -5: "-0.05", 99: "0.99", 100: "1.00", -100: "-1.00", 120_000: "1200.00", Max: "10000000.00",
		math.MaxInt64: "92233720368547758.07", math.MinInt64: "-92233720368547758.08",
	} {
		if got := a.String(); got != want {
			t.Errorf("%d is written %s, want %s", int64(a), got, want)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// MN2: no sum wraps.
func TestSumsAreChecked(t *testing.T) {
	edges := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom(edges))
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		check := func(name string, exact *big.Int, f func() Amount) {
			var got Amount
			if panicked := panics(func() { got = f() }); panicked == exact.IsInt64() {
				t.Fatalf("%d %s %d: exact %s, panic %v", a, name, b, exact, panicked)
			}
			if exact.IsInt64() && int64(got) != exact.Int64() {
				t.Fatalf("%d %s %d = %d", a, name, b, got)
			}
		}
		x, y := big.NewInt(a), big.NewInt(b)
		check("+", new(big.Int).Add(x, y), func() Amount { return Amount(a).Add(Amount(b)) })
		check("-", new(big.Int).Sub(x, y), func() Amount { return Amount(a).Sub(Amount(b)) })
		check("sum", new(big.Int).Add(x, y), func() Amount { return Sum(Amount(a), Amount(b)) })
	})
}

func TestMustParsePanics(t *testing.T) {
	for _, text := range []string{"", "-", "--1", "1.005", "10000000.01"} {
		if !panics(func() { MustParse(text) }) {
			t.Errorf("MustParse(%q) did not panic", text)
		}
	}
	if !panics(func() { MustParseRate("12%") }) {
		t.Error("MustParseRate did not panic")
	}
}
