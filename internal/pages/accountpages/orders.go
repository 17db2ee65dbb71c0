package accountpages

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
	"tenor/internal/office/paper"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// orders lists all orders.
func (v *visit) orders() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	t := v.orderTable(b, b.Orders, true)
	return v.show(http.StatusOK, page{
		Shell: v.shell("orders", v.Say("a.tab.orders")), Title: design.Title{Text: v.Say("a.tab.orders"), Lead: v.company.Name}, Sections: []section{{Table: &t}},
	})
}

// orderTable is a list of orders with the amounts owed.
func (v *visit) orderTable(b *buyer.Book, list []*buyer.Owed, foot bool) design.Table {
	t := design.Table{Caption: v.Say("a.tab.orders"), Columns: []design.Column{
		{Text: v.Say("a.col.order")}, {Text: v.Say("a.col.terms"), From: "lg"}, {Text: v.Say("a.col.amount"), Number: true, From: "md"},
		{Text: v.Say("a.col.left"), Number: true}, {Text: v.Say("a.col.next"), Number: true, From: "sm"}, {Text: v.Say("a.col.state"), From: "sm"},
	}, Empty: &design.Empty{Text: v.Say("a.orders.none")}}
	sum := money.Amount(0)
	for _, o := range list {
		left, next := design.Cell{Text: "–", Soft: true}, design.Cell{Text: "–", Soft: true}
		state := v.state(o)
		switch {
		case o.Loan == nil && o.Order.Status == credit.OrderAuthorized:
			next.Text = v.Say("a.when.shipped")
		case o.Loan != nil:
			left = design.Cell{Text: v.Money(o.View.Remaining), Strong: true}
			if rows := o.Rows(); len(rows) > 0 && !o.Order.External {
				next = design.Cell{Text: v.Money(rows[0].Outstanding), Detail: v.Language.Day(rows[0].DueDate)}
				left.Narrow = next.Detail
			}
			if !o.Order.External {
				sum = sum.Add(o.View.Remaining)
			}
		}
		what := b.Merchant(o.Order.Merchant)
		if text := orderText(o.Order); text != "" {
			what += " · " + text
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: orderName(o.Order), Detail: what, Href: Prefix + "/orders/" + o.Order.Key, Below: &state}, {Text: v.terms(o)}, {Text: v.Money(cmp.Or(o.Order.Captured, o.Order.Amount))},
			left, next, {Badge: &state},
		}})
	}
	if foot && len(t.Rows) > 0 {
		t.Foot = []design.Cell{{Text: v.Say("a.still")}, {}, {}, {Text: v.Money(sum), Strong: true}, {}, {}}
	}
	return t
}

// terms says in how many payments an order is paid, and how many are paid.
func (v *visit) terms(o *buyer.Owed) string {
	n := o.Order.Installments
	paid := 0
	for _, r := range o.View.Rows {
		if r.Status == schedule.RowPaid {
			paid++
		}
	}
	switch {
	case n == 0:
		return "–"
	case n == 1:
		return v.Say("plan.one")
	case paid > 0:
		return v.Say("a.terms.paid", n, paid)
	}
	return v.Say("a.terms", n)
}

// state returns an order's status.
func (v *visit) state(o *buyer.Owed) design.Badge {
	switch {
	case o.Order.Status == credit.OrderCanceled:
		return design.Badge{Text: v.Say("a.state.canceled")}
	case o.Order.Status == credit.OrderCreated && o.Order.Checkout != "":
		return design.Badge{Text: v.Say("a.state.accepted")}
	case o.Loan == nil:
		return design.Badge{Text: v.Say("a.state." + strings.ToLower(string(o.Order.Status)))}
	case o.Order.External:
		return design.Badge{Text: v.Say("a.state.external")}
	case o.View.Status == schedule.PaidOff:
		return design.Badge{Text: v.Say("a.state.paid")}
	case o.View.Status == schedule.ChargedOff:
		return design.Badge{Tone: design.Bad, Text: v.Say("a.state.charged_off")}
	case o.View.DPD > 0:
		return design.Badge{Tone: design.Bad, Text: v.days(o.View.DPD)}
	}
	return design.Badge{Tone: design.Good, Text: v.Say("a.state.fine")}
}

