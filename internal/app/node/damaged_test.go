package node

import (
	"errors"
	"slices"
	"testing"
)

// A commit that many lists pass over raises one alarm, and a book full of them does not fill the
// log.
func TestDamagedCommitsAreReportedOnce(t *testing.T) {
	var got []int64
	report := once(func(q int64, _ error) { got = append(got, q) })
	for _, q := range []int64{7, 8, 7, 7, 9} {
		report(q, errors.New("damaged"))
	}
	if !slices.Equal(got, []int64{7, 8, 9}) {
		t.Errorf("reported %v", got)
	}
	for q := range int64(10 * maxDamaged) {
		report(100+q, nil)
	}
	if len(got) != maxDamaged {
		t.Errorf("%d reports", len(got))
	}
}
