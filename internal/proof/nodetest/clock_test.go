//go:build linux

package nodetest

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/suite"
)

// farAhead is more than any batch may be ahead of this machine's clock, and far less than the
// five minutes at which no node would start any more (EN15).
const farAhead = 5 * time.Second

// TestClock: however two nodes overtake each other, the books follow the clock. Business time
// never goes back (TM1), so it must not run ahead, either: it determines on which day an
// installment is due, and a node whose clock is minutes behind the last commit refuses to start.
func TestClock(t *testing.T) {
	const companies, callers = 8, 24
	each := suite.By(12, 40)
	s := openSite(t, pgtest.Database(t), companies)
	c := s.client()
	errs := make([]error, callers)
	together(callers, func(i int) {
		for n := range each {
			a, err := c.at(i, authorize(fmt.Sprintf("clock-%d-%d", i, n), s.Companies[i%companies], 100, ""))
			if err == nil {
				err = a.read(&struct{}{})
			}
			if err != nil {
				errs[i] = err
				return
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	var ahead float64 // seconds
	if err := dial(t, s.url).QueryRow(t.Context(), "SELECT extract(epoch FROM at - clock_timestamp())::float8 FROM books").Scan(&ahead); err != nil {
		t.Fatal(err)
	}
	t.Logf("clock: %d writes through two nodes / last commit %.3f s from now", callers*each, ahead)
	if ahead > farAhead.Seconds() {
		t.Errorf("the last commit is dated %.1f s ahead of the clock", ahead)
	}
	s.finish()
}
