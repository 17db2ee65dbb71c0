package store

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// ListOrders lists orders, newest first unless the page says otherwise. Where walking from the newest would pass many that
// do not match, an index on the filter supplies the page's keys.
func ListOrders(v View, f OrderFilter, p Page) ([]*credit.Order, error) {
	q := newest(OrderNoun, "created_at", p)
	captured := f.CapturedFrom != calendar.None || f.CapturedTo != calendar.None
	if f.byStatus() && !captured {
		return ordersByMerchant(v, f, p)
	}
	switch {
	case f.MerchantOrderID != "": // one order or a few
		q.Index = "orders_merchant_order"
		q.holds("merchant_order_id", IsNot, Value{Null: true})
	case f.Company != 0: // those of one buyer
		q.Index = "orders_company"
	case !f.UpdatedSince.IsZero():
		q.Index, q.KeysFirst = "orders_updated", true
	case captured:
		q.Index, q.KeysFirst = "orders_captured", true
	}
	if captured {
		q.holds("capture_date", IsNot, Value{Null: true})
	}
	if q.KeysFirst && f.Merchant == "" {
		// The operator names no merchant: indexes that start with one are searched once per
		// merchant.
		q.Where = append(q.Where, Cond{Expr: "merchant_id IN (SELECT id FROM merchants)", Takes: func(any) bool { return true }})
	}
	q.is("merchant_id", f.Merchant)
	q.is("merchant_order_id", f.MerchantOrderID)
	q.company(f.Company)
	q.is("status", string(f.Status))
	if q.is("financing_status", string(f.Financing)); f.Financing != "" && f.Financing != credit.FinancingNone {
		q.holds("financing_status", IsNot, textValue(string(credit.FinancingNone)))
	}
	q.since("created_at", f.CreatedFrom)
	q.until("created_at", f.CreatedTo)
	q.days("capture_date", nil, f.CapturedFrom, f.CapturedTo)
	q.since("updated_at", f.UpdatedSince)
	return list(v, OrderNoun, q)
}

// byStatus reports whether a filter of the lender's has a status, and nothing that leads to few
// orders: the indexes by status begin with a merchant.
func (f OrderFilter) byStatus() bool {
	financed := f.Financing != "" && f.Financing != credit.FinancingNone
	return f.Merchant == "" && f.Company == 0 && f.MerchantOrderID == "" && f.UpdatedSince.IsZero() && (f.Status != "" || financed)
}

// ordersByMerchant merges the lists of all merchants: each reads no more than it gives, and few
// rows beside, where walking from the newest order would pass all that have another status.
func ordersByMerchant(v View, f OrderFilter, p Page) (out []*credit.Order, err error) {
	var ids []string
	if err := EachOf(v, MerchantNoun, func(m *credit.Merchant) error { ids = append(ids, m.ID); return nil }); err != nil {
		return nil, err
	}
	lists, chunk := make([]orderList, len(ids)), p.Limit/max(len(ids), 1)+1
	for i, id := range ids {
		f.Merchant = id
		lists[i] = orderList{v: v, filter: f, page: p}
		lists[i].page.Limit = chunk
		if err := lists[i].read(); err != nil {
			return nil, err
		}
	}
	for len(out) < p.Limit {
		next := -1
		for i := range lists {
			if len(lists[i].rows) > 0 && (next < 0 || lists[i].first(lists[next])) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		out = append(out, lists[next].rows[0])
		if lists[next].rows = lists[next].rows[1:]; len(lists[next].rows) == 0 {
			if err := lists[next].read(); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// orderList is a merchant's list, as far as it was read.
type orderList struct {
	v      View
	filter OrderFilter
	page   Page // what to read next
	rows   []*credit.Order
	ended  bool
}

// read reads the next rows.
func (l *orderList) read() (err error) {
	if l.ended {
		return nil
	}
	if l.rows, err = ListOrders(l.v, l.filter, l.page); err != nil {
		return err
	}
	if l.ended = len(l.rows) < l.page.Limit; !l.ended {
		last := l.rows[len(l.rows)-1]
		l.page.AfterAt, l.page.AfterID = last.CreatedAt, last.Key
	}
	return nil
}

// first reports whether the first row comes before that of another list.
func (l *orderList) first(o orderList) bool {
	a, b := l.rows[0], o.rows[0]
	later := cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Key, b.Key)) > 0
	return later != l.page.Oldest
}

// days narrows to dates, both ends included; None: open. of is the value of a row if the
// column is an expression.
func (q *Query) days(column string, of func(row any) Value, from, to calendar.Date) {
	if from != calendar.None {
		q.Where = append(q.Where, Cond{Column: column, Of: of, Op: AtLeast, Value: dayValue(from)})
	}
	if to != calendar.None {
		q.Where = append(q.Where, Cond{Column: column, Of: of, Op: AtMost, Value: dayValue(to)})
	}
}

// ListProposedOrders lists the orders proposed for charge-off (F17), newest first. Only the
// page's Limit applies.
func ListProposedOrders(v View, p Page) ([]*credit.Order, error) {
	return flagged(v, OrderNoun, "proposed", newest(OrderNoun, "created_at", p))
}

// ListStoppedOrders lists the orders with items that autopay does not collect (F12), newest
// first.
func ListStoppedOrders(v View, p Page) ([]*credit.Order, error) {
	return flagged(v, OrderNoun, "stopped", newest(OrderNoun, "created_at", p))
}

// flagged reads the few records with a lookup that is true.
func flagged[K comparable, V, R any](v View, n *NounOf[K, V, R], lookup string, q Query) ([]V, error) {
	q.Index = n.Schema().Name + "_" + lookup
	q.holds(lookup, Is, Value{Kind: Bool, Int: 1})
	return list(v, n, q)
}

// ListPayments lists payments, newest first. A merchant sees those it recorded and those of
// its orders that others recorded: two lists merged.
func ListPayments(v View, f PaymentFilter, p Page) ([]*credit.Payment, error) {
	if f.Order != "" {
		return paymentsOf(v, f, p)
	}
	q := newest(PaymentNoun, "created_at", p)
	q.is("invoice_id", f.Invoice)
	q.company(f.Company)
	q.is("status", string(f.Status))
	q.is("method", string(f.Method))
	q.days("coalesce(effective_date, scheduled_date)", paymentDay, f.From, f.To)
	if f.Merchant == "" {
		return list(v, PaymentNoun, q)
	}
	recorded, other := q, q
	other.Where = append(make([]Cond, 0, len(q.Where)+2), q.Where...)
	recorded.is("merchant_id", f.Merchant)
	other.is("order_merchant_id", f.Merchant)
	other.Where = append(other.Where, Cond{Expr: "order_merchant_id <> '' AND order_merchant_id <> merchant_id", Takes: func(row any) bool {
		r := row.(*PaymentRow)
		return r.OrderMerchant != r.Merchant
	}})
	var all []*credit.Payment
	err := union(v, func(row any) error { all = append(all, row.(*PaymentRow).Payment); return nil }, recorded, other)
	return firstPayments(all, p), err
}

func paymentDay(row any) Value {
	r := row.(*PaymentRow)
	if r.EffectiveDate != calendar.None {
		return dayValue(r.EffectiveDate)
	}
	return dayValue(r.ScheduledDate)
}

// firstPayments returns a page of payments, newest first.
func firstPayments(all []*credit.Payment, p Page) []*credit.Payment {
	slices.SortFunc(all, func(a, b *credit.Payment) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), max(p.Limit, 0))]
}

