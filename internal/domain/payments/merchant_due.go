package payments

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// oldestDays is how many days a merchant may owe any amount before it may no longer report
// more (F41.6).
const oldestDays = 45

// mayHold requires that a merchant's token may report that it holds more money: it then owes
// no more than its limit, and nothing too old (F41.6). Staff are not limited.
func mayHold(s *credit.State, e credit.Env, amount money.Amount) *credit.Rejection {
	m, p := s.Merchants[e.Actor.Merchant], s.Position(e.Actor.Merchant)
	limit := m.DueLimit(e.Today())
	if since := owesSince(m, p); since != calendar.None && since.AddDays(oldestDays) < e.Today() {
		return credit.MerchantDueLimit.With(fmt.Sprintf("The merchant has owed money for more than %d days; it reports more once that is remitted.", oldestDays),
			map[string]any{"owed": p.Due(), "owed_since": since})
	}
	if p.Due().Add(amount) > limit {
		return lending.OverDue(p.Due(), limit)
	}
	return nil
}

// owesSince is the day of the oldest cent that the merchant owes, None if its position shows no
// debt. It dates from the last daily run or the last partial settlement.
func owesSince(m *credit.Merchant, p credit.Position) calendar.Date {
	if p.Due() == 0 {
		return calendar.None
	}
	return m.OwedSince
}
