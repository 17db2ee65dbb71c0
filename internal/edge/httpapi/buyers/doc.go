// Package buyers is the API of companies that buy on credit: the company with what it owes
// and how it pays, its statements, and before that its application; its disputes and
// questions.
package buyers

import "tenor/internal/edge/httpapi/serve"

// API has the operations of this package.
type API struct{ *serve.Service }
