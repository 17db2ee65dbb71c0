package sqlite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/money"
)

// PutBankLines implements store.Reconciliation.
func (db *DB) PutBankLines(ctx context.Context, lines []store.BankLine) (int, error) {
	open := slices.Clone(lines)
	for i := range open {
		open[i].Match, open[i].Owner, open[i].Note = "", "", ""
	}
	n, err := db.add(ctx, put(&store.BankLineTable, railTexts.bankLines, open))
	if err != nil {
		return 0, fmt.Errorf("put bank lines: %w", err)
	}
	return n, nil
}

// The statements of matching.
const (
	matchLines = "UPDATE bank_lines SET match_id = ?1 WHERE id IN (SELECT i.c0 FROM input i) AND match_id IS NULL RETURNING id"
	sumLines   = "SELECT count(*), sum(amount) FROM bank_lines WHERE id IN (SELECT i.c0 FROM input i)"
	matchCash  = "INSERT INTO cash_items (entry_id, match_id, owner, note) SELECT i.c0, ?1, '', '' FROM input i WHERE true" +
		" ON CONFLICT (entry_id) DO UPDATE SET match_id = excluded.match_id WHERE match_id IS NULL"
	sumCash = "SELECT count(DISTINCT e.id), sum(p.amount) FROM entries e CROSS JOIN postings p ON p.q = e.q AND p.n = e.n" +
		" WHERE e.id IN (SELECT i.c0 FROM input i) AND p.account = 1000"
	undoMatch   = "UPDATE bank_matches SET undone_at = ?3, undone_by = ?2 WHERE id = ?1 AND undone_at IS NULL"
	openLines   = "UPDATE bank_lines SET match_id = NULL WHERE match_id = ?1 AND id IN (SELECT i.c0 FROM input i)"
	openCash    = "UPDATE cash_items SET match_id = NULL WHERE match_id = ?1 AND entry_id IN (SELECT i.c0 FROM input i)"
	assignLine  = "UPDATE bank_lines SET owner = ?2, note = ?3 WHERE id = ?1"
	assignEntry = "INSERT INTO cash_items (entry_id, match_id, owner, note) VALUES (?1, NULL, ?2, ?3)" +
		" ON CONFLICT (entry_id) DO UPDATE SET owner = excluded.owner, note = excluded.note"
)

// PutMatches implements store.Reconciliation.
func (db *DB) PutMatches(ctx context.Context, list []store.BankMatch) error {
	list = slices.Clone(list)
	for i := range list {
		if err := list[i].Check(); err != nil {
			return err
		}
		list[i].UndoneAt, list[i].UndoneBy = time.Time{}, ""
	}
	return db.write(ctx, func(k *conn) error {
		if err := k.exec(railTexts.bankMatches, records[store.BankMatch]{&store.BankMatches, list}, nil); err != nil {
			return fmt.Errorf("put matches: %w", refused(err))
		}
		for _, m := range list {
			if err := k.match(m); err != nil {
				return fmt.Errorf("put match %s: %w", m.ID, refused(err))
			}
		}
		return nil
	})
}

// match stores a match with its members, and sums both sides.
func (k *conn) match(m store.BankMatch) error {
	free := 0
	if err := k.exec(matchLines, texts(m.Lines), func(*sqlite.Stmt) error { free++; return nil }, text(m.ID)); err != nil {
		return err
	}
	lines, cash, err := k.sums(m.Lines, m.Entries)
	if err != nil {
		return err
	}
	if err := k.exec(matchCash, texts(m.Entries), nil, text(m.ID)); err != nil {
		return err
	}
	if free != len(m.Lines) || len(m.Entries) > 0 && k.c.Changes() != len(m.Entries) {
		return fmt.Errorf("%w: a member is already in another match", store.ErrTaken)
	}
	if lines != m.Amount || cash != m.Amount {
		return fmt.Errorf("%w: lines of %s and entries of %s must both be %s", store.ErrRefused, lines, cash, m.Amount)
	}
	return nil
}

