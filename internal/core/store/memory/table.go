package memory

import (
	"slices"
	"sort"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
)

// table keeps every version of every row. A nil row is a deletion.
type table[K comparable, T any] map[K][]version[T]

type version[T any] struct {
	q   int64 // first commit of the version
	row *T
}

func (t table[K, T]) put(k K, q int64, row *T) { t[k] = append(t[k], version[T]{q, row}) }

// get returns the row as it stood after commit q, nil if there was none.
func (t table[K, T]) get(k K, q int64) *T {
	versions := t[k]
	i := sort.Search(len(versions), func(i int) bool { return versions[i].q > q })
	if i == 0 {
		return nil
	}
	return versions[i-1].row
}

// all returns the rows as they stood after commit q, in no order.
func (t table[K, T]) all(q int64) []T {
	var rows []T
	for k := range t {
		if row := t.get(k, q); row != nil {
			rows = append(rows, *row)
		}
	}
	return rows
}

// kept is all versions of a noun's rows, which are pointers to its row type.
type kept struct{ table[any, any] }

// typed is a kept with the noun's types.
type typed[K comparable, R any] struct{ kept kept }

// get returns the row as it stood after commit q, nil if there was none.
func (t typed[K, R]) get(k K, q int64) *R {
	row := t.kept.get(k, q)
	if row == nil {
		return nil
	}
	return (*row).(*R)
}

// all returns the rows as they stood after commit q, in no order.
func (t typed[K, R]) all(q int64) []R {
	var rows []R
	for _, row := range t.kept.all(q) {
		rows = append(rows, *row.(*R))
	}
	return rows
}

// has reports whether there ever was such a row.
func (t typed[K, R]) has(k K) bool { return t.kept.table[k] != nil }

// of returns a noun's rows.
func of[K comparable, V, R any](nouns []kept, n *store.NounOf[K, V, R]) typed[K, R] {
	return typed[K, R]{nouns[n.Index()]}
}

// touch links an order to an event, from commit q on.
type touch struct {
	event string
	q     int64
}

// entry is an entry with its position.
type entry struct {
	head     store.EntryHead
	postings []ledger.Posting
}

func (e entry) row() store.EntryRow {
	full := e.head.Entry
	full.Postings = e.postings
	return store.EntryRow{Entry: full, Q: e.head.Q, At: e.head.At}
}

// data is the content of a database. Slices are append-only and in commit order; the maps
// below a slice are indexes into it.
type data struct {
	head    store.BookRow
	nouns   []kept              // in order of store.Nouns; the typed fields below alias them
	tables  []string            // of the nouns
	columns map[string][]string // of every table
	batches []store.BatchRow
	batchAt map[store.BatchID]int

	merchants typed[string, store.MerchantRow]
	programs  table[string, []store.ProgrammeRow] // by merchant
	companies typed[int64, store.CompanyRow]
	orders    typed[string, store.OrderRow]
	loans     table[string, store.LoanRow]
	payments  typed[string, store.PaymentRow]
	invoices  typed[string, store.InvoiceRow]
	credits   table[int64, []store.CreditRow] // by company, oldest first
	money     table[string, store.MoneyRow]
	balances  table[ledger.BalanceKey, store.BalanceRow]
	totals    table[store.DayTotalKey, store.DayTotalRow]
	dues      table[store.DueTotalKey, store.DueTotalRow]
	positions table[string, store.PositionRow] // by merchant
	claims    table[credit.Claim, store.ClaimRow]
	answers   table[store.KeyID, store.AnswerRow]

	accounts map[int64][]string // a company's loans
	touches  map[string][]touch // an order's events, in order of recording

	entries   []entry
	entryAt   map[string]int
	entriesOf map[string][]int // by order
	reversed  map[string]bool  // entries that have a reversal

	events    []store.EventRow
	eventAt   map[string]int
	eventsOf  map[credit.ObjectRef][]int
	readersOf map[string][]int // by merchant: the events that it may read
	readers   []store.ReaderRow
	objects   []store.ObjectRow

	audits   []store.AuditRow
	accessOf map[string][]int // by client and token: its rows in audits

	clients   typed[string, store.ClientRow]
	tokens    typed[string, store.TokenRow] // deleted ones are missing from older views too
	endpoints typed[string, store.EndpointRow]
	resends   []store.ResendRow

	methods   typed[string, store.MethodRow]
	transfers typed[string, store.TransferRow]
	payouts   typed[string, store.PayoutRow]
	lines     typed[string, store.LineRow]
	notices   typed[string, store.NoticeRow]
	periods   typed[calendar.Date, store.PeriodRow]
	lenders   typed[string, store.LenderRow]
	screened  typed[string, store.ScreeningRow]
	receipts  typed[string, store.ReceiptRow]
	records   map[credit.Noun]typed[credit.RecordKey, store.RecordRow]
	vault     map[string][]byte
	scratch   map[string]store.ScratchRow
	requests  map[string]store.RequestRow

	linesOf     map[string][]string // by key, every line that ever existed
	linesFor    map[string][]string // by merchant
	transfersOf map[transferOf]string

	exchange exchange

	// Data that is not decided. Its versions are counted by its own writes, so that a View
	// sees one state of it too.
	rev        int64
	deliveries table[string, store.Delivery]
	attempts   table[string, []store.Attempt] // by delivery, in order
	cursors    table[string, store.Cursor]
	leases     map[string]store.Lease
	settings   map[string][]byte
	signed     []store.SignedHead // in order of their numbers
}

