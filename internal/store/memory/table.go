package memory

import (
	"sort"

	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/store"
)

// table keeps every version of every row. A nil row is a deletion.
type table[K comparable, T any] map[K][]version[T]

type version[T any] struct {
	q   int64 // commit from which on the version holds
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

// touch leads from an order to an event from commit q on.
type touch struct {
	event string
	q     int64
}

// entry is an entry with the position that its head keeps.
type entry struct {
	head     store.EntryHead
	postings []ledger.Posting
}

func (e entry) row() store.EntryRow {
	full := e.head.Entry
	full.Postings = e.postings
	return store.EntryRow{Entry: full, Q: e.head.Q, At: e.head.At}
}

// data is the content of a database. Slices are append-only and in order of
// commit; the maps below a slice lead into it.
type data struct {
	head    store.BookRow
	batches []store.BatchRow
	batchAt map[store.BatchID]int

	merchants  table[string, store.MerchantRow]
	programmes table[string, []store.ProgrammeRow] // by merchant
	companies  table[int64, store.CompanyRow]
	orders     table[string, store.OrderRow]
	loans      table[string, store.LoanRow]
	payments   table[string, store.PaymentRow]
	invoices   table[string, store.InvoiceRow]
	credits    table[int64, []store.CreditRow] // by company, oldest first
	money      table[string, store.MoneyRow]
	balances   table[ledger.BalanceKey, store.BalanceRow]
	positions  table[string, store.PositionRow] // by merchant
	claims     table[credit.Claim, store.ClaimRow]
	answers    table[store.KeyID, store.AnswerRow]

	accounts map[int64][]string // loans of a company
	touches  map[string][]touch // events of an order, in order of recording

	entries   []entry
	entryAt   map[string]int
	entriesOf map[string][]int // by order
	reversed  map[string]bool  // entries that have a reversal

	events    []store.EventRow
	eventAt   map[string]int
	eventsOf  map[credit.ObjectRef][]int
	readersOf map[string][]int // by merchant: the events that it may read

	audits   []store.AuditRow
	accessOf map[string][]int // by client and token: its rows among the audits

	clients   table[string, store.ClientRow]
	tokens    map[[32]byte]store.TokenRow // those that were deleted are in no older view either
	endpoints table[string, store.EndpointRow]
	resends   []store.ResendRow

	methods   table[string, store.MethodRow]
	transfers table[string, store.TransferRow]
	payouts   table[string, store.PayoutRow]
	lines     table[string, store.LineRow]
	notices   table[string, store.NoticeRow]
	periods   []store.PeriodRow // in order of commit
	lenders   table[string, store.LenderRow]
	screened  table[string, store.ScreeningRow]
	receipts  table[string, store.ReceiptRow]
	records   map[credit.Noun]table[string, store.RecordRow]
	vault     map[string][]byte
	scratch   map[string]store.ScratchRow
	requests  map[string]store.RequestRow

	linesOf     map[string][]string // by key, every line that ever was
	linesFor    map[string][]string // by merchant
	transfersOf map[transferOf]string

	exchange exchange

	// What is not a decision. Its versions are counted by its own writes, so that a
	// View sees one state of it too.
	rev        int64
	deliveries table[string, store.Delivery]
	attempts   table[string, []store.Attempt] // by delivery, in order
	cursors    table[string, store.Cursor]
	leases     map[string]store.Lease
	settings   map[string][]byte
	signed     []store.SignedHead // in order of their numbers
}

func newData() data {
	return data{
		head:    store.FirstBook(),
		batchAt: map[store.BatchID]int{}, merchants: table[string, store.MerchantRow]{},
		programmes: table[string, []store.ProgrammeRow]{}, companies: table[int64, store.CompanyRow]{},
		orders: table[string, store.OrderRow]{}, loans: table[string, store.LoanRow]{},
		payments: table[string, store.PaymentRow]{}, invoices: table[string, store.InvoiceRow]{},
		credits: table[int64, []store.CreditRow]{}, money: table[string, store.MoneyRow]{},
		balances: table[ledger.BalanceKey, store.BalanceRow]{}, positions: table[string, store.PositionRow]{}, claims: table[credit.Claim, store.ClaimRow]{},
		answers: table[store.KeyID, store.AnswerRow]{}, accounts: map[int64][]string{}, touches: map[string][]touch{},
		entryAt: map[string]int{}, entriesOf: map[string][]int{}, reversed: map[string]bool{},
		eventAt: map[string]int{}, eventsOf: map[credit.ObjectRef][]int{}, readersOf: map[string][]int{},
		clients: table[string, store.ClientRow]{}, endpoints: table[string, store.EndpointRow]{},
		accessOf: map[string][]int{}, deliveries: table[string, store.Delivery]{},
		attempts: table[string, []store.Attempt]{}, cursors: table[string, store.Cursor]{},
		leases: map[string]store.Lease{}, tokens: map[[32]byte]store.TokenRow{}, settings: map[string][]byte{},
		methods: table[string, store.MethodRow]{}, transfers: table[string, store.TransferRow]{},
		payouts: table[string, store.PayoutRow]{}, lines: table[string, store.LineRow]{}, notices: table[string, store.NoticeRow]{},
		lenders: table[string, store.LenderRow]{}, screened: table[string, store.ScreeningRow]{},
		receipts: table[string, store.ReceiptRow]{},
		linesOf:  map[string][]string{}, linesFor: map[string][]string{}, transfersOf: map[transferOf]string{}, exchange: newExchange(),
		records: newRecords(), vault: map[string][]byte{}, scratch: map[string]store.ScratchRow{}, requests: map[string]store.RequestRow{},
	}
}

// until is the number of leading elements of an append-only slice whose commit
// is at most q.
func until[T any](rows []T, q int64, of func(T) int64) int {
	return sort.Search(len(rows), func(i int) bool { return of(rows[i]) > q })
}
