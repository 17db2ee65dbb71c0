package calendar

import "testing"

// Three of the nine published due date vectors follow rules other than F4's: a day that does
// not exist in a month is clamped to its end here, and always counted from the anchor. Each
// shows where the rules differ.
func TestForeignDueDates(t *testing.T) {
	for _, v := range []struct {
		id, source, why string
		anchor          Date
		months          int
		theirs, ours    Date
	}{
		{"fin-C111048-leap-roll", "apache/fineract LoanMonthEndDueDateStrategy.feature @5b1f06e8", "rolls to the first of the next month",
			MustParse("2024-02-29"), 12, MustParse("2025-03-01"), MustParse("2025-02-28")},
		{"fin-C111049-30-roll", "apache/fineract LoanMonthEndDueDateStrategy.feature @5b1f06e8", "rolls to the first of the next month",
			MustParse("2025-01-30"), 1, MustParse("2025-03-01"), MustParse("2025-02-28")},
		{"frappe-end-of-month", "frappe/lending test_loan.py @3f2cbc13 (dates only)", "is due on the last day of each month, the first month in part",
			MustParse("2022-10-17"), 1, MustParse("2022-10-31"), MustParse("2022-11-17")},
	} {
		if got := v.anchor.AddMonths(v.months); got != v.ours || got == v.theirs {
			t.Errorf("%s (%s): %s, want %s; there %s", v.id, v.source, got, v.ours, v.theirs)
		}
		t.Logf("%s is not ours: it %s", v.id, v.why)
	}
}

// In months that have the day, rolling and clamping agree: the rest of those vectors matches
// ours.
func TestRolledDueDatesAgreeElsewhere(t *testing.T) {
	ran := 0
	for anchor, dates := range map[string]map[int]string{
		"2024-02-29": {1: "2024-03-29", 2: "2024-04-29", 3: "2024-05-29", 4: "2024-06-29", 5: "2024-07-29", 6: "2024-08-29", 7: "2024-09-29",
			8: "2024-10-29", 9: "2024-11-29", 10: "2024-12-29", 11: "2025-01-29"},
		"2025-01-30": {2: "2025-03-30", 3: "2025-04-30"},
	} {
		for months, want := range dates {
			ran++
			if got := MustParse(anchor).AddMonths(months); got.String() != want {
				t.Errorf("%s + %d months = %s, want %s", anchor, months, got, want)
			}
		}
	}
	if ran != 13 {
		t.Errorf("%d dates", ran)
	}
}
