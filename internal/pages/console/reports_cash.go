package console

import (
	"net/url"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/money"
	"tenor/internal/office/report"
	"tenor/internal/ui/design"
)

// cash is what the next weeks are expected to bring, after what the last ones did.
func (v *visit) cash(w store.View, p *page) error {
	f, err := report.Cash(w, v.today())
	if err != nil {
		return err
	}
	m := v.language().Money
	var due, expected, returned, payouts, net money.Amount
	for _, x := range f.Weeks {
		if !x.Over {
			due, expected, returned = due.Add(x.Due.Amount), expected.Add(x.Expected), returned.Add(x.Returned)
			payouts, net = payouts.Add(x.Payouts), net.Add(x.Net())
		}
	}
	p.Figures = []design.Figure{
		{Label: v.say("cash.due"), Value: m(due), Note: v.say("cash.weeks", report.Weeks)},
		{Label: v.say("cash.collected"), Value: percent(int64(f.Collected.Of(1000))), Note: v.say("cash.sample")},
		{Label: v.say("cash.returned"), Value: percent(int64(f.Returned.Of(1000))), Note: v.say("cash.sample")},
		{Label: v.say("cash.net"), Value: m(net), Note: v.say("cash.parts", m(expected), m(returned), m(payouts))},
	}
	p.Bars = v.cashBars(f)
	return nil
}

// cashBars shows what came in and what is expected, week by week; each bar leads to the installments
// of the week, or to the postings on account 1000.
func (v *visit) cashBars(f report.Forecast) *design.Bars {
	b := &design.Bars{ID: "cash", Title: v.say("cash.title"), Lead: v.say("cash.lead", report.Weeks, report.Past), Open: true}
	b.Table = design.Table{Caption: v.say("cash.table"), Columns: []design.Column{
		{Text: v.say("cash.week")}, {Text: v.say("cash.due"), Number: true}, {Text: v.say("cash.expected"), Number: true}, {Text: v.say("cash.back"), Number: true},
		{Text: v.say("cash.payouts"), Number: true}, {Text: v.say("cash.net"), Number: true}, {Text: v.say("cash.in"), Number: true}, {Text: v.say("cash.out"), Number: true},
	}}
	m, most := v.language().Money, money.Amount(0)
	for _, x := range f.Weeks {
		most = max(most, comes(x))
	}
	top := ceiling(most)
	for i, x := range f.Weeks {
		span := url.Values{"from": {x.From.String()}, "to": {x.To.String()}}
		at, says := Prefix+"/reports/due?"+span.Encode(), v.say("cash.bar", v.language().Day(x.From), m(comes(x)), m(x.Due.Amount))
		payouts, net, in, out := m(x.Payouts), m(x.Net()), "–", "–"
		if x.Over {
			at, says = Prefix+"/ledger/1000?"+span.Encode(), v.say("cash.bar.over", v.language().Day(x.From), m(x.In), m(x.Expected.Sub(x.Returned)))
			payouts, net, in, out = "–", "–", m(x.In), m(x.Out)
		}
		b.Bars = append(b.Bars, design.Bar{Label: shortDay(x.From), Says: says, Height: int(max(0, comes(x)) * 1000 / top), Href: at, Soft: x.Over, Wide: i < 2 || i > 10})
		b.Table.Rows = append(b.Table.Rows, design.Row{Cells: []design.Cell{
			{Text: v.language().Day(x.From), Href: at, Detail: v.say("cash.installments."+few(int(x.Due.Installments)), x.Due.Installments)}, {Text: m(x.Due.Amount)}, {Text: m(x.Expected)}, {Text: m(x.Returned)},
			{Text: payouts}, {Text: net, Strong: true}, {Text: in}, {Text: out},
		}})
	}
	b.Axis = axis(top)
	return b
}

// comes is the money that a week brought, or is expected to.
func comes(x report.Week) money.Amount {
	if x.Over {
		return x.In
	}
	return x.Expected.Sub(x.Returned)
}

// axis is four marks from the top to zero.
func axis(top money.Amount) (out []string) {
	for i := range 4 {
		out = append(out, short(top*money.Amount(3-i)/3))
	}
	return out
}

// placeOf is the place in a list by due dates after which a page begins.
func (v *visit) placeOf() store.DuePlace { return readPlace(v.r.URL.Query().Get("after")) }

func placedDue(at store.DuePlace) string {
	return at.Due.String() + "." + at.Order + "." + strconv.Itoa(at.Number)
}
