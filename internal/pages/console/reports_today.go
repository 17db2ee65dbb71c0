package console

import (
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/report"
	"tenor/internal/ui/design"
)

// largest is how many merchants the report of exposure shows.
const largest = 10

// collections is what was sent, settled and returned today, and the returns that the network counts.
func (v *visit) collections(w store.View, p *page) error {
	x, err := report.CollectionsOf(w, v.desk().Zone, v.today())
	if err != nil {
		return err
	}
	m := v.language().Money
	returned := 0
	for _, c := range x.Returned {
		returned += c.Count
	}
	p.Figures = []design.Figure{
		{Label: v.say("collections.due"), Value: m(x.Due.Amount), Note: v.say("cash.installments."+few(int(x.Due.Installments)), x.Due.Installments)},
		{Label: v.say("collections.sent"), Value: m(x.Sent.Amount), Note: v.debits(x.Sent.Count)},
		{Label: v.say("collections.settled"), Value: m(x.Settled.Amount), Note: v.debits(x.Settled.Count)},
		{Label: v.say("collections.returned"), Value: strconv.Itoa(returned)},
	}
	codes := design.Table{Caption: v.say("collections.codes"), Columns: []design.Column{{Text: v.say("collections.code")}, {Text: v.say("collections.count"), Number: true}}, Empty: &design.Empty{Text: v.say("collections.none"), Command: "tenor alarms --kind return_rate"}}
	for _, c := range x.Returned {
		codes.Rows = append(codes.Rows, design.Row{Cells: []design.Cell{{Text: c.Code}, {Text: strconv.Itoa(c.Count)}}})
	}
	rates := design.Table{Caption: v.say("rates"), Columns: []design.Column{{Text: v.say("rates.of")}, {Text: v.say("rates.returned"), Number: true}, {Text: v.say("rates.debits"), Number: true}, {Text: v.say("rates.share"), Number: true}, {Text: v.say("rates.limit"), Number: true}, {Text: v.say("live.state"), From: "sm"}}}
	for _, r := range x.Rates {
		state := design.Badge{Tone: design.Good, Text: v.say("rates.within")}
		if r.Alarm() {
			state = design.Badge{Tone: design.Bad, Text: v.say("rates.above")}
		}
		share := int64(0)
		if r.Debits > 0 {
			share = int64(r.Returned) * 1000 / int64(r.Debits)
		}
		rates.Rows = append(rates.Rows, design.Row{Cells: []design.Cell{
			{Text: v.say("rates." + r.Name), Below: &state}, {Text: strconv.Itoa(r.Returned)}, {Text: strconv.Itoa(r.Debits)}, {Text: percent(share), Strong: true}, {Text: percent(int64(r.Limit))}, {Badge: &state},
		}})
	}
	p.Tables = []titled{{ID: "codes", Title: v.say("collections.codes"), Table: codes}, {ID: "rates", Title: v.say("rates"), Lead: v.say("rates.lead"), Table: rates}}
	return nil
}

// debits says how many there are.
func (v *visit) debits(n int64) string { return v.say("collections.debits."+few(int(n)), n) }

// exposure is how much of the granted credit is used, and at which merchants.
func (v *visit) exposure(w store.View, p *page) error {
	u, err := report.UseOf(w)
	if err != nil {
		return err
	}
	m := v.language().Money
	p.Figures = []design.Figure{
		{Label: v.say("figure.use"), Value: percent(perMille(u.Used, u.Limit)), Note: v.say("figure.use.of", m(u.Used), m(u.Limit))},
		{Label: v.say("exposure.merchants"), Value: strconv.Itoa(len(u.Merchants))},
	}
	t := design.Table{Caption: v.say("exposure.largest"), Columns: []design.Column{
		{Text: v.say("exposure.merchant")}, {Text: v.say("exposure.principal"), Number: true}, {Text: v.say("exposure.share"), Number: true}, {Text: v.say("exposure.payable"), Number: true, From: "sm"}, {Text: v.say("exposure.clawback"), Number: true, From: "md"},
	}, Empty: &design.Empty{Text: v.say("exposure.none"), Command: "tenor merchants list"}}
	shown := u.Merchants[:min(len(u.Merchants), largest)]
	s, k := credit.NewState(), credit.Keys{}
	for _, x := range shown {
		k.Merchants = append(k.Merchants, x.Merchant)
	}
	if err := w.Load(s, k); err != nil {
		return err
	}
	for _, x := range shown {
		name := x.Merchant
		if r := s.Merchants[x.Merchant]; r != nil {
			name = r.Name
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: name, Href: Prefix + "/merchants/" + x.Merchant}, {Text: m(x.Principal), Strong: true}, {Text: percent(perMille(x.Principal, u.Used))}, {Text: m(x.Payable)}, {Text: m(x.Clawback)},
		}})
	}
	p.Tables = []titled{{ID: "largest", Title: v.say("exposure.largest"), Table: t}}
	return nil
}
