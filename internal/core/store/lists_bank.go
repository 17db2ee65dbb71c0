package store

import (
	"strings"

	"tenor/internal/domain/credit"
)

// ListFiles lists the bank's files in a state, newest first by (CreatedAt, ID): those that
// are BUILT are not known to be with it, and of those that are SENT it has said nothing.
func ListFiles(v View, state FileState, p Page) ([]BankFile, error) {
	q := newest(RowsOf(&BankFiles), "created_at", p)
	q.Index = "bank_files_state"
	q.is("state", string(state))
	return rows[BankFile](v, q)
}

// ListBankNotices lists what a bank said and what needs review, newest first by (At, Key).
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

// BankNoticeOf returns a notice, whatever has become of it, false if there is none.
func BankNoticeOf(v View, rail credit.Method, id string) (BankNotice, bool, error) {
	q := Query{From: RowsOf(&BankNotices), Order: []string{"rail", "id"}, Limit: 1}
	q.where("rail", Is, textValue(string(rail)))
	q.where("id", Is, textValue(id))
	return first[BankNotice](v, q)
}

// first is the first row of a query, false if there is none.
func first[R any](v View, q Query) (row R, found bool, err error) {
	all, err := rows[R](v, q)
	if err != nil || len(all) == 0 {
		return row, false, err
	}
	return all[0], true, nil
}

// LastHead is the signed head with the largest number, false if there is none.
func LastHead(v View) (SignedHead, bool, error) {
	return first[SignedHead](v, Query{From: RowsOf(&SignedHeads), Order: []string{"number"}, Down: true, Limit: 1})
}
