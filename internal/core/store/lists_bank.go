package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// ListFiles lists bank files in a state, newest first by (CreatedAt, ID). BUILT files may
// not have reached the bank; the bank has not responded to SENT ones.
func ListFiles(v View, state FileState, p Page) ([]BankFile, error) {
	q := newest(RowsOf(&BankFiles), "created_at", p)
	q.Index = "bank_files_state"
	q.is("state", string(state))
	return rows[BankFile](v, q)
}

// ListBankNotices lists bank notices that need review, newest first by (At, Key).
func ListBankNotices(v View, f BankNoticeFilter, p Page) ([]BankNotice, error) {
	q := Query{From: RowsOf(&BankNotices), Order: []string{"at", "rail", "id"}, Down: true, Limit: max(p.Limit, 0), Index: "bank_notices_left"}
	for _, result := range []string{"", NoticeDone, NoticeIgnored} {
		q.holds("result", IsNot, textValue(result))
	}
	if f.Waiting {
		q.Index = "bank_notices_waiting"
		q.holds("reviewed_at", Is, Value{Null: true})
	}
	if !p.AfterAt.IsZero() {
		rail, id, _ := strings.Cut(p.AfterID, "/")
		q.After = []Value{Micros(p.AfterAt), textValue(rail), textValue(id)}
	}
	return rows[BankNotice](v, q)
}

// BankNoticeOf returns a notice in any state, or false if there is none.
func BankNoticeOf(v View, rail credit.Method, id string) (BankNotice, bool, error) {
	q := Query{From: RowsOf(&BankNotices), Order: []string{"rail", "id"}, Limit: 1}
	q.where("rail", Is, textValue(string(rail)))
	q.where("id", Is, textValue(id))
	return first[BankNotice](v, q)
}

// first returns the first row of a query, or false if there is none.
func first[R any](v View, q Query) (row R, found bool, err error) {
	all, err := rows[R](v, q)
	if err != nil || len(all) == 0 {
		return row, false, err
	}
	return all[0], true, nil
}

// LastHead returns the signed head with the largest number, or false if there is none.
func LastHead(v View) (SignedHead, bool, error) {
	return first[SignedHead](v, Query{From: RowsOf(&SignedHeads), Order: []string{"number"}, Down: true, Limit: 1})
}

// Unfiled lists ACH transfers that are SENT or SETTLED and in no file, by (SentAt, ID). One
// that failed or was returned before it was in a file is left out: filing it would move
// money.
func Unfiled(ctx context.Context, db Viewer, limit int) (out []*credit.Transfer, err error) {
	q := Query{From: TransferNoun, Order: []string{"sent_at", "id"}, Limit: max(limit, 0), Index: "transfers_unfiled"}
	q.holds("filed", Is, Value{Kind: Bool})
	q.holds("rail", Is, textValue(string(credit.ACH)))
	q.expr("status IN ('SENT', 'SETTLED')", func(row any) bool {
		s := row.(*TransferRow).Status
		return s == credit.TransferSent || s == credit.TransferSettled
	})
	err = db.View(ctx, func(v View) error { out, err = list(v, TransferNoun, q); return err })
	return out, err
}

// Files lists files in a state, by (CreatedAt, ID).
func Files(ctx context.Context, db Viewer, state FileState, limit int) ([]BankFile, error) {
	q := Query{From: RowsOf(&BankFiles), Order: []string{"created_at", "id"}, Limit: max(limit, 0), Index: "bank_files_state"}
	q.where("state", Is, textValue(string(state)))
	return all[BankFile](ctx, db, q)
}

// FileEntries lists the entries of a file in order of their trace.
func FileEntries(ctx context.Context, db Viewer, file string) ([]BankEntry, error) {
	q := Query{From: RowsOf(&BankEntries), Order: []string{"trace"}, Limit: -1, Index: "bank_entries_file"}
	q.where("file_id", Is, textValue(file))
	return all[BankEntry](ctx, db, q)
}

// FiledTransfers returns the file entries of transfers, in no order.
func FiledTransfers(ctx context.Context, db Viewer, transfers []string) ([]BankEntry, error) {
	q := Query{From: RowsOf(&BankEntries), Limit: -1}
	q.among("transfer_id", transfers)
	return all[BankEntry](ctx, db, q)
}

