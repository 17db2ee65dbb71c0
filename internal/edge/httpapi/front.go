package httpapi

import (
	"net/http"
	"strings"

	"tenor/internal/edge/rest"
)

// isRoot reports whether a path is where people look first: the bare host, possibly with a
// version.
func isRoot(path string) bool {
	switch path {
	case "/", "/v1", "/v1/", "/v2", "/v2/":
		return true
	}
	return false
}

// root answers a request for the bare host: a browser is redirected to the pages, a program
// gets a problem that names them.
func (a *API) root(w http.ResponseWriter, r *http.Request) {
	c := a.Begin(w, r)
	w.Header().Set("Vary", "Accept")
	if strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") {
		http.Redirect(w, r, "/docs", http.StatusFound)
		return
	}
	base := a.base
	p := rest.NotFound()
	p.Detail = "There is no resource at this URL. The reference is at " + base + "/docs, the OpenAPI document at " + base +
		"/openapi.json, and tokens are issued at " + base + "/oauth/token."
	p.Members = map[string]any{"documentation": base + "/docs", "description": base + "/openapi.json", "token_endpoint": base + "/oauth/token"}
	c.Refuse(w, p)
}
