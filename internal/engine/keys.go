package engine

import (
	"cmp"
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/credit"
)

// keySet gathers what the commands of a batch need, each key once over all
// rounds.
type keySet struct {
	merchants, orders, payments, invoices, history, clients, tokens, endpoints map[string]struct{}
	methods, transfers, payouts, lines, waiting, ended, notices                map[string]struct{}
	positions                                                                  map[string]struct{}
	companies, accounts                                                        map[int64]struct{}
	claims                                                                     map[credit.Claim]struct{}
	periods                                                                    map[calendar.Date]struct{}
	lenders, screenings, receipts                                              map[string]struct{}
	records                                                                    map[credit.RecordKey]struct{}
}

func newKeySet(size int) *keySet {
	return &keySet{
		merchants: map[string]struct{}{}, orders: map[string]struct{}{}, payments: map[string]struct{}{},
		invoices: map[string]struct{}{}, history: map[string]struct{}{},
		companies: make(map[int64]struct{}, size), accounts: map[int64]struct{}{},
		claims: map[credit.Claim]struct{}{}, clients: map[string]struct{}{}, tokens: map[string]struct{}{}, endpoints: map[string]struct{}{},
		methods: map[string]struct{}{}, transfers: map[string]struct{}{}, payouts: map[string]struct{}{},
		lines: map[string]struct{}{}, waiting: map[string]struct{}{}, ended: map[string]struct{}{}, notices: map[string]struct{}{},
		periods: map[calendar.Date]struct{}{}, lenders: map[string]struct{}{}, screenings: map[string]struct{}{},
		receipts: map[string]struct{}{}, positions: map[string]struct{}{}, records: map[credit.RecordKey]struct{}{},
	}
}

// add appends to fresh the keys that nobody has named yet, and reports whether
// there were any.
func (s *keySet) add(fresh *credit.Keys, k credit.Keys) bool {
	n := note(s.merchants, &fresh.Merchants, k.Merchants) +
		note(s.companies, &fresh.Companies, k.Companies) +
		note(s.orders, &fresh.Orders, k.Orders) +
		note(s.payments, &fresh.Payments, k.Payments) +
		note(s.invoices, &fresh.Invoices, k.Invoices) +
		note(s.claims, &fresh.Claims, k.Claims) +
		note(s.history, &fresh.History, k.History) +
		note(s.accounts, &fresh.Accounts, k.Accounts) +
		note(s.clients, &fresh.Clients, k.Clients) +
		note(s.tokens, &fresh.Tokens, k.Tokens) +
		note(s.endpoints, &fresh.Endpoints, k.Endpoints) +
		note(s.methods, &fresh.Methods, k.Methods) +
		note(s.transfers, &fresh.Transfers, k.Transfers) +
		note(s.payouts, &fresh.Payouts, k.Payouts) +
		note(s.lines, &fresh.Lines, k.Lines) +
		note(s.positions, &fresh.Positions, k.Positions) +
		note(s.waiting, &fresh.Waiting, k.Waiting) +
		note(s.ended, &fresh.Ended, k.Ended) +
		note(s.notices, &fresh.Notices, k.Notices) +
		note(s.periods, &fresh.Periods, k.Periods) +
		note(s.lenders, &fresh.Lenders, k.Lenders) +
		note(s.screenings, &fresh.Screenings, k.Screenings) +
		note(s.receipts, &fresh.Receipts, k.Receipts) +
		note(s.records, &fresh.Records, k.Records)
	return n > 0
}

