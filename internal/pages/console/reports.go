package console

import (
	"cmp"
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/report"
	"tenor/internal/ui/design"
)

// reportMonths is how many month ends the table of days past due shows.
const reportMonths = 13

// reportTabs are the reports: each has its address.
func reportTabs() []string { return []string{"portfolio", "cash", "collections", "exposure"} }

// reports shows one of the reports.
func (v *visit) reports() error {
	tab := cmp.Or(v.r.PathValue("tab"), reportTabs()[0])
	if !slices.Contains(reportTabs(), tab) {
		return v.bare(http.StatusNotFound, "lost")
	}
	title := v.say("nav.reports")
	p := page{Shell: v.shell("reports", title), Title: design.Title{Text: title, Lead: v.say("reports."+tab+".lead", v.language().LongDay(v.today()))}}
	for _, name := range reportTabs() {
		p.Tabs = append(p.Tabs, design.Link{Text: v.say("reports." + name), Href: Prefix + "/reports/" + name, Here: name == tab})
	}
	fill := map[string]func(store.View, *page) error{"portfolio": v.portfolio, "cash": v.cash, "collections": v.collections, "exposure": v.exposure}[tab]
	if err := v.desk().Store.View(v.r.Context(), func(w store.View) error { return fill(w, &p) }); err != nil {
		return err
	}
	p.Below = len(p.Figures) > 0
	if file := v.asFile("reports/files/"+tab, nil); file != nil && tab != "collections" && tab != "exposure" {
		p.Acts = append(p.Acts, *file)
	}
	return v.show(http.StatusOK, p)
}

// portfolio is what is late, today and at the ends of months, and how it got worse.
func (v *visit) portfolio(w store.View, p *page) error {
	months, err := report.Months(w, v.today(), reportMonths)
	if err != nil {
		return err
	}
	now := months[len(months)-1]
	p.Bands = v.delinquency(now)
	if p.Bars, err = v.originations(w); err != nil {
		return err
	}
	p.Tables = []titled{{ID: "months", Title: v.say("aging.months"), Table: v.agingTable(months)}, {ID: "rolls", Title: v.say("rolls"), Lead: v.say("rolls.lead"), Table: v.rollTable(months)}}
	return nil
}

// delinquency is what orders owe by days past due; each bar leads to them.
func (v *visit) delinquency(m report.Month) *design.Bands {
	b := &design.Bands{ID: "delinquency", Title: v.say("delinquency"), Lead: v.say("delinquency.lead")}
	all := m.Total(false).Principal
	for i, x := range m.Bands {
		b.Bands = append(b.Bands, design.Band{
			Label: v.say("bucket." + string(x.Bucket)), Note: v.several(x.Orders), Amount: v.language().Money(x.Principal),
			Share: int(perMille(x.Principal, all)), Level: i, Href: Prefix + "/reports/aging/" + string(x.Bucket),
		})
	}
	return b
}

// perMille is a part of a whole in tenths of a percent, 0 of nothing.
func perMille(part, whole money.Amount) int64 {
	if whole <= 0 {
		return 0
	}
	return int64(money.Fraction{Num: 1000, Den: int64(whole)}.Of(part))
}

// percent writes tenths of a percent.
func percent(tenths int64) string {
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " %"
}

func (v *visit) agingTable(months []report.Month) design.Table {
	t := design.Table{Caption: v.say("aging.months"), Columns: []design.Column{{Text: v.say("aging.on")}}}
	for _, b := range credit.Buckets() {
		t.Columns = append(t.Columns, design.Column{Text: v.say("bucket." + string(b)), Number: true})
	}
	t.Columns = append(t.Columns, design.Column{Text: v.say("aging.late"), Number: true})
	for _, m := range slices.Backward(months) {
		row := design.Row{Cells: []design.Cell{{Text: v.language().Day(m.On)}}}
		for _, b := range m.Bands {
			row.Cells = append(row.Cells, design.Cell{Text: v.language().Money(b.Principal)})
		}
		late := perMille(m.Total(true).Principal, m.Total(false).Principal)
		t.Rows = append(t.Rows, design.Row{Cells: append(row.Cells, design.Cell{Text: percent(late), Strong: true})})
	}
	return t
}

// rollTable is how principal got one bucket worse from one month end to the next.
func (v *visit) rollTable(months []report.Month) design.Table {
	t := design.Table{Caption: v.say("rolls"), Columns: []design.Column{{Text: v.say("rolls.month")}}, Empty: &design.Empty{Text: v.say("rolls.none"), Command: "tenor orders list --financing-status OVERDUE"}}
	all := credit.Buckets()
	for _, b := range all[:len(all)-1] {
		t.Columns = append(t.Columns, design.Column{Text: v.say("bucket." + string(b)), Number: true})
	}
	for _, m := range slices.Backward(months[:len(months)-1]) { // today ends no month
		if m.Rolls == nil {
			continue
		}
		row := design.Row{Cells: []design.Cell{{Text: v.language().Day(m.On)}}}
		for _, r := range m.Rolls {
			text := "–"
			if share, any := r.PerMille(); any {
				text = percent(share)
			}
			row.Cells = append(row.Cells, design.Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// reportCSV writes a report as a file.
func (v *visit) reportCSV() error {
	switch v.r.PathValue("file") {
	case "portfolio.csv":
		columns := []string{"on"}
		for _, b := range credit.Buckets() {
			columns = append(columns, string(b))
		}
		return v.rowsFile("delinquency", "exportDelinquency", columns, v.agingRows)
	case "cash.csv":
		return v.rowsFile("cash", "exportCash", []string{"from", "to", "installments", "due", "collected", "returned", "payouts", "net", "received", "paid_out"}, v.cashRows)
	}
	return v.bare(http.StatusNotFound, "lost")
}

// rowsFile writes a short report as a file.
func (v *visit) rowsFile(name, operation string, columns []string, rows func(store.View) ([][]string, error)) error {
	return v.file(name, operation, nil, columns, func(out *csv.Writer, at store.Page) (n int, next store.Page, err error) {
		if at.AfterID != "" {
			return 0, at, nil
		}
		err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
			list, err := rows(w)
			if err != nil {
				return err
			}
			n = len(list)
			return out.WriteAll(list)
		})
		return n, store.Page{AfterID: "end"}, err
	})
}

func (v *visit) agingRows(w store.View) (out [][]string, err error) {
	months, err := report.Months(w, v.today(), reportMonths)
	for _, m := range months {
		row := []string{m.On.String()}
		for _, b := range m.Bands {
			row = append(row, b.Principal.String())
		}
		out = append(out, row)
	}
	return out, err
}

func (v *visit) cashRows(w store.View) (out [][]string, err error) {
	f, err := report.Cash(w, v.today())
	for _, x := range f.Weeks {
		payouts, net := "", ""
		if !x.Over {
			payouts, net = x.Payouts.String(), x.Net().String()
		}
		out = append(out, []string{
			x.From.String(), x.To.String(), strconv.FormatInt(x.Due.Installments, 10), x.Due.Amount.String(), x.Expected.String(), x.Returned.String(), payouts, net, x.In.String(), x.Out.String(),
		})
	}
	return out, err
}

// shortDay is a month and a day.
func shortDay(on calendar.Date) string {
	_, month, n := on.Civil()
	return month.String()[:3] + " " + strconv.Itoa(n)
}
