package schedule

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// F8, F40.4: the unearned fee that a payoff on a due date gives back, in a straight line, is
// never less than by the rule of 78, except for the rounding of the rows.
func TestStraightLineGivesNoLessThanTheRuleOf78(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		terms := Terms{Plan: FlatFee, CaptureDate: day("2026-01-01") + calendar.Date(rapid.IntRange(0, 400).Draw(t, "captured")),
			Principal: amount(t, "principal", 100, 2_500_000), Installments: rapid.IntRange(1, 24).Draw(t, "installments"),
			MonthlyFeeRate: money.Rate(amount(t, "rate", 0, 60_000))}
		l, err := New("o", 0, terms)
		if err != nil {
			return
		}
		fee, n := l.View(l.AsOf).Charge, int64(terms.Installments)
		p := &Portfolio{Loans: []*Loan{l}}
		for k := range l.Rows {
			due := l.Rows[k].DueDate
			p.Apply(Event{Kind: EventPayment, ID: fmt.Sprint(k), Seq: int64(k), Order: "o", Date: due, Amount: l.Rows[k].Unpaid()})
			left := n - int64(k) - 1
			rebate := l.View(due).Remaining - l.Payoff(due).Total
			// A row's part of the fee is what remains of a rounded payment after a rounded
			// principal (F2): at most a cent more than an even share. What earlier rows took
			// too much cannot be given back.
			if early := money.MulDiv(fee, left*(left+1), n*(n+1)); rebate+money.Amount(k+1) < early {
				t.Fatalf("%s of the fee %s comes back after row %d of %d, by the rule of 78 %s", rebate, fee, k+1, n, early)
			}
			ran++
		}
	})
	if ran == 0 {
		t.Error("no term was accepted")
	}
}

// plainHistory is a random life of one order: payments of any size on any day, with refunds if
// requested.
func plainHistory(t *rapid.T, refunds bool) []Event {
	terms := drawTerms(t, "")
	events := []Event{{Kind: EventCapture, ID: "o", Order: "o", Date: terms.CaptureDate, Terms: terms}}
	now, room := terms.CaptureDate, terms.Principal
	for k := range rapid.IntRange(1, 8).Draw(t, "payments") {
		now += calendar.Date(rapid.IntRange(1, 45).Draw(t, "days"))
		e := Event{Kind: EventPayment, ID: fmt.Sprint("p", k), Order: "o", Date: now, Seq: int64(k + 2)}
		e.Amount = amount(t, "amount", 1, int64(terms.Principal)/int64(rapid.IntRange(1, 6).Draw(t, "share"))+1)
		if refunds && room > 1 && rapid.IntRange(0, 3).Draw(t, "refund") == 0 {
			e.Kind, e.Amount = EventRefund, min(room, e.Amount)
			room -= e.Amount
		}
		events = append(events, e)
	}
	return events
}

// chargeOf is the total charge of the order once its last row is due.
func chargeOf(t *rapid.T, events []Event) money.Amount {
	p, _ := Replay(events, day("2030-01-01"))
	if err := p.Loans[0].Check(); err != nil {
		t.Fatal(err)
	}
	return p.Loans[0].View(day("2030-01-01")).Charge
}

// F40.9: in any life, an earlier payment or an additional one never raises the total charge.
func TestEarlierMoneyNeverCostsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := plainHistory(t, false)
		whole := chargeOf(t, events)
		earlier := slices.Clone(events)
		i := rapid.IntRange(1, len(events)-1).Draw(t, "which")
		earlier[i].Date = max(events[0].Date, events[i].Date-calendar.Date(rapid.IntRange(1, 60).Draw(t, "earlier")))
		if got := chargeOf(t, earlier); got > whole {
			t.Fatalf("payment %d on %s instead of %s: charge %s instead of %s\n%+v", i, earlier[i].Date, events[i].Date, got, whole, events)
		}
		more := append(slices.Clone(events), Event{Kind: EventPayment, ID: "more", Order: "o", Seq: 99,
			Date:   events[0].Date + calendar.Date(rapid.IntRange(0, 300).Draw(t, "day")),
			Amount: amount(t, "more", 1, int64(events[0].Terms.Principal))})
		if got := chargeOf(t, more); got > whole {
			t.Fatalf("%s more on %s: charge %s instead of %s\n%+v", more[len(more)-1].Amount, more[len(more)-1].Date, got, whole, events)
		}
	})
}

// F8: the quote for a day pays the order off on any day up to it. Any excess becomes credit,
// and nothing is owed afterwards.
func TestQuotePaysOffUntilItsDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := plainHistory(t, true)
		last := events[len(events)-1].Date
		until := last + calendar.Date(rapid.IntRange(0, 60).Draw(t, "good for"))
		p, _ := Replay(events, last)
		quote := p.Loans[0].Payoff(until).Total
		if quote == 0 {
			return
		}
		on := last + calendar.Date(rapid.IntRange(0, int(until-last)).Draw(t, "paid after"))
		needed := p.Loans[0].Payoff(on).Total
		if needed > quote {
			t.Fatalf("%s is asked for on %s, %s was quoted for %s", needed, on, quote, until)
		}
		before := credited(p)
		p.Apply(Event{Kind: EventPayment, ID: "off", Order: "o", Date: on, Seq: 98, Amount: quote})
		l := p.Loans[0]
		if got := credited(p) - before; l.View(on).Status != PaidOff || l.Payoff(on+500).Total != 0 || got != quote-needed {
			t.Fatalf("%s of %s paid on %s leave %s and %s of credit: %+v", quote, needed, on, l.Payoff(on).Total, got, l.View(on))
		}
	})
}

func credited(p *Portfolio) money.Amount {
	sum := money.Amount(0)
	for _, c := range p.Credits {
		sum += c.Amount
	}
	return sum
}

// F40.4 when the past changes: after payments recorded late and returned payments, the quoted
// payoff still leaves exactly nothing.
func TestPayoffAfterReplayLeavesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, false)
		on := h.last() + calendar.Date(rapid.IntRange(0, 200).Draw(t, "later"))
		p, _ := Replay(h.events, on)
		events := slices.Clone(h.events)
		for i, l := range p.Loans {
			if q := l.Payoff(on).Total; q > 0 {
				events = append(events, Event{Kind: EventPayment, ID: "off" + l.Key, Order: l.Key, Date: on, Seq: int64(1000 + i), Amount: q})
			}
		}
		after, _ := Replay(events, on+400)
		for _, l := range after.Loans {
			if l.Check() != nil || l.Payoff(on+400).Total != 0 || l.View(on+400).Remaining != 0 {
				t.Fatalf("%s: %v, %+v", l.Key, l.Check(), l.View(on+400))
			}
		}
	})
}
