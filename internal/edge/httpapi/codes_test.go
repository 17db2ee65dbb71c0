package httpapi

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCodes compares the table with the contract's, stored in testdata.
func TestCodes(t *testing.T) {
	text, err := os.ReadFile("testdata/codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, line := range regexp.MustCompile(`(?m)^[0-9]{3} .*$`).FindAllString(string(text), -1) {
		for _, name := range strings.Fields(line[4:]) {
			want = append(want, line[:4]+name)
		}
	}
	seen := map[string]bool{}
	for _, c := range Codes() {
		got = append(got, strconv.Itoa(c.Status)+" "+c.Name)
		if seen[c.Name] || c.Title == "" {
			t.Errorf("code %s: twice, or without a title", c.Name)
		}
		seen[c.Name] = true
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
