package permit

import "tenor/internal/domain/money"

// Policy is the lender's on what takes two people. The zero value lets everybody act alone as far
// as the roles go.
type Policy struct {
	Required bool `json:"required,omitzero"`
	// Limits are the amounts up to which somebody with the grant Limit acts alone; a permission
	// that is absent has its usual limit.
	Limits map[Permission]money.Amount `json:"limits,omitzero"`
}

// UsualLimits are the limits of a lender who has set none.
func UsualLimits() map[Permission]money.Amount {
	return map[Permission]money.Amount{DecideCredit: 50_000_00, Refund: 1_000_00, Service: 5_000_00}
}

// Limit is the amount up to which somebody with the grant Limit acts alone.
func (p Policy) Limit(of Permission) money.Amount {
	if limit, ok := p.Limits[of]; ok {
		return limit
	}
	return UsualLimits()[of]
}

// Takes reports whether an act takes two people, for somebody with a grant.
func (p Policy) Takes(of Permission, amount money.Amount, g Grant) bool {
	return g == Second || g == Limit && amount > p.Limit(of)
}
