package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/report"
	"tenor/internal/ui/design"
)

func readPlace(text string) store.DuePlace {
	none := store.DuePlace{Due: calendar.None}
	part := strings.Split(text, ".")
	if len(part) != 3 {
		return none
	}
	due, bad := calendar.Parse(part[0])
	n, err := strconv.Atoi(part[2])
	if bad != nil || err != nil {
		return none
	}
	return store.DuePlace{Due: due, Order: part[1], Number: n}
}

// aging lists the orders of a bucket of days past due, the oldest first.
func (v *visit) aging() error {
	bucket := credit.Bucket(v.r.PathValue("bucket"))
	at := slices.Index(credit.Buckets(), bucket)
	if at < 0 {
		return v.bare(http.StatusNotFound, "lost")
	}
	var rows []report.AgedOrder
	var next *store.DuePlace
	var now report.Month
	var b book
	if err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if now, err = report.Aging(w, v.today()); err != nil {
			return err
		}
		if rows, next, err = report.AgedOrders(w, v.today(), bucket, v.placeOf(), pageOf); err != nil {
			return err
		}
		var list []*credit.Order
		for _, x := range rows {
			list = append(list, x.Order)
		}
		b, err = bookOf(w, list...)
		return err
	}); err != nil {
		return err
	}
	title, band := v.say("aging.title", v.say("bucket."+string(bucket))), now.Bands[at]
	t := design.Table{Caption: title, Columns: []design.Column{
		{Text: v.say("orders.order")}, {Text: v.say("orders.company"), From: "sm"}, {Text: v.say("aging.oldest")}, {Text: v.say("aging.dpd"), Number: true}, {Text: v.say("aging.principal"), Number: true},
	}, Empty: &design.Empty{Text: v.say("aging.none"), Act: &design.Button{Text: v.say("reports.portfolio"), Href: Prefix + "/reports"}, Command: "tenor orders list --financing-status OVERDUE"}}
	for _, x := range rows {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			v.orderCell(x.Order, b), {Text: v.company(b, x.Order.Company)}, {Text: v.language().Day(x.Due), Soft: true}, {Text: strconv.Itoa(x.DPD)}, {Text: v.language().Money(x.Principal), Strong: true},
		}})
	}
	return v.behind(title, "aging/"+string(bucket), nil, t, next, []design.Figure{{Label: v.say("aging.orders"), Value: strconv.FormatInt(band.Orders, 10)}, {Label: v.say("aging.principal"), Value: v.language().Money(band.Principal)}})
}

func (v *visit) orderCell(o *credit.Order, b book) design.Cell {
	return design.Cell{Text: number(o), Detail: merchantName(b, o.Merchant), Href: Prefix + "/orders/" + o.Key, Narrow: v.company(b, o.Company)}
}

// due lists the installments that are due between two days and not paid.
func (v *visit) due() error {
	to, okTo := v.dayOf("to", v.today().AddDays(6))
	from, okFrom := v.dayOf("from", v.today())
	if !okTo || !okFrom || from > to {
		return v.bare(http.StatusNotFound, "lost")
	}
	var rows []report.DueInstallment
	var next *store.DuePlace
	var sum report.Due
	var b book
	if err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if sum, err = report.DueBetween(w, v.today(), from, to); err != nil {
			return err
		}
		if rows, next, err = report.DueInstallments(w, from, to, v.placeOf(), pageOf); err != nil {
			return err
		}
		var list []*credit.Order
		for _, x := range rows {
			list = append(list, x.Order)
		}
		b, err = bookOf(w, list...)
		return err
	}); err != nil {
		return err
	}
	title := v.say("due.title")
	t := design.Table{Caption: title, Columns: []design.Column{
		{Text: v.say("orders.order")}, {Text: v.say("orders.company"), From: "sm"}, {Text: v.say("due.date")}, {Text: v.say("due.number"), Number: true, From: "sm"}, {Text: v.say("due.left"), Number: true},
	}, Empty: &design.Empty{Text: v.say("due.none"), Act: &design.Button{Text: v.say("reports.cash"), Href: Prefix + "/reports/cash"}, Command: "tenor orders list"}}
	for _, x := range rows {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			v.orderCell(x.Order, b), {Text: v.company(b, x.Order.Company)}, {Text: v.language().Day(x.Row.DueDate), Soft: true}, {Text: strconv.Itoa(x.Row.Number)}, {Text: v.language().Money(x.Row.Unpaid()), Strong: true},
		}})
	}
	q := v.narrowed("from", "to")
	return v.behind(title, "due", q, t, next, []design.Figure{{Label: v.say("due.installments"), Value: strconv.FormatInt(sum.Installments, 10)}, {Label: v.say("due.left"), Value: v.language().Money(sum.Amount)}},
		v.typedIn(url.Values{"from": {from.String()}}, "from", "date"), v.typedIn(url.Values{"to": {to.String()}}, "to", "date"))
}

// behind is the page of the rows behind a figure of a report.
func (v *visit) behind(title, path string, q url.Values, t design.Table, next *store.DuePlace, figures []design.Figure, fields ...design.Field) error {
	p := page{
		Shell: v.shell("reports", title), Crumbs: []design.Link{{Text: v.say("nav.reports"), Href: Prefix + "/reports"}, {Text: title}},
		Title: design.Title{Text: title, Lead: v.say("behind.lead", v.language().LongDay(v.today()))}, Figures: figures, Tables: []titled{{ID: "rows", Table: t}},
	}
	if len(fields) > 0 {
		p.Filter = v.filterOf("reports/"+path, q, fields)
	}
	if next != nil {
		at := url.Values{"after": {placedDue(*next)}}
		p.Acts = append(p.Acts, design.Button{Text: v.say("behind.more"), Href: Prefix + "/reports/" + path + "?" + strings.TrimPrefix(q.Encode()+"&"+at.Encode(), "&")})
	}
	return v.show(http.StatusOK, p)
}
