package credit

import "tenor/internal/domain/calendar"

// InForce returns the version in force on a date, nil if none (F30).
func (m *Merchant) InForce(day calendar.Date) *Program {
	var found *Program
	for i := range m.Programs {
		if m.Programs[i].From <= day {
			found = &m.Programs[i]
		}
	}
	return found
}

// VersionOf returns a program version, which must exist.
func (m *Merchant) VersionOf(version int) *Program { return &m.Programs[version-1] }

// Offer returns the term for a number of installments, false if it is not offered.
func (s *Settings) Offer(installments int) (Term, bool) {
	for _, t := range s.Terms {
		if t.Installments == installments {
			return t, true
		}
	}
	return Term{}, false
}
