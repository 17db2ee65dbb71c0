package scorecard

import (
	"reflect"
	"strings"
	"testing"
)

const page = "# Scorecard\n\n| ID | Check | Measure | W | Score | Tests | Page | What is missing |\n|---|---|---|---|---|---|---|---|\n" +
	"| A1 | Quickstart | a script counts | 2 | 3 | `docstest.TestQuickstart` `cmd/tenor.TestBanner` | [README](../README.md) | |\n" +
	"| A2 | Blocks run | Ⓑ a trace | 3 | 0 | | | nothing is there |\n\nWords about A1.\n"

func TestRead(t *testing.T) {
	got, err := Read(page)
	want := []Row{
		{"A1", "Quickstart", "a script counts", 2, 3, []Test{{"docstest", "TestQuickstart"}, {"cmd/tenor", "TestBanner"}}, "[README](../README.md)", ""},
		{"A2", "Blocks run", "Ⓑ a trace", 3, 0, nil, "", "nothing is there"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if s := Total(got); s != "2 rows, 6 of 15 points, score 40.0%" {
		t.Errorf("total %q", s)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, x := range []struct{ from, to, want string }{
		{"| 2 | 3 |", "| 4 | 3 |", "weight: \"4\" is not from 1 to 3"},
		{"| 2 | 3 |", "| 2 | 4 |", "score: \"4\" is not from 0 to 3"},
		{"| 2 | 3 |", "| 2 | |", "score: \"\""},
		{"`cmd/tenor.TestBanner`", "TestBanner", "TestBanner is not like `package.Test`"},
		{"`cmd/tenor.TestBanner`", "`cmd/tenor.Banner`", "is not like"},
		{"a script counts", `a \| b`, "it has 9 cells, not 8"},
		{"| A1 |", "| a1 |", ""},
	} {
		rows, err := Read(strings.Replace(page, x.from, x.to, 1))
		if x.want == "" && (err != nil || len(rows) != 1) || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s for %s: %d rows, %v, want %q", x.to, x.from, len(rows), err, x.want)
		}
	}
	if _, err := Read("# Nothing\n"); err == nil {
		t.Error("a page without rows is read")
	}
}
