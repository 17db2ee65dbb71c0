package credit

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// oldestDays is for how many days a merchant may owe a cent before it reports more (F41.6).
const oldestDays = 45

// mayHold asks that a merchant's token may report that it holds more money: it owes no more
// than its limit after it, and nothing that is too old (F41.6). Staff are not bound.
func (s *State) mayHold(e Env, amount money.Amount) *Rejection {
	m, p := s.Merchants[e.Actor.Merchant], s.Position(e.Actor.Merchant)
	limit := m.DueLimit(e.Today())
	if since := m.OwesSince(p); since != calendar.None && since.AddDays(oldestDays) < e.Today() {
		return MerchantDueLimit.With(fmt.Sprintf("The merchant has owed money for more than %d days; it reports more once that is remitted.", oldestDays),
			map[string]any{"owed": p.Due(), "owed_since": since})
	}
	if p.Due().Add(amount) > limit {
		return overDue(p.Due(), limit)
	}
	return nil
}

// mayOwe asks the same of a refund that leaves the merchant owing more, less what it is still
// to be paid: after payout what it owes rises, before it what it is to be paid falls (F41.6).
func (d *Draft) mayOwe(merchant string) *Rejection {
	if d.Env.Actor.Operator {
		return nil
	}
	net := func(p Position) money.Amount { return p.Due().Sub(max(0, p.Payable)) }
	was, now := d.State.Position(merchant), d.Position(merchant)
	limit := d.State.Merchants[merchant].DueLimit(d.Env.Today())
	if net(now) > net(was) && net(now) > limit {
		return overDue(was.Due(), limit)
	}
	return nil
}

func overDue(owed, limit money.Amount) *Rejection {
	return MerchantDueLimit.With(fmt.Sprintf("The merchant owes %s and may owe %s; remitting makes room at once.", owed, limit),
		map[string]any{"owed": owed, "limit": limit})
}
