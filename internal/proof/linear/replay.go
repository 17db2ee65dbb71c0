package linear

import (
	"cmp"
	"slices"
)

// Limits on analyzing a wrong response: concurrent calls are close to each other in sequence.
// Findings beyond maxExplained are reported without a reason, since after so many the history
// reveals nothing new.
const (
	nearby       = 48
	horizon      = 512 // how many writes late a response may be: a batch's size
	maxExplained = 24
)

// player replays writes in the order of their sequences (a), and compares reads with the state at
// theirs (c).
type player struct {
	report    *Report
	history   History
	initial   Initial
	writes    []write
	reads     []int // calls by As-Of-Seq
	world     *world
	certain   int64              // from here on a sequence is missing: a mismatch may have no other reason
	done      map[int]bool       // writes already put, out of turn
	applied   map[string][]entry // by company, in the order put
	explained int
}

// entry is a write as put into the world.
type entry struct {
	write   int
	request Request
}

func replay(r *Report, h History, writes []write, initial Initial, certain int64) {
	p := &player{
		report: r, history: h, initial: initial, writes: writes, reads: readsOf(h), world: newWorld(initial, keysOf(h)),
		certain: certain, done: map[int]bool{}, applied: map[string][]entry{},
	}
	for i := range writes {
		p.showReads(writes[i].seq)
		p.play(i)
	}
	p.showReads(1<<63 - 1)
}

// keysOf collects the keys of orders from every response that shows one with its reference, so
// that a response to the wrong caller does not mislead the model.
func keysOf(h History) map[string]string {
	keys := map[string]string{}
	for _, c := range h {
		if v := c.Answer.View; c.Returned != 0 && v.Reference != "" && v.Order != "" && v.Financing != "" {
			keys[v.Reference] = v.Order
		}
	}
	return keys
}

// readsOf returns the answered reads in order of their sequences.
func readsOf(h History) []int {
	var reads []int
	for i, c := range h {
		if c.Request.Op.Read() && c.Returned != 0 && c.Answer.Seq != 0 {
			reads = append(reads, i)
		}
	}
	slices.SortStableFunc(reads, func(a, b int) int { return cmp.Compare(h[a].Answer.Seq, h[b].Answer.Seq) })
	return reads
}

// play puts one write. If its response is not the model's, it is explained first.
func (p *player) play(i int) {
	w := &p.writes[i]
	if p.done[i] {
		return
	}
	want, c := p.world.try(w.request)
	if want == w.got {
		p.put(i, w.request, c)
		return
	}
	if p.explained++; p.explained > maxExplained {
		p.report.add(Wrong, w.seq, w.calls, "%s: %s, want %s", w.request, w.got, want)
		p.put(i, w.request, c)
		return
	}
	if p.swapped(i) || p.late(i, w.got.view, c) || w.seq < p.certain && p.early(i) {
		return
	}
	if w.seq < p.certain && p.lost(w.request, w.got, w.seq, w.calls) {
		_, c = p.world.try(w.request)
	} else {
		p.report.add(Wrong, w.seq, w.calls, "%s: %s, want %s", w.request, w.got, want)
	}
	p.put(i, w.request, c)
}

func (p *player) put(i int, r Request, c change) {
	p.done[i] = true
	p.world.put(c)
	p.world.note(p.writes[i].seq, c)
	p.applied[r.Company] = append(p.applied[r.Company], entry{i, r})
}

// swapped looks for a nearby request to which this response belongs, whose own response belongs
// to this request, or whose sequence this one took along. The world continues with what was
// really decided here.
func (p *player) swapped(i int) bool {
	w := &p.writes[i]
	mine, own := p.world.try(w.request)
	for j := max(0, i-nearby); j < min(len(p.writes), i+nearby); j++ {
		other := &p.writes[j]
		if j == i || other.called > w.before || w.called > other.before {
			continue
		}
		theirs, c := p.world.try(other.request)
		if !p.done[j] && theirs == w.got && theirs != other.got && (about(w, other) || p.crossed(i, j, c)) {
			// The responses went with their sequences: what was decided here is the other's.
			p.tell(w, other)
			p.exchange(i, j)
			p.put(i, p.writes[i].request, c)
			return true
		}
		if mine == other.got && mine != w.got && p.fits(other, i, j, w.got) {
			p.tell(w, other)
			p.writes[j].got, w.got = w.got, mine
			p.put(i, w.request, own)
			return true
		}
	}
	return false
}

