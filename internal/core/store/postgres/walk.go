package postgres

import (
	"strings"

	"tenor/internal/core/store"
)

// inOrder is the clause that puts a table in order of its key.
func inOrder(s store.Schema) string { return " ORDER BY " + strings.Join(s.Columns[:s.Key], ", ") }
