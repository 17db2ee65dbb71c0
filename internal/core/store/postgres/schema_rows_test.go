package postgres

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tenor/internal/core/store"
)

// cells maps columns to SQL expressions.
type cells map[string]string

// insertRow is an INSERT of one row. Unset columns get a value of their type.
func insertRow(table string, values cells) string {
	schemas := slices.Concat(store.Schemas(), store.OutsideDump())
	s := schemas[slices.IndexFunc(schemas, func(s store.Schema) bool { return s.Name == table })]
	var names, list []string
	for i, c := range s.Columns {
		names = append(names, c)
		list = append(list, cmp.Or(values[c], map[store.Type]string{
			store.Integer: "1", store.Bool: "false", store.Day: "'2026-01-01'", store.Instant: "'2026-01-01 12:00Z'",
			store.Text: "''", store.JSON: "'{}'", store.Bytes: "decode(repeat('00', 32), 'hex')",
		}[s.Types[i]]))
	}
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(list, ", ") + ")"
}

// but returns a row with some cells changed.
func (c cells) but(changed cells) cells {
	out := cells{}
	maps.Copy(out, c)
	maps.Copy(out, changed)
	return out
}

// zeros is n zero bytes.
func zeros(n int) string { return fmt.Sprintf("decode(repeat('00', %d), 'hex')", n) }
