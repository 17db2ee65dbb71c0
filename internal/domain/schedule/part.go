package schedule

import (
	"slices"

	"tenor/internal/domain/money"
)

// PrincipalOf returns the parts that pay principal.
func PrincipalOf(parts []Part) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Item != ItemPrincipal })
}

// Total sums parts.
func Total(parts []Part) money.Amount {
	sum := money.Amount(0)
	for _, p := range parts {
		sum = sum.Add(p.Amount)
	}
	return sum
}
