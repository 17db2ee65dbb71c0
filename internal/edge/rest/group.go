package rest

import (
	"net/http"
	"slices"
)

// Group is what the operations of a noun have in common, so that a row states only its own
// part.
type Group struct {
	Tag    string
	Method string
	// Reads and Writes are the default scopes of non-public rows: for GET, and for the
	// other methods. A row that reads by POST names its own.
	Reads, Writes string
	// Response is the default answer of rows with a body. ETag applies with it, and DryRun
	// to rows that are not reads.
	Response any
	ETag     bool
	DryRun   any
	Problems []string // in addition to those of each row
}

// With adds the common part to rows.
func (g Group) With(rows []Operation) []Operation {
	out := slices.Clone(rows)
	for i := range out {
		op := &out[i]
		if op.Tag == "" {
			op.Tag = g.Tag
		}
		if op.Method == "" {
			op.Method = g.Method
		}
		if scope := g.scope(op.Method); op.Scopes == nil && !op.Public && scope != "" {
			op.Scopes = []string{scope}
		}
		if op.Response == nil && g.Response != nil && op.Success != http.StatusNoContent && op.Produces == nil {
			op.Response, op.ETag = g.Response, g.ETag
			if op.Method != http.MethodGet {
				op.DryRun = g.DryRun
			}
		}
		for _, code := range g.Problems {
			if !slices.Contains(op.Problems, code) {
				op.Problems = append(slices.Clip(op.Problems), code)
			}
		}
	}
	return out
}

func (g Group) scope(method string) string {
	if method == http.MethodGet {
		return g.Reads
	}
	return g.Writes
}