// order shows one order: the amounts owed, its schedule, its documents.
func (v *visit) order() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	o := b.Order(v.R.PathValue("key"))
	if o == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	state := v.state(o)
	p := page{
		Shell: v.shell("orders", orderName(o.Order)),
		Title: design.Title{Text: v.Say("a.order.title", orderName(o.Order)), Lead: v.Say("a.order.lead", b.Merchant(o.Order.Merchant), v.Day(v.Desk.Zone.Date(o.Order.CreatedAt))), Badge: &state},
	}
	p.Sections = append(p.Sections, section{Figures: v.figures(o)})
	if o.Loan != nil && v.pays() && o.View.Remaining > 0 && !o.Order.External {
		v.offerToPay(&p, o)
	}
	if o.Loan != nil {
		t := v.scheduleTable(o)
		p.Sections = append(p.Sections, section{Head: design.Heading{ID: "schedule", Text: v.Say("a.schedule")}, Table: &t})
	}
	if o.Loan != nil && o.View.Remaining > 0 && !o.Order.External {
		p.Sections = append(p.Sections, v.quote(o))
	}
	billed, err := v.invoices(o.Order)
	if err != nil {
		return err
	}
	p.Sections = append(p.Sections, billed...)
	docs, err := v.orderDocuments(o.Order)
	if err != nil {
		return err
	}
	if len(docs) > 0 {
		p.Sections = append(p.Sections, section{Head: design.Heading{ID: "papers", Text: v.Say("a.papers")}, Text: v.InEnglish("paper.english"), Documents: docs})
	}
	p.Acts = []design.Button{{Text: v.Say("cases.order"), Emphasis: design.Outline, Href: Prefix + "/cases/new?about=" + o.Order.Key}}
	if len(o.Order.Cart) > 0 {
		t := v.bought(o.Order)
		p.Sections = append(p.Sections, section{Head: design.Heading{ID: "bought", Text: v.Say("order.what")}, Table: &t})
	}
	return v.show(http.StatusOK, p)
}

// offerToPay adds the possible action to an order's page: late amounts not in transit are paid
// first; if all are in transit, nothing remains to do, and the page says so.
func (v *visit) offerToPay(p *page, o *buyer.Owed) {
	_, arrives := v.Desk.Settles()
	at, past := Prefix+"/pay?order="+o.Order.Key, late(o).Sum
	pay := design.Button{Text: v.Say("a.pay.now"), Emphasis: design.Primary, Href: at}
	switch left := o.Rest(past, arrives); {
	case past == 0:
	case left > 0:
		pay.Text, pay.Href = v.Say("a.pay.amount", v.Money(left)), at+"&what="+payLate
	default:
		pay.Text, pay.Emphasis = v.Say("a.pay.ahead"), design.Outline
		p.Notices = append(p.Notices, design.Notice{Icon: "clock", Title: v.Say("a.covered", v.Money(past)), Text: v.Say("a.covered.text")})
	}
	p.Sections[0].Acts = []design.Button{pay, {Text: v.Say("a.payoff"), Emphasis: design.Outline, Href: at + "&what=" + payOff}}
}

// quote shows the payoff amount for a requested day.
func (v *visit) quote(o *buyer.Owed) section {
	text := v.R.URL.Query().Get("payoff")
	day, err := calendar.Parse(text)
	f := design.Field{Name: "payoff", Label: v.Say("quote.day"), Type: "date", Value: text, Required: true, Width: design.Half}
	s := section{Head: design.Heading{ID: "quote", Text: v.Say("quote.title")}, Ask: &asking{Action: Prefix + "/orders/" + o.Order.Key, Field: f, Go: design.Button{Text: v.Say("quote.go"), Emphasis: design.Outline}}}
	switch {
	case text == "":
	case err != nil || day < v.Today() || day > v.Today().AddDays(366):
		s.Ask.Field.Error = v.Say("quote.wrong")
	default:
		s.Figures = []design.Figure{{Label: v.Say("quote.on", v.Day(day)), Value: v.Money(o.Payoff(day)), Note: v.Say("quote.note")}}
	}
	return s
}

func (v *visit) figures(o *buyer.Owed) []design.Figure {
	if o.Loan == nil {
		return []design.Figure{{Label: v.Say("a.col.amount"), Value: v.Money(o.Order.Amount), Note: v.terms(o)}}
	}
	out := []design.Figure{
		{Label: v.Say("a.col.left"), Value: v.Money(o.View.Remaining), Note: v.Say("a.of", v.Money(o.View.TotalAmount))},
		{Label: v.Say("a.payoff.today"), Value: v.Money(o.Payoff(v.Today()))},
	}
	if o.Coming > 0 {
		out = append(out, design.Figure{Label: v.Say("a.coming.label"), Value: v.Money(o.Coming)})
	}
	return out
}

