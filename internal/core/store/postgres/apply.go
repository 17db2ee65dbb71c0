package postgres

import (
	"slices"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// write returns a batch's whole pipeline except COMMIT: the sequence first, then parents
// before children, lines before their entry, releases before claims.
func (t *tx) write(r *store.Rows) (first, second []*call) {
	w := writer{n: r.Batch.LastQ}
	w.calls = append(w.calls, t.sequence(r))
	if c := t.loaded.unchanged(t.batch.BusinessDate); c != nil {
		w.calls = append(w.calls, c)
	}
	put(&w, &store.Batches, statements.batches, []store.BatchRow{r.Batch})
	logged, sealed, keys := r.Logged()
	put(&w, &store.Logged, statements.audits, logged)
	put(&w, &store.Idempotency, statements.answers, sealed)
	put(&w, &store.AnswerKeys, statements.keys, keys)
	t.nouns(&w, r)
	half := len(w.calls)
	put(&w, &store.Postings, statements.postings, r.Postings)
	put(&w, &store.Entries, statements.entries, r.Entries)
	t.late(&w, r)
	put(&w, &store.Balances, statements.balances, r.Balances)
	put(&w, &store.DayTotals, statements.totals, r.DayTotals)
	put(&w, &store.DueTotals, statements.dues, r.DueTotals)
	put(&w, &store.Positions, statements.positions, r.Positions)
	put(&w, &store.EventReaders, statements.readers, r.Readers)
	put(&w, &store.EventObjects, statements.objects, r.Objects)
	// Deferred constraints are checked now: an error of COMMIT itself would leave an
	// outcome to look up.
	w.calls = append(w.calls, &call{sql: "SET CONSTRAINTS ALL IMMEDIATE"})
	return w.calls[:half], w.calls[half:]
}

// writer collects the calls of a batch of n commits.
type writer struct {
	n     int64
	calls []*call
}

// put adds a statement over the rows of a table, if there are any.
func put[T any](w *writer, t *store.Table[T], sql string, rows []T) {
	if len(rows) == 0 {
		return
	}
	c := over(sql, records[T]{t, rows}, nil)
	if isCounted(t.Schema()) {
		c.params = append(c.params, param{value: integer(w.n)})
	}
	w.calls = append(w.calls, c)
}

// rows adds a statement over rows of a noun, all of which contain their commit.
func (w *writer) rows(sql string, rows source) { w.add(sql, rows, integer(w.n)) }

// add adds a statement over other rows, if there are any.
func (w *writer) add(sql string, rows source, more ...store.Value) {
	if rows.Len() > 0 {
		w.calls = append(w.calls, over(sql, rows, nil, more...))
	}
}

// sequence is the call that takes the batch's commits.
func (t *tx) sequence(r *store.Rows) *call {
	b := t.batch
	args := []store.Value{
		integer(b.Epoch), integer(r.Batch.LastQ), store.Micros(b.At),
		{Kind: store.Day, Int: int64(b.BusinessDate)}, blob(b.Digest[:]),
	}
	return ask(sequence, args, func(x *row) error {
		t.h = r.Head
		t.h.Q = x.int(0)
		copy(t.h.Hash[:], x.fields[1])
		return nil
	})
}

// unchanged is the call that rechecks what was read without a lock, nil if there is
// nothing.
func (l *loader) unchanged(day calendar.Date) *call {
	if l == nil {
		return nil
	}
	absent := l.absentLenders()
	if len(l.merchants)+len(l.claims)+len(absent)+len(l.waiting) == 0 {
		return nil
	}
	var ids texts
	var qs numbers
	for id, q := range l.merchants {
		ids, qs = append(ids, id), append(qs, q)
	}
	var claims [4]texts
	for c, owner := range l.claims {
		for i, v := range []string{string(c.Kind), c.Scope, c.Name, owner} {
			claims[i] = append(claims[i], v)
		}
	}
	c := &call{sql: unchanged, params: []param{{rows: ids, kind: store.Text}, {rows: qs, kind: store.Integer}}}
	for _, column := range claims {
		c.params = append(c.params, param{rows: column, kind: store.Text})
	}
	var waiting, lines texts
	for m, ids := range l.waiting { // unordered: they are looked up
		waiting, lines = append(waiting, m), append(lines, ids...)
	}
	c.params = append(c.params, param{rows: absent, kind: store.Text}, param{rows: waiting, kind: store.Text}, param{rows: lines, kind: store.Text},
		param{value: date(day)})
	return c
}

// absentLenders returns the lenders that were looked up and not found: another node may
// store the first settings while a batch is decided on their absence.
func (l *loader) absentLenders() texts {
	var ids texts
	for id := range l.s.Lenders {
		if !l.there[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// nouns writes the records and their dependents.
func (t *tx) nouns(w *writer, r *store.Rows) {
	for i, n := range store.Nouns {
		if n.Traits().Late {
			continue
		}
		t.noun(w, r, i)
		switch n {
		case store.MerchantNoun:
			put(w, &store.Programs, statements.programs, r.Programs)
		case store.EndpointNoun:
			put(w, &store.Resends, statements.resends, r.Resends)
		case store.CompanyNoun:
			t.links(w, store.CompanyNoun.In(r))
		case store.OrderNoun:
			writeLoans(w, r.Loans)
		}
	}
	t.secrets(w, r)
	closed := make(tuples, len(r.Closed))
	for i, c := range r.Closed {
		closed[i] = []store.Value{integer(c.Company), text(c.Source)}
	}
	w.add(statements.creditsClosed, closed)
	put(w, &store.Credits, statements.credits, r.Credits)
	put(w, &store.MoneyEvents, statements.money, r.Money)
	put(w, &store.MoneyTouches, statements.touches, r.Touches)
	released := make(tuples, len(r.Released))
	for i, c := range r.Released {
		released[i] = []store.Value{text(string(c.Kind)), text(c.Scope), text(c.Name)}
	}
	w.add(statements.released, released)
	put(w, &store.Claims, statements.claims, r.Claims)
}

// late writes the nouns that an entry may have ended.
func (t *tx) late(w *writer, r *store.Rows) {
	for i, n := range store.Nouns {
		if n.Traits().Late {
			t.noun(w, r, i)
		}
	}
}

// noun writes the rows of one noun: new ones, and ones that replace others.
func (t *tx) noun(w *writer, r *store.Rows, at int) {
	rows, text := r.Nouns[at], &nounTexts[at]
	if rows.Len() == 0 {
		return
	}
	n := store.Nouns[at]
	fresh, old := subset{Changed: rows}, subset{Changed: rows}
	for i := range rows.Len() {
		if text.upsert == "" || rows.Fresh(i) && !t.there(n.Key(rows.Row(i))) {
			fresh.at = append(fresh.at, i)
		} else {
			old.at = append(old.at, i)
		}
	}
	if text.past != "" && len(old.at) > 0 {
		key, q := 0, slices.Index(n.Schema().Columns, "q")
		past := make(tuples, len(old.at))
		for i := range past {
			past[i] = []store.Value{old.Value(i, key), old.Value(i, q)}
		}
		w.add(text.past, past, integer(w.n))
	}
	w.rows(text.insert, fresh)
	w.rows(text.upsert, old)
}

// subset is some rows of a noun.
type subset struct {
	store.Changed
	at []int
}

// Len implements source.
func (s subset) Len() int { return len(s.at) }

// Value implements source.
func (s subset) Value(row, column int) store.Value { return s.Changed.Value(s.at[row], column) }

// there reports whether a record was found when the batch was loaded. A command that
// changes nothing visible leaves a record's version unchanged, so the version alone does
// not tell what is new.
func (t *tx) there(key any) bool { return t.loaded != nil && t.loaded.there[key] }

// links writes the rows of companies whose merchants changed.
func (t *tx) links(w *writer, companies []store.CompanyRow) {
	var links []store.LinkRow
	var changed numbers
	for _, c := range companies {
		if old, loaded := t.linked[c.ID]; loaded && slices.Equal(old, c.Linked) {
			continue
		}
		changed = append(changed, c.ID)
		for _, m := range c.Linked {
			links = append(links, store.LinkRow{Company: c.ID, Merchant: m, CreatedAt: c.CreatedAt})
		}
	}
	w.add(statements.unlink, changed)
	put(w, &store.CompanyMerchants, statements.links, links)
}

func writeLoans(w *writer, loans []store.LoanRow) {
	var rows []store.InstallmentRow
	var fees []store.FeeRow
	sizes := make(tuples, len(loans))
	for i, l := range loans {
		rows = append(rows, l.Installments()...)
		fees = append(fees, l.FeeRows()...)
		last := 0
		for _, r := range l.Rows {
			last = max(last, r.Number)
		}
		sizes[i] = []store.Value{text(l.Key), integer(int64(last)), integer(int64(len(l.Fees)))}
	}
	put(w, &store.Loans, statements.loans, loans)
	put(w, &store.Installments, statements.installments, rows)
	w.add(statements.installmentsGone, sizes)
	put(w, &store.Fees, statements.fees, fees)
	w.add(statements.feesGone, sizes)
}

// send writes the batch and commits it in one round trip. With failpoints it stops at them.
func (t *tx) send(r *store.Rows) (commit *call, err error) {
	first, second := t.write(r)
	commit = &call{sql: "COMMIT"}
	if failpoint.Installed() {
		if err := t.apart(first, second); err != nil {
			return commit, err
		}
		t.sent = true
		return commit, t.conn.run(commit)
	}
	calls := slices.Concat(t.begin(), first, second, []*call{commit})
	t.sent = true
	return commit, t.conn.run(calls...)
}

func (t *tx) apart(first, second []*call) error {
	if err := t.conn.run(slices.Concat(t.begin(), first)...); err != nil {
		return err
	}
	if err := failpoint.Hit(failpoint.MidApply); err != nil {
		return err
	}
	if err := t.conn.run(second...); err != nil {
		return err
	}
	return failpoint.Hit(failpoint.BeforeCommit)
}
