package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/money"
)

// PutBankLines implements store.Reconciliation.
func (db *DB) PutBankLines(ctx context.Context, lines []store.BankLine) (int, error) {
	if len(lines) == 0 {
		return 0, nil
	}
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Match, lines[i].Owner, lines[i].Note = "", "", ""
	}
	c := over(statements.bankLines, records[store.BankLine]{&store.BankLineTable, lines}, nil)
	if err := db.put(ctx, c); err != nil {
		return 0, fmt.Errorf("put bank lines: %w", err)
	}
	var n int
	if _, err := fmt.Sscanf(c.tag, "INSERT 0 %d", &n); err != nil {
		return 0, fmt.Errorf("put bank lines: the server said %q: %w", c.tag, err)
	}
	return n, nil
}

// The statements of matching. Rows are locked in order of their names before they are read:
// of two callers that match the same row, the second sees what the first did.
const (
	lockLines = "SELECT id, amount, coalesce(match_id, '') FROM bank_lines WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE"
	lockCash  = "SELECT entry_id FROM cash_items WHERE entry_id = ANY($1::text[]) AND match_id IS NOT NULL ORDER BY entry_id FOR UPDATE"
	sumsCash  = `SELECT e.id, sum(p.amount)::bigint FROM entries e CROSS JOIN LATERAL
		(SELECT * FROM postings x WHERE x.q = e.q AND x.n = e.n OFFSET 0) p
		WHERE e.id = ANY($1::text[]) AND p.account = 1000 GROUP BY e.id`
	matchLines = "UPDATE bank_lines SET match_id = $2 WHERE id = ANY($1::text[])"
	// matchCash fails if another caller has matched the entry meanwhile: then the matches
	// are checked again.
	matchCash = `INSERT INTO cash_items AS c (entry_id, match_id, owner, note) SELECT i, $2, '', '' FROM unnest($1::text[]) i
		ON CONFLICT (entry_id) DO UPDATE SET match_id = CASE WHEN demand(c.match_id IS NULL, '` + codeChanged + `') THEN excluded.match_id END`
	undoMatch   = "UPDATE bank_matches SET undone_at = $3, undone_by = $2 WHERE id = $1 AND undone_at IS NULL RETURNING id"
	openLines   = "UPDATE bank_lines SET match_id = NULL WHERE match_id = $2 AND id = ANY($1::text[])"
	openCash    = "UPDATE cash_items SET match_id = NULL WHERE match_id = $2 AND entry_id = ANY($1::text[])"
	assignLine  = "UPDATE bank_lines SET owner = $2, note = $3 WHERE id = $1"
	assignEntry = `INSERT INTO cash_items (entry_id, match_id, owner, note) VALUES ($1, NULL, $2, $3)
		ON CONFLICT (entry_id) DO UPDATE SET owner = excluded.owner, note = excluded.note`
)

// found is the database state of a match's members.
type found struct {
	lines, cash map[string]money.Amount
	taken       map[string]bool // lines and entries
}

// PutMatches implements store.Reconciliation.
func (db *DB) PutMatches(ctx context.Context, list []store.BankMatch) error {
	list = slices.Clone(list)
	var lines, entries []string
	for i := range list {
		if err := list[i].Check(); err != nil {
			return err
		}
		list[i].UndoneAt, list[i].UndoneBy = time.Time{}, ""
		lines, entries = append(lines, list[i].Lines...), append(entries, list[i].Entries...)
	}
	if len(list) == 0 {
		return nil
	}
	f := found{map[string]money.Amount{}, map[string]money.Amount{}, map[string]bool{}}
	first := []*call{
		over(lockLines, texts(lines), func(r *row) error {
			f.lines[r.text(0)] = money.Amount(r.int(1))
			f.taken["line "+r.text(0)] = r.text(2) != ""
			return nil
		}),
		over(lockCash, texts(entries), func(r *row) error { f.taken["entry "+r.text(0)] = true; return nil }),
		over(sumsCash, texts(entries), func(r *row) error { f.cash[r.text(0)] = money.Amount(r.int(1)); return nil }),
	}
	err := db.transact(ctx, first, func() ([]*call, error) {
		calls := []*call{over(statements.bankMatches, records[store.BankMatch]{&store.BankMatches, list}, nil)}
		for _, m := range list {
			if err := f.hold(m); err != nil {
				return nil, fmt.Errorf("match %s: %w", m.ID, err)
			}
			calls = append(calls, over(matchLines, texts(m.Lines), nil, text(m.ID)), over(matchCash, texts(m.Entries), nil, text(m.ID)))
		}
		return calls, nil
	})
	return wrap("put matches", err)
}

