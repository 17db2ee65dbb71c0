package report

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/storetest"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

func on(text string) calendar.Date { return calendar.MustParse(text) }

// owing is a book with one order per due date.
func owing(list map[string]money.Amount) ages {
	a := ages{}
	for due, amount := range list {
		a.add(store.DueTotalRow{DueTotalKey: store.DueTotalKey{Due: on(due), Currency: "USD"}, Orders: 1, Exposure: amount})
	}
	return a
}

// An order rolls if it owes the same due date a month later in a worse bucket; who has paid it, or
// something of the principal, rolls less, and orders that were not there yet count nowhere but among
// what was not due.
func TestRolls(t *testing.T) {
	january, february := on("2026-01-31"), on("2026-02-28")
	was := owing(map[string]money.Amount{"2026-02-10": 1000, "2026-03-10": 3000, "2026-01-20": 400, "2026-01-02": 600, "2025-12-20": 500, "2025-08-01": 900})
	is := owing(map[string]money.Amount{"2026-02-10": 900, "2026-03-10": 3000, "2026-01-02": 600, "2025-12-20": 250, "2025-08-01": 900, "2026-01-05": 70})
	want := map[credit.Bucket][2]money.Amount{ // was, worse
		credit.BucketCurrent: {4000, 900}, credit.Bucket1: {1000, 600}, credit.Bucket30: {500, 250}, credit.Bucket60: {0, 0}, credit.Bucket90: {0, 0},
	}
	for _, r := range rolls(was, is, was.on(january), february) {
		if w := want[r.From]; r.Was != w[0] || r.Worse != w[1] {
			t.Errorf("%s: %s of %s, want %s of %s", r.From, r.Worse, r.Was, w[1], w[0])
		}
	}
	for r, want := range map[Roll]int64{{Was: 1000, Worse: 600}: 600, {Was: 3, Worse: 1}: 333, {Was: 500, Worse: 900}: 1000} {
		if got, any := r.PerMille(); !any || got != want {
			t.Errorf("%s of %s is %d", r.Worse, r.Was, got)
		}
	}
	if _, any := (Roll{Worse: 5}).PerMille(); any {
		t.Error("a share of nothing")
	}
}

// Days past due follow the rules of collection and of holds (F5, F10): what is due on a Saturday is
// not late on Sunday, and the days of a hold never count.
func TestDaysPastDue(t *testing.T) {
	saturday := store.DueTotalKey{Due: on("2026-01-10")}
	held := store.DueTotalKey{Due: on("2026-01-05"), HeldFrom: int64(on("2026-01-15")), HeldDays: 10}
	for _, c := range []struct {
		key  store.DueTotalKey
		on   string
		days int
	}{
		{saturday, "2026-01-10", 0}, {saturday, "2026-01-11", 0}, {saturday, "2026-01-12", 2}, {saturday, "2026-02-12", 33},
		{held, "2026-01-05", 0}, {held, "2026-01-15", 10}, {held, "2026-01-20", 10}, {held, "2026-01-25", 10}, {held, "2026-01-26", 11},
	} {
		if got := c.key.DPD(on(c.on)); got != c.days {
			t.Errorf("%v on %s: %d, want %d", c.key, c.on, got, c.days)
		}
	}
}

// The months begin with the first one that owes something, and end with today; each is what Aging
// says of that day.
func TestMonths(t *testing.T) {
	db := memory.New()
	w := storetest.NewWorld(3)
	for range 90 {
		batch := w.Batch(40)
		if _, err := db.Update(t.Context(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.View(t.Context(), func(v store.View) error {
		head, err := v.Head()
		if err != nil {
			return err
		}
		for _, today := range []calendar.Date{head.BusinessDate, head.BusinessDate + 40, head.BusinessDate + 200} {
			months, err := Months(v, today, 13)
			if err != nil {
				return err
			}
			for i, m := range months {
				want, err := Aging(v, m.On)
				if err != nil {
					return err
				}
				for k, b := range want.Bands {
					if m.Bands[k] != b {
						t.Errorf("%s of %s: %v, want %v", m.On, today, m.Bands[k], b)
					}
				}
				if last := i == len(months)-1; last != (m.On == today) || !last && m.On != m.On.EndOfMonth() || (m.Rolls == nil) != (i == 0) {
					t.Errorf("%s is month %d of %s", m.On, i, today)
				}
			}
			if days := head.BusinessDate.DaysUntil(today); len(months) < 1+days/31 || days > 0 && months[len(months)-1].Total(true).Principal == 0 {
				t.Errorf("%d months, %s late", len(months), months[len(months)-1].Total(true).Principal)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
