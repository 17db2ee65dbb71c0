package engine

import "tenor/internal/domain/credit"

// part returns a new state with the records that the keys name. Records are shared: they
// are never changed in place.
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
	some(out.Records, s.Records, k.Records)
	some(out.Lenders, s.Lenders, k.Lenders)
	return out
}

func some[K comparable, V any](to, from map[K]V, keys []K) {
	for _, k := range keys {
		to[k] = from[k]
	}
}
