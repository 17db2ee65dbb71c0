package portal

import (
	"slices"

	"tenor/internal/domain/outcome"
)

// alone are operations that do one thing of a command which does several.
var alone = map[string]string{
	"hold a company": "holdCompany", "release a company": "releaseCompany", "close a company": "closeCompany",
}

// stateGroup is one thing that an operation does, with the statuses before and
// after.
type stateGroup struct {
	Doing string // "capture"
	Rows  []stateRow
}

type stateRow struct {
	Member    string // order.status
	Before    []string
	After     []string // none: it stays
	Condition string
}

// states says which statuses an operation asks for and changes.
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

// changing are the operations that a rule is about.
func changing(r outcome.StatusRule) []string {
	if id := alone[r.Operation]; id != "" {
		return []string{id}
	}
	return emitting[r.Command]
}
