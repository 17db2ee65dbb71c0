package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// ReceivableOf is what balances say that an order's loan is owed.
func ReceivableOf(bal func(ledger.Account) money.Amount) Receivable {
	return Receivable{
		Principal: bal(ledger.LoanPrincipal) + bal(ledger.UnfundedExternal), Charge: bal(ledger.ChargeReceivable),
		Fees: bal(ledger.FeesReceivable) + bal(ledger.OtherReceivable), Unearned: -bal(ledger.UnearnedCharge),
		Memo: bal(ledger.NonaccrualCharge), Lost: bal(ledger.ChargedOff),
	}
}
