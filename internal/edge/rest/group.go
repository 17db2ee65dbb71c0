package rest

import (
	"net/http"
	"slices"
)

// Group is what the operations of a noun have in common, so that a row says only what it has
// of its own.
type Group struct {
	Tag    string
	Method string
	// Reads and Writes are the scopes of rows that name none and are not public: of GET, and of
	// the other methods. A row that reads by a POST names its own.
	Reads, Writes string
	// Response is what rows answer that do not say and have a body. ETag goes with it, and of
	// what is no read DryRun.
	Response any
	ETag     bool
	DryRun   any
	Problems []string // beside those of each row
}

// With gives rows what they have in common.
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
