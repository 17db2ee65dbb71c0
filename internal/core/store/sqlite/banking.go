package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

func most(limit int) store.Value { return integer(int64(max(limit, 0))) }

// PutFile implements store.Banking with five statements, however many transfers.
func (db *DB) PutFile(ctx context.Context, f store.BankFile, transfers []string) (store.BankFile, []store.BankEntry, error) {
	f.CutOff, f.CreatedAt, f.MovedAt = store.Micros(f.CutOff).Time(), store.Micros(f.CreatedAt).Time(), store.Micros(f.MovedAt).Time()
	entries := make([]store.BankEntry, len(transfers))
	err := db.write(ctx, func(k *conn) error {
		last, err := k.lastTrace()
		if err != nil {
			return err
		}
		for i, id := range transfers {
			entries[i] = store.BankEntry{Transfer: id, File: f.ID, Trace: store.NextTrace(last, i+1)}
		}
		f.FirstTrace, f.Entries = store.NextTrace(last, 1), len(transfers)
		last = store.NextTrace(last, len(transfers))
		for _, s := range []step{
			put(&store.BankFiles, railTexts.file, []store.BankFile{f}),
			{railTexts.filed, texts(transfers)}, // only marked transfers have entries
			put(&store.BankEntries, railTexts.fileEntries, entries),
			put(&store.Settings, statements.setting, []store.SettingRow{{Name: store.LastTrace, Value: strconv.AppendInt(nil, last, 10)}}),
		} {
			if err := k.exec(s.sql, s.rows, nil); err != nil {
				return refused(err)
			}
		}
		return nil
	})
	if err != nil {
		return store.BankFile{}, nil, fmt.Errorf("put file %s: %w", f.ID, err)
	}
	return f, entries, nil
}

// lastTrace reads the last assigned trace number, 0 before the first.
func (k *conn) lastTrace() (last int64, err error) {
	err = all(k, &store.Settings, " WHERE name = +?1", func(r *store.SettingRow) error {
		last, err = strconv.ParseInt(string(r.Value), 10, 64)
		return err
	}, text(store.LastTrace))
	return last, err
}

// MoveFile implements store.Banking.
func (db *DB) MoveFile(ctx context.Context, id string, to store.FileState, at time.Time) error {
	err := db.edit(ctx, "UPDATE bank_files SET state = ?2, moved_at = ?3 WHERE id = ?1 AND state <> ?2",
		"SELECT 1 FROM bank_files WHERE id = +?1", text(id), text(string(to)), store.Micros(at))
	if err != nil {
		return fmt.Errorf("move file %s: %w", id, err)
	}
	return nil
}

// edit changes one row. If no row changes, the row must exist and need no change: found
// looks for it, by the leading arguments.
func (db *DB) edit(ctx context.Context, sql, found string, args ...store.Value) error {
	return db.write(ctx, func(k *conn) error {
		if err := k.query(sql, args, nil); err != nil {
			return refused(err)
		}
		if k.c.Changes() > 0 {
			return nil
		}
		there := false
		err := k.query(found, args[:strings.Count(found, "?")], func(*sqlite.Stmt) error { there = true; return nil })
		if err == nil && !there {
			err = fmt.Errorf("%w: it does not exist", store.ErrRefused)
		}
		return err
	})
}

// PutNotice implements store.Banking.
func (db *DB) PutNotice(ctx context.Context, n store.BankNotice) (fresh bool, err error) {
	added, err := db.add(ctx, put(&store.BankNotices, railTexts.bankNotice, []store.BankNotice{n}))
	if err != nil {
		return false, fmt.Errorf("put notice %s: %w", n.ID, err)
	}
	return added > 0, nil
}

// add inserts rows that do not exist yet and counts them.
func (db *DB) add(ctx context.Context, s step) (n int, err error) {
	if s.rows.Len() == 0 {
		return 0, nil
	}
	err = db.write(ctx, func(k *conn) error {
		if err := k.exec(s.sql, s.rows, nil); err != nil {
			return refused(err)
		}
		n = k.c.Changes()
		return nil
	})
	return n, err
}

// CloseNotice implements store.Banking.
func (db *DB) CloseNotice(ctx context.Context, rail credit.Method, id, result string, at time.Time) error {
	err := db.edit(ctx, "UPDATE bank_notices SET result = ?3, closed_at = ?4 WHERE rail = ?1 AND id = ?2 AND closed_at IS NULL",
		"SELECT 1 FROM bank_notices WHERE rail = +?1 AND id = +?2", text(string(rail)), text(id), text(result), store.Micros(at))
	if err != nil {
		return fmt.Errorf("close notice %s: %w", id, err)
	}
	return nil
}

// noticeLeft is the condition of bank_notices_left.
const noticeLeft = "result <> '' AND result <> 'done' AND result <> 'ignored'"

// ReviewNotice implements store.Banking.
func (db *DB) ReviewNotice(ctx context.Context, rail credit.Method, id, by, note string, at time.Time) error {
	err := db.edit(ctx, "UPDATE bank_notices SET reviewed_by = ?3, review_note = ?4, reviewed_at = ?5 WHERE rail = ?1 AND id = ?2 AND reviewed_at IS NULL AND "+noticeLeft,
		"SELECT 1 FROM bank_notices WHERE rail = +?1 AND id = +?2 AND "+noticeLeft, text(string(rail)), text(id), text(by), text(note), store.Micros(at))
	if err != nil {
		return fmt.Errorf("review notice %s: %w", id, err)
	}
	return nil
}
