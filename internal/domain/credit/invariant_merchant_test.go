package credit_test

import (
	"errors"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// A merchant's token using more of a line than allowed is a violation. Leaving it unchanged is
// not, and staff may.
func TestCheckAsked(t *testing.T) {
	cents := money.MustParse
	company := func(limit, outstanding string) *credit.Company {
		return &credit.Company{ID: 1, Limit: cents(limit), Outstanding: cents(outstanding)}
	}
	loan := func(owed string) *schedule.Loan {
		return &schedule.Loan{Key: "o", Rows: []schedule.Row{{Principal: cents("1000.00"), PaidPrincipal: cents("1000.00").Sub(cents(owed))}}}
	}
	order := &credit.Order{Key: "o", Company: 1, Captured: cents("1000.00"), Terms: &credit.OrderTerms{}}
	unfunded := *order
	unfunded.Terms = &credit.OrderTerms{Unfunded: true}
	for _, x := range []struct {
		what     string
		was, now *credit.Company
		before   *schedule.Loan
		after    *schedule.Loan
		order    *credit.Order
		want     string
	}{
		{"a cent above the line", company("500.00", "400.00"), company("500.00", "500.01"), nil, nil, order, "CL5"},
		{"the whole line", company("500.00", "400.00"), company("500.00", "500.00"), nil, nil, order, ""},
		{"less of a line that was cut", company("500.00", "700.00"), company("500.00", "600.00"), nil, nil, order, ""},
		{"more of a line that was cut", company("500.00", "600.00"), company("500.00", "600.01"), nil, nil, order, "CL5"},
		{"an order that the lender has funded", company("500.00", "400.00"), company("500.00", "800.00"), loan("400.00"), loan("800.00"), order, "CL5"},
		{"an order that the lender has not funded", company("500.00", "400.00"), company("500.00", "800.00"), loan("400.00"), loan("800.00"), &unfunded, ""},
	} {
		s := credit.NewState()
		s.Companies[1], s.Orders["o"] = x.was, x.order
		c := credit.Changes{Companies: []*credit.Company{x.now}}
		if x.after != nil {
			s.Loans["o"], c.Loans = x.before, []*schedule.Loan{x.after}
		}
		var found *invariant.Violation
		if errors.As(invariant.CheckAsked(c, s, credit.Actor{Merchant: "m"}), &found); found == nil != (x.want == "") || found != nil && found.Invariant != x.want {
			t.Errorf("%s: found %v, want %q", x.what, found, x.want)
		}
		if err := invariant.CheckAsked(c, s, credit.Actor{Operator: true}); err != nil {
			t.Errorf("%s, by staff: %v", x.what, err)
		}
	}
}
