package schedule

import (
	"fmt"
	"strings"
	"testing"
)

// move plays a reschedule of one row.
func (s *life) move(on string, row int, to string) {
	s.t.Helper()
	s.apply(Event{Kind: EventReschedule, Order: "o", Date: day(on), Installment: row, Due: day(to)})
}

// reamortize plays a reamortization based on the loan's state on a day.
func (s *life) reamortize(on string) {
	s.t.Helper()
	s.Advance(day(on))
	level, overdue, err := s.loan().Reamortized()
	if err != nil {
		s.t.Fatal(err)
	}
	s.apply(Event{Kind: EventReamortize, Order: "o", Date: day(on), Level: level, Amount: overdue})
}

// rowsFrom writes the rows from k on: due date, charge and principal.
func (s *life) rowsFrom(k int) string {
	var rows []string
	for _, r := range s.loan().Rows[k-1:] {
		rows = append(rows, fmt.Sprintf("%s %s", r.DueDate.String()[5:], r.text()))
	}
	return strings.Join(rows, ", ")
}

// TestReschedule checks the reschedule of F4 with the odd days of F6 and the accrual of F7.
// The figures are computed by hand: 807.93 is unpaid, 15 days at 12 % are 3.98.
func TestReschedule(t *testing.T) {
	counted := the1200()
	counted.DayCount = Actual365
	dueDay := amortized("1200.00", "12", 6, "2026-01-15")
	dueDay.DueDay = 1
	for _, c := range []struct {
		name  string
		terms Terms
		paid  int
		on    string
		row   int
		to    string
		rows  string // from the moved row on
	}{
		// 807.93 × (1 % + 12 % × 15 / 365) = 12.06; the bound is 207.06 + 3.98 = 211.04.
		{"15 days later", the1200(), 2, "2026-03-20", 3, "2026-04-30",
			"04-30 12.06 + 198.98, 05-30 6.09 + 200.97, 06-30 4.08 + 202.98, 07-30 2.05 + 205.00"},
		// 807.93 × (1 % − 12 % × 10 / 365) = 5.42; the bound is 207.06 − 2.66 = 204.40.
		{"10 days earlier", the1200(), 2, "2026-03-20", 3, "2026-04-05",
			"04-05 5.42 + 198.98, 05-05 6.09 + 200.97, 06-05 4.08 + 202.98, 07-05 2.05 + 205.00"},
		// A row that is not the next one: 608.95 × (1 % + 12 % × 15 / 365) = 9.09.
		{"a later row", the1200(), 2, "2026-03-20", 4, "2026-05-31",
			"05-31 9.09 + 200.97, 06-30 4.08 + 202.98, 07-31 2.05 + 205.00"},
		// The last row has no bound: 205.00 × (1 % + 12 % × 15 / 365) = 3.06.
		{"the last row", the1200(), 2, "2026-03-20", 6, "2026-07-31", "07-31 3.06 + 205.00"},
		// From 03-15 to 05-15 − 1 month are 31 days: 8.08 + 8.23 = 16.31.
		{"a whole month", the1200(), 2, "2026-03-20", 3, "2026-05-15",
			"05-15 16.31 + 198.98, 06-15 6.09 + 200.97, 07-15 4.08 + 202.98, 08-15 2.05 + 205.00"},
		// From 01-15 to 03-20 − 1 month are 36 days, instead of 17: 1,200 × 12 % × 36 / 365 = 14.20.
		{"a first row with a due day", dueDay, 0, "2026-01-20", 1, "2026-03-20",
			"03-20 26.20 + 195.06, 04-20 10.05 + 197.01, 05-20 8.08 + 198.98, 06-20 6.09 + 200.97, 07-20 4.08 + 202.98, 08-20 2.05 + 205.00"},
		{"ZERO has no odd charge", zero("600.00", 6, "2026-01-15"), 2, "2026-03-20", 3, "2026-04-30",
			"04-30 0.00 + 100.00, 05-30 0.00 + 100.00, 06-30 0.00 + 100.00, 07-30 0.00 + 100.00"},
		{"FLAT_FEE neither", the1200Flat(), 2, "2026-03-25", 3, "2026-04-30",
			"04-30 12.00 + 200.00, 05-30 12.00 + 200.00, 06-30 12.00 + 200.00, 07-30 12.00 + 200.00"},
		{"NET30", Terms{Plan: Net30, Principal: 120000, Installments: 1, CaptureDate: day("2026-01-15")}, 0, "2026-01-20", 1, "2026-03-31",
			"03-31 0.00 + 1200.00"},
		{"month ends count from the new anchor", amortized("1200.00", "12", 4, "2026-01-15"), 0, "2026-01-20", 1, "2026-03-31",
			"03-31 29.36 + 295.54, 04-30 9.04 + 298.50, 05-31 6.06 + 301.48, 06-30 3.04 + 304.48"},
		// 807.52 × 12 % × 46 / 365 = 12.21; the period is 15 days longer than 03-30 to 04-30:
		// the bound is 206.98 + 3.98 = 210.96.
		{"actual/365", counted, 2, "2026-03-20", 3, "2026-04-30",
			"04-30 12.21 + 198.75, 05-30 6.00 + 200.98, 06-30 4.16 + 202.82, 07-30 2.02 + 204.97"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, c.terms)
			s.payRows(c.paid)
			s.move(c.on, c.row, c.to)
			want(t, "rows", s.rowsFrom(c.row), c.rows)
			for k := c.row; k <= len(s.loan().Rows); k++ {
				if r := s.row(k); r.Target != 0 && r.Amount() > r.Target {
					t.Errorf("row %d of %s above its bound %s", k, r.Amount(), r.Target)
				}
			}
		})
	}
}

