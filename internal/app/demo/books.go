package demo

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenor/client"
)

// workedExample is the journal that the specification gives for the story.
//
//go:embed journal.json
var workedExample []byte

// memoFrom is the first of the memo accounts.
const memoFrom = 9000

// booked is an entry, as its date and its lines by account.
type booked struct {
	Date  string
	Lines map[int]int64 // cents, debits positive
}

func (b booked) String() string {
	var out []string
	for account, cents := range b.Lines {
		out = append(out, fmt.Sprintf("%d %s", account, client.OfCents(cents)))
	}
	slices.Sort(out)
	return b.Date + " " + strings.Join(out, ", ")
}

// WorkedExample reads the journal of the worked example.
func WorkedExample() ([]booked, error) {
	var file struct {
		Vectors []struct {
			Journal []struct {
				Date  string
				Lines []struct {
					Account string
					Debit   client.Amount
					Credit  client.Amount
				}
			}
		}
	}
	if err := json.Unmarshal(workedExample, &file); err != nil {
		return nil, fmt.Errorf("read the worked example: %w", err)
	}
	var out []booked
	for _, j := range file.Vectors[0].Journal {
		b := booked{j.Date, map[int]int64{}}
		for _, l := range j.Lines {
			account, err := strconv.Atoi(l.Account)
			if err != nil {
				return nil, fmt.Errorf("read the worked example: %w", err)
			}
			debit, _ := l.Debit.Cents()
			credit, _ := l.Credit.Cents()
			b.Lines[account] += debit - credit
		}
		out = append(out, b)
	}
	return out, nil
}

// StoryBooks returns the story's entries: those with a line of its merchant or of its first
// company, or all if no merchant is named; and of the second order only what the worked example
// contains.
func StoryBooks(entries []client.Entry, merchant string, company, other int64) []booked {
	var out []booked
	for _, e := range entries {
		b := booked{e.BookDate, map[int]int64{}}
		ours, foreign := merchant == "", false
		for _, p := range e.Postings {
			ours = ours || p.MerchantID == merchant || p.CompanyID == company
			foreign = foreign || p.CompanyID == other
			debit, _ := p.Debit.Cents()
			credit, _ := p.Credit.Cents()
			b.Lines[p.Account] += debit - credit
		}
		if ours && !foreign || foreign && (e.Event == "ORDER_CAPTURED" || e.Event == "CLAWBACK_NETTED") {
			out = append(out, b)
		}
	}
	return out
}

// compareBooks reports the first entry that differs.
func compareBooks(got, want []booked) error {
	for i := range max(len(got), len(want)) {
		is, should := "nothing", "nothing"
		if i < len(got) {
			is = got[i].String()
		}
		if i < len(want) {
			should = want[i].String()
		}
		if is != should {
			return fmt.Errorf("entry %d is %s; the worked example has %s", i+1, is, should)
		}
	}
	return nil
}

// turnover adds up debits and credits, without memo accounts.
func turnover(list []booked) (debits, credits int64) {
	for _, b := range list {
		for account, cents := range b.Lines {
			switch {
			case account >= memoFrom:
			case cents > 0:
				debits += cents
			default:
				credits -= cents
			}
		}
	}
	return debits, credits
}
