package postgres

import (
	"testing"

	"tenor/internal/domain/credit"
)

// The locks do not cover what another node created between them and the reads: a batch that
// has read it is decided again (EN8).
func TestReadsAreUnderLocks(t *testing.T) {
	for name, load := range map[string]func(*credit.State){
		"a company":        func(s *credit.State) { s.Companies[2] = &credit.Company{ID: 2} },
		"an order":         func(s *credit.State) { s.Orders["o"] = &credit.Order{Key: "o", Company: 2} },
		"a payment":        func(s *credit.State) { s.Payments["p"] = &credit.Payment{ID: "p", Company: 2} },
		"an invoice":       func(s *credit.State) { s.Invoices["i"] = &credit.Invoice{ID: "i", Company: 2} },
		"a payment method": func(s *credit.State) { s.Methods["pm"] = &credit.PaymentMethod{ID: "pm", Company: 2} },
		"a transfer":       func(s *credit.State) { s.Transfers["t"] = &credit.Transfer{ID: "t", Company: 2} },
		"a notice":         func(s *credit.State) { s.Notices["n"] = &credit.Notice{ID: "n", Company: 2} },
	} {
		l := newLoader(credit.NewState())
		l.s.Companies[1], l.s.Companies[3] = &credit.Company{ID: 1}, nil
		l.s.Transfers["po"] = &credit.Transfer{ID: "po", Merchant: "m"} // without a company
		locked := map[int64]bool{1: true}
		if !l.under(locked) {
			t.Error("what is locked, and what is not there, counts as unlocked")
		}
		if load(l.s); l.under(locked) {
			t.Errorf("%s of a company that is not locked goes through", name)
		}
		if locked[2] = true; !l.under(locked) {
			t.Errorf("%s of a locked company is refused", name)
		}
	}
}
