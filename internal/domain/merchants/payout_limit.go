package merchants

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// aboveLimit reports whether the lender stands to lose more on the merchant than its limit
// allows, in which case not everything that waits is paid (F41.12).
func aboveLimit(s *credit.State, merchant string) bool {
	m := s.Merchants[merchant]
	return m != nil && s.Position(merchant).Exposure() > m.ExposureLimit()
}

// waitingCaptures lists a merchant's waiting capture lines among the loaded ones, including
// those whose day has not come.
func waitingCaptures(s *credit.State, merchant string) []*credit.PayoutLine {
	var out []*credit.PayoutLine
	for _, id := range s.Waiting[merchant] {
		if l := s.Lines[id]; l.Kind == credit.LineCapture {
			out = append(out, l)
		}
	}
	return out
}

// withinLimit removes the due captures that would bring the exposure to the merchant above its
// limit (F41.12); the oldest are paid first. What waits is not a loss yet, so the principal of
// waiting captures is deducted from the exposure and added back for each that is paid, less
// what a payout nets of the merchant's own debt. A capture that does not fit waits, while a
// later one that fits is paid. One that is netted completely sends nothing, and always fits.
func withinLimit(d *credit.Draft, m *credit.Merchant, due []*credit.PayoutLine) []*credit.PayoutLine {
	unpaid := func(l *credit.PayoutLine) money.Amount { return d.LoanOf(l.Order).UnpaidPrincipal() }
	room := m.ExposureLimit().Sub(d.Position(m.ID).Exposure())
	for _, l := range waitingCaptures(d.State, m.ID) {
		room = room.Add(unpaid(l))
	}
	netted := money.Amount(0) // part of the merchant's debt still to be netted
	for _, l := range due {
		switch {
		case l.Kind.Owes():
			netted = netted.Add(l.Amount)
		case l.Kind != credit.LineCapture:
			netted = netted.Sub(l.Amount)
		}
	}
	var kept []*credit.PayoutLine
	for _, l := range due {
		if l.Kind == credit.LineCapture {
			part := max(0, min(l.Amount, netted))
			more := unpaid(l).Sub(part)
			if part < l.Amount && more > room {
				continue // some of it would be sent
			}
			room, netted = room.Sub(more), netted.Sub(part)
		}
		kept = append(kept, l)
	}
	return kept
}
