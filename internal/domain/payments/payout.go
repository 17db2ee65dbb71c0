package payments

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// MerchantLine is a line on an account of a merchant that no order is named on.
func MerchantLine(a ledger.Account, amount money.Amount, merchant string) ledger.Posting {
	return ledger.Posting{Account: a, Amount: amount, Dimensions: ledger.Dimensions{Merchant: merchant}}
}

// OwnLine is a line on the account on which a payout line stands.
func OwnLine(a ledger.Account, amount money.Amount, l *credit.PayoutLine) ledger.Posting {
	return ledger.Posting{Account: a, Amount: amount, Dimensions: ledger.Dimensions{Company: l.Company, Merchant: l.Merchant, Order: l.Order}}
}
