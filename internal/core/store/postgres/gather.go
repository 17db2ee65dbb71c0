package postgres

import "tenor/internal/core/store"

// request is what a reader of a shared snapshot wants, and the rows it gets.
type request struct {
	calls     []*call
	answers   []answer // of each call
	share     *share   // reads for it; guarded by the board until done
	done      chan struct{}
	delivered bool // done is closed
	alone     bool // it must read on a session of its own
	err       error
}

func newRequest(calls []*call) *request {
	return &request{calls: calls, answers: make([]answer, len(calls)), done: make(chan struct{})}
}

// deliver answers the reader.
func (r *request) deliver() {
	r.delivered = true
	r.share.mu.Lock()
	r.share.owed--
	r.share.mu.Unlock()
	close(r.done)
}

// replay passes the rows to the request's calls.
func (r *request) replay(db *DB) error {
	x, ok := db.rows.Get().(*row)
	if !ok {
		x = &row{}
	}
	defer db.rows.Put(x)
	for i, c := range r.calls {
		a := &r.answers[i]
		c.tag = a.tag
		if err := a.each(x, c.row); err != nil {
			return err
		}
	}
	return nil
}

// answer is rows of a result, as they came.
type answer struct {
	data  []byte
	ends  []int // of each field in data, -1 for NULL
	width int   // fields of a row
	tag   string
}

func (a *answer) add(fields [][]byte) {
	a.width = len(fields)
	if a.ends == nil {
		size := 0
		for _, f := range fields {
			size += len(f)
		}
		a.data, a.ends = make([]byte, 0, size), make([]int, 0, len(fields))
	}
	for _, f := range fields {
		if f == nil {
			a.ends = append(a.ends, -1)
			continue
		}
		a.data = append(a.data, f...)
		a.ends = append(a.ends, len(a.data))
	}
}

// each calls fn with each row.
func (a *answer) each(x *row, fn func(*row) error) error {
	if fn == nil {
		return nil
	}
	from, texts := 0, string(a.data) // one copy serves all texts of the rows
	for at := 0; at < len(a.ends); at += a.width {
		x.fields, x.texts = x.fields[:0], x.texts[:0]
		for _, end := range a.ends[at : at+a.width] {
			if end < 0 {
				x.fields, x.texts = append(x.fields, nil), append(x.texts, "")
				continue
			}
			x.fields, x.texts = append(x.fields, a.data[from:end:end]), append(x.texts, texts[from:end])
			from = end
		}
		if err := fn(x); err != nil {
			return err
		}
	}
	return nil
}

// gathering turns requests into one pipeline.
type gathering struct {
	calls []*call
	keyed map[string]*union // by statement
}

// union is a statement with the keys of all requests that want it.
type union struct {
	kind store.Type
	keys []store.Value
	to   map[string][]*answer // by key as it is sent
}

// Len implements source.
func (u *union) Len() int { return len(u.keys) }

// Types implements source.
func (u *union) Types() []store.Type { return []store.Type{u.kind} }

// Value implements source.
func (u *union) Value(row, _ int) store.Value { return u.keys[row] }

// gather returns the calls of a pipeline that answers all requests. Calls of one statement
// by key become one, and come first: nobody who wants a record waits for others' lists.
func gather(batch []*request) []*call {
	g := gathering{keyed: map[string]*union{}}
	last := make([]int, len(batch)) // call of each request
	at := map[*union]int{}
	for n, r := range batch {
		last[n] = -1
		for i, c := range r.calls {
			if c.key == 0 {
				continue
			}
			u := g.keyed[c.sql]
			if u == nil {
				u = g.union(c)
				at[u] = len(g.calls) - 1
			}
			u.add(c.params[0], &r.answers[i])
			last[n] = max(last[n], at[u])
		}
	}
	records := len(g.calls)
	for n, r := range batch {
		for i, c := range r.calls {
			if c.key == 0 {
				g.single(c, &r.answers[i])
				last[n] = len(g.calls) - 1
			}
		}
	}
	if records > 0 && records < len(g.calls) {
		g.calls[records-1].flush = true
	}
	for n, r := range batch {
		if last[n] >= 0 {
			g.calls[last[n]].then(r.deliver)
		}
	}
	return g.calls
}

// single adds a call of one request.
func (g *gathering) single(c *call, a *answer) {
	own := *c
	own.row = func(r *row) error { a.add(r.fields); return nil }
	own.done = func() { a.tag = own.tag }
	g.calls = append(g.calls, &own)
}

// union adds a call of many.
func (g *gathering) union(c *call) *union {
	u := &union{kind: c.params[0].kind, to: map[string][]*answer{}}
	column := c.key - 1
	g.keyed[c.sql] = u
	g.calls = append(g.calls, &call{sql: c.sql, params: []param{{rows: u, kind: u.kind}}, row: func(r *row) error {
		for _, a := range u.to[string(r.fields[column])] {
			a.add(r.fields)
		}
		return nil
	}})
	return u
}

// add adds the keys of a request, whose rows go to its answer.
func (u *union) add(p param, a *answer) {
	var buf [64]byte
	for i := range p.rows.Len() {
		v := p.rows.Value(i, p.column)
		if v.Null {
			continue // no row has it
		}
		raw := appendValue(buf[:0], v)
		to, known := u.to[string(raw)]
		if !known {
			u.keys = append(u.keys, v)
		}
		if known && to[len(to)-1] == a {
			continue
		}
		u.to[string(raw)] = append(to, a)
	}
}

// then appends to what happens when a call has been answered.
func (c *call) then(fn func()) {
	before := c.done
	c.done = func() {
		if before != nil {
			before()
		}
		fn()
	}
}
