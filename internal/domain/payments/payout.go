package payments

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// MerchantLine is a posting on a merchant account that names no order.
func MerchantLine(a ledger.Account, amount money.Amount, merchant string) ledger.Posting {
	return ledger.Posting{Account: a, Amount: amount, Dimensions: ledger.Dimensions{Merchant: merchant}}
}

// OwnLine is a posting on the account of a payout line.
func OwnLine(a ledger.Account, amount money.Amount, l *credit.PayoutLine) ledger.Posting {
	return ledger.Posting{Account: a, Amount: amount, Dimensions: ledger.Dimensions{Company: l.Company, Merchant: l.Merchant, Order: l.Order}}
}
