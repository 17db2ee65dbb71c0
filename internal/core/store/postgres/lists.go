package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// list builds the statement of one page. Its text depends only on which filters
// are set, so that few are prepared.
type list struct {
	where []string
	args  []store.Value
}

// arg adds an argument and returns its placeholder.
func (l *list) arg(v store.Value) string {
	l.args = append(l.args, v)
	return "$" + number(len(l.args))
}

func (l *list) equal(column, value string) {
	if value != "" {
		l.where = append(l.where, column+" = "+l.arg(text(value)))
	}
}

func (l *list) unequal(column, value string) {
	if value != "" {
		l.where = append(l.where, column+" <> "+l.arg(text(value)))
	}
}

func (l *list) company(column string, id int64) {
	if id != 0 {
		l.where = append(l.where, column+" = "+l.arg(integer(id)))
	}
}

// compare adds a bound unless the value is NULL, which stands for none.
func (l *list) compare(column, operator string, v store.Value) {
	if !v.Null {
		l.where = append(l.where, column+" "+operator+" "+l.arg(v))
	}
}

func date(d calendar.Date) store.Value {
	return store.Value{Kind: store.Day, Null: d == calendar.None, Int: int64(d)}
}

// after starts behind the last record of the page before.
func (l *list) after(at, id string, p store.Page, key store.Value) {
	if !p.AfterAt.IsZero() {
		l.where = append(l.where, "("+at+", "+id+") < ("+l.arg(store.Micros(p.AfterAt))+", "+l.arg(key)+")")
	}
}

func (l *list) clause() string {
	if len(l.where) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(l.where, " AND ")
}

// newest is the order of lists, and the page's length. That stands in the text: a
// plan that is made for any length would read more than a page and sort it.
func (l *list) newest(at, id string, p store.Page) string {
	return " ORDER BY " + at + " DESC, " + id + " DESC LIMIT " + number(max(p.Limit, 0))
}

// Orders implements store.View.
func (v *view) Orders(f store.OrderFilter, p store.Page) ([]*credit.Order, error) {
	var l list
	if f.Merchant == "" && (!f.UpdatedSince.IsZero() || f.CapturedFrom != calendar.None || f.CapturedTo != calendar.None) {
		// The operator names no merchant: the indexes that begin with one are sought
		// for each merchant in turn.
		l.where = append(l.where, "merchant_id = ANY(ARRAY(SELECT id FROM merchants))")
	}
	l.equal("merchant_id", f.Merchant)
	l.equal("merchant_order_id", f.MerchantOrderID)
	l.company("company_id", f.Company)
	l.equal("status", string(f.Status))
	l.equal("financing_status", string(f.Financing))
	if f.Financing != "" && f.Financing != credit.FinancingNone {
		l.where = append(l.where, "financing_status <> 'NONE'") // for the partial index
	}
	l.compare("created_at", ">=", store.Micros(f.CreatedFrom))
	l.compare("created_at", "<", store.Micros(f.CreatedTo))
	l.compare("capture_date", ">=", date(f.CapturedFrom))
	l.compare("capture_date", "<=", date(f.CapturedTo))
	l.compare("updated_at", ">=", store.Micros(f.UpdatedSince))
	l.after("created_at", "order_key", p, text(p.AfterID))
	var out []*credit.Order
	clause := l.clause() + l.newest("created_at", "order_key", p)
	err := all(v, &store.Orders, clause, func(r *store.OrderRow) error { out = append(out, r.Order); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	return out, nil
}

// Payments implements store.View. A merchant's payments are those that it
// recorded and those of its orders that another side recorded: two indexes, read
// side by side in order. Those of an order are few: they are found by its events and
// then sorted.
func (v *view) Payments(f store.PaymentFilter, p store.Page) ([]*credit.Payment, error) {
	var l list
	l.paying(f.Order)
	l.equal("invoice_id", f.Invoice)
	l.company("company_id", f.Company)
	l.equal("status", string(f.Status))
	l.equal("method", string(f.Method))
	l.compare("coalesce(effective_date, scheduled_date)", ">=", date(f.From))
	l.compare("coalesce(effective_date, scheduled_date)", "<=", date(f.To))
	l.after("created_at", "id", p, text(p.AfterID))
	if f.Merchant != "" && f.Order != "" {
		m := l.arg(text(f.Merchant))
		l.where = append(l.where, "(merchant_id = "+m+" OR order_merchant_id = "+m+")")
	}
	cols, order := columns(store.Payments.Schema(), ""), l.newest("created_at", "id", p)
	from := "payments" + l.clause()
	if f.Merchant != "" && f.Order == "" {
		rest, m := strings.Join(append([]string{""}, l.where...), " AND "), l.arg(text(f.Merchant))
		side := func(which string) string {
			return "(SELECT " + cols + " FROM payments WHERE " + which + rest + order + ")"
		}
		from = "(" + side("merchant_id = "+m) + " UNION ALL " +
			side("order_merchant_id = "+m+" AND order_merchant_id <> '' AND order_merchant_id <> merchant_id") + ") both_sides"
	}
	var out []*credit.Payment
	payment := func(r *store.PaymentRow) { out = append(out, r.Payment) }
	if err := v.query("SELECT "+cols+" FROM "+from+order, l.args, every(&store.Payments, payment)); err != nil {
		return nil, fmt.Errorf("list payments: %w", err)
	}
	return out, nil
}

// paying narrows payments to those that name an order or pay it. What has paid it is a
// money event that touches it, or such an event's payment; whether it still does, the
// payment says.
func (l *list) paying(order string) {
	if order == "" {
		return
	}
	key := l.arg(text(order))
	events := " FROM money_touches t JOIN money_events e ON e.id = t.event_id WHERE t.order_key = " + key
	l.where = append(l.where,
		"id = ANY(ARRAY(SELECT o.id FROM payments o WHERE o.order_key = "+key+" UNION SELECT e.id"+events+" UNION SELECT e.payment_id"+events+"))",
		"(order_key = "+key+` OR strpos(allocations, '"order_key":"' || `+key+` || '"') > 0)`)
}

// Companies implements store.View.
func (v *view) Companies(merchant string, p store.Page) ([]*credit.Company, error) {
	key := int64(0)
	if !p.AfterAt.IsZero() {
		var err error
		if key, err = strconv.ParseInt(p.AfterID, 10, 64); err != nil {
			return nil, fmt.Errorf("list companies: %w", err)
		}
	}
	var l list
	from, prefix := " FROM companies c", "c."
	if merchant != "" {
		from, prefix = " FROM company_merchants l JOIN companies c ON c.company_id = l.company_id", "l."
		l.equal("l.merchant_id", merchant)
	}
	l.after(prefix+"created_at", prefix+"company_id", p, integer(key))
	sql := "SELECT " + columns(store.Companies.Schema(), "c.") + from + l.clause() + l.newest(prefix+"created_at", prefix+"company_id", p)
	var out []*credit.Company
	company := func(r *store.CompanyRow) { out = append(out, r.Company) }
	if err := v.query(sql, l.args, every(&store.Companies, company)); err != nil {
		return nil, fmt.Errorf("list companies: %w", err)
	}
	return out, nil
}
