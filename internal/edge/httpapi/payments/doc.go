// Package payments is the API of money: payments of buyers, payouts to merchants, invoices,
// and the reconciliation of a merchant's own list with the books.
package payments

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
