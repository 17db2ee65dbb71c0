package linear

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store/memory"
)

// clean is the history of a real run without violations.
func clean(t *testing.T) (History, Initial) {
	t.Helper()
	s := startServer(t, memory.New(), 2, nil)
	d := s.driver(seedOf(t))
	d.Clients, d.Operations, d.Unit = 8, 1200, 4000
	h, initial := record(t, d)
	if report := Check(h, initial); !report.OK() {
		t.Fatalf("before tampering: %s", report)
	}
	return h, initial
}

// find returns the first matching call from a number on.
func find(t *testing.T, h History, from int, as func(Call) bool) int {
	t.Helper()
	for i := from; i < len(h); i++ {
		if h[i].Returned != 0 && as(h[i]) {
			return i
		}
	}
	t.Fatal("the history has no such call")
	return -1
}

// only matches a write that was sent once.
func only(h History, ops ...Op) func(Call) bool {
	count := map[string]int{}
	for _, c := range h {
		count[c.Request.Reference()+c.Request.String()]++
	}
	return func(c Call) bool {
		return slices.Contains(ops, c.Request.Op) && !c.Answer.Replayed && c.Answer.Code == "" && count[c.Request.Reference()+c.Request.String()] == 1
	}
}

// Every manipulation of a record is found and identified.
func TestFindsTampers(t *testing.T) {
	h, initial := clean(t)
	tests := []struct {
		name   string
		want   Kind
		tamper func(*testing.T, History) History
	}{
		{"an answer goes to another waiter, with its sequence (M2)", Swapped, swapAnswers},
		{"an answer shows what came of a later commit (M14)", Late, lateAnswer},
		{"sequences are drawn when the request comes (M16)", OutOfOrder, drawnAtCall},
		{"two sequences in the wrong order of time (M16)", OutOfOrder, wrongOrder},
		{"a read of a while ago", Stale, staleRead},
		{"a read of a while ago under a new sequence", Stale, staleContent},
		{"a read of what nobody has asked for", Ahead, futureRead},
		{"an acknowledged write has left no trace", Lost, lostWrite},
		{"an acknowledged order is not there", Lost, func(t *testing.T, h History) History {
			i := find(t, h, 200, func(c Call) bool { return c.Request.Op == ReadOrder })
			h[i].Answer = Answer{Status: 404, Code: "not_found"}
			return h
		}},
		{"a key with two sequences", Twice, executedTwice},
		{"a key with two first answers", Twice, func(t *testing.T, h History) History {
			i := find(t, h, 100, func(c Call) bool { return c.Answer.Replayed })
			h[i].Answer.Replayed = false
			return h
		}},
		{"a replay with other bytes", Differs, func(t *testing.T, h History) History {
			i := find(t, h, 100, func(c Call) bool { return c.Answer.Replayed })
			h[i].Answer.Body[0]++
			return h
		}},
		{"a first answer that says it is a replay", Differs, func(t *testing.T, h History) History {
			i := find(t, h, 100, only(h, Authorize))
			h[i].Answer.Replayed = true
			return h
		}},
		{"a sequence that nobody has", Missing, func(t *testing.T, h History) History {
			i := find(t, h, 100, only(h, SetLimit))
			return slices.Delete(h, i, i+1)
		}},
		{"a sequence that two have", Doubled, func(t *testing.T, h History) History {
			i := find(t, h, 100, only(h, Authorize))
			j := find(t, h, i+1, only(h, Authorize))
			h[j].Answer.Seq = h[i].Answer.Seq
			return h
		}},
		{"a cent too much", Wrong, func(t *testing.T, h History) History {
			i := find(t, h, 100, only(h, Capture))
			h[i].Answer.View.Captured++
			return h
		}},
		{"a refusal that the line does not justify (CL7)", Wrong, func(t *testing.T, h History) History {
			i := find(t, h, 100, only(h, Authorize))
			h[i].Answer.Status, h[i].Answer.Code, h[i].Answer.View = 422, "insufficient_credit", View{Available: 1}
			return h
		}},
		{"an answer without a sequence", Wrong, func(t *testing.T, h History) History {
			i := find(t, h, 100, only(h, Cancel))
			h[i].Answer.Seq = 0
			return h
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h, initial := h, initial
			for range 3 { // where few calls met, a wrong order can look like wrong answers alone
				report := Check(test.tamper(t, slices.Clone(h)), initial)
				t.Logf("%s", report)
				if report.Found(test.want) {
					return
				}
				h, initial = clean(t)
			}
			t.Errorf("not found in three histories: %s", test.want)
		})
	}
}

