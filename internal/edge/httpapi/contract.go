package httpapi

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"tenor/api"
	"tenor/internal/domain/outcome"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// documents are the contract in its two forms.
type documents struct{ json, yaml []byte }

// Contract returns the published contract, as JSON and as YAML. The server named in it is
// the configured one.
func (a *API) Contract() (jsonDoc, yamlDoc []byte, err error) {
	d, err := a.written()
	return d.json, d.yaml, err
}

func (a *API) write() (d documents, err error) {
	var examples map[string]rest.Recorded
	if err := json.Unmarshal(api.Examples, &examples); err != nil {
		return documents{}, fmt.Errorf("read examples: %w", err)
	}
	d.json, d.yaml, err = a.OpenAPI(rest.Info{
		Title: "Tenor", Version: "1", License: "Apache-2.0", Servers: []string{a.base},
		Description: "Financing for business buyers: orders on credit lines, repayment schedules, payments, and books that balance.\n\n" +
			"Every path is also available under `/v1`, `/v2` and without a prefix. Errors are `application/problem+json` (RFC 9457) with a stable `code`. " +
			"Send an `Idempotency-Key` with every POST and PATCH: the same request with the same key has one effect and one response.",
		Security: securitySchemes, Webhooks: eventWebhooks(), Examples: examples,
	})
	return d, err
}

// eventWebhooks describes every event type that some command emits, as an endpoint gets it.
func eventWebhooks() []rest.Webhook {
	var hooks []rest.Webhook
	for _, t := range outcome.EventTypes() {
		if payload, ok := resource.EventResource(t); ok {
			hooks = append(hooks, rest.Webhook{Type: string(t), Summary: "An event of the type " + string(t), Payload: payload})
		}
	}
	return hooks
}

// Handler is the API with its contract at /openapi.json and /openapi.yaml, and an answer at
// / that lists where things are. They need no token.
func (a *API) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			a.ServeHTTP(w, r)
		case isRoot(r.URL.Path):
			a.root(w, r)
		case r.URL.Path == "/openapi.json" || r.URL.Path == "/openapi.yaml":
			a.document(w, r.URL.Path == "/openapi.yaml")
		default:
			a.ServeHTTP(w, r)
		}
	})
}

// document sends the contract in one of its forms.
func (a *API) document(w http.ResponseWriter, yaml bool) {
	jsonDoc, yamlDoc, err := a.Contract()
	body, media := jsonDoc, "application/json"
	if yaml {
		body, media = yamlDoc, "application/yaml"
	}
	if err != nil { // a description is broken; tests write the whole contract
		a.log.Error("contract", "error", err.Error())
		http.Error(w, "The contract is not available.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(body)
}

// securitySchemes are how callers authenticate.
const securitySchemes = `{
	"bearer": {"type": "http", "scheme": "bearer", "description": "An access token of ` + "`POST /oauth/token`" + `. The names in a security requirement are scopes."},
	"client": {"type": "http", "scheme": "basic",
		"description": "The ID and secret of an API client; or ` + "`client_id` and `client_secret`" + ` in the form."}
}`
