package linear

import (
	"cmp"
	"math"
	"slices"
)

// checkSequences is (d): from the first to the last, each sequence once. There may be at most as
// many gaps as unresolved writes. It returns the first sequence from which on the state is
// uncertain.
func checkSequences(r *Report, writes []write, initial Initial) int64 {
	others := map[int64]bool{}
	for _, q := range initial.Others {
		others[q] = true
	}
	var missing []int64
	last, certain := initial.Seq, int64(math.MaxInt64)
	for i, w := range writes {
		switch {
		case i > 0 && w.seq == writes[i-1].seq:
			certain = min(certain, w.seq)
			r.add(Doubled, w.seq, slices.Concat(writes[i-1].calls, w.calls), "%s and %s", writes[i-1].request, w.request)
		case w.seq <= initial.Seq, others[w.seq]:
			r.add(Doubled, w.seq, w.calls, "%s has the sequence of a command before it or of another", w.request)
		}
		for q := last + 1; q < w.seq; q++ {
			if !others[q] {
				missing = append(missing, q)
			}
		}
		last = max(last, w.seq)
	}
	if len(missing) > 0 {
		certain = min(certain, missing[0])
	}
	if len(missing) <= r.Unresolved {
		return certain
	}
	for _, q := range missing {
		r.add(Missing, q, nil, "%d sequences between %d and %d belong to nobody, and %d writes are unresolved", len(missing), initial.Seq, last, r.Unresolved)
	}
	return certain
}

// checkRealTime is (b). writes are in order of their sequences. Going backwards, the earliest
// return among higher sequences must not precede a call.
func checkRealTime(r *Report, writes []write) {
	earliest, told := -1, map[int]bool{}
	for i := len(writes) - 1; i >= 0; i-- {
		w := &writes[i]
		if earliest >= 0 && !told[earliest] && writes[earliest].before < w.called && writes[earliest].seq != w.seq {
			e := &writes[earliest]
			told[earliest] = true // only once: its sequence is wrong for all of them
			r.add(OutOfOrder, w.seq, slices.Concat(e.calls, w.calls), "%s returned with %d before %s was called, which got %d",
				e.request, e.seq, w.request, w.seq)
		}
		if earliest < 0 || w.before < writes[earliest].before {
			earliest = i
		}
	}
}

// mark is a sequence that was known, or requested, from a time on.
type mark struct{ at, seq int64 }

// highest turns marks into a function of time: the highest sequence among those before it.
func highest(marks []mark, start int64) func(before int64) int64 {
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	top := start
	for i := range marks {
		top = max(top, marks[i].seq)
		marks[i].seq = top
	}
	return func(before int64) int64 {
		n, _ := slices.BinarySearchFunc(marks, before, func(m mark, t int64) int { return cmp.Compare(m.at, t) })
		if n == 0 {
			return start
		}
		return marks[n-1].seq
	}
}

// checkReads is (c) without the content, which replay compares. What a read has shown also counts
// as acknowledged: the next one must not go back.
func checkReads(r *Report, h History, writes []write, initial Initial) {
	var acks, asks []mark
	for _, w := range writes {
		asks = append(asks, mark{w.called, w.seq})
	}
	for _, q := range initial.Others {
		asks = append(asks, mark{math.MinInt64, q})
	}
	asked := highest(asks, initial.Seq)
	for _, c := range h {
		if c.Returned != 0 && (!c.Request.Op.Read() || c.Answer.Seq <= asked(c.Returned)) {
			acks = append(acks, mark{c.Returned, c.Answer.Seq})
		}
	}
	known := highest(acks, initial.Seq)
	open := firstUnresolved(h)
	for i, c := range h {
		if !c.Request.Op.Read() || c.Returned == 0 {
			continue
		}
		switch q := c.Answer.Seq; {
		case q == 0:
			unsequenced(h, r, i)
		case q < known(c.Called):
			r.add(Stale, q, []int{i}, "%s, though %d was known before it began", c.Request, known(c.Called))
		case q > asked(c.Returned) && c.Returned <= open:
			r.add(Ahead, q, []int{i}, "%s, though nothing beyond %d had been asked for when it returned", c.Request, asked(c.Returned))
		}
	}
}

// firstUnresolved returns when the first write with an unknown sequence was called: from then on
// a read may be ahead of everything known.
func firstUnresolved(h History) int64 {
	first := int64(math.MaxInt64)
	for _, i := range h.unresolved() {
		first = min(first, h[i].Called)
	}
	return first
}
