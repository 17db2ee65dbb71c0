package console

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
	"tenor/internal/ui/design"
)

// orderTabs are the parts of an order's page: each has its address.
func orderTabs() []string {
	return []string{"timeline", "schedule", "payments", "ledger", "explain", "cart"}
}

// orderBook is an order with all that its page shows.
type orderBook struct {
	book
	order    *credit.Order
	loan     *schedule.Loan
	past     past
	entries  []store.EntryRow
	payments []*credit.Payment
	amounts  []explain.Explanation
}

// findOrder reads an order by its key, nil if there is none.
func (v *visit) findOrder(key, tab string) (x *orderBook, err error) {
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Orders: []string{key}}); err != nil || s.Orders[key] == nil {
			return err
		}
		x = &orderBook{order: s.Orders[key], loan: s.Loans[key]}
		var err error
		if x.book, err = bookOf(w, x.order); err != nil {
			return err
		}
		switch tab {
		case "timeline":
			if x.entries, err = store.EntriesOf(w, key); err != nil {
				return err
			}
			x.past, err = v.readPast(w, "order", key, store.RecordFilter{Of: key})
		case "ledger":
			x.entries, err = store.EntriesOf(w, key)
		case "explain":
			err = v.explain(w, s, x)
		case "payments":
			x.payments, err = store.ListPayments(w, store.PaymentFilter{Order: key}, store.Page{Limit: shownEvents})
		}
		return err
	})
	return x, err
}

// order shows one order.
func (v *visit) order() error {
	tab := cmp.Or(v.r.PathValue("tab"), orderTabs()[0])
	if !slices.Contains(orderTabs(), tab) {
		return v.bare(http.StatusNotFound, "lost")
	}
	x, err := v.findOrder(v.r.PathValue("key"), tab)
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	o, state := x.order, v.orderState(x.order, x.loan)
	subject := v.orderSubject(x)
	p := page{
		Shell: v.shell("orders", number(o)), Crumbs: []design.Link{{Text: v.say("orders.title"), Href: Prefix + "/orders"}, {Text: number(o)}},
		Title:   design.Title{Text: v.language().Money(o.Amount), Lead: subject.lead, Badge: &state},
		Figures: v.orderFigures(x), Handle: &design.Key{ID: "order-key", Label: v.say("order.key"), Value: o.Key},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject), Acts: append(v.noteLink(subject), v.auditOf("object", o.Key)...),
	}
	for _, name := range orderTabs() {
		p.Tabs = append(p.Tabs, design.Link{Text: v.say("tab." + name), Href: Prefix + "/orders/" + o.Key + "/" + name, Here: name == tab})
	}
	if tab == "timeline" {
		if p.Timeline, err = v.timeline(x.past, x.entries); err != nil {
			return err
		}
	}
	v.orderTab(&p, x, tab)
	return v.show(http.StatusOK, p)
}

func (v *visit) orderTab(p *page, x *orderBook, tab string) {
	empty := func(text string) *design.Empty {
		return &design.Empty{Text: v.say(text), Command: "tenor orders get " + x.order.Key}
	}
	switch tab {
	case "timeline":
		p.Facts = v.orderTerms(x)
	case "schedule":
		p.Tables = []titled{{ID: "schedule", Table: v.scheduleTable(x.loan, empty("order.unscheduled"))}}
	case "payments":
		p.Tables = []titled{{ID: "payments", Table: v.paymentTable(x.payments, empty("order.unpaid"))}}
	case "ledger":
		p.Tables = []titled{{ID: "ledger", Table: v.entryTable(x.entries, empty("order.unposted"))}}
	case "explain":
		p.Tables = []titled{{ID: "explain", Table: v.explainTable(x)}}
	case "cart":
		p.Tables = []titled{{ID: "cart", Table: v.cartTable(x.order, empty("order.uncarted"))}}
	}
}

func (v *visit) orderFigures(x *orderBook) []design.Figure {
	o, m := x.order, v.language().Money
	if x.loan == nil {
		out := []design.Figure{{Label: v.say("order.reserved"), Value: m(o.Reserved)}}
		if !o.ExpiresAt.IsZero() && o.Status == credit.OrderAuthorized {
			out = append(out, design.Figure{Label: v.say("order.expires"), Value: v.language().Day(v.desk().Zone.Date(o.ExpiresAt))})
		}
		return out
	}
	l := x.loan.View(v.day(x.loan))
	next := design.Figure{Label: v.say("order.next"), Value: "–"}
	if l.NextDueDate != calendar.None {
		next.Value, next.Note = m(l.NextDueAmount), v.language().Day(l.NextDueDate)
	}
	return []design.Figure{
		{Label: v.say("orders.left"), Value: m(l.Remaining), Note: v.say("order.of", m(l.TotalAmount))}, next,
		{Label: v.say("order.paid"), Value: m(l.TotalPaid)}, {Label: v.say("order.refunded"), Value: m(o.Refunded)},
	}
}

