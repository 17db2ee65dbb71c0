package console

import (
	"net/url"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/office/report"
	"tenor/internal/ui/design"
)

// Weeks of the chart, and days of the figure about the next days.
const (
	chartWeeks = 13
	nextDays   = 7
)

// capture is the event of a captured order; its debits are what was captured, funded or not.
const capture = "ORDER_CAPTURED"

func captured(w store.View, from, to calendar.Date, fn func(store.DayTotalRow)) error {
	return store.EventDays(w, capture, from, to, fn, ledger.LoanPrincipal, ledger.UnfundedExternal)
}

// figures are the business at a glance: each comes from totals, whatever the size of the book.
func (v *visit) figures(w store.View, now report.Month) ([]design.Figure, error) {
	all, err := store.DaySums(w, calendar.None, calendar.None)
	if err != nil {
		return nil, err
	}
	today := v.today()
	due, err := report.DueBetween(w, today, today, today.AddDays(nextDays-1))
	if err != nil {
		return nil, err
	}
	use, err := report.UseOf(w)
	m, book, late := v.language().Money, now.Total(false), now.Total(true)
	return []design.Figure{
		{Label: v.say("figure.principal"), Value: m(all[ledger.LoanPrincipal]), Note: v.several(book.Orders)},
		{Label: v.say("figure.due", nextDays), Value: m(due.Amount), Note: v.say("cash.installments."+few(int(due.Installments)), due.Installments)},
		{Label: v.say("figure.late"), Value: m(late.Principal), Note: v.say("figure.late.of", percent(perMille(late.Principal, book.Principal)))},
		{Label: v.say("figure.use"), Value: percent(perMille(use.Used, use.Limit)), Note: v.say("figure.use.of", m(use.Used), m(use.Limit))},
		{Label: v.say("figure.payable"), Value: m(-all[ledger.MerchantPayable])},
		{Label: v.say("figure.cash"), Value: m(all[ledger.Cash])},
	}, err
}

// several says how many orders there are.
func (v *visit) several(orders int64) string {
	return v.say("figure.orders."+few(int(orders)), orders)
}

// originations are what was captured in each week, the last one not yet over; each bar leads to its
// orders.
func (v *visit) originations(w store.View) (*design.Bars, error) {
	today := v.today()
	monday := today.AddDays(-(int(today.Weekday()) + 6) % 7)
	first := monday.AddDays(-7 * (chartWeeks - 1))
	var sums [chartWeeks]money.Amount
	var orders [chartWeeks]int64
	if err := captured(w, first, today, func(x store.DayTotalRow) {
		i := first.DaysUntil(x.Date) / 7
		sums[i], orders[i] = sums[i].Add(x.Debits), orders[i]+x.Postings
	}); err != nil {
		return nil, err
	}
	b := &design.Bars{ID: "originations", Title: v.say("originations"), Lead: v.say("originations.lead", chartWeeks)}
	t := design.Table{Caption: b.Title, Columns: []design.Column{{Text: v.say("originations.week")}, {Text: v.say("originations.orders"), Number: true}, {Text: v.say("originations.amount"), Number: true}}}
	most := money.Amount(0)
	for _, x := range sums {
		most = max(most, x)
	}
	top := ceiling(most)
	for i, x := range sums {
		from := first.AddDays(7 * i)
		to := min(from.AddDays(6), today)
		at := Prefix + "/orders?" + url.Values{"captured_from": {from.String()}, "captured_to": {to.String()}}.Encode()
		b.Bars = append(b.Bars, design.Bar{Label: shortDay(from), Says: v.say("originations.bar", v.language().Day(from), v.language().Money(x), v.several(orders[i])), Height: int(x * 1000 / top), Href: at, Wide: i < 4})
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: v.language().Day(from), Href: at}, {Text: strconv.FormatInt(orders[i], 10)}, {Text: v.language().Money(x), Strong: true}}})
	}
	b.Axis = axis(top)
	b.Table = t
	return b, nil
}

// ceiling is the end of an axis: the next of 3, 6 or 15 times a power of ten, so that thirds of it
// are round. It is never zero.
func ceiling(most money.Amount) money.Amount {
	for unit := money.Amount(100_00); ; unit *= 10 {
		for _, n := range []money.Amount{3, 6, 15} {
			if most <= n*unit {
				return n * unit
			}
		}
	}
}

// short writes an amount of an axis: 500, 1.5k, 20k, 1.5M.
func short(x money.Amount) string {
	for _, unit := range []struct {
		amount money.Amount
		name   string
	}{{1_000_000_00, "M"}, {1000_00, "k"}} {
		if x >= unit.amount {
			tenths := x % unit.amount * 10 / unit.amount
			text := strconv.FormatInt(int64(x/unit.amount), 10)
			if tenths > 0 {
				text += "." + strconv.FormatInt(int64(tenths), 10)
			}
			return text + unit.name
		}
	}
	return strconv.FormatInt(int64(x)/100, 10)
}
