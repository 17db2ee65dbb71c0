package sqlite

import (
	"cmp"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// keepLine adds a line to the state, unless another list has already added it.
func keepLine(s *credit.State, r *store.LineRow) {
	if _, found := s.Lines[r.ID]; !found {
		s.Lines[r.ID] = r.PayoutLine
	}
}

// load adds the records of the keys to the state: one statement per noun, however many
// keys. What is already loaded is left alone.
func load(k *conn, s *credit.State, keys credit.Keys) error {
	for i, n := range store.Nouns {
		wanted := n.Wanted(s, &keys)
		if wanted == nil {
			continue
		}
		err := k.loadNoun(i, wanted, func(row any) { n.Put(s, row) })
		if err == nil {
			err = k.below(n, s, wanted)
		}
		if err != nil {
			return fmt.Errorf("load %s: %w", n.Schema().Name, err)
		}
	}
	for _, part := range parts {
		if err := part.load(k, s, keys); err != nil {
			return fmt.Errorf("load %s: %w", part.name, err)
		}
	}
	return nil
}

// loadNoun reads the rows of a noun under keys.
func (k *conn) loadNoun(at int, keys source, fn func(row any)) error {
	n, by := store.Nouns[at], nounTexts[at].byKey
	row := func(s *sqlite.Stmt) error {
		row, err := k.decode(n, nounTexts[n.Index()].types, s)
		if err == nil {
			fn(row)
		}
		return err
	}
	if keys.Len() == 1 {
		return k.query(by.one, []store.Value{keys.Value(0, 0)}, row)
	}
	return k.exec(by.many, keys, row)
}

// decode makes a row from a statement's columns.
func (k *conn) decode(from store.Source, types []store.Type, s *sqlite.Stmt) (any, error) {
	k.scratch = k.scratch[:0]
	for i, t := range types {
		k.scratch = append(k.scratch, column(s, i, t))
	}
	return from.Decode(k.scratch)
}

// below adds the parts of a noun's records that have rows of their own.
func (k *conn) below(n store.Noun, s *credit.State, keys store.KeyList) error {
	switch n {
	case store.MerchantNoun:
		return each(k, &store.Programs, programsByID, keys, func(r *store.ProgrammeRow) {
			m := s.Merchants[r.Merchant]
			m.Programs = append(m.Programs, r.Program)
		})
	case store.CompanyNoun:
		for i := range keys.Len() {
			s.Credits[keys.Key(i).(int64)] = nil
		}
		return each(k, &store.Credits, creditsByCompany, keys, func(r *store.CreditRow) {
			s.Credits[r.Company] = append(s.Credits[r.Company], r.Credit)
		})
	case store.OrderNoun:
		return k.belowOrders(s, keys)
	}
	return nil
}

// belowOrders adds the loans of captured orders.
func (k *conn) belowOrders(s *credit.State, keys store.KeyList) error {
	captured := false
	for i := range keys.Len() {
		key := keys.Key(i).(string)
		s.Loans[key] = nil
		if o := s.Orders[key]; o != nil {
			captured = captured || o.Revision > 0 || !o.CapturedAt.IsZero()
		}
	}
	if !captured {
		return nil
	}
	return k.loadLoans(keys, func(r *store.LoanRow) { s.Loans[r.Key] = r.Loan })
}

// part is something that keys name other than nouns.
type part struct {
	name string
	load func(*conn, *credit.State, credit.Keys) error
}

// parts are what keys name other than nouns: what is found by a key other than its own, and
// what is folded from many rows.
var parts = []part{
	{"claims", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadClaims(s, missing(s.Claims, keys.Claims))
	}},
	{"accounts", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadAccounts(s, missing(s.Accounts, keys.Accounts))
	}},
	{"history", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadHistory(s, missing(s.History, keys.History))
	}},
	{"positions", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Positions, positionsByMerchant, texts(missing(s.Positions, keys.Positions)), func(r *store.PositionRow) {
			s.Positions[r.Merchant] = r.Position
		})
	}},
	{"payout lines", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PayoutLines, linesByOf, texts(missing(s.OrderLines, keys.Lines)), func(r *store.LineRow) {
			s.OrderLines[r.Of] = append(s.OrderLines[r.Of], r.ID)
			keepLine(s, r)
		})
	}},
	{"waiting lines", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PayoutLines, linesWaiting, texts(missing(s.Waiting, keys.Waiting)), func(r *store.LineRow) {
			s.Waiting[r.Merchant] = append(s.Waiting[r.Merchant], r.ID)
			keepLine(s, r)
		})
	}},
	{"ended lines", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PayoutLines, linesByPayout, texts(missing(s.Ended, keys.Ended)), func(r *store.LineRow) {
			s.Ended[r.Payout] = append(s.Ended[r.Payout], r.ID)
			keepLine(s, r)
		})
	}},
}

