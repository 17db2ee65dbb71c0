package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// ReceivableOf is what is owed on an order's loan according to balances.
func ReceivableOf(bal func(ledger.Account) money.Amount) Receivable {
	return Receivable{
		Principal: bal(ledger.LoanPrincipal) + bal(ledger.UnfundedExternal), Charge: bal(ledger.ChargeReceivable),
		Fees: bal(ledger.FeesReceivable) + bal(ledger.OtherReceivable), Unearned: -bal(ledger.UnearnedCharge),
		Memo: bal(ledger.NonaccrualCharge), Lost: bal(ledger.ChargedOff),
	}
}
