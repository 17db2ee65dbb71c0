package money

import (
	"strings"
	"testing"
)

// rateProperty describes what is wrong with a reader's result for a text, which must have the
// text's digits, padded with zeros.
func rateProperty(read func(string) (Rate, error), text string) string {
	r, err := read(text)
	if err != nil {
		return ""
	}
	whole, frac, _ := strings.Cut(text, ".")
	if len(frac) > 6 || r.String() != whole+"."+(frac + "000000")[:6] {
		return text + " is read as " + r.String()
	}
	if again, err := read(r.String()); err != nil || again != r {
		return text + " is written and read as another"
	}
	return ""
}

func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"0.12", "0.120000", "99.999999", "0", "1.0000001", "100", ".5", "1e2", "٣", "-0.1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if complaint := rateProperty(ParseRate, text); complaint != "" {
			t.Fatal(complaint)
		}
		var r Rate
		if err := r.UnmarshalJSON([]byte(text)); err == nil {
			b, err := r.MarshalJSON()
			var again Rate
			if err != nil || again.UnmarshalJSON(b) != nil || again != r {
				t.Fatalf("%s is written as %s", text, b)
			}
		}
	})
}

// A reader that drops a seventh digit is detected.
func TestFuzzCanFail(t *testing.T) {
	lax := func(text string) (Rate, error) { return ParseRate(text[:min(len(text), 8)]) }
	if rateProperty(lax, "0.1234567") == "" {
		t.Error("not seen: a digit that is dropped")
	}
}
