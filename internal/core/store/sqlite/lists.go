package sqlite

import (
	"fmt"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"

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

// arg adds an argument and returns its placeholder; see statements.go for the sign.
func (l *list) arg(v store.Value) string {
	l.args = append(l.args, v)
	return "+?" + number(len(l.args))
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

// newest is the order of lists, and the page's length.
func (l *list) newest(at, id string, p store.Page) string {
	return " ORDER BY " + at + " DESC, " + id + " DESC LIMIT " + l.arg(integer(int64(max(p.Limit, 0))))
}

// Orders implements store.View. Where the newest orders first would mean to walk
// past many that do not match, an index on what is asked for gives the page's keys.
func (v *view) Orders(f store.OrderFilter, p store.Page) ([]*credit.Order, error) {
	var l list
	index := orderIndex(f)
	if index == ordersUpdated || index == ordersCaptured {
		l.merchantFirst(f.Merchant)
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
	switch index {
	case "":
	case ordersUpdated, ordersCaptured:
		// The index holds what is sorted: no order is read that is not on the page.
		clause = " WHERE order_key IN (SELECT order_key FROM orders INDEXED BY " + index + clause + ") ORDER BY created_at DESC, order_key DESC"
	default:
		clause = " INDEXED BY " + index + clause
	}
	err := all(v.conn, &store.Orders, clause, func(r *store.OrderRow) error { out = append(out, r.Order); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	return out, nil
}

// Indexes that orders are listed by where the planner would choose another.
const (
	ordersMerchantOrder = "orders_merchant_order"
	ordersCompany       = "orders_company"
	ordersUpdated       = "orders_updated"
	ordersCaptured      = "orders_captured"
)

// orderIndex names the index for a list, "" if it is the planner's choice.
func orderIndex(f store.OrderFilter) string {
	switch {
	case f.MerchantOrderID != "":
		return ordersMerchantOrder // one order or a few
	case f.Company != 0:
		return ordersCompany // those of one buyer
	case !f.UpdatedSince.IsZero():
		return ordersUpdated
	case f.CapturedFrom != calendar.None || f.CapturedTo != calendar.None:
		return ordersCaptured
	}
	return ""
}

// merchantFirst serves the operator, who names no merchant, from the indexes that
// begin with one: they are sought for each merchant in turn.
func (l *list) merchantFirst(merchant string) {
	if merchant == "" {
		l.where = append(l.where, "merchant_id IN (SELECT id FROM merchants)")
	}
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
	clause := l.clause()
	if f.Merchant != "" && f.Order == "" {
		rest := strings.Join(append([]string{""}, l.where...), " AND ")
		m := l.arg(text(f.Merchant))
		clause = " WHERE merchant_id = " + m + rest + " UNION ALL " + selectFrom(v.conn, &store.Payments) +
			" WHERE order_merchant_id = " + m +
			" AND order_merchant_id <> '' AND order_merchant_id <> merchant_id" + rest
	}
	clause += l.newest("created_at", "id", p)
	var out []*credit.Payment
	err := all(v.conn, &store.Payments, clause, func(r *store.PaymentRow) error { out = append(out, r.Payment); return nil }, l.args...)
	if err != nil {
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
	events := " FROM money_touches t CROSS JOIN money_events e ON e.id = t.event_id WHERE t.order_key = " + key
	l.where = append(l.where,
		"id IN (SELECT o.id FROM payments o WHERE o.order_key = "+key+" UNION SELECT e.id"+events+" UNION SELECT e.payment_id"+events+")",
		"(order_key = "+key+` OR instr(allocations, '"order_key":"' || `+key+` || '"') > 0)`)
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
		from, prefix = " FROM company_merchants l CROSS JOIN companies c ON c.company_id = l.company_id", "l."
		l.equal("l.merchant_id", merchant)
	}
	l.after(prefix+"created_at", prefix+"company_id", p, integer(key))
	sql := "SELECT " + columns(store.Companies.Schema(), "c.") + from + l.clause() + l.newest(prefix+"created_at", prefix+"company_id", p)
	var out []*credit.Company
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		row, err := scan(v.conn, &store.Companies, s)
		if err == nil {
			out = append(out, row.Company)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list companies: %w", err)
	}
	return out, nil
}