// orderTerms are the facts beside a time line.
func (v *visit) orderTerms(x *orderBook) []design.Fact {
	o := x.order
	out := []design.Fact{{Label: v.say("order.plan"), Text: v.say("order.payments", o.Installments)}, {Label: v.say("orders.status"), Text: string(o.Status) + ", " + string(o.Financing)}}
	if o.CaptureDate != calendar.None && !o.CapturedAt.IsZero() {
		out = append(out, design.Fact{Label: v.say("order.captured"), Text: v.language().Day(o.CaptureDate)})
	}
	return append(out, design.Fact{Label: v.say("order.version"), Text: strconv.Itoa(o.Version)})
}

// worded makes words of a name: order.captured is "Order captured".
func worded(name string) string {
	text := strings.NewReplacer(".", " ", "_", " ").Replace(name)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// posted is an entry in one line.
func (v *visit) posted(list []ledger.Posting) string {
	var out []string
	for _, p := range list {
		side, amount := v.say("debit"), p.Amount
		if amount < 0 {
			side, amount = v.say("credit"), -amount
		}
		out = append(out, v.say("posting", strconv.Itoa(int(p.Account)), side, v.language().Money(amount)))
	}
	return strings.Join(out, ", ")
}

func (v *visit) scheduleTable(l *schedule.Loan, none *design.Empty) design.Table {
	t := design.Table{Caption: v.say("tab.schedule"), Columns: []design.Column{
		{Text: v.say("col.due")}, {Text: v.say("col.principal"), Number: true, From: "sm"}, {Text: v.say("col.charge"), Number: true, From: "sm"}, {Text: v.say("col.fees"), Number: true, From: "md"},
		{Text: v.say("col.payment"), Number: true}, {Text: v.say("order.paid"), Number: true, From: "md"}, {Text: v.say("orders.status"), From: "sm"},
	}, Empty: none}
	if l == nil {
		return t
	}
	m := v.language().Money
	for _, r := range l.View(v.day(l)).Rows {
		state := design.Badge{Text: v.say("row." + string(r.Status))}
		switch r.Status {
		case schedule.RowPaid:
			state.Tone = design.Good
		case schedule.RowOverdue:
			state.Tone, state.Text = design.Bad, v.say("order.late."+few(r.DPD), r.DPD)
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: v.language().Day(r.DueDate), Below: &state}, {Text: m(r.Principal)}, {Text: m(r.Charge)}, {Text: m(r.Fees)}, {Text: m(r.Amount.Add(r.Fees)), Strong: true}, {Text: m(r.Paid)}, {Badge: &state},
		}})
	}
	return t
}

func (v *visit) paymentTable(list []*credit.Payment, none *design.Empty) design.Table {
	t := design.Table{Caption: v.say("tab.payments"), Columns: []design.Column{
		{Text: v.say("col.payment")}, {Text: v.say("col.method"), From: "sm"}, {Text: v.say("col.date"), From: "md"}, {Text: v.say("orders.amount"), Number: true}, {Text: v.say("orders.status")},
	}, Empty: none}
	for _, x := range list {
		day, state := v.dayOr(paymentDay(x)), v.paymentState(x)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: x.ID, Href: Prefix + "/payments/" + x.ID}, {Text: v.say("method." + string(x.Method))}, {Text: day, Soft: true}, {Text: v.language().Money(x.Amount)}, {Badge: &state},
		}})
	}
	return t
}

// entryTable is the postings of entries, with debits and credits.
func (v *visit) entryTable(list []store.EntryRow, none *design.Empty) design.Table {
	t := design.Table{Caption: v.say("tab.ledger"), Columns: []design.Column{
		{Text: v.say("col.account")}, {Text: v.say("col.entry"), From: "sm"}, {Text: v.say("col.date"), From: "md"}, {Text: v.say("debit"), Number: true}, {Text: v.say("credit"), Number: true},
	}, Empty: none}
	for _, e := range list {
		for _, p := range e.Postings {
			t.Rows = append(t.Rows, v.posting(e.Entry, p))
		}
	}
	return t
}

func (v *visit) posting(e ledger.Entry, p ledger.Posting) design.Row {
	debit, amount := v.language().Money(p.Amount), ""
	if p.Amount < 0 {
		debit, amount = "", v.language().Money(-p.Amount)
	}
	return design.Row{Cells: []design.Cell{
		{Text: strconv.Itoa(int(p.Account)) + " " + p.Account.Name()}, {Text: worded(strings.ToLower(e.Event)), Soft: true}, {Text: v.language().Day(e.ValueDate), Soft: true}, {Text: debit}, {Text: amount},
	}}
}

func (v *visit) cartTable(o *credit.Order, none *design.Empty) design.Table {
	t := design.Table{Caption: v.say("tab.cart"), Columns: []design.Column{{Text: v.say("col.item")}, {Text: v.say("col.quantity"), Number: true}, {Text: v.say("col.price"), Number: true}}, Empty: none}
	for _, x := range o.Cart {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: x.Name, Detail: x.SKU, Strong: true}, {Text: strconv.Itoa(x.Quantity)}, {Text: v.language().Money(x.Price)}}})
	}
	return t
}
