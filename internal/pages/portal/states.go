package portal

import (
	"slices"

	"tenor/internal/domain/outcome"
)

// alone maps one action of a command with several to its own operation.
var alone = map[string]string{
	"hold a company": "holdCompany", "release a company": "releaseCompany", "close a company": "closeCompany",
}

// stateGroup is one action of an operation, with the statuses before and after.
type stateGroup struct {
	Doing string // "capture"
	Rows  []stateRow
}

type stateRow struct {
	Member    string // order.status
	Before    []string
	After     []string // none: unchanged
	Condition string
}

// states returns which statuses an operation requires and changes.
func (s *site) states(id string) []stateGroup {
	var out []stateGroup
	for _, r := range s.config.States {
		if !slices.Contains(changing(r), id) {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Doing != r.Operation {
			out = append(out, stateGroup{Doing: r.Operation})
		}
		g := &out[len(out)-1]
		g.Rows = append(g.Rows, stateRow{r.Object + "." + r.Member, r.From, r.To, r.Condition})
	}
	return out
}

// changing returns the operations that a rule applies to.
func changing(r outcome.StatusRule) []string {
	if id := alone[r.Operation]; id != "" {
		return []string{id}
	}
	return emitting[r.Command]
}
