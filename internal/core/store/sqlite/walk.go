package sqlite

import (
	"strings"

	"tenor/internal/core/store"
)

// inOrder returns the clause that orders a table by its key.
func inOrder(s store.Schema) string { return " ORDER BY " + strings.Join(s.Columns[:s.Key], ", ") }
