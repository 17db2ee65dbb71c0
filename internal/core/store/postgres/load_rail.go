package postgres

import (
	"cmp"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// loadLines adds the payout lines of orders (or of companies, by their account key), those
// waiting for merchants, and those ended by debits, in one statement: so all are locked in
// one order. A line that was paid while this statement waited for it is read in its current
// state, and no longer waits.
func (l *loader) loadLines(of, merchants, debits []string) {
	if len(of)+len(merchants)+len(debits) == 0 {
		return
	}
	sql := linesByKey
	if l.locks {
		sql += " ORDER BY id" + forUpdate
	}
	ofKeys, waits, ended, count := set(of), set(merchants), set(debits), map[side]int{}
	l.calls = append(l.calls, &call{sql: sql, params: []param{
		{rows: texts(of), kind: store.Text}, {rows: texts(merchants), kind: store.Text}, {rows: texts(debits), kind: store.Text},
	}, row: every(&store.PayoutLines, func(r *store.LineRow) {
		s := l.s
		l.there[r.ID] = true
		if s.Lines[r.ID] == nil {
			s.Lines[r.ID] = r.PayoutLine
		}
		if ofKeys[r.Of] {
			s.OrderLines[r.Of] = l.withLine(s.OrderLines[r.Of], r.ID)
		}
		if ended[r.Payout] {
			s.Ended[r.Payout] = l.withLine(s.Ended[r.Payout], r.ID)
		}
		if waits[r.Merchant] && r.Payout == "" {
			s.Waiting[r.Merchant] = l.withLine(s.Waiting[r.Merchant], r.ID)
			of := side{r.Merchant, r.Kind.Side()}
			if count[of]++; count[of] > credit.MaxLines { // a waiting one was loaded for its order
				s.Waiting[r.Merchant] = l.withoutLast(s.Waiting[r.Merchant], of.kind)
			}
		}
	})})
}

// rememberWaiting records which lines were found to wait for merchants: one added later
// could not be locked. Decisions change the state's lists.
func (l *loader) rememberWaiting(merchants []string) {
	for _, m := range merchants {
		if _, known := l.waiting[m]; !known {
			l.waiting[m] = slices.Clone(l.s.Waiting[m])
		}
	}
}

// withLine inserts a line into a list ordered by (Due, ID).
func (l *loader) withLine(list []string, id string) []string {
	at, _ := slices.BinarySearchFunc(list, id, func(a, b string) int {
		return cmp.Or(cmp.Compare(l.s.Lines[a].Due, l.s.Lines[b].Due), cmp.Compare(a, b))
	})
	return slices.Insert(list, at, id)
}

// side is one side of what waits for a merchant: what it is owed, or what it owes.
type side struct {
	merchant string
	kind     credit.PayoutLineKind
}

// withoutLast removes the last line of a side from a list.
func (l *loader) withoutLast(list []string, kind credit.PayoutLineKind) []string {
	for i, id := range slices.Backward(list) {
		if l.s.Lines[id].Kind.Side() == kind {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

func set(keys []string) map[string]bool {
	m := make(map[string]bool, len(keys))
	for _, key := range keys {
		m[key] = true
	}
	return m
}
