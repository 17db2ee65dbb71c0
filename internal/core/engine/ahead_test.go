package engine

import (
	"errors"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// library is a snapshot that records what is loaded, by round. Each company that exists has
// its own number as limit.
type library struct {
	store.View
	rounds []credit.Keys
	err    error
}

func (l *library) Load(s *credit.State, k credit.Keys) error {
	l.rounds = append(l.rounds, k)
	for _, id := range k.Companies {
		s.Companies[id] = &credit.Company{ID: id}
	}
	return l.err
}

// leads names a company, and the next one as soon as that is loaded, up to the last.
func leads(from, last int64) *command {
	return &command{keys: func(s *credit.State) (k credit.Keys) {
		k.Companies = []int64{from}
		for id := from; id < last && s.Companies[id] != nil; id++ {
			k.Companies = append(k.Companies, id+1)
		}
		return k
	}}
}

// What commands lead to is read in rounds, each key once, in the order in which rows are
// locked; and the rounds end, whatever a command names.
func TestReadAhead(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands []credit.Command
		want     [][]int64
	}{
		{"none", nil, nil},
		{"one", []credit.Command{leads(7, 7)}, [][]int64{{7}}},
		{"two of one company", []credit.Command{leads(7, 7), leads(7, 7)}, [][]int64{{7}}},
		{"they lead on", []credit.Command{leads(9, 11), leads(4, 5)}, [][]int64{{4, 9}, {5, 10}, {11}}},
		{"without an end", []credit.Command{leads(1, 100)}, [][]int64{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}},
	} {
		l := &library{}
		if err := ReadAhead(l, c.commands, credit.Env{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got [][]int64
		for _, k := range l.rounds {
			got = append(got, k.Companies)
		}
		if !slices.EqualFunc(got, c.want, slices.Equal[[]int64]) {
			t.Errorf("%s: read %v, want %v", c.name, got, c.want)
		}
	}
}

// A command that panics or a database that cannot be read is left for the batch to report.
func TestReadAheadBreaksNothing(t *testing.T) {
	broken := &command{keys: func(*credit.State) credit.Keys { panic("boom") }}
	if err := ReadAhead(&library{}, []credit.Command{leads(1, 1), broken}, credit.Env{}); err == nil {
		t.Error("a command that breaks is read ahead")
	}
	disk := errors.New("the disk is gone")
	if err := ReadAhead(&library{err: disk}, []credit.Command{leads(1, 9)}, credit.Env{}); !errors.Is(err, disk) {
		t.Errorf("%v", err)
	}
}
