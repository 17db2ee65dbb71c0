package lending

import "tenor/internal/domain/money"

// EarlyCredit is how much credit of consumers' money, created by refunds of orders, is sent
// back to a company within any sixty days before the debits behind it can no longer be
// returned (F41.3).
const EarlyCredit money.Amount = 500_00
