package integrate

import (
	"testing"
)

func TestLiterals(t *testing.T) {
	for in, want := range map[string]string{
		"1200.00": "1200.00", "true": "true", "null": "null", "CAPTURED": `"CAPTURED"`, `"42"`: `"42"`, `{"a":1}`: `{"a":1}`, "PO-1": `"PO-1"`,
		"": `""`, "007": `"007"`, `a"b`: `"a\"b"`,
	} {
		if got := string(literal(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
