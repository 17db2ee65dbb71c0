package httpapi

import (
	"tenor/internal/core/store/memory"
	"tenor/internal/pages/console" // want: may not import

	"pgregory.net/rapid"
)

var _ = []any{memory.New, console.New, rapid.Check}