// scheduleTable is an order's current schedule.
func (v *visit) scheduleTable(o *buyer.Owed) design.Table {
	t := design.Table{Caption: v.Say("a.schedule"), Columns: []design.Column{
		{Text: v.Say("dates.due")}, {Text: v.Say("dates.principal"), Number: true, From: "sm"}, {Text: v.Say("dates.charge"), Number: true, From: "sm"},
		{Text: v.Say("a.col.fees"), Number: true, From: "md"}, {Text: v.Say("dates.payment"), Number: true}, {Text: v.Say("a.col.paid"), Number: true, From: "md"}, {Text: v.Say("a.col.state"), From: "sm"},
	}}
	for _, r := range o.View.Rows {
		badge := v.rowState(r)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: v.Language.Day(r.DueDate), Below: &badge}, {Text: v.Money(r.Principal)}, {Text: v.Money(r.Charge)}, {Text: v.Money(r.Fees)}, {Text: v.Money(r.Amount.Add(r.Fees)), Strong: true},
			{Text: v.Money(r.Paid)}, {Badge: &badge},
		}})
	}
	return t
}

func (v *visit) rowState(r schedule.RowView) design.Badge {
	tone := design.Calm
	switch r.Status {
	case schedule.RowPaid:
		tone = design.Good
	case schedule.RowOverdue:
		return design.Badge{Tone: design.Bad, Text: v.days(r.DPD)}
	}
	return design.Badge{Tone: tone, Text: v.Say("a.row." + strings.ToLower(string(r.Status)))}
}

// bought lists the purchase, line by line.
func (v *visit) bought(o *credit.Order) design.Table {
	t := design.Table{Caption: v.Say("order.what"), Columns: []design.Column{{Text: v.Say("order.item")}, {Text: v.Say("a.col.amount"), Number: true}}}
	for _, x := range o.Cart {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: x.Name, Detail: v.Say("a.times", x.Quantity, v.Money(x.Price)), Strong: true}, {Text: v.Money(x.Price * money.Amount(x.Quantity))},
		}})
	}
	return t
}

// Documents of an order, by their part of the path.
func paperKinds() map[string]string {
	return map[string]string{"agreement": credit.DocumentAgreement, "disclosure": credit.DocumentDisclosure, "master": credit.DocumentMaster}
}

// orderDocuments lists what was signed for an order.
func (v *visit) orderDocuments(o *credit.Order) (out []design.Document, err error) {
	all, err := v.Desk.Papers(v.Ctx(), o.Key)
	for _, name := range []string{"agreement", "disclosure", "master"} {
		for _, x := range all {
			if x.Kind == paperKinds()[name] && x.Content != "" && strings.HasPrefix(x.ContentType, "text/html") {
				at := Prefix + "/orders/" + o.Key + "/" + name
				out = append(out, design.Document{
					Title: v.Say("paper." + name), Href: at, Detail: v.Say("a.signed.on", v.Day(v.Desk.Zone.Date(x.CreatedAt))), Link: &design.Link{Text: v.Say("paper.pdf"), Href: at + ".pdf"},
				})
			}
		}
	}
	return out, err
}

// orderPaper shows a document of an order: a signed one, or an invoice.
func (v *visit) orderPaper() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	o := b.Order(v.R.PathValue("key"))
	if o == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	if name := v.R.PathValue("paper"); strings.HasPrefix(name, "inv_") {
		return v.invoice(b, o.Order, name)
	}
	return v.filed(o.Order.Key, v.R.PathValue("paper"))
}

// filed returns a document filed under a name.
func (v *visit) filed(of, name string) error {
	media := "text/html"
	bare, isPDF := strings.CutSuffix(name, ".pdf")
	if isPDF {
		media = "application/pdf"
	}
	all, err := v.Desk.Papers(v.Ctx(), of)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(x *credit.Document) bool {
		return x.Kind == paperKinds()[bare] && x.Company == v.company.ID && strings.HasPrefix(x.ContentType, media) && x.Content != ""
	})
	if i < 0 || paperKinds()[bare] == "" {
		return v.stop(http.StatusNotFound, "lost")
	}
	x, data, err := v.Desk.Filing(v.Ctx(), all[i].ID)
	if err != nil {
		return err
	}
	if x == nil {
		return v.stop(http.StatusNotFound, "lost")
	}
	v.give(x.ContentType, name, data)
	return nil
}

// give returns a document: a page in its own style, or a file.
func (v *visit) give(media, name string, data []byte) {
	h := v.W.Header()
	h.Set("Content-Type", media)
	if strings.HasPrefix(media, "text/html") {
		h.Set("Content-Security-Policy", paper.Policy())
	} else {
		h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	}
	web.Send(v.W, v.R, http.StatusOK, data)
}
