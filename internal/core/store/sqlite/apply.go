package sqlite

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
)

// insertInto copies the input's rows into a table. The WHERE keeps a following
// ON CONFLICT from being read as a join.
func insertInto(s store.Schema) string {
	return "INSERT INTO " + s.Name + " (" + columns(s, "") + ") SELECT " + inputColumns(len(s.Columns)) + " FROM input WHERE true"
}

// upsert is insertInto that, for existing rows, updates all columns except the key and
// those to keep.
func upsert(s store.Schema, keep ...string) string {
	var set []string
	for _, c := range s.Columns[s.Key:] {
		if !slices.Contains(keep, c) {
			set = append(set, c+" = excluded."+c)
		}
	}
	return insertInto(s) + " ON CONFLICT (" + strings.Join(s.Columns[:s.Key], ", ") + ") DO UPDATE SET " + strings.Join(set, ", ")
}

func inputColumns(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("c" + number(i))
	}
	return b.String()
}

// keepPast copies the stored versions of rows about to be overwritten into their history. q
// is the input column with the new version's commit.
func keepPast(now, history store.Schema, q int) string {
	key := now.Columns[0]
	return "INSERT INTO " + history.Name + " (" + columns(history, "") + ") SELECT i.c" + number(q) + ", " +
		columns(now.Kept(), "t.") + " FROM input i CROSS JOIN " + now.Name + " t ON t." + key + " = i.c0"
}

// deleteFrom deletes the rows whose leading key columns are the input's.
func deleteFrom(s store.Schema) string {
	keys := s.Columns[:s.Key]
	on := make([]string, len(keys))
	for i, c := range keys {
		on[i] = "t." + c + " = i.c" + number(i)
	}
	return "DELETE FROM " + s.Name + " WHERE (" + strings.Join(keys, ", ") + ") IN (SELECT " +
		columns(store.Schema{Columns: keys}, "t.") + " FROM input i CROSS JOIN " + s.Name + " t ON " + strings.Join(on, " AND ") + ")"
}

// step is one statement over one list of rows.
type step struct {
	sql  string
	rows source
}

func put[T any](t *store.Table[T], sql string, rows []T) step { return step{sql, records[T]{t, rows}} }

// write writes a batch: parents before children, lines before their entry, releases before
// claims. It can be canceled between two statements.
func (t *tx) write(ctx context.Context, r *store.Rows) error {
	steps := t.log(r)
	steps = append(steps, t.nouns(r)...)
	middle := len(steps)
	steps = append(steps, t.books(r)...)
	for i, s := range steps {
		if i == middle {
			if err := failpoint.Hit(failpoint.MidApply); err != nil {
				return err
			}
		}
		if ctx.Done() != nil {
			// The canceler may need a processor to do so.
			runtime.Gosched()
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := t.exec(s.sql, s.rows, nil); err != nil {
			return err
		}
	}
	return nil
}

// log returns the steps for the commit sequence, the batch, the audit rows and the answers.
func (t *tx) log(r *store.Rows) []step {
	head := []store.BookRow{{Head: r.Head, Book: store.Book}}
	batch := []store.BatchRow{r.Batch}
	logged, sealed, keys := r.Logged()
	return []step{
		put(&store.Books, statements.head, head),
		put(&store.Batches, statements.batches, batch),
		put(&store.Logged, statements.audits, logged),
		put(&store.Idempotency, statements.answers, sealed),
		put(&store.AnswerKeys, statements.keys, keys),
	}
}

// nouns returns the steps for the records and their dependents.
func (t *tx) nouns(r *store.Rows) []step {
	var steps []step
	for i, n := range store.Nouns {
		if n.Traits().Late {
			continue
		}
		steps = append(steps, nounSteps(r, i)...)
		switch n {
		case store.MerchantNoun:
			steps = append(steps, put(&store.Programs, statements.programs, r.Programs))
		case store.EndpointNoun:
			steps = append(steps, put(&store.Resends, statements.resends, r.Resends))
		case store.CompanyNoun:
			steps = append(steps, t.links(store.CompanyNoun.In(r))...)
		case store.OrderNoun:
			steps = append(steps, loanSteps(r.Loans)...)
		}
	}
	return append(steps,
		put(&store.Vault, vaultTexts.put, r.Vault),
		put(&store.Vault, vaultTexts.erase, r.Erased),
		put(&store.Credits, statements.creditsClosed, r.Closed),
		put(&store.Credits, statements.credits, r.Credits),
		put(&store.MoneyEvents, statements.money, r.Money),
		put(&store.MoneyTouches, statements.touches, r.Touches),
		put(&store.Claims, statements.released, r.Released),
		put(&store.Claims, statements.claims, r.Claims))
}

// nounSteps returns the steps for one noun.
func nounSteps(r *store.Rows, at int) []step {
	rows, text := r.Nouns[at], &nounTexts[at]
	if rows.Len() == 0 {
		return nil
	}
	var steps []step
	if text.past != "" {
		steps = append(steps, step{text.past, rows})
	}
	for _, sql := range text.put {
		steps = append(steps, step{sql, rows})
	}
	return steps
}

// books returns the steps for the ledger and the events, and for the nouns that an entry
// may end.
func (t *tx) books(r *store.Rows) []step {
	steps := []step{
		put(&store.Postings, statements.postings, r.Postings),
		put(&store.Entries, statements.entries, r.Entries),
	}
	for i, n := range store.Nouns {
		if n.Traits().Late {
			steps = append(steps, nounSteps(r, i)...)
		}
	}
	return append(steps,
		put(&store.Balances, statements.balances, r.Balances),
		put(&store.DayTotals, statements.totals, r.DayTotals),
		put(&store.DueTotals, statements.dues, r.DueTotals),
		put(&store.Positions, statements.positions, r.Positions),
		put(&store.EventReaders, statements.readers, r.Readers),
		put(&store.EventObjects, statements.objects, r.Objects))
}

// links returns the steps for companies whose merchants changed.
func (t *tx) links(companies []store.CompanyRow) []step {
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
	return []step{
		{statements.unlink, changed},
		put(&store.CompanyMerchants, statements.links, links),
	}
}

func loanSteps(loans []store.LoanRow) []step {
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
	return []step{
		put(&store.Loans, statements.loans, loans),
		put(&store.Installments, statements.installments, rows),
		{statements.installmentsGone, sizes},
		put(&store.Fees, statements.fees, fees),
		{statements.feesGone, sizes},
	}
}