// sums sums lines and entries, all of which must exist.
func (k *conn) sums(lines, entries []string) (ofLines, ofEntries money.Amount, err error) {
	add := func(sql string, ids []string, sum *money.Amount) error {
		n := 0
		err := k.exec(sql, texts(ids), func(s *sqlite.Stmt) error {
			n, *sum = s.ColumnInt(0), money.Amount(s.ColumnInt64(1))
			return nil
		})
		if err == nil && n != len(ids) {
			err = fmt.Errorf("%w: only %d of %d exist", store.ErrRefused, n, len(ids))
		}
		return err
	}
	if err = add(sumLines, lines, &ofLines); err == nil {
		err = add(sumCash, entries, &ofEntries)
	}
	return ofLines, ofEntries, err
}

// UndoMatch implements store.Reconciliation.
func (db *DB) UndoMatch(ctx context.Context, id, by string, at time.Time) error {
	return db.write(ctx, func(k *conn) error {
		if err := k.query(undoMatch, []store.Value{text(id), text(by), store.Micros(at)}, nil); err != nil {
			return refused(err)
		}
		if k.c.Changes() == 0 {
			return fmt.Errorf("undo match %s: %w: it does not exist, or was undone", id, store.ErrRefused)
		}
		return all(k, &store.BankMatches, " WHERE id = +?1", func(m *store.BankMatch) error {
			if err := k.exec(openLines, texts(m.Lines), nil, text(id)); err != nil {
				return err
			}
			return k.exec(openCash, texts(m.Entries), nil, text(id))
		}, text(id))
	})
}

// AssignLine implements store.Reconciliation.
func (db *DB) AssignLine(ctx context.Context, id, owner, note string) error {
	err := db.edit(ctx, assignLine, "SELECT 1 FROM bank_lines WHERE id = +?1", text(id), text(owner), text(note))
	if err != nil {
		return fmt.Errorf("assign bank line %s: %w", id, err)
	}
	return nil
}

// AssignEntry implements store.Reconciliation.
func (db *DB) AssignEntry(ctx context.Context, entry, owner, note string) error {
	err := db.edit(ctx, assignEntry, "SELECT 1 FROM cash_items WHERE entry_id = +?1", text(entry), text(owner), text(note))
	if err != nil {
		return fmt.Errorf("assign entry %s: %w", entry, err)
	}
	return nil
}

// EachCash implements store.View. Entries on 1000 have an index of their own; a date
// becomes the first commit of its entries, because the business date never goes back.
func (v *view) EachCash(f store.CashFilter, fn func(store.CashRow) error) error {
	l := list{where: []string{"p.account = 1000"}}
	if from := date(f.From); !from.Null {
		at := l.arg(from)
		l.where = append(l.where, "p.q >= (SELECT min(b.q) FROM entries b INDEXED BY entries_book WHERE b.book_date >= "+at+")", "e.book_date >= "+at)
	}
	l.compare("e.book_date", "<=", date(f.To))
	if f.Open {
		l.where = append(l.where, "c.match_id IS NULL")
	}
	sql := "SELECT e.id, p.q, e.book_date, e.event, e.cause, max(p.payment_id), sum(p.amount), c.match_id, coalesce(c.owner, ''), coalesce(c.note, '')" +
		" FROM postings p INDEXED BY postings_cash CROSS JOIN entries e ON e.q = p.q AND e.n = p.n" +
		" LEFT JOIN cash_items c ON c.entry_id = e.id" + l.clause() + " GROUP BY p.q, p.n ORDER BY p.q, p.n"
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		row, err := scan(v.conn, &store.CashRows, s)
		if err != nil {
			return err
		}
		return fn(*row)
	})
	if err != nil {
		return fmt.Errorf("walk cash: %w", err)
	}
	return nil
}
