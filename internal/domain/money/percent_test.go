package money

import "testing"

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		rate  string
		least int
		want  string
	}{{"0", 0, "0%"}, {"0", 2, "0.00%"}, {"0.25", 0, "25%"}, {"0.333333", 0, "33.3333%"}, {"0.015", 0, "1.5%"}, {"0.12", 2, "12.00%"}, {"1", 0, "100%"}} {
		if got := MustParseRate(c.rate).Percent(c.least); got != c.want {
			t.Errorf("%s with %d decimals: %s, want %s", c.rate, c.least, got, c.want)
		}
	}
}
