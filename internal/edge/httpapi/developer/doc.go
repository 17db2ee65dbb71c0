// Package developer is the API for developers who build on Tenor: tokens, events, webhooks
// and their deliveries, and the request log.
package developer

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
