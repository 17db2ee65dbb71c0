// Package operator is the API of the lender's back office: companies and their lines,
// merchants and their payouts, applications and cases to decide, the books, the bank's
// lines, and the lender's own settings, clients and audit log. Merchants have none of it.
package operator

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
