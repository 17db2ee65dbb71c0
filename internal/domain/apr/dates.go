package apr

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Dated is one advance or payment on a date.
type Dated struct {
	Amount money.Amount
	Date   calendar.Date
}

// FromDates returns the rate of advances and payments on their dates, with the unit-period and
// its fractions measured exactly as in Appendix J (F19). Its errors are those of Solve. Month
// ends get no special treatment here: 31 January to 28 February is 28 days. This product's
// schedules, whose due dates count as whole months (F20), therefore use OfSchedule instead.
func FromDates(advances, payments []Dated) (Percent, error) {
	percent, err := solveDates(advances, payments)
	if err != nil {
		return 0, err
	}
	return Round(percent), nil
}

func solveDates(advances, payments []Dated) (float64, error) {
	if len(advances) == 0 || len(payments) == 0 {
		return 0, ErrUndefined
	}
	start := distinct(advances)[0]
	paid, all := distinct(payments), distinct(slices.Concat(advances, payments))
	if all[0] < start || len(all) == 1 {
		return 0, ErrFlow
	}
	var u unit
	switch {
	case len(paid) > 1:
		u = commonUnit(paid)
	case len(all) > 2:
		u = commonUnit(all)
	default:
		u = termUnit(start, all[1])
	}
	return Solve(u.flows(start, advances), u.flows(start, payments), u.perYear())
}

// distinct returns the dates of flows in order, without duplicates.
func distinct(flows []Dated) []calendar.Date {
	dates := make([]calendar.Date, len(flows))
	for i, f := range flows {
		dates[i] = f.Date
	}
	slices.Sort(dates)
	return slices.Compact(dates)
}

// flows places dated flows on the scale of the unit-period, in order of date.
func (u unit) flows(start calendar.Date, dated []Dated) []Flow {
	dated = slices.Clone(dated)
	slices.SortStableFunc(dated, func(a, b Dated) int { return int(a.Date) - int(b.Date) })
	flows := make([]Flow, len(dated))
	for i, d := range dated {
		flows[i].Amount = d.Amount
		flows[i].Periods, flows[i].Fraction = u.measure(start, d.Date)
	}
	return flows
}
