package sqlite

import (
	"fmt"
	"sort"
	"testing"
	"time"
)

func TestProf(t *testing.T) {
	db := open(t)
	defer db.Close()
	a := newAuthorizations(t, db, 10_000)
	prof = map[string]time.Duration{}
	n := 200
	for range n {
		b, k := a.batch(100)
		start := time.Now()
		a.commit(t, db, b, k)
		prof["total"] += time.Since(start)
	}
	var names []string
	for k := range prof {
		names = append(names, k)
	}
	sort.Slice(names, func(i, j int) bool { return prof[names[i]] > prof[names[j]] })
	for _, k := range names {
		s := k
		if len(s) > 60 {
			s = s[:60]
		}
		fmt.Printf("%8.2f µs/command %s\n", float64(prof[k].Microseconds())/float64(n*100), s)
	}
}
