package bench

import (
	"math/bits"
	"time"
)

// subBits is how finely a histogram divides each power of two: 64 steps, so that
// a value is known to within 1.6 %.
const subBits = 6

// histogram counts durations in buckets whose width grows with the value. The zero histogram is
// empty. It is not safe for concurrent use: every connection has its own.
type histogram struct {
	counts [(64 - subBits) << subBits]uint32
	n      int64
	max    time.Duration
}

// bucket returns the bucket of a value: small values have their own, others share by their
// highest bits.
func bucket(v uint64) int {
	shift := max(bits.Len64(v)-subBits-1, 0)
	return shift<<subBits + int(v>>shift)
}

// upper is the greatest value of a bucket.
func upper(i int) uint64 {
	if i < 2<<subBits {
		return uint64(i)
	}
	shift := i>>subBits - 1
	return (uint64(i-shift<<subBits)+1)<<shift - 1
}

// add counts one duration; one below zero counts as zero.
func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucket(uint64(d))]++
	h.n++
	h.max = max(h.max, d)
}

// merge adds the counts of another histogram.
func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	h.max = max(h.max, o.max)
}

// quantile returns the duration that a fraction q of the values does not exceed, as the upper end
// of its bucket; 0 for an empty histogram.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int64(q*float64(h.n) + 0.5)
	rank = min(max(rank, 1), h.n)
	seen := int64(0)
	for i, n := range h.counts {
		if seen += int64(n); n > 0 && seen >= rank {
			return min(time.Duration(upper(i)), h.max)
		}
	}
	return 0
}