// TestRescheduledPeriod: the running period has its new length and rate, what it has earned
// stays earned, and by its due date the whole charge is earned (F7, F8).
func TestRescheduledPeriod(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	s.move("2026-03-20", 3, "2026-04-30")
	// 807.93 × 1.493151 % × 31 / 46 = 8.13; the old due date is an ordinary day.
	want(t, "payoff 04-15", s.loan().Payoff(day("2026-04-15")).Total, cents("816.06"))
	want(t, "payoff 04-30", s.loan().Payoff(day("2026-04-30")).Total, cents("819.99"))
	out := s.Advance(day("2026-04-30"))
	want(t, "accrued 04-30", effect(t, out, EffectAccrued).Amount, cents("12.06"))
	s.pay("2026-04-30", "211.04")
	want(t, "payoff 05-30", s.loan().Payoff(day("2026-05-30")).Total, cents("615.04"))

	s = start(t, the1200Flat())
	s.payRows(2)
	s.move("2026-03-25", 3, "2026-04-30")
	// 12.00 × 10 / 31 = 3.87 is earned; the other 8.13 over the remaining 36 days.
	want(t, "flat 03-25", s.loan().Payoff(day("2026-03-25")).Charge, cents("3.87"))
	want(t, "flat 04-10", s.loan().Payoff(day("2026-04-10")).Charge, cents("7.48"))
	want(t, "flat 04-30", s.loan().Payoff(day("2026-04-30")).Total, cents("812.00"))

	// February is short, so its day costs more than one of the longer period. The charge
	// that was paid early, and posted, is not taken back: 1,200.00 × 1 % × 27 / 28 = 11.57.
	s = start(t, amortized("1200.00", "12", 6, "2026-02-01"))
	s.pay("2026-02-28", "50.00")
	want(t, "early charge", s.row(1).PaidCharge, cents("11.57"))
	s.move("2026-02-28", 1, "2026-03-20")
	want(t, "nothing more is earned", s.loan().Payoff(day("2026-02-28")).Total, cents("1161.57"))
	// (1,200.00 × 27 + 1,161.57 × 20) × 1.624658 % / 47 = 19.23, less 11.57.
	want(t, "on the due date", s.loan().Payoff(day("2026-03-20")).Charge, cents("7.66"))
}

