package lending

import "tenor/internal/domain/money"

// EarlyCredit is how much credit of consumers' money, made by refunds of orders, goes back to
// a company in any sixty days before the debits behind it can no longer be returned (F41.3).
const EarlyCredit money.Amount = 500_00