// hold takes a match's members, and sums both sides.
func (f *found) hold(m store.BankMatch) error {
	var lines, cash money.Amount
	for _, id := range m.Lines {
		amount, there := f.lines[id]
		switch {
		case !there:
			return fmt.Errorf("%w: line %s does not exist", store.ErrRefused, id)
		case f.taken["line "+id]:
			return fmt.Errorf("%w: line %s is in another match", store.ErrTaken, id)
		}
		f.taken["line "+id], lines = true, lines.Add(amount)
	}
	for _, id := range m.Entries {
		amount, there := f.cash[id]
		switch {
		case !there:
			return fmt.Errorf("%w: entry %s does not post to 1000", store.ErrRefused, id)
		case f.taken["entry "+id]:
			return fmt.Errorf("%w: entry %s is in another match", store.ErrTaken, id)
		}
		f.taken["entry "+id], cash = true, cash.Add(amount)
	}
	if lines != m.Amount || cash != m.Amount {
		return fmt.Errorf("%w: lines of %s and entries of %s must both be %s", store.ErrRefused, lines, cash, m.Amount)
	}
	return nil
}

// UndoMatch implements store.Reconciliation.
func (db *DB) UndoMatch(ctx context.Context, id, by string, at time.Time) error {
	var m *store.BankMatch
	undone := false
	first := []*call{
		ask(undoMatch, []store.Value{text(id), text(by), store.Micros(at)}, func(*row) error { undone = true; return nil }),
		ask("SELECT "+columns(store.BankMatches.Schema(), "")+" FROM bank_matches"+" WHERE id = $1", []store.Value{text(id)}, every(&store.BankMatches, func(r *store.BankMatch) { m = r })),
	}
	err := db.transact(ctx, first, func() ([]*call, error) {
		if !undone || m == nil {
			return nil, fmt.Errorf("%w: it does not exist, or was undone", store.ErrRefused)
		}
		return []*call{over(openLines, texts(m.Lines), nil, text(id)), over(openCash, texts(m.Entries), nil, text(id))}, nil
	})
	return wrap("undo match "+id, err)
}

// AssignLine implements store.Reconciliation.
func (db *DB) AssignLine(ctx context.Context, id, owner, note string) error {
	return wrap("assign bank line "+id, db.change(ctx, ask(assignLine, []store.Value{text(id), text(owner), text(note)}, nil)))
}

// AssignEntry implements store.Reconciliation.
func (db *DB) AssignEntry(ctx context.Context, entry, owner, note string) error {
	return wrap("assign entry "+entry, db.put(ctx, ask(assignEntry, []store.Value{text(entry), text(owner), text(note)}, nil)))
}

// EachCash implements store.View. Entries on 1000 have an index of their own; a date
// becomes the first commit of its entries, because the business date never goes back.
func (v *view) EachCash(f store.CashFilter, fn func(store.CashRow) error) error {
	l := list{where: []string{"p.account = 1000"}}
	if from := date(f.From); !from.Null {
		at := l.arg(from)
		l.where = append(l.where, "p.q >= (SELECT min(b.q) FROM entries b WHERE b.book_date >= "+at+")", "e.book_date >= "+at)
	}
	l.compare("e.book_date", "<=", date(f.To))
	if f.Open {
		l.where = append(l.where, "c.match_id IS NULL")
	}
	sql := "SELECT e.id, e.q, e.book_date, e.event, e.cause, max(p.payment_id), sum(p.amount)::bigint, c.match_id, coalesce(c.owner, ''), coalesce(c.note, '')" +
		" FROM postings p JOIN entries e ON e.q = p.q AND e.n = p.n LEFT JOIN cash_items c ON c.entry_id = e.id" + l.clause() +
		" GROUP BY e.q, e.n, c.entry_id ORDER BY e.q, e.n"
	err := walk(v, ask(sql, l.args, nil), func(r *row) (*store.CashRow, error) { return scan(&store.CashRows, r) },
		func(r *store.CashRow) error { return fn(*r) })
	return wrap("walk cash", err)
}
