package lending

import (
	"fmt"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// mayOwe checks a refund that increases what the merchant owes net of what is still payable to
// it: after payout its debt rises, before it the payable falls (F41.6).
func mayOwe(d *credit.Draft, merchant string) *credit.Rejection {
	if d.Env.Actor.Operator {
		return nil
	}
	net := func(p credit.Position) money.Amount { return p.Due().Sub(max(0, p.Payable)) }
	was, now := d.State.Position(merchant), d.Position(merchant)
	limit := d.State.Merchants[merchant].DueLimit(d.Env.Today())
	if net(now) > net(was) && net(now) > limit {
		return OverDue(was.Due(), limit)
	}
	return nil
}

// OverDue rejects what would make a merchant owe more than its limit.
func OverDue(owed, limit money.Amount) *credit.Rejection {
	return credit.MerchantDueLimit.With(fmt.Sprintf("The merchant owes %s and may owe %s; remitting makes room at once.", owed, limit),
		map[string]any{"owed": owed, "limit": limit})
}