// paymentsOf lists the few payments that name an order or pay it. The order's money events
// show which payments paid it; the payment itself shows whether it still does.
func paymentsOf(v View, f PaymentFilter, p Page) (all []*credit.Payment, err error) {
	q := newest(PaymentNoun, "created_at", Page{})
	q.Limit, q.Index = -1, "payments_order"
	q.holds("order_key", IsNot, Value{Null: true})
	q.is("order_key", f.Order)
	named := map[string]bool{}
	err = v.List(q, func(row any) error {
		r := row.(*PaymentRow)
		named[r.ID] = true
		if f.takes(r.Payment, p) && f.shown(r.Payment, r.OrderMerchant) {
			all = append(all, r.Payment)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{History: []string{f.Order}}); err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range state.History[f.Order] {
		for _, id := range []string{e.ID, e.Payment} {
			if id != "" && !named[id] {
				named[id], ids = true, append(ids, id)
			}
		}
	}
	others, err := paying(v, f, p, ids)
	return firstPayments(append(all, others...), p), err
}

// paying returns those of some payments that pay the order in the filter but name another
// one or none.
func paying(v View, f PaymentFilter, p Page, ids []string) (all []*credit.Payment, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	state, keys := credit.NewState(), credit.Keys{}
	if err := v.Load(state, credit.Keys{Payments: ids}); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if x := state.Payments[id]; x != nil && f.takes(x, p) {
			all, keys.Orders = append(all, x), append(keys.Orders, x.Order)
		}
	}
	if f.Merchant == "" || len(all) == 0 {
		return all, nil
	}
	if err := v.Load(state, keys); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(x *credit.Payment) bool {
		o := state.Orders[x.Order]
		return !f.shown(x, "") && (o == nil || !f.shown(x, o.Merchant))
	}), nil
}

// shown reports whether the merchant sees a payment: it recorded the payment, or the
// payment names one of its orders.
func (f PaymentFilter) shown(x *credit.Payment, named string) bool {
	return f.Merchant == "" || x.Merchant == f.Merchant || named == f.Merchant
}

// takes reports whether a payment matches the filter and follows a page's position.
func (f PaymentFilter) takes(x *credit.Payment, p Page) bool {
	day := x.EffectiveDate
	if day == calendar.None {
		day = x.ScheduledDate
	}
	pays := x.Order == f.Order || slices.ContainsFunc(x.Allocations, func(a credit.Allocation) bool { return a.Order == f.Order })
	return pays && (f.Invoice == "" || f.Invoice == x.Invoice) && (f.Company == 0 || f.Company == x.Company) &&
		(f.Status == "" || f.Status == x.Status) && (f.Method == "" || f.Method == x.Method) &&
		(f.From == calendar.None || day != calendar.None && day >= f.From) && (f.To == calendar.None || day != calendar.None && day <= f.To) &&
		(p.AfterAt.IsZero() || cmp.Or(x.CreatedAt.Compare(p.AfterAt), cmp.Compare(x.ID, p.AfterID)) < 0)
}
