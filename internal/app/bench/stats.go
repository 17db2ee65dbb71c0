package bench

import "slices"

// spread summarizes several rounds: the median with the minimum and maximum.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// spreadOf summarizes the values of the rounds; all are zero without values.
func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1]}
}

// ratios divides round by round: something that slows the whole machine for a moment slows both,
// and does not show in their ratio. Rounds that only one side has, and those in which the divisor
// is zero, are left out.
func ratios(a, b []float64) []float64 {
	var out []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			out = append(out, a[i]/b[i])
		}
	}
	return out
}

// rng is SplitMix64: a few instructions per number, which the load generator can afford, and the
// same numbers for the same seed. It must not generate secrets.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (r *rng) below(n int) int { return int(r.next() % uint64(n)) }

// fork returns a separate generator, for another goroutine.
func (r *rng) fork() rng { return rng(r.next()) }

// draw generates a command's seed.
func (r *rng) draw() (seed [16]byte) {
	for i := 0; i < len(seed); i += 8 {
		for x, j := r.next(), 0; j < 8; j++ {
			seed[i+j] = byte(x >> (8 * j))
		}
	}
	return seed
}
