package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/schedule"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// orderQuery is the filter of the list, which its address holds.
type orderQuery struct {
	url.Values
	store.OrderFilter
}

// readOrders reads the filter of the address. What cannot be read names no order.
func (v *visit) readOrders() (q orderQuery, ok bool) {
	q.Values, ok = v.narrowed("status", "financing", "merchant", "company", "number", "from", "to", "captured_from", "captured_to", "sort"), true
	q.CapturedFrom, q.CapturedTo = calendar.None, calendar.None
	q.Status, q.Financing = credit.OrderStatus(q.Get("status")), credit.FinancingStatus(q.Get("financing"))
	q.Merchant, q.MerchantOrderID = q.Get("merchant"), q.Get("number")
	if text := q.Get("company"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		q.Company, ok = id, err == nil && id > 0
	}
	for name, at := range map[string]*calendar.Date{"captured_from": &q.CapturedFrom, "captured_to": &q.CapturedTo} {
		if day, err := calendar.Parse(q.Get(name)); q.Get(name) != "" {
			*at, ok = day, ok && err == nil
		}
	}
	for name, at := range map[string]*time.Time{"from": &q.CreatedFrom, "to": &q.CreatedTo} {
		day, err := calendar.Parse(q.Get(name))
		switch {
		case q.Get(name) == "":
			continue
		case err != nil:
			ok = false
			continue
		case name == "to":
			day++
		}
		*at = v.desk().Zone.Start(day)
	}
	return q, ok
}

// orders lists orders, newest first, by the filter of the address.
func (v *visit) orders() error {
	q, ok := v.readOrders()
	var list []*credit.Order
	var head book
	sum, more := total{}, false
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if !ok {
			return nil
		}
		if sum, err = totalOf(w, q.OrderFilter); err != nil {
			return err
		}
		page := v.position()
		page.Limit = pageOf + 1
		if list, err = store.ListOrders(w, q.OrderFilter, page); err != nil {
			return err
		}
		if more = len(list) > pageOf; more {
			list = list[:pageOf]
		}
		head, err = bookOf(w, list...)
		return err
	})
	if err != nil {
		return err
	}
	title := v.say("orders.title")
	p := page{Shell: v.shell("orders", title), Title: design.Title{Text: title}, Filter: v.orderFilter(q), Figures: v.totals(sum)}
	if ok {
		p.Title.Act = v.asFile("orders", q.Values)
	}
	p.Tables = []titled{{ID: "list", Table: v.orderTable(list, head)}}
	if more {
		last := list[len(list)-1]
		p.Acts = v.older("orders", q.Values, last.CreatedAt, last.Key)
	}
	return v.show(http.StatusOK, p)
}

// total is how many orders there are and what they sum up to.
type total struct {
	orders, beyond   int
	amount, captured money.Amount
}

// totalOf sums the orders of a filter, as far as summed.
func totalOf(w store.View, f store.OrderFilter) (t total, err error) {
	list, err := store.ListOrders(w, f, store.Page{Limit: summed + 1})
	if err != nil {
		return t, err
	}
	if len(list) > summed {
		t.beyond, list = summed, list[:summed]
	}
	for _, o := range list {
		t.orders++
		t.amount, t.captured = t.amount.Add(o.Amount), t.captured.Add(o.Captured.Sub(o.Refunded))
	}
	return t, nil
}

func (v *visit) totals(t total) []design.Figure {
	if t.beyond > 0 {
		return []design.Figure{{Label: v.say("orders.count"), Value: v.say("orders.beyond", t.beyond), Note: v.say("orders.narrow")}}
	}
	return []design.Figure{
		{Label: v.say("orders.count"), Value: strconv.Itoa(t.orders)}, {Label: v.say("orders.amount"), Value: v.language().Money(t.amount)},
		{Label: v.say("orders.captured"), Value: v.language().Money(t.captured)},
	}
}

// book is what orders are shown with: names, and loans.
type book struct {
	companies map[int64]*credit.Company
	merchants map[string]*credit.Merchant
	loans     map[string]*schedule.Loan
}

func bookOf(w store.View, list ...*credit.Order) (book, error) {
	s := credit.NewState()
	var k credit.Keys
	for _, o := range list {
		k.Companies, k.Merchants, k.Orders = append(k.Companies, o.Company), append(k.Merchants, o.Merchant), append(k.Orders, o.Key)
	}
	keys, fresh := credit.NewKeySet(), credit.Keys{}
	keys.Add(&fresh, k)
	err := w.Load(s, fresh)
	return book{s.Companies, s.Merchants, s.Loans}, err
}

// company is a company's name; a developer sees its number.
func (v *visit) company(b book, id int64) string {
	if x := b.companies[id]; x != nil && !permit.Masked(v.visitor.Staff.Roles) {
		return x.Name
	}
	return strconv.FormatInt(id, 10)
}

func merchantName(b book, id string) string {
	if x := b.merchants[id]; x != nil {
		return x.Name
	}
	return id
}

// number is how an order is called: the merchant's number, or its key.
func number(o *credit.Order) string {
	if o.MerchantOrderID != "" {
		return o.MerchantOrderID
	}
	return o.Key
}

