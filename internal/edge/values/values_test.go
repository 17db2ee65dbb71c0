package values

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tenor/internal/domain/money"
	"tenor/internal/edge/rest/value"
)

// asOfProperty: an as_of is a date or an instant, parsed like those, never both.
func asOfProperty(text string) string {
	at, bad := parseAsOf(text)
	if bad != nil {
		return ""
	}
	if dated := at.Date.String() == text; dated == !at.Instant.IsZero() {
		return fmt.Sprintf("%q is read as %+v", text, at)
	}
	return ""
}

// moneyProperty: an accepted amount is written with the same digits, and nothing is
// rounded.
func moneyProperty(read func(string, money.Amount) (money.Amount, *value.Violation), text string) string {
	a, bad := read(text, 1)
	if bad != nil {
		return ""
	}
	whole, frac, _ := strings.Cut(text, ".")
	if want := whole + "." + (frac + "00")[:2]; a.String() != want || a < 1 || a > money.Max || len(frac) > 2 {
		return fmt.Sprintf("%q is read as %s", text, a)
	}
	return ""
}

func companyProperty(read func(string) (int64, *value.Violation), text string) string {
	if n, bad := read(text); bad == nil && fmt.Sprint(n) != text {
		return fmt.Sprintf("%q is read as company %d", text, n)
	}
	return ""
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"2026-03-02T15:04:05Z", "2026-03-02", "1.00", "0.01", "10000000", "1e2", "-1", "１", "1.005", "", "4821073356", "+482107335", "0821073356"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, complaint := range []string{asOfProperty(text), moneyProperty(parseMoney, text), companyProperty(parseCompany, text)} {
			if complaint != "" {
				t.Fatal(complaint)
			}
		}
	})
}

// If a reader that is too lax were not detected, the fuzz target would find nothing.
func TestFuzzCanFail(t *testing.T) {
	for name, complaint := range map[string]string{
		"an amount that is rounded": moneyProperty(func(s string, _ money.Amount) (money.Amount, *value.Violation) { return 101, nil }, "1.005"),
		"a sign":                    companyProperty(func(string) (int64, *value.Violation) { return 482107335, nil }, "+482107335"),
	} {
		if complaint == "" {
			t.Errorf("not seen: %s", name)
		}
	}
}

// A company's identifier is ten digits and nothing else, and is written as its type
// requires.
func TestCompanyIdentifiers(t *testing.T) {
	for text, want := range map[string]int64{
		"4821073356": 4821073356, "9999999999": 9999999999, "1000000000": 1000000000,
		"0821073356": 0, "+482107335": 0, "-482107335": 0, "482107335": 0, "48210733567": 0, "48210_3356": 0, " 821073356": 0, "4821073e56": 0,
	} {
		if n, bad := parseCompany(text); n != want || (bad == nil) != (want != 0) {
			t.Errorf("%q: %d, %v", text, n, bad)
		}
	}
	both, err := json.Marshal([]any{CompanyID(4821073356), CompanyIDText(4821073356), CompanyID(4821073356).String()})
	if err != nil || string(both) != `[4821073356,"4821073356","4821073356"]` {
		t.Errorf("%s %v", both, err)
	}
}

// Every kind reads the example shown in the contract, and refuses nonsense.
func TestKindsReadTheirSamples(t *testing.T) {
	for _, k := range Kinds() {
		b := value.Bounds{}
		if k.Bounds != nil {
			var err error
			if b, err = k.Bounds(`minimum:"-5.00"`); err != nil || b.Low != -500 || k.In(b).Keywords == nil {
				t.Errorf("%s: %+v, %v", k.Type, b, err)
			}
			if _, err := k.Bounds(`minimum:"x"`); err == nil {
				t.Errorf("%s takes a bound that is none", k.Type)
			}
		}
		v := reflect.New(k.Type).Elem()
		if bad := k.Set(v, k.Sample, b); bad != nil || v.IsZero() {
			t.Errorf("%s: %s is refused: %+v", k.Type, k.Sample, bad)
		}
		if bad := k.Set(v, "nonsense", b); bad == nil || strings.Contains(bad.Detail, "nonsense") {
			t.Errorf("%s takes nonsense: %+v", k.Type, bad)
		}
	}
}
