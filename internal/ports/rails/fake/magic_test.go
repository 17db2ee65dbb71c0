package fake

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/ports/rails/ach"
)

// The special account numbers, each with every code of the network's tables: when the debit is
// returned, and how its retry ends.
func TestMagicNumbers(t *testing.T) {
	settles := calendar.MustParse("2026-02-17")
	second := settles.AddBankingDays(2)
	tried := 0
	for _, kind := range []string{"1000000", "2000000", "3000000"} {
		for _, code := range codes(t, "ach_return_codes.csv") {
			number, day := kind+code[1:], second
			if last := ach.Deadline(code, settles); kind == "2000000" && last != calendar.None {
				day = last
			}
			w := open(t)
			w.send(w.debit(number, "207.06", settles.String()))
			w.at(day.String(), 8, 29)
			w.expect("")
			w.at(day.String(), 8, 30)
			w.expect("RETURN 1 " + code)

			again := day.AddBankingDays(2)
			w.send(w.debit(number, "207.06", again.String()))
			w.at(again.AddDays(400).String(), 8, 30)
			want := "RETURN 2 " + code
			if kind == "3000000" {
				want = "" // the retry settles
			}
			w.expect(want)
			tried++
		}
	}
	for _, code := range codes(t, "ach_noc_codes.csv") {
		w := open(t)
		w.send(w.debit("4000000"+code[1:], "207.06", settles.String()))
		w.at(second.String(), 8, 29)
		w.expect("")
		w.at(second.String(), 8, 30)
		w.expect("CHANGE 1 " + code)
		tried++
	}
	if tried < 3*12+7 {
		t.Errorf("only %d numbers", tried)
	}
}
