package postgres

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// loader turns keys into the calls of one pipeline, and their results into state.
type loader struct {
	s      *credit.State
	calls  []*call
	loans  map[string]*schedule.Loan // of this pipeline, until their rows and fees have arrived
	wanted map[string]bool           // orders of accounts that were not loaded before
	// What was read without a lock and must be unchanged at the commit.
	merchants map[string]int64
	claims    map[credit.Claim]string
	waiting   map[string][]string
	there     map[any]bool // records that were found, by key
	locks     bool         // rows without a company are locked when read
	// captured collects orders that have loans, if those are to be read in a round of their
	// own; nil if they are read together with the orders.
	captured *[]string
}

func newLoader(s *credit.State) *loader {
	return &loader{
		s: s, loans: map[string]*schedule.Loan{}, wanted: map[string]bool{},
		merchants: map[string]int64{}, claims: map[credit.Claim]string{}, waiting: map[string][]string{}, there: map[any]bool{},
	}
}

// add appends a call, unless it has no keys.
func (l *loader) add(sql string, keys source, fn func(*row) error) {
	if keys.Len() > 0 {
		c := over(sql, keys, fn)
		c.key = keyColumns[sql]
		l.calls = append(l.calls, c)
	}
}

// every returns a decoder for the rows of a table.
func every[T any](t *store.Table[T], fn func(*T)) func(*row) error {
	return func(r *row) error {
		x, err := scan(t, r)
		if err == nil {
			fn(x)
		}
		return err
	}
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

// load appends the calls that add the records of the keys to the state.
func (l *loader) load(keys credit.Keys) {
	s := l.s
	for i, n := range store.Nouns {
		if wanted := n.Wanted(s, &keys); wanted != nil {
			l.loadNoun(i, n, wanted)
		}
	}
	l.loadClaims(missing(s.Claims, keys.Claims))
	l.loadAccounts(missing(s.Accounts, keys.Accounts))
	l.loadHistory(missing(s.History, keys.History))
	position := every(&store.Positions, func(r *store.PositionRow) { s.Positions[r.Merchant] = r.Position })
	l.add(positionsByMerchant, texts(missing(s.Positions, keys.Positions)), position) // every batch adds to it: not locked
	l.loadLines(missing(s.OrderLines, keys.Lines), missing(s.Waiting, keys.Waiting), missing(s.Ended, keys.Ended))
}

// loadNoun adds the records of a noun, and their parts that have rows of their own. Records
// without a company are locked themselves, after the companies, each table in key order, so
// that of two nodes one waits and then sees the other's result (EN8, PO2). An absent record
// can be created only with an id that is generated at creation, so no decision on its
// absence can be wrong. Closed months need no lock: they are never reopened, and a month is
// closed once.
func (l *loader) loadNoun(at int, n store.Noun, wanted store.KeyList) {
	s, sql := l.s, nounTexts[at].byKey
	if n.Traits().Own {
		sql += l.end()
	}
	l.add(sql, wanted, func(r *row) error {
		x, err := r.decode(n, nounTexts[n.Index()].types)
		if err != nil {
			return err
		}
		n.Put(s, x)
		l.there[n.Key(x)] = true
		switch x := x.(type) {
		case *store.MerchantRow:
			l.merchants[x.ID] = x.Q
		case *store.OrderRow:
			if l.captured != nil && (x.Revision > 0 || !x.CapturedAt.IsZero()) {
				*l.captured = append(*l.captured, x.Order.Key)
			}
		}
		return nil
	})
	switch n {
	case store.MerchantNoun:
		l.add(programsByID, wanted, every(&store.Programs, func(r *store.ProgrammeRow) {
			if m := s.Merchants[r.Merchant]; m != nil {
				m.Programs = append(m.Programs, r.Program)
			}
		}))
	case store.CompanyNoun:
		for i := range wanted.Len() {
			s.Credits[wanted.Key(i).(int64)] = nil
		}
		l.add(creditsByCompany, wanted, every(&store.Credits, func(r *store.CreditRow) {
			s.Credits[r.Company] = append(s.Credits[r.Company], r.Credit)
		}))
	case store.OrderNoun:
		for i := range wanted.Len() {
			s.Loans[wanted.Key(i).(string)] = nil
		}
		if l.captured == nil {
			l.loadLoans(wanted, loansByKey, rowsByKey, feesByKey, func(string) bool { return true })
		}
	}
}

// end returns the end of a statement that locks what it reads, if this load locks.
func (l *loader) end() string {
	if l.locks {
		return forUpdate
	}
	return ""
}

func (l *loader) loadClaims(claims []credit.Claim) {
	rows := make(tuples, len(claims))
	for i, c := range claims {
		rows[i] = []store.Value{text(string(c.Kind)), text(c.Scope), text(c.Name)}
	}
	l.add(claimsByName, rows, every(&store.Claims, func(r *store.ClaimRow) {
		l.s.Claims[r.Claim] = r.Owner
		l.claims[r.Claim] = r.Owner
	}))
}

// loadLoans reads the whole loans of the wanted orders.
func (l *loader) loadLoans(keys source, loans, rows, fees string, wanted func(key string) bool) {
	l.add(loans, keys, every(&store.Loans, func(r *store.LoanRow) {
		if wanted(r.Key) {
			l.loans[r.Key], l.s.Loans[r.Key] = r.Loan, r.Loan
		}
	}))
	l.add(rows, keys, every(&store.Installments, func(r *store.InstallmentRow) {
		if loan := l.loans[r.Order]; loan != nil && wanted(r.Order) {
			loan.Rows = append(loan.Rows, r.Row)
		}
	}))
	l.add(fees, keys, every(&store.Fees, func(r *store.FeeRow) {
		if loan := l.loans[r.Order]; loan != nil && wanted(r.Order) {
			loan.Fees = append(loan.Fees, r.Fee)
		}
	}))
}

// loadAccounts adds all captured orders of companies with their loans. Those already in the
// state are left alone.
func (l *loader) loadAccounts(ids []int64) {
	l.add(accountsByCompany, numbers(ids), func(r *row) error {
		id, key := r.int(0), r.text(1)
		l.s.Accounts[id] = append(l.s.Accounts[id], key)
		if _, known := l.s.Orders[key]; !known {
			l.s.Orders[key], l.s.Loans[key] = nil, nil
			l.wanted[key] = true
		}
		return nil
	})
	l.add(ordersByAccount, numbers(ids), every(&store.Orders, func(r *store.OrderRow) {
		if l.wanted[r.Key] {
			l.s.Orders[r.Key], l.there[r.Key] = r.Order, true
		}
	}))
	l.loadLoans(numbers(ids), loansByAccount, rowsByAccount, feesByAccount, func(key string) bool { return l.wanted[key] })
}

// loadHistory adds orders' money events and the payments they name.
func (l *loader) loadHistory(keys []string) {
	at := len(store.MoneyEvents.Columns)
	l.add(historyByOrder, texts(keys), func(r *row) error {
		x, err := scan(&store.MoneyEvents, r)
		if err == nil {
			order := r.text(at)
			l.s.History[order] = append(l.s.History[order], x.MoneyEvent)
		}
		return err
	})
	l.add(paymentsOfHistory, texts(keys), every(&store.Payments, func(r *store.PaymentRow) {
		if l.s.Payments[r.ID] == nil {
			l.s.Payments[r.ID], l.there[r.ID] = r.Payment, true
		}
	}))
}

// lock returns the call that locks the companies that keys lead to, and collects them in
// locked. It precedes every read of them.
func lock(k credit.Keys, locked map[int64]bool) *call {
	companies := numbers(slices.Concat(k.Companies, k.Accounts))
	c := &call{sql: lockCompanies, row: func(r *row) error { locked[r.int(0)] = true; return nil }, params: []param{
		{rows: companies, kind: store.Integer}, {rows: texts(k.History), kind: store.Text},
	}}
	some := len(companies) + len(k.History)
	for _, n := range underCompanies {
		keys := n.Named(&k)
		some += keys.Len()
		c.params = append(c.params, param{rows: keys, kind: keys.Types()[0]})
	}
	if some == 0 {
		return nil
	}
	return c
}

// under reports whether the companies of everything loaded are locked. What another node
// created between the locks and the reads is not covered.
func (l *loader) under(locked map[int64]bool) bool {
	for _, n := range store.Nouns {
		if !n.Covered(l.s, locked) {
			return false
		}
	}
	return true
}
