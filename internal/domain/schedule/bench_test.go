package schedule

import (
	"fmt"
	"testing"
)

func BenchmarkNew(b *testing.B) {
	for _, n := range []int{6, 24, 36} {
		terms := the1200()
		terms.Installments = n
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New("o", 0, terms); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplay replays 2,400 small payments of one order of 24 rows.
func BenchmarkReplay(b *testing.B) {
	terms := amortized("240000.00", "12", 24, "2026-01-15")
	events := []Event{{Kind: EventCapture, ID: "o", Order: "o", Date: terms.CaptureDate, Terms: terms}}
	for i := range 2400 {
		events = append(events, Event{Kind: EventPayment, ID: fmt.Sprint("p", i), Order: "o", Seq: int64(i), Amount: 10000,
			Date: terms.CaptureDate.AddDays(i * 730 / 2400)})
	}
	b.ReportAllocs()
	for b.Loop() {
		Replay(events, day("2028-06-01"))
	}
}

func BenchmarkView(b *testing.B) {
	l, err := New("o", 0, the1200())
	if err != nil {
		b.Fatal(err)
	}
	on := day("2026-04-01")
	b.ReportAllocs()
	for b.Loop() {
		l.View(on)
	}
}
