package httpapi

import (
	"tenor/internal/console" // want: may not import
	"tenor/internal/store/memory"

	"pgregory.net/rapid"
)

var _ = []any{memory.New, console.New, rapid.Check}
