package merchants

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// Guards say which permission of the lender's staff each command takes; see credit.Guarded.

func guard(merchant string, p permit.Permission) credit.Guard {
	return credit.Guard{Permission: p, Of: credit.ObjectRef{Type: "merchant", ID: merchant}}
}

// Guard implements credit.Guarded.
func (c CreateMerchant) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Settings}
}

// Guard implements credit.Guarded: prices.
func (c AddProgram) Guard(*credit.State) credit.Guard {
	return guard(c.Merchant, permit.Settings)
}

// Guard implements credit.Guarded: where a merchant's money goes.
func (c SetMerchantAccount) Guard(*credit.State) credit.Guard {
	return guard(c.Merchant, permit.ReleasePayout)
}

// Guard implements credit.Guarded. A second client is what the confirmation is itself.
func (c ConfirmMerchantAccount) Guard(*credit.State) credit.Guard {
	g := guard(c.Merchant, permit.ReleasePayout)
	g.Second = credit.Never
	return g
}

// Guard implements credit.Guarded: it stops a change.
func (c CancelMerchantAccount) Guard(*credit.State) credit.Guard {
	return guard(c.Merchant, permit.HoldPayouts)
}

// Guard implements credit.Guarded.
func (c SetMerchantLimits) Guard(*credit.State) credit.Guard {
	return guard(c.Merchant, permit.Settings)
}

// Guard implements credit.Guarded.
func (c HoldPayouts) Guard(*credit.State) credit.Guard {
	if c.Reason == "" {
		return guard(c.Merchant, permit.ReleasePayout)
	}
	return guard(c.Merchant, permit.HoldPayouts)
}

// Guard implements credit.Guarded: who says that a merchant has paid ends what it owes.
func (c PayClawback) Guard(*credit.State) credit.Guard { return guardPaid(c.Merchant, c.Amount) }

// Guard implements credit.Guarded.
func (c RemitCollected) Guard(*credit.State) credit.Guard { return guardPaid(c.Merchant, c.Amount) }

func guardPaid(merchant string, amount money.Amount) credit.Guard {
	g := guard(merchant, permit.Service)
	g.Amount = amount
	return g
}
