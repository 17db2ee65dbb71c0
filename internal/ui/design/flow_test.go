package design

import (
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
)

// In a sentence, a date in either language, a telephone number and an email address are each one
// unbreakable part; however it is split, the sentence stays the same.
func TestFlow(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"Nothing is due today.":                  "Nothing is due today.",
		"Due Feb 5, 2026, at the bank":           "Due [Feb 5, 2026,] at the bank",
		"On January 5, 2026. Until May 15, 2027": "On [January 5, 2026.] Until [May 15, 2027]",
		"Vence el 5 de enero de 2026.":           "Vence el [5 de enero de 2026.]",
		"5 ene 2026 · a tiempo":                  "[5 ene 2026] · a tiempo",
		"Contact help@lender.example, (800) 555-0100, at once": "Contact [help@lender.example,] [(800) 555-0100,] at once",
		"Signed in as a•••@ruiz-kitchens.example. Not you?":    "Signed in as [a•••@ruiz-kitchens.example.] Not you?",
		"EIN 00-0000001 is approved":                           "EIN [00-0000001] is approved",
		"2 @ $5.00, Maybe 5, 2026":                             "2 @ $5.00, Maybe 5, 2026",
	} {
		got, all := "", ""
		for _, r := range flow(text) {
			if all += r.Text; r.Whole {
				r.Text = "[" + r.Text + "]"
			}
			got += r.Text
		}
		if got != want || all != text {
			t.Errorf("%q is cut as %q", text, got)
		}
	}
	for day := calendar.Of(2026, 1, 5); day < calendar.Of(2027, 1, 5); day = day.AddDays(28) {
		for _, l := range Languages() {
			for _, date := range []string{l.Day(day), l.LongDay(day)} {
				if runs := flow("a " + date + " z"); len(runs) != 3 || runs[1].Text != date {
					t.Errorf("%q is cut as %v", date, runs)
				}
			}
		}
	}
	if strings.Count(whole.String(), "|") < 48 {
		t.Error("months are missing")
	}
}

// A line is split at its dots, with any spaces around them; apostrophes in prose are curly, and
// those in code and quotes are not.
func TestDottedAndCurly(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "one": "one", "a · b": "a|b", "Finance\u00a0charge $1\u00a0· total\u00a0$2\u00a0· APR": "Finance\u00a0charge $1|total\u00a0$2|APR", "a·b": "a·b",
	} {
		if got := strings.Join(dotted(line), "|"); got != want {
			t.Errorf("%q is parted as %q, want %q", line, got, want)
		}
	}
	for text, want := range map[string]string{
		"the shop's server": "the shop’s server", "merchants' money": "merchants’ money", "'quoted'": "'quoted'", "it''s": "it''s", "a 'b' c": "a 'b' c", "don't": "don’t",
	} {
		if got := Curly(text); got != want {
			t.Errorf("%q is set as %q, want %q", text, got, want)
		}
	}
}
