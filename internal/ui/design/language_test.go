package design

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

func TestMoneyAndDays(t *testing.T) {
	for text, want := range map[string]string{"0.00": "$0.00", "5.07": "$5.07", "1200.00": "$1,200.00", "-999.99": "-$999.99", "9999999.99": "$9,999,999.99", "1000.00": "$1,000.00"} {
		if got := English.Money(money.MustParse(text)); got != want {
			t.Errorf("%s is %s instead of %s", text, got, want)
		}
	}
	d := calendar.MustParse("2026-01-05")
	if got := English.Day(d) + "; " + English.LongDay(d.AddMonths(11)) + "; " + English.Day(calendar.None); got != "Jan 5, 2026; December 5, 2026; " {
		t.Errorf("days are %s", got)
	}
	if got := Spanish.Day(d) + "; " + Spanish.LongDay(d.AddMonths(11)) + "; " + Spanish.Day(calendar.None) + "; " + Spanish.Money(money.MustParse("-1200.00")); got != "5 ene 2026; 5 de diciembre de 2026; ; -$1,200.00" {
		t.Errorf("in Spanish they are %s", got)
	}
	if got := Spanish.count("errors", 2); got != "Dos respuestas necesitan otra revisión" {
		t.Errorf("two are %s", got)
	}
	for n, want := range map[int]string{1: "One answer needs another look", 2: "Two answers need another look", 12: "12 answers need another look"} {
		if got := English.count("errors", n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestMeter(t *testing.T) {
	for _, c := range []struct {
		used, limit string
		want        string
	}{{"1200.00", "25000.00", "4.8"}, {"0.00", "100.00", "0"}, {"5.00", "0.00", "0"}, {"200.00", "100.00", "100.0"}, {"0.01", "100.00", "0.0"}, {"33.33", "100.00", "33.3"}} {
		m := Meter{Used: money.MustParse(c.used), Held: money.MustParse(c.used), Limit: money.MustParse(c.limit)}
		if m.UsedShare() != c.want || m.HeldShare() != c.want {
			t.Errorf("%s of %s is %s%%, not %s%%", c.used, c.limit, m.UsedShare(), c.want)
		}
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{"Harbor Supply": "HS", "Tenor": "T", "Ñandú y Hijos": "ÑY", "": "", "Example Lender Two": "EL"} {
		if got := (Brand{Name: name}).Initials(); got != want {
			t.Errorf("%q has the mark %q", name, got)
		}
	}
	if got := (Checkout{Steps: []string{"a"}, Step: 2}).StepName(); got != "" {
		t.Errorf("a step that is none is %q", got)
	}
}
