// Package developer is the API for who builds on Tenor: tokens, events, webhooks and their deliveries, and
// the log of requests.
package developer

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
