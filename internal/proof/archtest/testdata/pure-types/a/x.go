//archtest:room internal/domain/credit

package credit

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"
)

type table map[string]int

func ranges(m map[string]int, t table, s []string) (n int) {
	for _, v := range m { // want: a map
		n += v
	}
	for k := range t { // want: a map
		n += len(k)
	}
	for k := range maps.Keys(m) { // want: maps.Keys
		n += len(k)
	}
	for _, v := range maps.Clone(m) { // want: a map
		n += v
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		n += m[k]
	}
	for k := range m { // unordered: the sum of all is the same in any order
		n += m[k]
	}
	for range s {
		n++
	}
	return n
}

type rate float64 // want: floating point

func floats(d time.Duration) {
	_ = 1.5                            // want: floating point
	_ = d.Seconds()                    // want: floating point
	_ = big.NewFloat(1)                // want: floating point
	_, _ = strconv.ParseFloat("1", 64) // want: floating point
	_ = int64(1e6)                     // want: floating point
	_ = 3 / 2
}