func newData() data {
	d := data{
		head:     store.FirstBook(),
		batchAt:  map[store.BatchID]int{},
		programs: table[string, []store.ProgrammeRow]{},
		loans:    table[string, store.LoanRow]{},

		credits: table[int64, []store.CreditRow]{}, money: table[string, store.MoneyRow]{},
		balances: table[ledger.BalanceKey, store.BalanceRow]{}, totals: table[store.DayTotalKey, store.DayTotalRow]{}, dues: table[store.DueTotalKey, store.DueTotalRow]{},
		positions: table[string, store.PositionRow]{}, claims: table[credit.Claim, store.ClaimRow]{},
		answers: table[store.KeyID, store.AnswerRow]{}, accounts: map[int64][]string{}, touches: map[string][]touch{},
		entryAt: map[string]int{}, entriesOf: map[string][]int{}, reversed: map[string]bool{},
		eventAt: map[string]int{}, eventsOf: map[credit.ObjectRef][]int{}, readersOf: map[string][]int{},

		accessOf: map[string][]int{}, deliveries: table[string, store.Delivery]{},
		attempts: table[string, []store.Attempt]{}, cursors: table[string, store.Cursor]{},
		leases: map[string]store.Lease{}, settings: map[string][]byte{},

		linesOf: map[string][]string{}, linesFor: map[string][]string{}, transfersOf: map[transferOf]string{}, exchange: newExchange(),
		vault: map[string][]byte{}, scratch: map[string]store.ScratchRow{}, requests: map[string]store.RequestRow{},
	}
	d.addNouns()
	return d
}

func (d *data) addNouns() {
	d.columns = map[string][]string{}
	for _, s := range slices.Concat(store.Schemas(), store.OutsideDump()) {
		d.columns[s.Name] = s.Columns
	}
	for _, n := range store.Nouns {
		d.nouns, d.tables = append(d.nouns, kept{table[any, any]{}}), append(d.tables, n.Schema().Name)
	}
	d.merchants, d.companies, d.orders = of(d.nouns, store.MerchantNoun), of(d.nouns, store.CompanyNoun), of(d.nouns, store.OrderNoun)
	d.payments, d.invoices, d.methods = of(d.nouns, store.PaymentNoun), of(d.nouns, store.InvoiceNoun), of(d.nouns, store.MethodNoun)
	d.clients, d.tokens, d.endpoints = of(d.nouns, store.ClientNoun), of(d.nouns, store.TokenNoun), of(d.nouns, store.EndpointNoun)
	d.transfers, d.payouts, d.lines = of(d.nouns, store.TransferNoun), of(d.nouns, store.PayoutNoun), of(d.nouns, store.PayoutLineNoun)
	d.notices, d.periods, d.lenders = of(d.nouns, store.NoticeNoun), of(d.nouns, store.PeriodNoun), of(d.nouns, store.LenderNoun)
	d.screened, d.receipts = of(d.nouns, store.ScreeningNoun), of(d.nouns, store.ReceiptNoun)
	d.records = map[credit.Noun]typed[credit.RecordKey, store.RecordRow]{}
	for _, t := range store.RecordTables {
		i := slices.IndexFunc(store.Nouns, func(n store.Noun) bool { return n.Name() == string(t.Noun) })
		d.records[t.Noun] = typed[credit.RecordKey, store.RecordRow]{d.nouns[i]}
	}
}

// until is the number of leading elements of an append-only slice whose commit is at most
// q.
func until[T any](rows []T, q int64, of func(T) int64) int {
	return sort.Search(len(rows), func(i int) bool { return of(rows[i]) > q })
}
