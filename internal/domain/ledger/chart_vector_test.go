package ledger

import (
	"strconv"
	"testing"
)

// The worked example's chart of accounts: each of its accounts is one of ours, on the side of
// its type, and memo accounts are those from 9000 on.
func TestChartOfTheWorkedExample(t *testing.T) {
	var file struct {
		Vectors []struct {
			Chart map[string][2]string `json:"chart_of_accounts"`
		}
	}
	read(t, "../../app/demo/journal.json", &file)
	ours := map[Account]bool{}
	for _, a := range Chart() {
		ours[a] = true
	}
	types := map[string][2]Account{
		"A": {1000, 1899}, "A-contra": {1900, 1999}, "L": {2000, 2999}, "R": {4000, 4999}, "E": {5000, 5999}, "M": {9000, 9999},
	}
	if n := len(file.Vectors[0].Chart); n != 27 {
		t.Errorf("%d accounts", n)
	}
	for number, x := range file.Vectors[0].Chart {
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		a, span := Account(n), types[x[1]]
		if !ours[a] || a.Name() == "" || a < span[0] || a > span[1] || a.Memo() != (x[1] == "M") {
			t.Errorf("%s %q, type %s: ours is %q", number, x[0], x[1], a.Name())
		}
	}
}
