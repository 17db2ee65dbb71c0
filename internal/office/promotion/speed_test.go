package promotion

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// BenchmarkOf measures one product page: every plan in every tier.
func BenchmarkOf(b *testing.B) {
	p := &credit.Program{Settings: lending.DefaultSettings()}
	for b.Loop() {
		Of(p, 1_200_00, calendar.MustParse("2026-01-15"))
	}
}
