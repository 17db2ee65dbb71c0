package linear

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// Window bounds the input of porcupine. It decides an NP-hard question: above these bounds it
// often does not finish.
type Window struct {
	Operations int           // per company and window; 0: 2,000, which is also the maximum
	Windows    int           // per company, from the start; 0: all
	Timeout    time.Duration // for one window, only to prevent a hang; 0: 5 min
}

// The bounds of T18.
const (
	maxWindow      = 2000
	maxClients     = 16
	defaultTimeout = 5 * time.Minute
)

// Failures of CrossCheck that say nothing about the history: the question cannot be answered.
// They do not count as success.
var (
	ErrUnknown = errors.New("linear: porcupine did not answer in time")
	ErrTooWide = errors.New("linear: too many clients for porcupine")
)

// CrossReport is porcupine's result.
type CrossReport struct {
	Windows    int
	Operations int
	Illegal    []string // windows without a valid order
}

// OK reports whether every window has a valid order.
func (c CrossReport) OK() bool { return len(c.Illegal) == 0 }

// CrossCheck lets porcupine decide, company by company, whether there is any order of the calls
// that explains the responses and respects real time. Inside a window it does not know the
// sequences; they only determine which calls are in a window, and its initial state. A write
// without a response may have happened at any time until the end, or not at all. The error is
// ErrUnknown or ErrTooWide.
func CrossCheck(h History, initial Initial, win Window) (CrossReport, error) {
	win.Operations = cmp.Or(win.Operations, maxWindow)
	win.Timeout = cmp.Or(win.Timeout, defaultTimeout)
	clients := map[int]bool{}
	for _, c := range h {
		clients[c.Client] = true
	}
	if len(clients) > maxClients || win.Operations > maxWindow {
		return CrossReport{}, fmt.Errorf("%w: %d clients, windows of %d operations; at most %d and %d",
			ErrTooWide, len(clients), win.Operations, maxClients, maxWindow)
	}
	var report CrossReport
	parts := partition(h)
	for _, company := range slices.Sorted(maps.Keys(parts)) {
		if err := report.company(company, parts[company], newWorld(initial, keysOf(h)), win); err != nil {
			return report, err
		}
	}
	return report, nil
}

// company checks one company's part, window after window. Each one starts with the model's state
// after the previous one.
func (report *CrossReport) company(id string, part *share, w *world, win Window) error {
	for n := 1; len(part.known) > 0 && (win.Windows == 0 || n <= win.Windows); n++ {
		size := min(win.Operations, len(part.known))
		calls := slices.Concat(part.known[:size], part.open)
		report.Windows, report.Operations = report.Windows+1, report.Operations+len(calls)
		switch ask(bookOf(w, id), calls, win.Timeout) {
		case porcupine.Unknown:
			return fmt.Errorf("%w: company %s, window %d of %d operations, %s", ErrUnknown, id, n, len(calls), win.Timeout)
		case porcupine.Illegal:
			report.Illegal = append(report.Illegal, fmt.Sprintf("company %s, window %d: no order explains its %d operations", id, n, len(calls)))
		}
		if len(part.open) > 0 {
			return nil // the next window does not know the effect of an unresolved write
		}
		for _, c := range part.known[:size] {
			if !c.request.Op.Read() {
				_, change := w.try(c.request)
				w.put(change)
			}
		}
		part.known = part.known[size:]
	}
	return nil
}

// span is a call for porcupine: all calls with one key are one.
type span struct {
	client          int
	request         Request
	key             string // assigned to an Authorize
	got             says
	open            bool // no response is known
	seq             int64
	called, returns int64
}

// share is a company's part of a history.
type share struct {
	known []span // by sequence, writes before the reads that see them
	open  []span
}

func partition(h History) map[string]*share {
	parts := map[string]*share{}
	of := func(company string) *share {
		if parts[company] == nil {
			parts[company] = &share{}
		}
		return parts[company]
	}
	keys := keysOf(h)
	for _, w := range gather(h, &Report{}) {
		p := of(w.request.Company)
		p.known = append(p.known, span{h[w.calls[0]].Client, w.request, keys[w.request.Reference()], w.got, false, w.seq, w.called, w.before})
	}
	for _, i := range readsOf(h) {
		c := h[i]
		p := of(c.Request.Company)
		p.known = append(p.known, span{c.Client, c.Request, "", c.Answer.says(), false, c.Answer.Seq, c.Called, c.Returned})
	}
	for _, i := range h.unresolved() {
		c := h[i]
		p := of(c.Request.Company)
		p.open = append(p.open, span{c.Client, c.Request, keys[c.Request.Reference()], says{}, true, 0, c.Called, math.MaxInt64})
	}
	for _, p := range parts {
		slices.SortStableFunc(p.known, func(a, b span) int { return cmp.Compare(a.seq, b.seq) })
	}
	return parts
}

// book is a company in porcupine's model: it is immutable, so that states can share data.
type book struct {
	line   line
	orders []*order // by key
	hash   uint64
}

func bookOf(w *world, company string) *book {
	b := &book{line: w.lines[company]}
	for _, key := range slices.Sorted(maps.Keys(w.orders)) {
		o := w.orders[key]
		b.orders = append(b.orders, &o)
	}
	return b
}

func (b *book) find(key string) (int, bool) {
	return slices.BinarySearchFunc(b.orders, key, func(o *order, k string) int { return cmp.Compare(o.key, k) })
}

// step is the model's step on a book.
func (b *book) step(s *span, seed maphash.Seed) (says, *book) {
	key := s.request.Order
	if s.request.Op == Authorize {
		key = cmp.Or(s.key, "of "+s.request.Reference())
	}
	at, ok := b.find(key)
	var o order
	if ok {
		o = *b.orders[at]
	}
	if s.request.Op == ReadOrder {
		return says{200, "", o.show(s.request.Company)}, b
	}
	answer, l, next := step(s.request, key, b.line, o)
	if l == b.line && next == o || answer.status >= 400 {
		return answer, b
	}
	c := &book{line: l, orders: b.orders, hash: b.hash}
	if next != o && next.key != "" {
		c.hash ^= maphash.Comparable(seed, next)
		if c.orders = slices.Clone(b.orders); ok {
			c.hash ^= maphash.Comparable(seed, o)
			c.orders[at] = &next
		} else {
			c.orders = slices.Insert(c.orders, at, &next)
		}
	}
	return answer, c
}

func (b *book) equal(c *book) bool {
	return b.hash == c.hash && b.line == c.line &&
		slices.EqualFunc(b.orders, c.orders, func(x, y *order) bool { return x == y || *x == *y })
}

// ask makes porcupine search for an order.
func ask(start *book, spans []span, timeout time.Duration) porcupine.CheckResult {
	seed := maphash.MakeSeed()
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{start} },
		Step: func(state, input, _ any) []any {
			b, s := state.(*book), input.(*span)
			got, next := b.step(s, seed)
			switch {
			case s.open && next != b:
				return []any{b, next}
			case s.open:
				return []any{b}
			case got == s.got:
				return []any{next}
			}
			return nil
		},
		Equal: func(a, b any) bool { return a.(*book).equal(b.(*book)) },
		Hash: func(a any) uint64 {
			b := a.(*book)
			return b.hash ^ maphash.Comparable(seed, b.line)
		},
	}
	operations := make([]porcupine.Operation, len(spans))
	for i := range spans {
		s := &spans[i]
		operations[i] = porcupine.Operation{ClientId: s.client, Input: s, Call: s.called, Return: s.returns}
	}
	return porcupine.CheckOperationsTimeout(model.ToModel(), operations, timeout)
}
