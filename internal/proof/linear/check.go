package linear

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Initial is the world before the first call of a history.
type Initial struct {
	// Seq is the last sequence before the history: its first write gets the next.
	Seq int64
	// Lines are the companies of the history, by ID.
	Lines map[string]Line
	// Others are sequences above Seq used by others, such as set-up.
	Others []int64
}

// Line is a credit line at the start. Amounts are cents. What is reserved and outstanding then
// belongs to orders that the history never touches.
type Line struct{ Limit, Reserved, Outstanding, Credit int64 }

// Kind is a kind of violation.
type Kind string

// The kinds of violations. The letters are those of test T18.
const (
	// Swapped (a): a caller got the response for another one's request.
	Swapped Kind = "answers swapped"
	// Late (a): a response shows the effect of a later commit.
	Late Kind = "answer encoded after a later change"
	// OutOfOrder (a, b): sequences contradict real time, or the responses fit only in an order other
	// than that of the sequences.
	OutOfOrder Kind = "sequence not in commit order"
	// Stale (c): a read does not show what was acknowledged before it.
	Stale Kind = "stale read"
	// Ahead (c): a read shows what nobody had requested yet.
	Ahead Kind = "read ahead of its sequence"
	// Lost: an acknowledged write has left no trace.
	Lost Kind = "acknowledged write lost"
	// Twice: one key was executed more than once (P4, ID1).
	Twice Kind = "key executed twice"
	// Shared: a key is taken, although only another API client used it (ID1).
	Shared Kind = "key shared between API clients"
	// Differs: a replay differs from the response that it repeats (ID2), or repeats none.
	Differs Kind = "replay is not the first answer"
	// Missing (d): a sequence that was in no response.
	Missing Kind = "sequence missing"
	// Doubled (d): two requests have one sequence.
	Doubled Kind = "sequence used twice"
	// Wrong (a): a response that the model does not give, for no known reason.
	Wrong Kind = "wrong answer"
)

// Violation is one finding.
type Violation struct {
	Kind   Kind
	Seq    int64 // where; 0: nowhere in particular
	Calls  []int // numbers of the history's calls
	Detail string
}

// String returns the finding in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s at %d, calls %v: %s", v.Kind, v.Seq, v.Calls, v.Detail)
}

// Report is the result of a check.
type Report struct {
	Operations int // total calls
	Writes     int // executed: decided commands with a sequence
	Reads      int // with a response
	Replays    int // responses that repeat an earlier one
	Unanswered int // calls without a definite response
	Unresolved int // writes without any definite response: they must be resolved before a check (e)
	Last       int64
	Violations []Violation
}

// OK reports whether nothing is wrong and nothing is unresolved.
func (r *Report) OK() bool { return len(r.Violations) == 0 && r.Unresolved == 0 }

// Found reports whether there is a violation of a kind.
func (r *Report) Found(k Kind) bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Kind == k })
}

// String returns the report with the number of each kind and the first findings.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "operations %d, violations %d, unresolved %d (writes %d, reads %d, replays %d, unanswered %d, last sequence %d)",
		r.Operations, len(r.Violations), r.Unresolved, r.Writes, r.Reads, r.Replays, r.Unanswered, r.Last)
	counts := map[Kind]int{}
	for _, v := range r.Violations {
		counts[v.Kind]++
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "\n  %d × %s", counts[k], k)
	}
	for i, v := range r.Violations {
		if i == 12 {
			fmt.Fprintf(&b, "\n  and %d more", len(r.Violations)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s", v)
	}
	return b.String()
}

func (r *Report) add(k Kind, seq int64, calls []int, format string, args ...any) {
	r.Violations = append(r.Violations, Violation{k, seq, calls, fmt.Sprintf(format, args...)})
}

// write is one execution of a key: all calls with it, and the time in which it must have taken
// effect.
type write struct {
	request        Request
	seq            int64
	got            says
	called, before int64 // it took effect after the first and before the second
	calls          []int
}

// Check checks a history against the rules of T18:
//
//	(a) in the order of Commit-Seq, every response is the model's
//	(b) a call that returned before another was made has the smaller sequence
//	(c) a read is between what was acknowledged before it and what had been
//	    requested when it returned, and shows the state at its As-Of-Seq
//	(d) no sequence is missing or duplicated
//	(e) every write has a definite response
//
// and one key is executed once, with one response (ID1, ID2).
func Check(h History, initial Initial) *Report {
	r := &Report{Operations: len(h), Last: initial.Seq}
	writes := gather(h, r)
	slices.SortFunc(writes, func(a, b write) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.called, b.called)) })
	if len(writes) > 0 {
		r.Last = max(r.Last, writes[len(writes)-1].seq)
	}
	certain := checkSequences(r, writes, initial)
	checkRealTime(r, writes)
	checkReads(r, h, writes, initial)
	replay(r, h, writes, initial, certain)
	return r
}

