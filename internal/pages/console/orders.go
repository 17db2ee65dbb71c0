package console

import (
	"encoding/base64"
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/schedule"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

const (
	pageOfOrders = 50
	// summed is up to how many orders a list is counted and summed: beyond, a filter is wanted.
	summed = 2000
	// exported is up to how many orders a file has.
	exported = 50_000
)

// orderQuery is the filter of the list, which its address holds.
type orderQuery struct {
	url.Values
	store.OrderFilter
	after store.Page
}

// orderFilters are the filters of the list of orders, in the order shown.
func orderFilters() []string {
	return []string{"status", "financing", "merchant", "company", "number", "from", "to"}
}

// readOrders reads the filter of the address. What cannot be read names no order.
func (v *visit) readOrders() (q orderQuery, ok bool) {
	q.Values, ok = url.Values{}, true
	q.CapturedFrom, q.CapturedTo = calendar.None, calendar.None
	given := v.r.URL.Query()
	for _, name := range orderFilters() {
		if text := strings.TrimSpace(given.Get(name)); text != "" {
			q.Values.Set(name, text)
		}
	}
	q.Status, q.Financing = credit.OrderStatus(q.Get("status")), credit.FinancingStatus(q.Get("financing"))
	q.Merchant, q.MerchantOrderID = q.Get("merchant"), q.Get("number")
	if text := q.Get("company"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		q.Company, ok = id, err == nil && id > 0
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
	q.after = position(given.Get("after"))
	return q, ok
}

// position is the place in a list after which a page begins; one that cannot be read is its start.
func position(text string) (p store.Page) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	at, id, found := strings.Cut(string(raw), " ")
	micro, bad := strconv.ParseInt(at, 10, 64)
	if err == nil && bad == nil && found {
		p.AfterAt, p.AfterID = time.UnixMicro(micro).UTC(), id
	}
	return p
}

func placed(at time.Time, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + " " + id))
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
		page := q.after
		page.Limit = pageOfOrders + 1
		if list, err = store.ListOrders(w, q.OrderFilter, page); err != nil {
			return err
		}
		if more = len(list) > pageOfOrders; more {
			list = list[:pageOfOrders]
		}
		head, err = bookOf(w, list...)
		return err
	})
	if err != nil {
		return err
	}
	title := v.say("orders.title")
	p := page{Shell: v.shell("orders", title), Title: design.Title{Text: title}, Filter: v.orderFilter(q), Figures: v.totals(sum)}
	if v.visitor.May(permit.Export) > permit.None && ok {
		p.Title.Act = &design.Button{Text: v.say("orders.csv"), Small: true, Href: Prefix + "/orders.csv?" + q.Encode()}
	}
	p.Tables = []titled{{ID: "list", Table: v.orderTable(list, head)}}
	if more {
		last := list[len(list)-1]
		next := url.Values{"after": {placed(last.CreatedAt, last.Key)}}
		p.Acts = []design.Button{{Text: v.say("older"), Href: Prefix + "/orders?" + strings.TrimPrefix(q.Encode()+"&"+next.Encode(), "&")}}
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

// orderFilter is the form of the filter: a GET, so that the address holds all of it.
func (v *visit) orderFilter(q orderQuery) *filter {
	pick := func(name string, values ...string) design.Field {
		f := design.Field{Name: name, Label: v.say("filter." + name), Value: q.Get(name), Options: []design.Option{{Text: v.say("filter.any")}}}
		for _, x := range values {
			f.Options = append(f.Options, design.Option{Value: x, Text: v.say("order." + x)})
		}
		return f
	}
	f := &filter{Action: Prefix + "/orders", Fields: []design.Field{
		pick("status", "CREATED", "AUTHORIZED", "CAPTURED", "CANCELED", "RETURNED"), pick("financing", "ACTIVE", "OVERDUE", "PAID_OFF", "CHARGED_OFF"),
		{Name: "number", Label: v.say("filter.number"), Value: q.Get("number"), Max: pages.MaxAnswer}, {Name: "from", Label: v.say("filter.from"), Value: q.Get("from"), Type: "date"},
		{Name: "to", Label: v.say("filter.to"), Value: q.Get("to"), Type: "date"},
	}, Go: design.Button{Text: v.say("filter.go"), Emphasis: design.Outline}}
	for _, name := range []string{"merchant", "company"} { // from a link or a search
		if x := q.Get(name); x != "" {
			f.Kept = append(f.Kept, [2]string{name, x})
		}
	}
	if len(q.Values) > 0 {
		f.Clear = &design.Button{Text: v.say("filter.clear"), Href: Prefix + "/orders", Emphasis: design.Ghost}
	}
	return f
}

// ordersCSV is the list as a file, row by row as the filter says. That it was exported is in the
// audit log before its first row leaves.
func (v *visit) ordersCSV() error {
	q, ok := v.readOrders()
	if !ok {
		return v.bare(http.StatusNotFound, "lost")
	}
	if err := v.desk().Record(v.r.Context(), v.visitor, "exportOrders", q.Encode(), v.address); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="orders.csv"`)
	out := csv.NewWriter(v.w)
	_ = out.Write([]string{"key", "merchant_order_id", "merchant", "company_id", "company", "created_at", "status", "financing_status", "amount", "captured", "refunded", "remaining", "next_due_date"})
	rows, at := 0, store.Page{}
	for rows < exported {
		n, err := v.csvPage(out, q.OrderFilter, &at)
		if err != nil && v.config.Log != nil {
			v.config.Log.Error("an export broke off", "rows", rows, "error", err.Error())
		}
		if err != nil {
			panic(http.ErrAbortHandler) // a file that ends early must not look whole
		}
		if rows += n; n == 0 {
			break
		}
	}
	return nil
}

// csvPage writes the orders after a place, and moves it.
func (v *visit) csvPage(out *csv.Writer, f store.OrderFilter, at *store.Page) (n int, err error) {
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		at.Limit = 500
		list, err := store.ListOrders(w, f, *at)
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
		n, at.AfterAt, at.AfterID = len(list), list[len(list)-1].CreatedAt, list[len(list)-1].Key
		return nil
	})
	out.Flush()
	return n, err
}