// tell reports two swapped responses, unless both were already found to be astray.
func (p *player) tell(w, other *write) {
	if !astray(p.history[w.calls[0]]) || !astray(p.history[other.calls[0]]) {
		p.report.add(Swapped, w.seq, slices.Concat(w.calls, other.calls), "%s got the answer of %s", w.request, other.request)
	}
}

// about reports whether a response names another request's order or number instead of its own.
func about(w, other *write) bool {
	v := w.got.view
	if v.Reference != "" && (w.request.Op == Authorize || other.request.Op == Authorize) {
		return v.Reference != w.request.Reference() && v.Reference == other.request.Reference()
	}
	return v.Order != "" && v.Order != w.request.Order && v.Order == other.request.Order
}

// crossed reports whether, with the other request decided here, this one fits the other's
// position.
func (p *player) crossed(i, j int, c change) bool {
	undo := append([]change{p.world.put(c)}, p.ahead(i+1, j)...)
	defer p.back(undo)
	s, _ := p.world.try(p.writes[i].request)
	return s == p.writes[j].got
}

// exchange swaps the requests of two writes: a response that went astray took its sequence along.
func (p *player) exchange(i, j int) {
	a, b := &p.writes[i], &p.writes[j]
	a.request, b.request = b.request, a.request
}

// fits reports whether got is the response required for the other in its own turn. If that is
// done, its request's mark in the response must suffice.
func (p *player) fits(other *write, i, j int, got says) bool {
	if p.done[j] {
		return got.view.Reference != "" && got.view.Reference == other.request.Reference()
	}
	undo := p.ahead(i, j)
	defer p.back(undo)
	s, _ := p.world.try(other.request)
	return s == got
}

// ahead puts the writes from one up to another, and returns how to undo that.
func (p *player) ahead(from, to int) []change {
	var undo []change
	for k := from; k < to; k++ {
		if !p.done[k] {
			_, c := p.world.try(p.writes[k].request)
			undo = append(undo, p.world.put(c))
		}
	}
	return undo
}

func (p *player) back(undo []change) {
	for _, c := range slices.Backward(undo) {
		p.world.put(c)
	}
}

// early looks for a write with a higher sequence that must have come before this one, so that
// both responses fit.
func (p *player) early(i int) bool {
	w := &p.writes[i]
	for j := i + 1; j < min(len(p.writes), i+nearby); j++ {
		other := &p.writes[j]
		if p.done[j] || other.request.Company != w.request.Company {
			continue
		}
		theirs, c := p.world.try(other.request)
		if theirs != other.got || theirs.status >= 400 {
			continue
		}
		undo := p.world.put(c)
		mine, own := p.world.try(w.request)
		p.world.put(undo)
		if mine == w.got {
			p.report.add(OutOfOrder, w.seq, slices.Concat(w.calls, other.calls), "%s with %d was decided after %s with %d",
				w.request, w.seq, other.request, other.seq)
			p.put(j, other.request, c)
			p.put(i, w.request, own)
			return true
		}
	}
	return false
}

// late looks for a later sequence at which the response's order or company looks like this. Only
// writes of the same company can have caused it.
func (p *player) late(i int, v View, c change) bool {
	w := &p.writes[i]
	if w.got.status >= 400 {
		return false
	}
	undo := []change{p.world.put(c)}
	seq, found := int64(0), false
	for j, left := i+1, horizon; j < len(p.writes) && left > 0 && !found; j++ {
		if p.done[j] || p.writes[j].request.Company != w.request.Company {
			continue
		}
		left--
		_, next := p.world.try(p.writes[j].request)
		undo = append(undo, p.world.put(next))
		seq, found = p.writes[j].seq, p.looks(v)
	}
	p.back(undo)
	if found {
		p.report.add(Late, w.seq, w.calls, "%s shows what came of %d", w.request, seq)
		p.put(i, w.request, c)
	}
	return found
}

