package credit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/ledger"
)

// ledgerVector is the vector derived_worked_example_ledger: the worked example's journal.
type ledgerVector struct {
	Vectors []struct {
		Journal []struct {
			N     int
			Date  string
			Event string
			Lines []struct {
				Account       string
				Debit, Credit *string
			}
		}
	}
}

// The commands of the worked example's story produce its 36 entries: each day, account and
// cent, in order. What else happens to the merchant's other order, of company B, is left out
// there.
func TestWorkedExample(t *testing.T) {
	text, err := os.ReadFile("testdata/worked_example.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := newStory(t)
	s.tell(string(text))
	other := s.company("B")
	var got []string
	for _, e := range s.entries {
		if slices.ContainsFunc(e.Postings, func(p ledger.Posting) bool { return p.Company == other }) && e.Event != "ORDER_CAPTURED" && e.Event != "CLAWBACK_NETTED" {
			continue
		}
		got = append(got, bookedAs(e))
	}
	want := vectorEntries(t)
	if len(want) != 36 {
		t.Fatalf("the vector has %d entries", len(want))
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("entry %d\n is: %v\nnow: %v", i+1, want[min(i, len(want)-1):], got[min(i, len(got)-1):])
		}
	}
}

// bookedAs writes an entry as its book date and its lines by account.
func bookedAs(e ledger.Entry) string {
	sums := map[string]int64{}
	for _, p := range e.Postings {
		sums[fmt.Sprint(p.Account)] += int64(p.Amount)
	}
	return e.BookDate.String() + " " + accountSums(sums)
}

func accountSums(sums map[string]int64) string {
	var lines []string
	for a, x := range sums {
		lines = append(lines, fmt.Sprintf("%s %d", a, x))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

func vectorEntries(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("../../app/demo/journal.json")
	if err != nil {
		t.Fatal(err)
	}
	var v ledgerVector
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, j := range v.Vectors[0].Journal {
		sums := map[string]int64{}
		for _, l := range j.Lines {
			if l.Debit != nil {
				sums[l.Account] += int64(cents(*l.Debit))
			} else {
				sums[l.Account] -= int64(cents(*l.Credit))
			}
		}
		out = append(out, j.Date+" "+accountSums(sums))
	}
	return out
}
