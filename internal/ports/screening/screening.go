// Package screening compares names with a list of sanctioned parties (F29).
//
// It finds similarity, and decides nothing: a match waits for a person. It prefers a false match
// to missing a name that is spelled differently, so names are first folded (folded.go) and then
// compared word by word (likeness.go).
package screening

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
)

// Threshold is the similarity in percent from which a name counts as a match. The tables in the
// tests show what is on either side.
const Threshold = 88

// Entry is a party on a list, with all its names.
type Entry struct {
	ID    string // on the list
	Names []string
}

// List is a version of a sanctions list. It is immutable and safe for concurrent reads.
type List struct {
	Version string
	Test    bool // ships with the product: its parties are fictional
	entries []entry
	letters map[rune]string // see fold
}

type entry struct {
	id    string
	names []name
}

// name is a listed name with its folded words.
type name struct {
	text  string
	words []string
}

// ErrList means that a file is not a list.
var ErrList = errors.New("screening: not a list")

//go:embed testlist.csv
var testList string

// TestList returns the list that ships with the product: fictional parties, for sandboxes and
// tests.
func TestList() *List {
	l, err := Read(strings.NewReader(testList))
	if err != nil {
		panic(err) // it is built into the program
	}
	l.Test = true
	return l
}

// Read parses a list: CSV with the header id,name and a row for each name; several rows with one
// ID are names of one party. A first line "# version" contains the version.
func Read(r io.Reader) (*List, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("screening: read a list: %w", err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	version, marked := strings.CutPrefix(strings.TrimSpace(first), "# ")
	if !marked || version == "" {
		return nil, fmt.Errorf("%w: the first line is not \"# version\"", ErrList)
	}
	c := csv.NewReader(strings.NewReader(rest))
	c.FieldsPerRecord = 2
	rows, err := c.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrList, err)
	}
	if len(rows) == 0 || rows[0][0] != "id" || rows[0][1] != "name" {
		return nil, fmt.Errorf("%w: the header is not id,name", ErrList)
	}
	var entries []Entry
	at := map[string]int{}
	for _, row := range rows[1:] {
		i, known := at[row[0]]
		if !known {
			i = len(entries)
			at[row[0]] = i
			entries = append(entries, Entry{ID: row[0]})
		}
		entries[i].Names = append(entries[i].Names, row[1])
	}
	return New(version, entries), nil
}

// New returns a list of entries. It leaves out names without a letter or a digit.
func New(version string, entries []Entry) *List {
	l := &List{Version: version, letters: table()}
	for _, e := range entries {
		x := entry{id: e.ID}
		for _, n := range e.Names {
			if words := fold(n, l.letters); len(words) > 0 {
				x.names = append(x.names, name{n, words})
			}
		}
		l.entries = append(l.entries, x)
	}
	return l
}

// Find returns the entries that resemble one of the names, best first. Each entry is returned
// once, with its most similar name and a score of at least Threshold.
func (l *List) Find(names ...string) []credit.Match {
	var asked [][]string
	for _, n := range names {
		if words := fold(n, l.letters); len(words) > 0 {
			asked = append(asked, words)
		}
	}
	var hits []credit.Match
	for _, e := range l.entries {
		best := credit.Match{Entry: e.id}
		for _, listed := range e.names {
			for _, words := range asked {
				if score := likeness(listed.words, words); score > best.Score {
					best.Name, best.Score = listed.text, score
				}
			}
		}
		if best.Score >= Threshold {
			hits = append(hits, best)
		}
	}
	slices.SortStableFunc(hits, func(a, b credit.Match) int { return b.Score - a.Score })
	return hits
}

// Compare returns the result of Find, in the form in which a command brings it to the decision;
// nil if there is no list.
func (l *List) Compare(names ...string) *credit.Compared {
	if l == nil {
		return nil
	}
	return &credit.Compared{List: l.Version, Matches: append([]credit.Match{}, l.Find(names...)...)}
}
