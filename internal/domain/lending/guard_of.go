package lending

import (
	"fmt"
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// GuardOrder is a guard on an order, which rests on its version and on what is unpaid.
func GuardOrder(s *credit.State, key string, p permit.Permission, amount money.Amount) credit.Guard {
	g := credit.Guard{Permission: p, Amount: amount, Of: credit.ObjectRef{Type: "order", ID: key}}
	if o := s.Orders[key]; o != nil {
		g.Basis = "version " + strconv.Itoa(o.Version)
	}
	if l := s.Loans[key]; l != nil {
		g.Basis += ", " + l.UnpaidPrincipal().String() + " unpaid"
	}
	return g
}

// GuardCompany is a guard on a company, which rests on its status and line: orders that come in
// the meantime change neither.
func GuardCompany(s *credit.State, id int64, p permit.Permission, amount money.Amount) credit.Guard {
	g := credit.Guard{Permission: p, Amount: amount, Of: credit.ObjectRef{Type: "company", ID: strconv.FormatInt(id, 10)}}
	if x := s.Companies[id]; x != nil {
		g.Basis = fmt.Sprint(x.Status, " ", x.Tier, " ", x.Limit)
	}
	return g
}
