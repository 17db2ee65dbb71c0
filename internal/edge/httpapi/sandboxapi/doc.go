// Package sandboxapi is the API of a sandbox: its clock and its bank, buyers who do as they are told, the
// mail that was sent, receivers of webhooks, snapshots and scenarios. A live server has none of it.
package sandboxapi

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