// TestMovedTwice: a row that is moved again has only the odd days of its last date, and moving
// a row before it takes them all over.
func TestMovedTwice(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	once := start(t, the1200())
	once.payRows(2)
	once.move("2026-03-22", 3, "2026-04-20")
	s.move("2026-03-20", 4, "2026-06-10")
	s.move("2026-03-20", 3, "2026-04-30")
	s.move("2026-03-22", 3, "2026-04-20")
	want(t, "rows", s.rowsFrom(1), once.rowsFrom(1))
	s.move("2026-03-22", 3, "2026-04-15")
	want(t, "moved back", s.rowsFrom(3), "04-15 8.08 + 198.98, 05-15 6.09 + 200.97, 06-15 4.08 + 202.98, 07-15 2.05 + 205.00")
}

// TestReamortize checks the reamortization of F9.
func TestReamortize(t *testing.T) {
	// 500.00 on 03-25 pays 2.61 and 497.39; 310.54 over rows 3 to 6 is 79.59 a month, on top
	// of what was paid on them. Period 3: (807.93 × 10 + 310.54 × 21) × 1 % / 31 = 4.71.
	s := start(t, the1200())
	s.payRows(2)
	s.pay("2026-03-25", "500.00")
	s.reamortize("2026-03-25")
	want(t, "level", s.loan().Level, cents("79.59"))
	want(t, "after prepayments", s.rowsFrom(3), "04-15 4.71 + 281.94, 05-15 2.33 + 284.32, 06-15 1.56 + 163.91, 07-15 0.78 + 77.76")
	for k, open := range []string{"79.59", "79.59", "79.59", "78.54"} {
		want(t, "open", s.row(k+3).Unpaid(), cents(open))
	}
	// Later prepayments pay the rows in due order again, and their bounds still apply.
	s.pay("2026-04-01", "100.00")
	want(t, "row 3", s.row(3).Unpaid(), 0)
	want(t, "row 3 as bound", s.row(3).Amount(), cents("286.65"))

	// Row 3 was due on 04-15: its 198.98 moves to rows 4 to 6, its charge stays overdue.
	// 807.93 over 3 is 274.71. Period 4: (608.95 × 5 + 807.93 × 25) × 1 % / 30 = 7.75.
	s = start(t, the1200())
	s.payRows(2)
	s.reamortize("2026-04-20")
	want(t, "with an overdue row", s.rowsFrom(3), "04-15 8.08 + 0.00, 05-15 7.75 + 266.96, 06-15 5.41 + 269.30, 07-15 2.72 + 271.67")
	want(t, "days past due", s.loan().DPD(day("2026-04-20")), 5)
	want(t, "payoff", s.loan().Payoff(day("2026-04-20")).Total, cents("817.02"))
	s.pay("2026-04-20", "8.08")
	want(t, "on time again", s.loan().DPD(day("2026-04-25")), 0)

	// 800.00 over 3 rows, fee parts as scheduled.
	s = start(t, the1200Flat())
	s.payRows(2)
	s.reamortize("2026-04-20")
	want(t, "FLAT_FEE", s.rowsFrom(3), "04-15 12.00 + 0.00, 05-15 12.00 + 266.67, 06-15 12.00 + 266.67, 07-15 12.00 + 266.66")

	// 150.00 early leave 250.00 over 4 rows.
	s = start(t, zero("600.00", 6, "2026-01-15"))
	s.payRows(2)
	s.pay("2026-03-20", "150.00")
	s.reamortize("2026-03-20")
	want(t, "ZERO", s.rowsFrom(3), "04-15 0.00 + 162.50, 05-15 0.00 + 112.50, 06-15 0.00 + 62.50, 07-15 0.00 + 62.50")

	// After a reschedule by 15 days: the level payment of 4 regular months, and row 3 with the
	// odd days of its own principal, 807.93: 207.06 + 3.98 and 12.06 of charge.
	s = start(t, the1200())
	s.payRows(2)
	s.move("2026-03-20", 3, "2026-04-30")
	s.reamortize("2026-03-20")
	want(t, "after a re-schedule", s.rowsFrom(3), "04-30 12.06 + 198.98, 05-30 6.09 + 200.97, 06-30 4.08 + 202.98, 07-30 2.05 + 205.00")
}