// looks reports whether the view matches its order, or company, now.
func (p *player) looks(v View) bool {
	if o, ok := p.world.orders[v.Order]; ok {
		return o.show(v.Company) == v
	}
	l, ok := p.world.lines[v.Company]
	return ok && l.show(v.Company) == v
}

// lost looks for an acknowledged write without which the response is right. The world continues
// without it.
func (p *player) lost(r Request, got says, seq int64, calls []int) bool {
	log := p.applied[r.Company]
	for k := len(log) - 1; k >= max(0, len(log)-nearby); k-- {
		if p.writes[log[k].write].got.status >= 400 {
			continue
		}
		without := newWorld(p.initial, p.world.keys)
		for n, e := range log {
			if n != k {
				_, c := without.try(e.request)
				without.put(c)
			}
		}
		answer := without.look(r)
		if !r.Op.Read() {
			answer, _ = without.try(r)
		}
		if answer == got {
			gone := &p.writes[log[k].write]
			p.report.add(Lost, gone.seq, slices.Concat(gone.calls, calls), "%s with %d: %s at %d is answered as if it had never been", gone.request, gone.seq, r, seq)
			p.adopt(r.Company, without)
			p.applied[r.Company] = slices.Delete(log, k, k+1)
			return true
		}
	}
	return false
}

// adopt takes a company's state from another world.
func (p *player) adopt(company string, from *world) {
	for _, e := range p.applied[company] {
		_, c := p.world.try(e.request)
		if c.key == "" {
			continue
		}
		delete(p.world.orders, c.key)
		if o, ok := from.orders[c.key]; ok {
			p.world.orders[c.key] = o
		}
	}
	p.world.lines[company] = from.lines[company]
}

// showReads compares the reads below a sequence with the state before it.
func (p *player) showReads(below int64) {
	for len(p.reads) > 0 && p.history[p.reads[0]].Answer.Seq < below {
		i := p.reads[0]
		p.reads = p.reads[1:]
		c := p.history[i]
		got, want := c.Answer.says(), p.world.look(c.Request)
		if got != want {
			p.misread(i, got, want)
		}
	}
}

// misread reports what is wrong with a read's content.
func (p *player) misread(i int, got, want says) {
	c := p.history[i]
	seq := c.Answer.Seq
	if p.explained++; p.explained <= maxExplained {
		if since, ok := p.world.was(got.view); ok {
			p.report.add(Stale, seq, []int{i}, "%s shows the state of %d: %s, want %s", c.Request, since, got, want)
			return
		}
		if seq < p.certain && p.lost(c.Request, got, seq, []int{i}) {
			return
		}
		if at, ok := p.comes(got.view, seq); ok {
			p.report.add(Ahead, seq, []int{i}, "%s shows the state of %d: %s, want %s", c.Request, at, got, want)
			return
		}
	}
	p.report.add(Wrong, seq, []int{i}, "%s: %s, want %s", c.Request, got, want)
}

// comes looks for a later write after which the view is right.
func (p *player) comes(v View, seq int64) (int64, bool) {
	from, _ := slices.BinarySearchFunc(p.writes, seq+1, func(w write, q int64) int { return cmp.Compare(w.seq, q) })
	var undo []change
	defer func() { p.back(undo) }()
	for j := from; j < min(len(p.writes), from+nearby); j++ {
		if p.done[j] {
			continue
		}
		_, c := p.world.try(p.writes[j].request)
		undo = append(undo, p.world.put(c))
		if p.looks(v) {
			return p.writes[j].seq, true
		}
	}
	return 0, false
}
