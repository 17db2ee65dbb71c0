package postgres

import (
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/failpoint"
	"tenor/internal/store"
)

// write is the whole pipeline of a batch up to, but without, COMMIT: the sequence
// first, then parents before children, lines before their entry, what was released
// before what was taken.
func (t *tx) write(r *store.Rows) (first, second []*call) {
	w := writer{n: r.Batch.LastQ}
	w.calls = append(w.calls, t.sequence(r))
	if c := t.loaded.unchanged(t.batch.BusinessDate); c != nil {
		w.calls = append(w.calls, c)
	}
	put(&w, &store.Batches, statements.batches, []store.BatchRow{r.Batch})
	put(&w, &store.Audits, statements.audits, r.Audits)
	put(&w, &store.Idempotency, statements.answers, r.Answers)
	t.nouns(&w, r)
	half := len(w.calls)
	put(&w, &store.Postings, statements.postings, r.Postings)
	put(&w, &store.Entries, statements.entries, r.Entries)
	t.payoutLines(&w, r)
	put(&w, &store.Balances, statements.balances, r.Balances)
	put(&w, &store.Positions, statements.positions, r.Positions)
	put(&w, &store.Events, statements.events, r.Events)
	put(&w, &store.EventReaders, statements.readers, r.Readers)
	// What the schema checks last is checked now: an error of COMMIT itself would
	// leave the outcome to be looked up.
	w.calls = append(w.calls, &call{sql: "SET CONSTRAINTS ALL IMMEDIATE"})
	return w.calls[:half], w.calls[half:]
}

// writer gathers the calls of a batch of n commits.
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

