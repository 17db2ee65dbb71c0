package portal

import (
	"net/http"
	"slices"
)

// facts lists an operation's requirements and options.
func (s *site) facts(op *operation) []fact {
	list := []fact{{"Scope", scopes(op)}}
	add := func(holds bool, label, text string) {
		if holds {
			list = append(list, fact{label, s.running(text)})
		}
	}
	takes := func(name string) bool {
		return slices.ContainsFunc(op.in("query"), func(p parameter) bool { return p.name == name })
	}
	limited := slices.ContainsFunc(op.problems, func(g problems) bool { return g.status == http.StatusTooManyRequests })
	wrong := "nothing is done"
	if op.method == http.MethodGet {
		wrong = "it is not sent"
	}
	add(op.takes("Idempotency-Key"), "Idempotency-Key", "taken: [one effect](/docs/guides/idempotency)")
	add(op.takes("Prefer"), "Dry run", "[`Prefer: dry-run`](/docs/guides/dry-run)")
	add(takes("as_of"), "As of", "[`as_of`](/docs/guides/dry-run), as the books stood")
	add(op.takes("If-Match"), "If-Match", "the `ETag` that you have; else "+wrong+": [`precondition_failed`](/docs/errors/precondition_failed)")
	add(op.takes("If-None-Match"), "If-None-Match", "the `ETag` that you have: 304 while nothing has changed")
	add(takes("cursor"), "Pages", "pass `next_cursor` as `cursor`, with the same filters")
	add(limited, "Rate", "[counts against the limit](/docs/guides/authentication#rate-limits)")
	if since := s.since(op.id); since != "" {
		list = append(list, fact{"Since", []node{{Kind: "text", Text: "version " + since}}})
	}
	return list
}

// scopes describes what a caller needs.
func scopes(op *operation) []node {
	switch {
	case op.access == credentials:
		return []node{{Kind: "text", Text: "none: the client shows its own identifier and secret"}}
	case op.access != token:
		return []node{{Kind: "text", Text: "none: it needs no access token"}}
	case len(op.scopes) == 0:
		return []node{{Kind: "text", Text: "any valid token"}}
	}
	var out []node
	for i, scope := range op.scopes {
		if i > 0 {
			out = append(out, node{Kind: "text", Text: " and "})
		}
		out = append(out, node{Kind: "code", Text: scope})
	}
	return out
}
