package terminal

import (
	"testing"
)

func TestSuggestion(t *testing.T) {
	known := []string{"order.captured", "order.created", "status"}
	for word, want := range map[string]string{"order.capturd": `, did you mean "order.captured"?`, "statsu": `, did you mean "status"?`, "zebra": "", "order.captured": `, did you mean "order.captured"?`} {
		if got := Suggestion(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	for _, x := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}} {
		if got := distance(x.a, x.b); got != x.n {
			t.Errorf("from %q to %q: %d, want %d", x.a, x.b, got, x.n)
		}
	}
}