// missing marks the keys that are not loaded into the state as loaded, and returns them.
func missing[K comparable, V any](have map[K]V, keys []K) []K {
	var out []K
	for _, key := range keys {
		if _, ok := have[key]; ok {
			continue
		}
		var none V
		have[key] = none
		out = append(out, key)
	}
	return out
}

// each looks up keys and decodes what it finds.
func each[T any](k *conn, t *store.Table[T], by lookup, keys source, fn func(*T)) error {
	row := func(s *sqlite.Stmt) error {
		row, err := scan(k, t, s)
		if err == nil {
			fn(row)
		}
		return err
	}
	if keys.Len() == 1 {
		return k.query(by.one, []store.Value{keys.Value(0, 0)}, row)
	}
	return k.exec(by.many, keys, row)
}

func (k *conn) loadClaims(s *credit.State, claims []credit.Claim) error {
	rows := make(tuples, len(claims))
	for i, c := range claims {
		rows[i] = []store.Value{text(string(c.Kind)), text(c.Scope), text(c.Name)}
	}
	return k.exec(claimsByName, rows, func(stmt *sqlite.Stmt) error {
		row, err := scan(k, &store.Claims, stmt)
		if err == nil {
			s.Claims[row.Claim] = row.Owner
		}
		return err
	})
}

// loadLoans reads whole loans.
func (k *conn) loadLoans(keys source, fn func(*store.LoanRow)) error {
	loans := map[string]*schedule.Loan{}
	err := each(k, &store.Loans, loansByKey, keys, func(r *store.LoanRow) {
		loans[r.Key] = r.Loan
		fn(r)
	})
	if err != nil {
		return err
	}
	err = each(k, &store.Installments, rowsByKey, keys, func(r *store.InstallmentRow) {
		if loan := loans[r.Order]; loan != nil { // a damaged file may lack it; verify reports the row
			loan.Rows = append(loan.Rows, r.Row)
		}
	})
	if err != nil {
		return err
	}
	return each(k, &store.Fees, feesByKey, keys, func(r *store.FeeRow) {
		if loan := loans[r.Order]; loan != nil {
			loan.Fees = append(loan.Fees, r.Fee)
		}
	})
}

// loadHistory adds orders' money events and the payments they name.
func (k *conn) loadHistory(s *credit.State, keys []string) error {
	var payments []string
	err := k.exec(historyByOrder, texts(keys), func(stmt *sqlite.Stmt) error {
		row, err := scan(k, &store.MoneyEvents, stmt)
		if err != nil {
			return err
		}
		order := stmt.ColumnText(len(store.MoneyEvents.Columns))
		s.History[order] = append(s.History[order], row.MoneyEvent)
		payments = append(payments, row.ID, row.Payment)
		return nil
	})
	if err != nil {
		return err
	}
	// Ids that are not payments are not marked as loaded: nobody asked for them.
	slices.Sort(payments)
	payments = slices.DeleteFunc(slices.Compact(payments), func(id string) bool { _, ok := s.Payments[id]; return ok })
	return k.loadNoun(store.PaymentNoun.Index(), texts(payments), func(row any) { store.PaymentNoun.Put(s, row) })
}

// loadAccounts adds all captured orders of companies with their loans.
func (k *conn) loadAccounts(s *credit.State, ids []int64) error {
	type captured struct {
		key string
		at  int64
	}
	found := map[int64][]captured{}
	var keys []string
	err := k.exec(accountsByCompany, numbers(ids), func(stmt *sqlite.Stmt) error {
		c := captured{stmt.ColumnText(1), stmt.ColumnInt64(2)}
		found[stmt.ColumnInt64(0)] = append(found[stmt.ColumnInt64(0)], c)
		keys = append(keys, c.key)
		return nil
	})
	if err != nil {
		return err
	}
	for id, list := range found {
		slices.SortFunc(list, func(a, b captured) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) })
		for _, c := range list {
			s.Accounts[id] = append(s.Accounts[id], c.key)
		}
	}
	wanted := store.OrderNoun.Wanted(s, &credit.Keys{Orders: keys})
	if wanted == nil {
		return nil
	}
	if err := k.loadNoun(store.OrderNoun.Index(), wanted, func(row any) { store.OrderNoun.Put(s, row) }); err != nil {
		return err
	}
	return k.belowOrders(s, wanted)
}
