package postgres

import (
	"slices"

	"tenor/internal/credit"
	"tenor/internal/schedule"
	"tenor/internal/store"
)

// loader turns keys into the calls of one pipeline, and what they find into state.
type loader struct {
	s      *credit.State
	calls  []*call
	loans  map[string]*schedule.Loan // of this pipeline, until their rows and fees are there
	wanted map[string]bool           // orders of accounts that were not loaded before
	// What was read without a lock and must be the same at the commit.
	merchants map[string]int64
	claims    map[credit.Claim]string
	waiting   map[string][]string
	there     map[string]bool // records of every other kind that were found, by id
	locks     bool            // rows that hang below no company are locked as they are read
	// captured gathers orders that have loans, if those are to be read in a round of
	// their own; nil if they are read beside the orders.
	captured *[]string
}

func newLoader(s *credit.State) *loader {
	return &loader{
		s: s, loans: map[string]*schedule.Loan{}, wanted: map[string]bool{},
		merchants: map[string]int64{}, claims: map[credit.Claim]string{}, waiting: map[string][]string{}, there: map[string]bool{},
	}
}

// add appends a call, unless it has no keys.
func (l *loader) add(sql string, keys source, fn func(*row) error) {
	if keys.count() > 0 {
		l.calls = append(l.calls, over(sql, keys, fn))
	}
}

// every decodes the rows of a table.
func every[T any](t *store.Table[T], fn func(*T)) func(*row) error {
	return func(r *row) error {
		x, err := scan(t, r)
		if err == nil {
			fn(x)
		}
		return err
	}
}

// missing marks the keys that the state does not hold as loaded, and returns them.
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

// load appends the calls that add what the keys name to the state.
func (l *loader) load(keys credit.Keys) {
	s := l.s
	l.loadMerchants(missing(s.Merchants, keys.Merchants))
	l.loadCompanies(missing(s.Companies, keys.Companies))
	l.loadClaims(missing(s.Claims, keys.Claims))
	l.loadOrders(missing(s.Orders, keys.Orders))
	l.loadAccounts(missing(s.Accounts, keys.Accounts))
	l.loadHistory(missing(s.History, keys.History))
	payment := every(&store.Payments, func(r *store.PaymentRow) { s.Payments[r.ID], l.there[r.ID] = r.Payment, true })
	l.add(paymentsByID, texts(missing(s.Payments, keys.Payments)), payment)
	invoice := every(&store.Invoices, func(r *store.InvoiceRow) { s.Invoices[r.ID], l.there[r.ID] = r.Invoice, true })
	l.add(invoicesByID, texts(missing(s.Invoices, keys.Invoices)), invoice)
	l.loadAccess(keys)
	l.loadRails(keys)
}

// loadAccess adds clients, tokens and endpoints. They belong to no company, so their own rows
// are locked, in order of their ids and after the companies. One that is absent can be
// made only under an id that is drawn when it is made, so nothing is decided wrongly on
// its absence (EN8).
func (l *loader) loadAccess(keys credit.Keys) {
	s, end := l.s, l.end()
	client := every(&store.Clients, func(r *store.ClientRow) { s.Clients[r.ID], l.there[r.ID] = r.Client, true })
	l.add(clientsByID+end, texts(missing(s.Clients, keys.Clients)), client)
	token := every(&store.Tokens, func(r *store.TokenRow) { s.Tokens[r.Key()], l.there[r.Key()] = r.Token, true })
	l.add(tokensByHash+end, texts(missing(s.Tokens, keys.Tokens)), token)
	endpoint := every(&store.Endpoints, func(r *store.EndpointRow) { s.Endpoints[r.ID], l.there[r.ID] = r.Endpoint, true })
	l.add(endpointsByID+end, texts(missing(s.Endpoints, keys.Endpoints)), endpoint)
}

// end is the end of a statement that locks what it reads, if this load locks.
func (l *loader) end() string {
	if l.locks {
		return forUpdate
	}
	return ""
}

func (l *loader) loadMerchants(ids []string) {
	l.add(merchantsByID, texts(ids), every(&store.Merchants, func(r *store.MerchantRow) {
		l.s.Merchants[r.ID] = r.Merchant
		l.merchants[r.ID] = r.Q
	}))
	l.add(programmesByID, texts(ids), every(&store.Programmes, func(r *store.ProgrammeRow) {
		if m := l.s.Merchants[r.Merchant]; m != nil {
			m.Programmes = append(m.Programmes, r.Programme)
		}
	}))
}

func (l *loader) loadCompanies(ids []int64) {
	for _, id := range ids {
		l.s.Credits[id] = nil
	}
	l.add(companiesByID, numbers(ids), every(&store.Companies, func(r *store.CompanyRow) { l.s.Companies[r.ID] = r.Company }))
	l.add(creditsByCompany, numbers(ids), every(&store.Credits, func(r *store.CreditRow) {
		l.s.Credits[r.Company] = append(l.s.Credits[r.Company], r.Credit)
	}))
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

// loadOrders loads orders whose keys are marked already, with their loans.
func (l *loader) loadOrders(keys []string) {
	for _, key := range keys {
		l.s.Loans[key] = nil
	}
	l.add(ordersByKey, texts(keys), every(&store.Orders, func(r *store.OrderRow) {
		l.s.Orders[r.Key], l.there[r.Key] = r.Order, true
		if l.captured != nil && (r.Revision > 0 || !r.CapturedAt.IsZero()) {
			*l.captured = append(*l.captured, r.Key)
		}
	}))
	if l.captured != nil {
		return
	}
	l.loadLoans(texts(keys), loansByKey, rowsByKey, feesByKey, func(string) bool { return true })
}

// loadLoans reads whole loans, of the orders that are wanted.
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

// loadAccounts adds all captured orders of companies with their loans. Those that
// the state holds already are left alone.
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

// loadHistory adds orders' money events and the payments that they name.
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

// lock is the call that locks the companies that keys lead to. It comes before all
// that reads them.
// locked gathers them.
func lock(k credit.Keys, locked map[int64]bool) *call {
	companies := slices.Concat(k.Companies, k.Accounts)
	orders := slices.Concat(k.Orders, k.History)
	if len(companies)+len(orders)+len(k.Payments)+len(k.Invoices)+len(k.Transfers)+len(k.Methods)+len(k.Notices) == 0 {
		return nil
	}
	return &call{sql: lockCompanies, row: func(r *row) error { locked[r.int(0)] = true; return nil }, params: []param{
		{rows: numbers(companies), kind: store.Integer}, {rows: texts(orders), kind: store.Text},
		{rows: texts(k.Payments), kind: store.Text}, {rows: texts(k.Invoices), kind: store.Text},
		{rows: texts(k.Transfers), kind: store.Text}, {rows: texts(k.Methods), kind: store.Text},
		{rows: texts(k.Notices), kind: store.Text},
	}}
}

// under reports whether the companies of all that was loaded are locked. What another
// node made between the locks and the reads is not.
func (l *loader) under(locked map[int64]bool) bool {
	for id, c := range l.s.Companies {
		if c != nil && !locked[id] {
			return false
		}
	}
	for _, o := range l.s.Orders {
		if o != nil && !locked[o.Company] {
			return false
		}
	}
	for _, p := range l.s.Payments {
		if p != nil && !locked[p.Company] {
			return false
		}
	}
	for _, i := range l.s.Invoices {
		if i != nil && !locked[i.Company] {
			return false
		}
	}
	return l.railsUnder(locked)
}