// EntryByTrace finds entries by trace number, those of the newest file (by CreatedAt, ID)
// first: numbers repeat after ten million.
func EntryByTrace(ctx context.Context, db Viewer, trace int64) (out []BankEntry, err error) {
	q := Query{From: RowsOf(&BankEntries), Limit: -1, Index: "bank_entries_trace"}
	q.where("trace", Is, Value{Kind: Integer, Int: trace})
	err = db.View(ctx, func(v View) error {
		if out, err = rows[BankEntry](v, q); err != nil || len(out) < 2 {
			return err
		}
		of := make([]string, len(out))
		for i, e := range out {
			of[i] = e.File
		}
		q := Query{From: RowsOf(&BankFiles), Limit: -1}
		q.among("id", of)
		files, err := rows[BankFile](v, q)
		slices.SortFunc(files, func(a, b BankFile) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
		at := func(e BankEntry) int { return slices.IndexFunc(files, func(f BankFile) bool { return f.ID == e.File }) }
		slices.SortFunc(out, func(a, b BankEntry) int { return cmp.Compare(at(a), at(b)) })
		return err
	})
	return out, err
}

// OpenNotices lists notices that have not been processed, in order of arrival: by (At,
// Rail, ID).
func OpenNotices(ctx context.Context, db Viewer, limit int) ([]BankNotice, error) {
	q := Query{From: RowsOf(&BankNotices), Order: []string{"at", "rail", "id"}, Limit: max(limit, 0), Index: "bank_notices_open"}
	q.holds("closed_at", Is, Value{Null: true})
	return all[BankNotice](ctx, db, q)
}

// NoticesSince counts notices that arrived at or after an instant, by code, for the
// return-rate alarms (F22).
func NoticesSince(ctx context.Context, db Viewer, at time.Time) (out map[string]int, err error) {
	var q Query
	q.coded(at)
	err = db.View(ctx, func(v View) error {
		out, err = counts(v, Sums{From: RowsOf(&BankNotices), Index: "bank_notices_code", Where: q.Where, By: []string{"code"}})
		return err
	})
	return out, err
}

// BankLines lists bank statement lines by (Date, ID) after the line with id AfterID; only
// open ones if open is set.
func BankLines(ctx context.Context, db Viewer, open bool, p Page) ([]BankLine, error) {
	q := Query{From: RowsOf(&BankLineTable), Order: []string{"date", "id"}, Limit: max(p.Limit, 0), Behind: p.AfterID, Index: "bank_lines_date"}
	if open {
		q.Index = "bank_lines_open"
		q.holds("match_id", Is, Value{Null: true})
	}
	return all[BankLine](ctx, db, q)
}

// Matches lists matches, including undone ones, newest first by (MadeAt, ID).
func Matches(ctx context.Context, db Viewer, p Page) ([]BankMatch, error) {
	q := newest(RowsOf(&BankMatches), "made_at", p)
	q.Index = "bank_matches_made"
	return all[BankMatch](ctx, db, q)
}

// UndoneMatches lists all undone matches, by id.
func UndoneMatches(ctx context.Context, db Viewer) ([]BankMatch, error) {
	q := Query{From: RowsOf(&BankMatches), Order: []string{"id"}, Limit: -1, Index: "bank_matches_undone"}
	q.holds("undone_at", IsNot, Value{Null: true})
	return all[BankMatch](ctx, db, q)
}

// MatchByID returns a match, or false if there is none.
func MatchByID(ctx context.Context, db Viewer, id string) (BankMatch, bool, error) {
	return find[BankMatch](ctx, db, byText(&BankMatches, id))
}

// SumsOf sums bank lines, and the entries' lines on 1000. ErrRefused if one does not exist,
// is not on 1000, or is named twice.
func SumsOf(ctx context.Context, db Viewer, lines, entries []string) (ofLines, ofEntries money.Amount, err error) {
	err = db.View(ctx, func(v View) error {
		there, err := sumOf(v, &BankLineTable, lines, &ofLines)
		if err != nil {
			return err
		}
		more, err := sumCash(v, entries, &ofEntries)
		if there += more; err == nil && there != len(lines)+len(entries) {
			err = fmt.Errorf("%w: only %d of %d exist", ErrRefused, there, len(lines)+len(entries))
		}
		return err
	})
	return ofLines, ofEntries, err
}

// sumOf sums the bank lines that exist, and counts them.
func sumOf(v View, t *Table[BankLine], ids []string, total *money.Amount) (there int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	var q Query
	q.among("id", ids)
	of, err := sum(v, Sums{From: RowsOf(t), Where: q.Where, Of: []Aggregate{{Of: Count}, {Sum, "amount"}}})
	if err != nil {
		return 0, err
	}
	*total = money.Amount(of[1].Int)
	return int(of[0].Int), nil
}

// sumCash sums entries' lines on 1000, and counts the entries that have any.
func sumCash(v View, entries []string, total *money.Amount) (there int, err error) {
	if len(entries) == 0 {
		return 0, nil
	}
	q := Query{From: RowsOf(&Entries), Limit: -1}
	q.among("id", entries)
	heads, err := rows[EntryHead](v, q)
	if err != nil || len(heads) == 0 {
		return 0, err
	}
	named, commits := map[Place]bool{}, Cond{Column: "q", Op: In}
	for _, h := range heads {
		named[Place{h.Q, h.N}] = true
		commits.Values = append(commits.Values, Value{Kind: Integer, Int: h.Q})
	}
	q = Query{Where: []Cond{commits}}
	q.holds("account", Is, Value{Kind: Integer, Int: int64(ledger.Cash)})
	err = v.Sum(Sums{From: RowsOf(&Postings), Index: "postings_cash", Where: q.Where, By: []string{"q", "n"}, Of: []Aggregate{{Sum, "amount"}}}, func(by, of []Value) error {
		if named[Place{by[0].Int, int(by[1].Int)}] {
			there, *total = there+1, total.Add(money.Amount(of[0].Int))
		}
		return nil
	})
	return there, err
}
