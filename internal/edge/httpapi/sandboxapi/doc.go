// Package sandboxapi is the API of a sandbox: its clock and its bank, scripted buyers, the
// mail that was sent, webhook receivers, snapshots and scenarios. A live server has none of
// it.
package sandboxapi

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
