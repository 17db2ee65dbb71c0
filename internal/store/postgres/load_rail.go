package postgres

import (
	"cmp"
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/store"
)

// days are rows of one date.
type days []calendar.Date

func (d days) count() int                   { return len(d) }
func (d days) types() []store.Type          { return dayColumn }
func (d days) value(row, _ int) store.Value { return date(d[row]) }

var dayColumn = []store.Type{store.Day}

// loadRails adds payment methods and notices, which their company's lock protects, and
// what may belong to a merchant: payouts, their lines and transfers. Those rows are
// locked themselves, after the companies, each table in order of its ids, so that of two
// nodes one waits and then sees what the other has left (PO2). Closed months need no
// lock: they are never opened again, and a month is closed once.
func (l *loader) loadRails(keys credit.Keys) {
	s := l.s
	method := every(&store.PaymentMethods, func(r *store.MethodRow) { s.Methods[r.ID], l.there[r.ID] = r.PaymentMethod, true })
	l.add(methodsByID, texts(missing(s.Methods, keys.Methods)), method)
	notice := every(&store.Notices, func(r *store.NoticeRow) { s.Notices[r.ID], l.there[r.ID] = r.Notice, true })
	l.add(noticesByID, texts(missing(s.Notices, keys.Notices)), notice)
	payout := every(&store.Payouts, func(r *store.PayoutRow) { s.Payouts[r.ID], l.there[r.ID] = r.Payout, true })
	l.add(payoutsByID+l.end(), texts(missing(s.Payouts, keys.Payouts)), payout)
	position := every(&store.Positions, func(r *store.PositionRow) { s.Positions[r.Merchant] = r.Position })
	l.add(positionsByMerchant, texts(missing(s.Positions, keys.Positions)), position) // every batch adds to it: not locked
	l.loadLines(missing(s.OrderLines, keys.Lines), missing(s.Waiting, keys.Waiting), missing(s.Ended, keys.Ended))
	transfer := every(&store.Transfers, func(r *store.TransferRow) { s.Transfers[r.ID], l.there[r.ID] = r.Transfer, true })
	l.add(transfersByID+l.end(), texts(missing(s.Transfers, keys.Transfers)), transfer)
	period := every(&store.Periods, func(r *store.PeriodRow) { s.Periods[r.Month] = r.Period })
	l.add(periodsByMonth, days(missing(s.Periods, keys.Periods)), period)
	screening := every(&store.Screenings, func(r *store.ScreeningRow) { s.Screenings[r.ID], l.there[r.ID] = r.Screening, true })
	l.add(screeningsByID+l.end(), texts(missing(s.Screenings, keys.Screenings)), screening)
	receipt := every(&store.Receipts, func(r *store.ReceiptRow) { s.Receipts[r.ID], l.there[r.ID] = r.Receipt, true })
	l.add(receiptsByID+l.end(), texts(missing(s.Receipts, keys.Receipts)), receipt)
	l.loadRecords(missing(s.Records, keys.Records))
	lender := every(&store.Lenders, func(r *store.LenderRow) { s.Lenders[r.ID], l.there[r.ID] = r.Lender, true })
	l.add(lendersByID+l.end(), texts(missing(s.Lenders, keys.Lenders)), lender) // the last of all locks
}

// loadLines adds the payout lines of orders (or of companies, by their account key)
// those that wait for merchants, and those that debits have ended, in one statement: so
// all are locked in one order.
// A line that was paid while this one waited for it is read as it is now, and does not
// wait any more.
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
			if count[of]++; count[of] > credit.MaxLines { // one that waits was loaded for its order
				s.Waiting[r.Merchant] = l.withoutLast(s.Waiting[r.Merchant], of.kind)
			}
		}
	})})
}

// rememberWaiting keeps which lines were found to wait for merchants: one that comes later
// could not be locked. Decisions change the lists of the state.
func (l *loader) rememberWaiting(merchants []string) {
	for _, m := range merchants {
		if _, known := l.waiting[m]; !known {
			l.waiting[m] = slices.Clone(l.s.Waiting[m])
		}
	}
}

// withLine puts a line into a list that is in order of (Due, ID).
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

// withoutLast takes the last line of a side off a list.
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

// railsUnder is under for payment methods, notices and the transfers of companies.
func (l *loader) railsUnder(locked map[int64]bool) bool {
	for _, m := range l.s.Methods {
		if m != nil && !locked[m.Company] {
			return false
		}
	}
	for _, n := range l.s.Notices {
		if n != nil && !locked[n.Company] {
			return false
		}
	}
	for _, t := range l.s.Transfers {
		if t != nil && t.Company != 0 && !locked[t.Company] {
			return false
		}
	}
	return true
}
