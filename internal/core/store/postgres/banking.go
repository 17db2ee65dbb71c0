package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// noticeLeft is the condition of bank_notices_left.
const noticeLeft = "result NOT IN ('', 'done', 'ignored')"

// The statements of the exchange with banks.
const (
	// lastTrace locks the setting of the last trace number, and creates it if it does not
	// exist: two nodes assign numbers one after the other.
	lastTrace = `INSERT INTO settings AS s (name, value) VALUES ($1, '0')
		ON CONFLICT (name) DO UPDATE SET value = s.value RETURNING value`
	// moveFile's tag shows whether the file was moved or was already in the state.
	moveFile = `UPDATE bank_files SET state = $2, moved_at = CASE WHEN state = $2 THEN moved_at ELSE $3 END
		WHERE id = $1 AND (state = $2 OR state = 'BUILT' OR state = 'SENT' AND $2 <> 'BUILT')`
	closeNotice = `UPDATE bank_notices SET closed_at = coalesce(closed_at, $3),
		result = CASE WHEN closed_at IS NULL THEN $4 ELSE result END WHERE rail = $1 AND id = $2`
	reviewNotice = `UPDATE bank_notices SET reviewed_at = coalesce(reviewed_at, $3),
		reviewed_by = CASE WHEN reviewed_at IS NULL THEN $4 ELSE reviewed_by END,
		review_note = CASE WHEN reviewed_at IS NULL THEN $5 ELSE review_note END WHERE rail = $1 AND id = $2 AND ` + noticeLeft
)

// PutFile implements store.Banking. The setting of the last trace number is locked first
// and the transfers after it, in id order, as batches lock them.
func (db *DB) PutFile(ctx context.Context, f store.BankFile, transfers []string) (store.BankFile, []store.BankEntry, error) {
	if len(transfers) == 0 {
		return store.BankFile{}, nil, fmt.Errorf("put file %s: %w: it holds no transfer", f.ID, store.ErrRefused)
	}
	last, found := "", map[string]*store.TransferRow{}
	taken := false
	first := []*call{
		ask(lastTrace, []store.Value{text(store.LastTrace)}, func(r *row) error { last = r.text(0); return nil }),
		ask("SELECT id FROM bank_files WHERE id = $1", []store.Value{text(f.ID)}, func(*row) error { taken = true; return nil }),
		over(nounTexts[store.TransferNoun.Index()].byKey+forUpdate, texts(transfers), every(&store.Transfers, func(r *store.TransferRow) { found[r.ID] = r })),
	}
	var entries []store.BankEntry
	err := db.transact(ctx, first, func() ([]*call, error) {
		if taken {
			return nil, fmt.Errorf("%w: a file with this name exists", store.ErrTaken)
		}
		if err := mayBeFiled(transfers, found); err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("last trace number: %w", err)
		}
		f.FirstTrace, f.Entries, entries = store.NextTrace(n, 1), len(transfers), nil
		for i, id := range transfers {
			entries = append(entries, store.BankEntry{Transfer: id, File: f.ID, Trace: store.NextTrace(n, i+1)})
		}
		return fileCalls(f, entries, transfers), nil
	})
	if err != nil {
		return store.BankFile{}, nil, fmt.Errorf("put file %s: %w", f.ID, err)
	}
	f.CutOff, f.CreatedAt, f.MovedAt = store.Micros(f.CutOff).Time(), store.Micros(f.CreatedAt).Time(), store.Micros(f.MovedAt).Time()
	return f, entries, nil
}

// mayBeFiled refuses transfers that Unfiled would not list, and the same one twice.
func mayBeFiled(ids []string, found map[string]*store.TransferRow) error {
	seen := map[string]bool{}
	for _, id := range ids {
		t := found[id]
		switch {
		case t == nil:
			return fmt.Errorf("%w: transfer %s does not exist", store.ErrRefused, id)
		case t.Filed || seen[id]:
			return fmt.Errorf("%w: transfer %s is already in a file", store.ErrTaken, id)
		case t.Rail != credit.ACH || t.Status != credit.TransferSent && t.Status != credit.TransferSettled:
			return fmt.Errorf("%w: transfer %s by %s is %s", store.ErrRefused, id, t.Rail, t.Status)
		}
		seen[id] = true
	}
	return nil
}

