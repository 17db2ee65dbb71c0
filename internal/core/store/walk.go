package store

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// Holder is a View with rows in memory, which can be read without encoding them.
type Holder interface {
	// Rows returns the rows of a table in key order, as pointers to its row type; the caller
	// must not change them. false: it has no rows of that type.
	Rows(s Schema) ([]any, bool)
}

// Each calls fn with the rows of a table, in key order.
func Each[R any](v View, t *Table[R], fn func(R) error) error {
	if h, holds := v.(Holder); holds {
		if rows, found := h.Rows(t.Schema()); found {
			for _, row := range rows {
				if err := fn(*row.(*R)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return v.Stored(t.Schema(), func(values []Value) error {
		row, err := t.Decode(values)
		if err != nil {
			return err
		}
		return fn(*row)
	})
}

// EachOf calls fn with the records of a noun, in key order.
func EachOf[K comparable, V, R any](v View, n *NounOf[K, V, R], fn func(V) error) error {
	return Each(v, n.Table, func(row R) error { return fn(n.of(&row)) })
}

// EachRecord calls fn with the records of one kind, in order of their ids.
func EachRecord(v View, n credit.Noun, fn func(credit.Record) error) error {
	t, err := RecordsOf(n)
	if err != nil {
		return err
	}
	return Each(v, t, func(row RecordRow) error { return fn(row.Record) })
}

// At returns a record as it stood after commit q, the zero value if it did not exist. q is
// the last commit of a batch, as SeqAt finds it: of several changes within a batch only the
// last version is kept. Only nouns that keep their past are supported.
func At[K comparable, V, R any](v View, n *NounOf[K, V, R], key K, q int64) (x V, err error) {
	row, err := v.At(n, keyValue(key, n.Table.Columns[0].Type), q)
	if err != nil {
		return x, fmt.Errorf("%s %v after commit %d: %w", n.Name(), key, q, err)
	}
	if row != nil {
		x = n.of(row.(*R))
	}
	return x, nil
}

// EachAudit calls fn with the audit log rows after a commit, in order.
func EachAudit(v View, after int64, fn func(q int64, a Audit) error) error {
	q := Query{From: RowsOf(&Audits), Order: []string{"q"}, Limit: -1, Index: ByKey}
	q.where("q", Above, Value{Kind: Integer, Int: after})
	return v.List(q, func(row any) error { r := row.(*AuditRow); return fn(r.Q, r.Audit) })
}

// EachBatch calls fn with the batches, in commit order.
func EachBatch(v View, fn func(BatchRow) error) error {
	q := Query{From: RowsOf(&Batches), Order: []string{"first_q", "id"}, Limit: -1}
	return v.List(q, func(row any) error { return fn(*row.(*BatchRow)) })
}

// EachMoney calls fn with the money events, in order of recording: q recorded the event,
// and a replay may have changed it since.
func EachMoney(v View, fn func(q int64, e credit.MoneyEvent) error) error {
	q := Query{From: RowsOf(&MoneyEvents), Order: []string{"q", "n"}, Limit: -1}
	return v.List(q, func(row any) error { r := row.(*MoneyRow); return fn(r.Q, r.MoneyEvent) })
}

// EachOrder calls fn with the orders and their loans, in key order. Memory use stays
// constant.
func EachOrder(v View, fn func(*credit.Order, *schedule.Loan) error) error {
	q := Query{From: OrderNoun, Order: []string{"order_key"}, Limit: 500}
	for {
		orders, err := list(v, OrderNoun, q)
		if err != nil || len(orders) == 0 {
			return err
		}
		keys := make([]string, len(orders))
		for i, o := range orders {
			keys[i] = o.Key
		}
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Orders: keys}); err != nil {
			return err
		}
		for _, o := range orders {
			if err := fn(o, state.Loans[o.Key]); err != nil {
				return err
			}
		}
		q.After = []Value{textValue(keys[len(keys)-1])}
	}
}

// WriteDump writes every table except OutsideDump, in canonical order, so that two backends
// can be compared and a state has one hash. It reads one snapshot and holds one row at a
// time.
func WriteDump(ctx context.Context, b Viewer, w io.Writer) error {
	return b.View(ctx, func(v View) error {
		d := NewDump(w)
		for _, s := range Schemas() {
			d.Table(s)
			if err := v.Stored(s, func(values []Value) error { d.Row(s, values); return nil }); err != nil {
				return fmt.Errorf("dump %s: %w", s.Name, err)
			}
		}
		return d.Close()
	})
}

// AllOf returns the records of a noun that has few, in key order.
func AllOf[K comparable, V, R any](v View, n *NounOf[K, V, R]) (all []V, err error) {
	err = EachOf(v, n, func(x V) error { all = append(all, x); return nil })
	return all, err
}

// EachBalance calls fn with the stored balances.
func EachBalance(v View, fn func(ledger.BalanceKey, int64) error) error {
	return Each(v, &Balances, func(b BalanceRow) error { return fn(b.BalanceKey, int64(b.Amount)) })
}

// EachAnswer calls fn with the stored answers.
func EachAnswer(v View, fn func(KeyID, Answer) error) error {
	return Each(v, &Idempotency, func(a AnswerRow) error { return fn(a.KeyID, a.Answer) })
}

// EachClaim calls fn with the taken names.
func EachClaim(v View, fn func(c credit.Claim, owner string) error) error {
	return Each(v, &Claims, func(c ClaimRow) error { return fn(c.Claim, c.Owner) })
}

// EachSecret calls fn with the contents of the vault.
func EachSecret(v View, fn func(id string, sealed []byte) error) error {
	return Each(v, &Vault, func(s VaultRow) error { return fn(s.ID, s.Sealed) })
}

// AllMerchants returns the merchants with all versions of their programs, in order of their
// ids.
func AllMerchants(v View) ([]*credit.Merchant, error) {
	all, err := AllOf(v, MerchantNoun)
	if err != nil {
		return nil, err
	}
	at := map[string]*credit.Merchant{}
	for _, m := range all {
		m.Programs = nil
		at[m.ID] = m
	}
	return all, Each(v, &Programs, func(r ProgrammeRow) error {
		if m := at[r.Merchant]; m != nil { // a damaged file may lack it; verify reports what refers to it
			m.Programs = append(m.Programs, r.Program)
		}
		return nil
	})
}

// AllCursors returns the endpoints' cursors, in order of their endpoints.
func AllCursors(v View) (all []Cursor, err error) {
	err = Each(v, &Cursors, func(c Cursor) error { all = append(all, c); return nil })
	return all, err
}

// EachCredit calls fn with the open credits, oldest first in each company.
func EachCredit(v View, fn func(credit.Credit) error) error {
	var open []CreditRow // of one company
	flush := func() error {
		slices.SortFunc(open, func(a, b CreditRow) int { return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N)) })
		for _, c := range open {
			if err := fn(c.Credit); err != nil {
				return err
			}
		}
		open = open[:0]
		return nil
	}
	err := Each(v, &Credits, func(c CreditRow) error {
		if len(open) > 0 && open[0].Company != c.Company {
			if err := flush(); err != nil {
				return err
			}
		}
		open = append(open, c)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
