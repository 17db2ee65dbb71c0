package promotion

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Sentences are correct for every plan.
func TestSentences(t *testing.T) {
	w, err := NewWriter(English, Version)
	if err != nil {
		t.Fatal(err)
	}
	one := func(x credit.Term) func(*credit.Settings) {
		return func(s *credit.Settings) { s.Terms = []credit.Term{x} }
	}
	for name, c := range map[string]struct {
		change        func(*credit.Settings)
		amount        string
		text, example string
		rng           string
	}{
		"presets": {func(*credit.Settings) {}, "1200.00", "From $56.49 a month: 24 payments, 12.00% APR",
			"$1,200.00 in 24 monthly payments: $56.49 each and $56.43 at the end, finance charge $155.70, total $1,355.70, 12.00% APR.", "The APR is from 12.00% to 24.00%, depending on the business."},
		"one rate": {one(credit.Term{Installments: 6, Plan: schedule.Amortized, AnnualRate: money.MustParseRate("0.100000")}), "1200.00", "$205.87 a month: 6 payments, 10.00% APR",
			"$1,200.00 in 6 monthly payments: $205.87 each and $205.89 at the end, finance charge $35.24, total $1,235.24, 10.00% APR.", "The APR is 10.00%."},
		"net 30": {one(credit.Term{Installments: 1, Plan: schedule.Net30}), "80.00", "Pay $80.00 in 30 days, 0.00% APR", "$80.00 paid once, 30 days after the order is captured: finance charge $0.00, total $80.00, 0.00% APR.", "The APR is 0.00%."},
		"even":   {one(credit.Term{Installments: 4, Plan: schedule.Zero}), "80.00", "$20.00 a month: 4 payments, 0.00% APR", "$80.00 in 4 monthly payments: $20.00 each, finance charge $0.00, total $80.00, 0.00% APR.", "The APR is 0.00%."},
	} {
		s := lending.DefaultSettings()
		c.change(&s)
		x := Of(&credit.Program{Settings: s}, money.MustParse(c.amount), calendar.MustParse("2026-01-15"))
		p := x.Shown()
		if p == nil {
			t.Errorf("%s: nothing", name)
			continue
		}
		for _, pair := range [][2]string{{w.Text(x), c.text}, {w.Example(*p), c.example}, {w.Range(*p), c.rng}} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %q instead of %q", name, pair[0], pair[1])
			}
		}
	}
	if w.Text(Promotion{}) != "" || Of(nil, 1, 0).Eligible() {
		t.Error("something is said of nothing")
	}
	if _, err := NewWriter(English, Version+1); err == nil {
		t.Error("sentences that there are not")
	}
}

// Every placeholder is filled, and no sentence with a monthly amount lacks the number of
// payments or the APR.
func TestCatalog(t *testing.T) {
	b, err := files.ReadFile("texts/en-US.1.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]string
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	known := " amount count days payment first last charge total apr highest maximum "
	for key, text := range all {
		for _, m := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(known, " "+m[1]+" ") {
				t.Errorf("%s has a place for %s", key, m[1])
			}
		}
		if strings.Contains(text, "{payment}") && (!strings.Contains(text, "{count}") || !strings.Contains(text, "{apr}")) {
			t.Errorf("%s says a monthly amount without payments or APR", key)
		}
	}
	if !strings.Contains(all["purpose"], "subject to approval") || !strings.Contains(all["purpose"], "business purchases") {
		t.Error(all["purpose"])
	}
}