// fileCalls returns the calls that write a file with its entries.
func fileCalls(f store.BankFile, entries []store.BankEntry, transfers []string) []*call {
	last := strconv.FormatInt(entries[len(entries)-1].Trace, 10)
	mark := records[store.SettingRow]{&store.Settings, []store.SettingRow{{Name: store.LastTrace, Value: []byte(last)}}}
	return []*call{
		over("UPDATE transfers SET filed = true WHERE id = ANY($1::text[])", texts(transfers), nil),
		over(statements.file, records[store.BankFile]{&store.BankFiles, []store.BankFile{f}}, nil),
		over(statements.fileEntries, records[store.BankEntry]{&store.BankEntries, entries}, nil),
		over(statements.setting, mark, nil),
	}
}

// transact is a transaction of two round trips outside of batches: what is read first
// decides what is written. An idle connection may turn out to be lost; until COMMIT was
// sent, another takes its place.
func (db *DB) transact(ctx context.Context, first []*call, then func() ([]*call, error)) error {
	if db.options.ReadOnly {
		return ErrReadOnly
	}
	for attempt := 0; ; attempt++ {
		k, err := db.take(ctx, db.aside, beside)
		if err != nil {
			return unreachable(ctx, err)
		}
		k.patience(db.options.CommitWait)
		sent, err := k.transact(first, then)
		broken := err != nil && !k.dead && k.status != 'I' && k.script("ROLLBACK") != nil
		db.giveBack(db.aside, k, broken)
		switch {
		case sent:
			return outcome(err)
		case !isLost(err) || attempt == asides || ctx.Err() != nil:
			return verdict(err)
		}
	}
}

// transact reports whether COMMIT was sent.
func (k *conn) transact(first []*call, then func() ([]*call, error)) (sent bool, err error) {
	if err := k.run(slices.Concat([]*call{{sql: "BEGIN"}}, first)...); err != nil {
		return false, err
	}
	second, err := then()
	if err != nil {
		return false, err
	}
	commit := &call{sql: "COMMIT"}
	err = k.run(append(second, commit)...)
	if err == nil && (commit.tag != "COMMIT" || k.warned != "") {
		err = fmt.Errorf("the server said %q, and warned: %q", commit.tag, k.warned)
	}
	return true, err
}

// MoveFile implements store.Banking.
func (db *DB) MoveFile(ctx context.Context, id string, to store.FileState, at time.Time) error {
	return wrap("move file "+id, db.change(ctx, ask(moveFile, []store.Value{text(id), text(string(to)), store.Micros(at)}, nil)))
}

// change updates one row; ErrRefused if none matches. It may be repeated, because the same
// change again changes nothing.
func (db *DB) change(ctx context.Context, c *call) error {
	err := db.again(ctx, c)
	if err == nil && c.tag == "UPDATE 0" {
		return fmt.Errorf("%w: it does not exist, or its state does not allow this", store.ErrRefused)
	}
	return err
}

// PutNotice implements store.Banking.
func (db *DB) PutNotice(ctx context.Context, n store.BankNotice) (fresh bool, err error) {
	c := over(statements.notice, records[store.BankNotice]{&store.BankNotices, []store.BankNotice{n}}, nil)
	err = db.put(ctx, c)
	return err == nil && c.tag == "INSERT 0 1", wrap("put notice", err)
}

// CloseNotice implements store.Banking.
func (db *DB) CloseNotice(ctx context.Context, rail credit.Method, id, result string, at time.Time) error {
	args := []store.Value{text(string(rail)), text(id), store.Micros(at), text(result)}
	return wrap("close notice", db.change(ctx, ask(closeNotice, args, nil)))
}

// ReviewNotice implements store.Banking.
func (db *DB) ReviewNotice(ctx context.Context, rail credit.Method, id, by, note string, at time.Time) error {
	args := []store.Value{text(string(rail)), text(id), store.Micros(at), text(by), text(note)}
	return wrap("review notice", db.change(ctx, ask(reviewNotice, args, nil)))
}
