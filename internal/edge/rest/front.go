package rest

import (
	"net/http"
	"strings"
)

// withoutSlash removes one slash from the end of a path, so that /books/ is /books. An
// escaped path is left alone: the API has none, and answers it as unknown.
func withoutSlash(r *http.Request) *http.Request {
	path, ends := strings.CutSuffix(r.URL.Path, "/")
	if !ends || path == "" || strings.HasSuffix(path, "/") || r.URL.RawPath != "" {
		return r
	}
	at, same := *r.URL, *r
	at.Path = path
	same.URL = &at
	return &same
}

// Begin writes the headers of every answer, and returns a call without an operation: for
// handlers next to the API that answer the same way.
func (a *API) Begin(w http.ResponseWriter, r *http.Request) *Call {
	c := &Call{Request: r, RequestID: a.requestID(r.Header, a.config.Now()), api: a}
	a.commonHeaders(w.Header(), c.RequestID)
	return c
}

// Refuse answers a call with a problem.
func (c *Call) Refuse(w http.ResponseWriter, p *Problem) { c.api.send(w, c, c.api.problemAnswer(c, p)) }