func (v *visit) orderTable(list []*credit.Order, b book) design.Table {
	t := design.Table{Caption: v.say("orders.title"), Columns: []design.Column{
		{Text: v.say("orders.order")}, {Text: v.say("orders.company"), From: "sm"}, {Text: v.say("orders.created"), From: "md"}, {Text: v.say("orders.amount"), Number: true},
		{Text: v.say("orders.left"), Number: true, From: "md"}, {Text: v.say("orders.due"), From: "lg"}, {Text: v.say("orders.status"), From: "sm"},
	}, Empty: &design.Empty{Text: v.say("orders.none"), Act: &design.Button{Text: v.say("orders.all"), Href: Prefix + "/orders"}, Command: "tenor orders list"}}
	for _, o := range list {
		left, due := "–", "–"
		state := v.orderState(o, b.loans[o.Key])
		if l := b.loans[o.Key]; l != nil {
			x := l.View(v.day(l))
			left = v.language().Money(x.Remaining)
			if x.NextDueDate != calendar.None {
				due = v.language().Day(x.NextDueDate)
			}
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: number(o), Detail: merchantName(b, o.Merchant), Href: Prefix + "/orders/" + o.Key, Narrow: v.company(b, o.Company), Below: &state}, {Text: v.company(b, o.Company)},
			{Text: v.language().Day(v.desk().Zone.Date(o.CreatedAt)), Soft: true}, {Text: v.language().Money(o.Amount), Strong: true}, {Text: left}, {Text: due}, {Badge: &state},
		}})
	}
	return t
}

// day is today, or the day that the loan's books have reached: a page may be read while the clock
// of a sandbox moves.
func (v *visit) day(l *schedule.Loan) calendar.Date { return max(v.today(), l.AsOf) }

// orderState is where an order stands, in one word.
func (v *visit) orderState(o *credit.Order, l *schedule.Loan) design.Badge {
	if l == nil || o.Status != credit.OrderCaptured {
		return design.Badge{Text: v.say("order." + string(o.Status))}
	}
	x := l.View(v.day(l))
	switch {
	case x.Status == schedule.ChargedOff:
		return design.Badge{Tone: design.Bad, Text: v.say("order.charged_off")}
	case x.Status == schedule.PaidOff:
		return design.Badge{Text: v.say("order.paid_off")}
	case x.DPD > 0:
		return design.Badge{Tone: design.Bad, Text: v.say("order.late."+few(x.DPD), x.DPD)}
	}
	return design.Badge{Tone: design.Good, Text: v.say("order.on_time")}
}

// orderFilter is the form of the filter.
func (v *visit) orderFilter(q orderQuery) *filter {
	return v.filterOf("orders", q.Values, []design.Field{
		v.oneOf(q.Values, "status", "order", "CREATED", "AUTHORIZED", "CAPTURED", "CANCELED", "RETURNED"),
		v.oneOf(q.Values, "financing", "order", "ACTIVE", "OVERDUE", "PAID_OFF", "CHARGED_OFF"),
		v.typedIn(q.Values, "number", ""), v.typedIn(q.Values, "from", "date"), v.typedIn(q.Values, "to", "date"),
		v.typedIn(q.Values, "captured_from", "date"), v.typedIn(q.Values, "captured_to", "date"), v.sorted(q.Values),
	}, "merchant", "company")
}

// ordersCSV is the list as a file.
func (v *visit) ordersCSV() error {
	q, ok := v.readOrders()
	if !ok {
		return v.bare(http.StatusNotFound, "lost")
	}
	return v.file("orders", "exportOrders", q.Values, []string{
		"key", "merchant_order_id", "merchant", "company_id", "company", "created_at", "status", "financing_status", "amount", "captured", "refunded", "remaining", "next_due_date",
	}, func(out *csv.Writer, at store.Page) (int, store.Page, error) {
		return v.orderRows(out, q.OrderFilter, at)
	})
}

// orderRows writes the orders after a place.
func (v *visit) orderRows(out *csv.Writer, f store.OrderFilter, at store.Page) (n int, next store.Page, err error) {
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		list, err := store.ListOrders(w, f, at)
		if err != nil || len(list) == 0 {
			return err
		}
		b, err := bookOf(w, list...)
		if err != nil {
			return err
		}
		for _, o := range list {
			left, due := "", ""
			if l := b.loans[o.Key]; l != nil {
				x := l.View(v.day(l))
				if left = x.Remaining.String(); x.NextDueDate != calendar.None {
					due = x.NextDueDate.String()
				}
			}
			if err := out.Write([]string{
				o.Key, web.PlainCell(o.MerchantOrderID), web.PlainCell(merchantName(b, o.Merchant)), strconv.FormatInt(o.Company, 10), web.PlainCell(v.company(b, o.Company)),
				o.CreatedAt.UTC().Format(time.RFC3339), string(o.Status), string(o.Financing), o.Amount.String(), o.Captured.String(), o.Refunded.String(), left, due,
			}); err != nil {
				return err
			}
		}
		n, next = len(list), store.Page{AfterAt: list[len(list)-1].CreatedAt, AfterID: list[len(list)-1].Key}
		return nil
	})
	return n, next, err
}