// swapAnswers swaps the responses of two concurrent callers.
func swapAnswers(t *testing.T, h History) History {
	single := only(h, Authorize)
	for i := find(t, h, 100, single); ; i = find(t, h, i+1, single) {
		for j := i + 1; j < min(len(h), i+8); j++ {
			if single(h[j]) && h[j].Called < h[i].Returned {
				h[i].Answer, h[j].Answer = h[j].Answer, h[i].Answer
				return h
			}
		}
	}
}

// lateAnswer gives the response of an authorization the view after the next operation on the same
// order.
func lateAnswer(t *testing.T, h History) History {
	first, next := only(h, Authorize), only(h, SetAmount, Capture, Cancel)
	for i := find(t, h, 50, first); ; i = find(t, h, i+1, first) {
		for j := i + 1; j < len(h); j++ {
			if v := h[j].Answer.View; next(h[j]) && v.Order == h[i].Answer.View.Order && v.Version == 2 {
				h[i].Answer.View = v
				return h
			}
		}
	}
}

// drawnAtCall numbers the writes by the time of their calls.
func drawnAtCall(_ *testing.T, h History) History {
	called, seqs := map[int64]int64{}, []int64{}
	for _, c := range h {
		if q := c.Answer.Seq; !c.Request.Op.Read() && !c.Answer.Replayed && q != 0 {
			called[q] = c.Called
			seqs = append(seqs, q)
		}
	}
	slices.Sort(seqs)
	drawn := slices.Clone(seqs)
	slices.SortFunc(drawn, func(a, b int64) int { return cmp.Compare(called[a], called[b]) })
	renumber := map[int64]int64{}
	for i, q := range drawn {
		renumber[q] = seqs[i]
	}
	for i := range h {
		if q, ok := renumber[h[i].Answer.Seq]; ok && !h[i].Request.Op.Read() {
			h[i].Answer.Seq = q
		}
	}
	return h
}

// wrongOrder swaps the sequences of a write and of one called after it had returned.
func wrongOrder(t *testing.T, h History) History {
	i := find(t, h, 100, only(h, Capture))
	j := find(t, h, i+1, func(c Call) bool { return only(h, Cancel)(c) && c.Called > h[i].Returned })
	h[i].Answer.Seq, h[j].Answer.Seq = h[j].Answer.Seq, h[i].Answer.Seq
	return h
}

func sameCompany(c Call) func(Call) bool {
	return func(x Call) bool {
		return x.Request.Op == ReadCompany && x.Request.Company == c.Request.Company && x.Called > c.Returned && x.Answer.View != c.Answer.View
	}
}

// staleRead gives a read the whole response of an earlier one, like a lagging replica.
func staleRead(t *testing.T, h History) History {
	i := find(t, h, 100, func(c Call) bool { return c.Request.Op == ReadCompany })
	j := find(t, h, i+60, sameCompany(h[i]))
	h[j].Answer = h[i].Answer
	return h
}

// staleContent does the same but keeps the sequence.
func staleContent(t *testing.T, h History) History {
	i := find(t, h, 100, func(c Call) bool { return c.Request.Op == ReadCompany })
	j := find(t, h, i+60, sameCompany(h[i]))
	h[j].Answer.View = h[i].Answer.View
	return h
}