// add adds a statement over other rows, if there are any.
func (w *writer) add(sql string, rows source, more ...store.Value) {
	if rows.count() > 0 {
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

// unchanged is the call that looks again at what was read without a lock, nil if
// there is nothing.
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

// absentLenders are lenders that were asked for and not found: another node may store the
// first settings while a batch is decided on there being none.
func (l *loader) absentLenders() texts {
	var ids texts
	for id := range l.s.Lenders {
		if !l.there[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// nouns are the records and what hangs below them.
func (t *tx) nouns(w *writer, r *store.Rows) {
	n := integer(w.n)
	put(w, &store.Merchants, statements.merchants, r.Merchants)
	put(w, &store.Programmes, statements.programmes, r.Programmes)
	past := make(tuples, len(r.Companies))
	for i, c := range r.Companies {
		past[i] = []store.Value{integer(c.ID), integer(c.Q)}
	}
	w.add(statements.companyPast, past, n)
	put(w, &store.Companies, statements.companies, r.Companies)
	t.links(w, r.Companies)
	fresh, old := split(r.Orders, func(o *store.OrderRow) bool { return o.Fresh && !t.there(o.Key) })
	past = make(tuples, len(old))
	for i, o := range old {
		past[i] = []store.Value{text(o.Key), integer(o.Q)}
	}
	w.add(statements.orderPast, past, n)
	put(w, &store.Orders, statements.newOrders, fresh)
	put(w, &store.Orders, statements.orders, old)
	writeLoans(w, r.Loans)
	methods, oldMethods := split(r.Methods, func(m *store.MethodRow) bool { return m.Version == 1 && !t.there(m.ID) })
	put(w, &store.PaymentMethods, statements.newMethods, methods) // before the payments that are made with them
	put(w, &store.PaymentMethods, statements.methods, oldMethods)
	newPayments, oldPayments := split(r.Payments, func(p *store.PaymentRow) bool { return p.Fresh && !t.there(p.ID) })
	put(w, &store.Payments, statements.newPayments, newPayments)
	put(w, &store.Payments, statements.payments, oldPayments)
	newInvoices, oldInvoices := split(r.Invoices, func(i *store.InvoiceRow) bool { return i.Fresh && !t.there(i.ID) })
	put(w, &store.Invoices, statements.newInvoices, newInvoices)
	put(w, &store.Invoices, statements.invoices, oldInvoices)
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
	t.rails(w, r)
	t.access(w, r)
}

// rails writes payouts, the transfers that pay them, and the rest of what belongs to
// rails and books.
func (t *tx) rails(w *writer, r *store.Rows) {
	payouts, oldPayouts := split(r.Payouts, func(p *store.PayoutRow) bool { return p.Version == 1 && !t.there(p.ID) })
	put(w, &store.Payouts, statements.newPayouts, payouts)
	put(w, &store.Payouts, statements.payouts, oldPayouts)
	transfers, oldTransfers := split(r.Transfers, func(x *store.TransferRow) bool { return x.Fresh && !t.there(x.ID) })
	put(w, &store.Transfers, statements.newTransfers, transfers)
	put(w, &store.Transfers, statements.transfers, oldTransfers)
	notices, oldNotices := split(r.Notices, func(n *store.NoticeRow) bool { return n.Version == 1 && !t.there(n.ID) })
	put(w, &store.Notices, statements.newNotices, notices)
	put(w, &store.Notices, statements.notices, oldNotices)
	put(w, &store.Periods, statements.periods, r.Periods)
	lenders, oldLenders := split(r.Lenders, func(x *store.LenderRow) bool { return x.Version == 1 && !t.there(x.ID) })
	put(w, &store.Lenders, statements.newLenders, lenders)
	put(w, &store.Lenders, statements.lenders, oldLenders)
	screenings, oldScreenings := split(r.Screenings, func(x *store.ScreeningRow) bool { return x.Version == 1 && !t.there(x.ID) })
	put(w, &store.Screenings, statements.newScreenings, screenings)
	put(w, &store.Screenings, statements.screenings, oldScreenings)
	receipts, oldReceipts := split(r.Receipts, func(x *store.ReceiptRow) bool { return x.Version == 1 && !t.there(x.ID) })
	put(w, &store.Receipts, statements.newReceipts, receipts)
	put(w, &store.Receipts, statements.receipts, oldReceipts)
	t.records(w, r)
}

// payoutLines come after payouts, transfers and entries: one of these has ended a line
// that waits no more.
func (t *tx) payoutLines(w *writer, r *store.Rows) {
	lines, oldLines := split(r.Lines, func(l *store.LineRow) bool { return l.Version == 1 && !t.there(l.ID) })
	put(w, &store.PayoutLines, statements.newLines, lines)
	put(w, &store.PayoutLines, statements.lines, oldLines)
}

// access writes clients, endpoints and what is to be sent again. Few batches hold any.
func (t *tx) access(w *writer, r *store.Rows) {
	newClients, oldClients := split(r.Clients, func(c *store.ClientRow) bool { return c.Version == 1 && !t.there(c.ID) })
	put(w, &store.Clients, statements.newClients, newClients)
	put(w, &store.Clients, statements.clients, oldClients)
	newTokens, oldTokens := split(r.Tokens, func(x *store.TokenRow) bool { return x.RevokedAt.IsZero() && !t.there(x.Key()) })
	put(w, &store.Tokens, statements.newTokens, newTokens)
	put(w, &store.Tokens, statements.tokens, oldTokens)
	newEndpoints, oldEndpoints := split(r.Endpoints, func(e *store.EndpointRow) bool { return e.Version == 1 && !t.there(e.ID) })
	past := make(tuples, len(oldEndpoints))
	for i, e := range oldEndpoints {
		past[i] = []store.Value{text(e.ID), integer(e.Q)}
	}
	w.add(statements.endpointPast, past, integer(w.n))
	put(w, &store.Endpoints, statements.newEndpoints, newEndpoints)
	put(w, &store.Endpoints, statements.endpoints, oldEndpoints)
	put(w, &store.Resends, statements.resends, r.Resends)
}

// there reports whether a record was found when the batch was loaded. A command that
// changes nothing that is shown leaves the version of a record as it is, so the version
// alone does not tell what is new.
func (t *tx) there(id string) bool { return t.loaded != nil && t.loaded.there[id] }

// split parts rows into those that are made by the batch and those that are there.
func split[T any](rows []T, isFresh func(*T) bool) (fresh, old []T) {
	for i := range rows {
		if isFresh(&rows[i]) {
			fresh = append(fresh, rows[i])
		} else {
			old = append(old, rows[i])
		}
	}
	return fresh, old
}

// links are the rows of companies whose merchants changed.
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

// send writes the batch and commits it, all in one round trip. With failpoints it
// stops where they are.
func (t *tx) send(r *store.Rows) (commit *call, err error) {
	first, second := t.write(r)
	commit = &call{sql: "COMMIT"}
	if failpoint.Enabled {
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
