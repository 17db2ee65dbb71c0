package httpapi

import (
	"cmp"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/ulid"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

// API is Tenor's: a table of operations behind the HTTP layer, with its contract.
type API struct {
	*rest.API
	base    string // public address
	log     *slog.Logger
	written func() (documents, error) // on first use: most servers of a test, and most nodes, are never asked
}

// New makes Tenor's API from a table. The common part of its operations is always Tenor's
// own, whatever the configuration.
func New(config rest.Config, table []rest.Operation) (*API, error) {
	config.Contract, config.ProxyHint = contract(), "If it is yours, pass its network in --trusted-proxies."
	api, err := rest.New(config, table)
	if err != nil {
		return nil, err
	}
	a := &API{API: api, base: config.BaseURL, log: config.Log}
	a.written = sync.OnceValues(a.write)
	return a, nil
}

// contract returns what all operations have in common.
func contract() rest.Contract {
	return rest.Contract{
		Codes: Codes(), Kinds: values.Kinds(), Places: places, Allows: allows, Encode: serve.Encode, Explain: unforeseen, NewRequestID: newRequestID,
		Tenant: "merchant", ErrorPages: "/docs/errors/", RequestPages: "/v1/requests/",
		Undrawn: []string{"key", "id", "order_key", "invoice_id", "payment_id", "cause"},
		Masking: rest.Masking{Shown: plainText, Private: isPersonal},
	}
}

// Problem encodes a problem as the API answers with it, for code that answers in its place.
// base is the public URL.
func Problem(p *rest.Problem, base, requestID string) (status int, body []byte) {
	c := contract()
	return c.Problem(p, base, requestID)
}

// places returns all paths of an operation: as in the interface document, and under /v1 and
// /v2. Nothing below /oauth has a prefix, and everything of the sandbox has one.
func places(path string) []string {
	base := path
	for _, prefix := range []string{"/v1/", "/v2/"} {
		if strings.HasPrefix(base, prefix) {
			base = base[len(prefix)-1:]
		}
	}
	switch {
	case strings.HasPrefix(base, "/oauth/"):
		return []string{path}
	case base == "/sandbox" || strings.HasPrefix(base, "/sandbox/"):
		return []string{"/v1" + base, "/v2" + base}
	}
	return []string{base, "/v1" + base, "/v2" + base}
}

// allows reports whether a token may do what requires a scope. The lender's scopes imply
// those of merchants.
func allows(p rest.Principal, scope string) bool {
	return slices.Contains(p.Scopes, scope) || p.Operator && access.OperatorMay(p.Scopes, scope)
}

// unforeseen translates a foreign error: the database may be available again in a moment.
func unforeseen(err error) *rest.Problem {
	if errors.Is(err, store.ErrUnreachable) {
		return rest.Unavailable(rest.CodeOverloaded, time.Second)
	}
	return nil
}

// RequestID is a request's identifier: the caller's own, or a new one for this instant.
func RequestID(h http.Header, at time.Time) string {
	return cmp.Or(rest.AcceptedRequestID(h), newRequestID(at))
}

// newRequestID returns req_ and a ULID.
func newRequestID(now time.Time) string { return "req_" + newULID(now) }

func newULID(now time.Time) string {
	var apart [10]byte
	_, _ = rand.Read(apart[:]) // never fails: it ends the program instead
	return ulid.New("", now, apart)
}

// Logged turns the layer's reports of its calls into rows of the request log.
func Logged(keep func(size int, row func() store.RequestRow)) func(size int, told func() rest.Exchange) {
	if keep == nil {
		return nil
	}
	return func(size int, told func() rest.Exchange) {
		keep(size, func() store.RequestRow { return requestRow(told()) })
	}
}

func requestRow(x rest.Exchange) store.RequestRow {
	return store.RequestRow{
		ID: store.RequestPrefix + newULID(x.At), RequestID: x.RequestID, At: x.At, Took: x.Took, Method: x.Method, Path: x.Path, Query: x.Query,
		Status: x.Status, Code: x.Code, Operation: x.Operation, Client: x.Client, Merchant: x.Tenant, Key: x.Key,
		Replayed: x.Replayed, DryRun: x.DryRun, Seq: x.Seq, RequestType: x.RequestType, RequestSize: x.RequestSize,
		ResponseType: x.ResponseType, ResponseSize: x.ResponseSize, RequestBody: x.RequestBody, ResponseBody: x.ResponseBody, Marks: x.Marks,
	}
}