func futureRead(t *testing.T, h History) History {
	i := find(t, h, 100, func(c Call) bool { return c.Request.Op == ReadCompany })
	j := find(t, h, i+300, sameCompany(h[i]))
	h[i].Answer = h[j].Answer
	return h
}

// lostWrite adds an authorization to the record that was acknowledged and then forgotten: later
// sequences move up by one.
func lostWrite(t *testing.T, h History) History {
	i := find(t, h, 100, func(c Call) bool { return c.Request.Op == ReadCompany && c.Answer.View.Available >= 1000 })
	at := h[i]
	v := View{
		Order: "ord_lost", Company: at.Request.Company, Reference: "lost/0", Status: "AUTHORIZED", Financing: "NONE",
		Amount: 777, Authorized: 777, Version: 1,
	}
	gone := Call{
		Client: at.Client, Request: Request{Op: Authorize, Company: at.Request.Company, Amount: 777, Key: "lost"}, Called: at.Called, Returned: at.Returned,
		Answer: Answer{Status: 201, Seq: at.Answer.Seq + 1, View: v},
	}
	for j := range h {
		if j != i && h[j].Answer.Seq > at.Answer.Seq {
			h[j].Answer.Seq++
		}
	}
	return slices.Insert(h, i+1, gone)
}

// executedTwice turns a replay into an execution of its own, with its own sequence and first
// response.
func executedTwice(t *testing.T, h History) History {
	i := find(t, h, 100, func(c Call) bool { return c.Answer.Replayed })
	last := int64(0)
	for _, c := range h {
		last = max(last, c.Answer.Seq)
	}
	h[i].Answer.Seq, h[i].Answer.Replayed = last+1, false
	return h
}

// A write without a response leaves the report unresolved, and may explain one gap.
func TestUnresolvedIsNoPass(t *testing.T) {
	h, initial := clean(t)
	i := find(t, h, len(h)/4, only(h, SetLimit))
	h[i].Returned, h[i].Answer = 0, Answer{}
	report := Check(h, initial)
	if report.OK() || report.Unresolved != 1 || report.Found(Missing) {
		t.Errorf("want one unresolved write and no hole: %s", report)
	}
	// Porcupine does not know its outcome either, and finds that it may have happened.
	if cross, err := CrossCheck(h, initial, Window{}); err != nil || !cross.OK() {
		t.Errorf("porcupine: %+v, %v", cross, err)
	}
}

// Porcupine, which does not know the sequences, finds tampers of what was answered.
func TestCrossCheckFindsTampers(t *testing.T) {
	h, initial := clean(t)
	for name, tamper := range map[string]func(*testing.T, History) History{
		"late answer": lateAnswer, "stale read": staleRead, "lost write": lostWrite,
	} {
		t.Run(name, func(t *testing.T) {
			cross, err := CrossCheck(tamper(t, slices.Clone(h)), initial, Window{Operations: 300})
			if err != nil || cross.OK() {
				t.Errorf("porcupine finds an order: %+v, %v", cross, err)
			}
		})
	}
}

// A question that porcupine cannot answer is an error and not a success.
func TestCrossCheckThatIsNoAnswer(t *testing.T) {
	h, initial := clean(t)
	if _, err := CrossCheck(h, initial, Window{Timeout: time.Nanosecond}); !errors.Is(err, ErrUnknown) {
		t.Errorf("want %v: %v", ErrUnknown, err)
	}
	if _, err := CrossCheck(h, initial, Window{Operations: maxWindow + 1}); !errors.Is(err, ErrTooWide) {
		t.Errorf("want %v: %v", ErrTooWide, err)
	}
	for i := range h {
		h[i].Client = i % (maxClients + 1)
	}
	if _, err := CrossCheck(h, initial, Window{}); !errors.Is(err, ErrTooWide) {
		t.Errorf("want %v: %v", ErrTooWide, err)
	}
}
