package account_test

import (
	"strings"
	"testing"

	"tenor/internal/domain/account"
)

func TestProblem(t *testing.T) {
	good := [4]string{"073000228", "CHECKING", "BUSINESS", "Alder Kitchens"}
	with := func(i int, value string) [4]string { x := good; x[i] = value; return x }
	for _, c := range []struct {
		a    [4]string
		want string // first word of the sentence, "" if there is no problem
	}{
		{good, ""},
		{with(0, "000000000"), "routing_number"},
		{with(0, "073000229"), "routing_number"},
		{with(0, "07300022"), "routing_number"},
		{with(0, "07300022８"), "routing_number"},
		{with(1, ""), "account_type"},
		{with(2, "PERSON"), "holder_type"},
		{with(3, ""), "holder_name"},
		{with(3, "   "), "holder_name"},
		{with(3, "\t\u00a0"), "holder_name"},
		{with(3, "株式会社"), "holder_name"},
		{with(3, "----"), "holder_name"},
		{with(3, strings.Repeat("株", 22)+"Alder"), "holder_name"}, // the readable part is cut off
		{with(3, "Émile Ångström"), ""},
		{with(3, "3"), ""},
	} {
		got, _, _ := strings.Cut(account.Problem(c.a[0], c.a[1], c.a[2], c.a[3]), " ")
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.a, got, c.want)
		}
	}
}

func TestNumberProblem(t *testing.T) {
	for number, good := range map[string]bool{
		"1": true, "123456789": true, "12345678901234567": true, "12-34 5": true,
		"": false, " 123": false, "123 ": false, "123456789012345678": false, "12３4": false, "12\n4": false, "0000": false,
	} {
		if got := account.NumberProblem(number) == ""; got != good {
			t.Errorf("%q: %t", number, got)
		}
	}
}
