package linear

// world is the model's state: all lines and orders, and their past states.
type world struct {
	lines  map[string]line
	orders map[string]order
	keys   map[string]string // order keys by the creator's reference
	past   map[string][]moment
}

// moment is the visible state of an order or a company from a sequence on.
type moment struct {
	seq  int64
	view View
}

// change is the new state of a request's line and order.
type change struct {
	company string
	line    line
	key     string // empty: the request created or found no order
	order   order
}

func newWorld(initial Initial, keys map[string]string) *world {
	w := &world{lines: map[string]line{}, orders: map[string]order{}, keys: keys, past: map[string][]moment{}}
	for id, l := range initial.Lines {
		w.lines[id] = line{limit: l.Limit, reserved: l.Reserved, outstanding: l.Outstanding, credit: l.Credit}
		w.past[id] = []moment{{initial.Seq, w.lines[id].show(id)}}
	}
	return w
}

// try runs the model without changing anything.
func (w *world) try(r Request) (says, change) {
	c := change{company: r.Company, key: r.Order}
	if r.Op == Authorize {
		c.key = w.keys[r.Reference()]
		if c.key == "" {
			c.key = "of " + r.Reference() // nobody has ever been told
		}
	}
	var s says
	before := w.orders[c.key]
	if r.Op == Authorize {
		before = order{}
	}
	s, c.line, c.order = step(r, c.key, w.lines[r.Company], before)
	if r.Op == Authorize && s.status >= 400 {
		c.order = w.orders[c.key] // refused: whatever has that key stays
	}
	return s, c
}

// put applies a change and returns the one that undoes it.
func (w *world) put(c change) (undo change) {
	undo = change{c.company, w.lines[c.company], c.key, w.orders[c.key]}
	w.lines[c.company] = c.line
	if c.order.key == "" {
		delete(w.orders, c.key)
	} else {
		w.orders[c.key] = c.order
	}
	return undo
}

// note records the result of a change from a sequence on.
func (w *world) note(seq int64, c change) {
	w.past[c.company] = append(w.past[c.company], moment{seq, c.line.show(c.company)})
	if c.order.key != "" {
		w.past[c.key] = append(w.past[c.key], moment{seq, c.order.show(c.company)})
	}
}

// look returns the required response to a read of the current state.
func (w *world) look(r Request) says {
	if r.Op == ReadOrder {
		if o, ok := w.orders[r.Order]; ok {
			return says{200, "", o.show(r.Company)}
		}
		return refuse(404, "not_found", View{})
	}
	return says{200, "", w.lines[r.Company].show(r.Company)}
}

// was finds the sequence from which on an object looked like this, before the current state.
func (w *world) was(v View) (seq int64, ok bool) {
	object := v.Order
	if object == "" {
		object = v.Company
	}
	for i := len(w.past[object]) - 1; i >= 0; i-- {
		if m := w.past[object][i]; m.view == v {
			return m.seq, true
		}
	}
	return 0, false
}