// TestReamortizeKeepsItsDecision: what comes back later, or was recorded late, changes neither
// the level payment nor the overdue principal that was moved. It falls on the last row, and on
// its own rows with their dates (F1, F16).
func TestReamortizeKeepsItsDecision(t *testing.T) {
	s := start(t, the1200())
	s.payRows(2)
	s.reamortize("2026-04-20") // moves 198.98 of row 3
	second := s.events[2].ID
	back := append(s.events[:len(s.events):len(s.events)], Event{Kind: EventReturn, ID: "r", Seq: 9, Order: "o", Payment: second, Date: day("2026-04-25")})
	p, _ := Replay(back, day("2026-04-25"))
	r := &life{t: t, Portfolio: *p}
	r.check()
	want(t, "level", r.loan().Level, cents("274.71"))
	want(t, "returned", r.rowsFrom(2), "03-15 10.05 + 0.00, 04-15 8.08 + 197.01, 05-15 7.75 + 266.96, 06-15 5.41 + 269.30, 07-15 2.72 + 271.67")
	want(t, "days past due", r.loan().DPD(day("2026-04-25")), 41)

	late := append(s.events[:len(s.events):len(s.events)], Event{Kind: EventPayment, ID: "late", Seq: 9, Order: "o", Amount: cents("207.06"), Date: day("2026-04-15")})
	p, _ = Replay(late, day("2026-04-25"))
	r = &life{t: t, Portfolio: *p}
	r.check()
	want(t, "paid before it", r.rowsFrom(3), "04-15 8.08 + 198.98, 05-15 6.09 + 268.62, 06-15 3.40 + 271.31, 07-15 0.69 + 69.02")
}

// TestReamortizeRefused: F1's rejections.
func TestReamortizeRefused(t *testing.T) {
	s := start(t, the1200())
	s.pay("2026-01-15", "1195.00")
	if _, _, err := s.loan().Reamortized(); err == nil { // 5.00 over six rows
		t.Error("a level payment below 1.00 is decided")
	}
	s.pay("2026-01-15", "5.00")
	if _, _, err := s.loan().Reamortized(); err == nil {
		t.Error("a loan that is paid off is re-amortized")
	}
	s = start(t, zero("600.00", 2, "2026-01-15"))
	s.Advance(day("2026-03-15"))
	if _, _, err := s.loan().Reamortized(); err == nil {
		t.Error("no row is left, and a level payment is decided")
	}
	s = start(t, flat("600.00", "1", 36, "2026-01-15"))
	s.refund("2026-01-20", "599.82") // 0.18 over 36 rows: 35 × 0.01 is more
	if _, _, err := s.loan().Reamortized(); err == nil {
		t.Error("the last part would be negative, and one is decided")
	}
}

// TestBoundIsNeverNone: once money that was spread has come back, the odd days of a short
// period may take more off than a small level payment. 0.00 would mean no bound at all.
func TestBoundIsNeverNone(t *testing.T) {
	s := start(t, amortized("1000.00", "60", 24, "2026-01-31"))
	s.pay("2026-02-02", "950.00")
	paid := s.events[1].ID
	s.reamortize("2026-02-02")
	s.move("2026-02-02", 1, "2026-02-03")
	p, _ := Replay(append(s.events, Event{Kind: EventReturn, ID: "r", Seq: 9, Order: "o", Payment: paid, Date: day("2026-02-02")}), day("2026-02-02"))
	r := &life{t: t, Portfolio: *p}
	r.check()
	want(t, "bound", r.row(1).Target, 1)
	want(t, "row 1", r.row(1).Amount(), 1)
}
