package compliance

import (
	"slices"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// The settings keep how papers were signed at the end of each month before a change, once per
// month, and nothing for a change of something else (F38).
func TestPastSignatures(t *testing.T) {
	var x credit.LenderSettings
	change := func(day string, to func(*credit.LenderSettings)) {
		next := x
		to(&next)
		keepSignature(&next, &x, calendar.MustParse(day))
		x = next
	}
	name := func(s string) func(*credit.LenderSettings) {
		return func(x *credit.LenderSettings) { x.Creditor.Name = s }
	}
	change("2026-02-10", name("First"))
	change("2026-02-28", name("Second"))
	change("2026-03-31", func(x *credit.LenderSettings) { x.Regulator.Name = "Bureau" })
	change("2026-05-01", func(x *credit.LenderSettings) { x.Contact = "help@lender.example" })
	change("2026-05-02", name("Third"))
	second, third := credit.Party{Name: "Second"}, credit.Party{Name: "Third"}
	january, april := calendar.Of(2026, 1, 31), calendar.Of(2026, 4, 30)
	if want := []credit.Signature{{Through: january}, {Through: april, Creditor: second}}; !slices.Equal(x.Past, want) {
		t.Errorf("past %+v\nwant %+v", x.Past, want)
	}
	for day, want := range map[string]credit.Signature{
		"2025-12-01": {Through: january}, "2026-01-31": {Through: january},
		"2026-02-01": {Through: april, Creditor: second}, "2026-04-30": {Through: april, Creditor: second},
		"2026-05-01": {Through: calendar.Of(2026, 5, 31), Creditor: third, Contact: "help@lender.example"},
	} {
		if got := x.SignedOn(calendar.MustParse(day)); got != want {
			t.Errorf("on %s: %+v, want %+v", day, got, want)
		}
	}
}
