package sim

import (
	"slices"
	"time"
)

// Source makes the random choices of a run.
type Source interface {
	// Intn returns a number from 0 to n−1; n is at least 1.
	Intn(n int) int
}

// Rand is a Source that depends on a seed alone (splitmix64), so that a seed means the same run
// with every version of Go.
type Rand struct{ state uint64 }

// NewRand returns the source of a seed.
func NewRand(seed uint64) *Rand { return &Rand{seed} }

// Uint64 returns the next 64 bits.
func (r *Rand) Uint64() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Intn implements Source.
func (r *Rand) Intn(n int) int { return int(r.Uint64() >> 1 % uint64(n)) }

// Chance is true in the given percentage of cases.
func Chance(s Source, percent int) bool { return s.Intn(100) >= 100-percent }

// Pick returns one element of a list, which must not be empty.
func Pick[T any](s Source, list []T) T { return list[s.Intn(len(list))] }

// Between returns a number from low to high, both included.
func Between(s Source, low, high int64) int64 {
	if high <= low {
		return low
	}
	return low + int64(s.Intn(int(high-low+1)))
}

// Sorted returns instants in order.
func Sorted(list []time.Time) []time.Time {
	slices.SortFunc(list, time.Time.Compare)
	return list
}

// SortedKeys returns the keys of maps in order, each once.
func SortedKeys[V any](maps ...map[string]V) []string {
	var keys []string
	for _, m := range maps {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
