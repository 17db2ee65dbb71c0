// Package orders is the API of orders: from the checkout, where a buyer accepts, to the
// capture and the refund, with the schedule, the papers and the promotion of an amount.
package orders

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