// covers reports whether everything that the keys name was loaded, or was made
// by a command of this batch.
func (s *keySet) covers(k credit.Keys, state *credit.State) bool {
	return known(s.merchants, state.Merchants, k.Merchants) &&
		known(s.companies, state.Companies, k.Companies) &&
		known(s.orders, state.Orders, k.Orders) &&
		known(s.payments, state.Payments, k.Payments) &&
		known(s.invoices, state.Invoices, k.Invoices) &&
		known(s.claims, state.Claims, k.Claims) &&
		known(s.history, state.History, k.History) &&
		known(s.accounts, state.Accounts, k.Accounts) &&
		known(s.clients, state.Clients, k.Clients) &&
		known(s.tokens, state.Tokens, k.Tokens) &&
		known(s.endpoints, state.Endpoints, k.Endpoints) &&
		known(s.methods, state.Methods, k.Methods) &&
		known(s.transfers, state.Transfers, k.Transfers) &&
		known(s.payouts, state.Payouts, k.Payouts) &&
		known(s.lines, state.OrderLines, k.Lines) &&
		known(s.positions, state.Positions, k.Positions) &&
		known(s.waiting, state.Waiting, k.Waiting) &&
		known(s.ended, state.Ended, k.Ended) &&
		known(s.notices, state.Notices, k.Notices) &&
		known(s.periods, state.Periods, k.Periods) &&
		known(s.lenders, state.Lenders, k.Lenders) &&
		known(s.screenings, state.Screenings, k.Screenings) &&
		known(s.receipts, state.Receipts, k.Receipts) &&
		known(s.records, state.Records, k.Records)
}

func note[K comparable](seen map[K]struct{}, fresh *[]K, keys []K) int {
	n := 0
	for _, k := range keys {
		if _, ok := seen[k]; !ok {
			seen[k] = struct{}{}
			*fresh = append(*fresh, k)
			n++
		}
	}
	return n
}

func known[K comparable, V any](seen map[K]struct{}, state map[K]V, keys []K) bool {
	for _, k := range keys {
		if _, ok := seen[k]; ok {
			continue
		}
		if _, ok := state[k]; !ok {
			return false
		}
	}
	return true
}

// sortKeys puts keys into canonical order, in which rows are locked (EN8).
func sortKeys(k *credit.Keys) {
	slices.Sort(k.Merchants)
	slices.Sort(k.Companies)
	slices.Sort(k.Orders)
	slices.Sort(k.Payments)
	slices.Sort(k.Invoices)
	slices.Sort(k.History)
	slices.Sort(k.Accounts)
	slices.Sort(k.Clients)
	slices.Sort(k.Tokens)
	slices.Sort(k.Endpoints)
	slices.Sort(k.Methods)
	slices.Sort(k.Transfers)
	slices.Sort(k.Payouts)
	slices.Sort(k.Lines)
	slices.Sort(k.Positions)
	slices.Sort(k.Waiting)
	slices.Sort(k.Ended)
	slices.Sort(k.Notices)
	slices.Sort(k.Periods)
	slices.Sort(k.Lenders)
	slices.Sort(k.Screenings)
	slices.Sort(k.Receipts)
	slices.SortFunc(k.Records, func(a, b credit.RecordKey) int {
		return cmp.Or(cmp.Compare(a.Noun, b.Noun), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(k.Claims, func(a, b credit.Claim) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Name, b.Name))
	})
}

// part is a state of its own with the nouns that the keys name, which are shared:
// records are never changed in place.
func part(s *credit.State, k credit.Keys) *credit.State {
	out := credit.NewState()
	some(out.Merchants, s.Merchants, k.Merchants)
	some(out.Companies, s.Companies, k.Companies)
	some(out.Credits, s.Credits, k.Companies)
	some(out.Orders, s.Orders, k.Orders)
	some(out.Loans, s.Loans, k.Orders)
	some(out.Payments, s.Payments, k.Payments)
	some(out.Invoices, s.Invoices, k.Invoices)
	some(out.Methods, s.Methods, k.Methods)
	some(out.Transfers, s.Transfers, k.Transfers)
	some(out.Payouts, s.Payouts, k.Payouts)
	return out
}

func some[K comparable, V any](to, from map[K]V, keys []K) {
	for _, k := range keys {
		to[k] = from[k]
	}
}