// gather combines all calls with a key into one write, counts, and reports keys that have more
// than one execution or response.
func gather(h History, r *Report) []write {
	type id struct {
		caller int
		key    string
	}
	groups, keys := map[id][]int{}, []id{}
	for i, c := range h {
		switch {
		case c.Returned == 0:
			r.Unanswered++
		case c.Request.Op.Read():
			r.Reads++
		case c.Answer.Replayed:
			r.Replays++
		}
		if c.Returned != 0 && astray(c) {
			r.add(Swapped, c.Answer.Seq, []int{i}, "%s got the answer of another request: %s", c.Request, c.Answer.says())
		}
		if c.Request.Op.Read() {
			continue
		}
		k := id{c.Request.Caller, c.Request.Key}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], i)
	}
	r.Unresolved = len(h.unresolved())
	var writes []write
	for _, k := range keys {
		writes = append(writes, executions(h, r, groups[k])...)
	}
	r.Writes = len(writes)
	return writes
}

// astray reports whether a response is about another order, company or number than its request,
// whatever the state of the world.
func astray(c Call) bool {
	r, v := c.Request, c.Answer.View
	if c.Answer.Status >= 400 {
		return false
	}
	return v.Company != r.Company || r.Order != "" && v.Order != r.Order || r.Reference() != "" && v.Reference != r.Reference() ||
		(r.Op == SetLimit || r.Op == ReadCompany) && v.Order != ""
}

// executions returns the writes of one key: none if no sequence is known, one if all is well.
func executions(h History, r *Report, calls []int) []write {
	var found []write
	originals, open := []int(nil), false
	for _, i := range calls {
		c := h[i]
		switch {
		case c.Returned == 0:
			open = true
			continue
		case c.Answer.Seq == 0:
			unsequenced(h, r, i)
			continue
		case !c.Answer.Replayed:
			originals = append(originals, i)
		}
		at := slices.IndexFunc(found, func(w write) bool { return w.seq == c.Answer.Seq })
		if at < 0 {
			found = append(found, write{request: c.Request, seq: c.Answer.Seq, got: c.Answer.says(), called: h[calls[0]].Called, before: c.Returned, calls: []int{i}})
			continue
		}
		w := &found[at]
		if first := h[w.calls[0]].Answer; first.Body != c.Answer.Body || first.says() != c.Answer.says() {
			r.add(Differs, w.seq, []int{w.calls[0], i}, "%s: %s, then %s", c.Request, first.says(), c.Answer.says())
		}
		w.before = min(w.before, c.Returned)
		w.calls = append(w.calls, i)
	}
	switch {
	case len(found) > 1:
		r.add(Twice, found[1].seq, calls, "%s has the sequences %d and %d", found[0].request, found[0].seq, found[1].seq)
	case len(originals) > 1:
		r.add(Twice, found[0].seq, originals, "%s was answered twice as if for the first time", found[0].request)
	case len(originals) == 0 && len(found) > 0 && !open:
		r.add(Differs, found[0].seq, calls, "%s was only replayed: the answer is somebody else's", found[0].request)
	case len(originals) == 1:
		found[0].called = h[originals[0]].Called // this very call executed it
	}
	return found
}

// unsequenced reports a definite response without a position in the order. No request of a
// history is refused before it is decided: its company is linked, and it names orders that their
// creator knows.
func unsequenced(h History, r *Report, i int) {
	c := h[i]
	kind := Wrong
	switch {
	case c.Answer.Status == 404 && acknowledged(h, c):
		kind = Lost
	case c.Answer.Code == "idempotency_key_reused":
		kind = Shared
	}
	r.add(kind, 0, []int{i}, "%s: no sequence with %s", c.Request, c.Answer.says())
}

// acknowledged reports whether somebody knew of the call's order before it started.
func acknowledged(h History, c Call) bool {
	return slices.ContainsFunc(h, func(x Call) bool {
		return x.Request.Op == Authorize && x.Returned != 0 && x.Returned < c.Called && x.Answer.View.Order == c.Request.Order
	})
}
