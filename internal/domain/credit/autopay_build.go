package credit

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// nextCollection is the collection date of the first unpaid row for which autopay has
// not been built, None if there is none (F5, F22).
func nextCollection(o *Order, l *schedule.Loan) calendar.Date {
	if o.External || o.Financing == FinancingChargedOff {
		return calendar.None
	}
	for i := range l.Rows {
		if on := schedule.Collection(l.Rows[i].DueDate); l.Rows[i].Unpaid() > 0 && on > o.Servicing.CollectedFor {
			return on
		}
	}
	return calendar.None
}

// buildAutopay makes the autopay debit of an order once the cut-off of its collection
// date has come: every unpaid item due on or before that date, less what is on its way
// or covered (F12). Builds that were missed are one debit.
func (d *Draft) buildAutopay(key string) {
	o, l := d.standing(key)
	collection, probe := calendar.None, *o
	for next := nextCollection(o, l); next != calendar.None; next = nextCollection(&probe, l) {
		if d.Env.Now.Before(cutOff(d.Env.Zone, bankingDayBefore(next))) {
			break
		}
		collection, probe.Servicing.CollectedFor = next, next
	}
	if collection == calendar.None {
		return
	}
	d.Orders.Edit(key).Servicing.CollectedFor = collection
	if moneyMayMove(d.Companies.Peek(o.Company)) != nil {
		d.leaveLast(key)
		return
	}
	m := d.autopayOf(o)
	if m == nil {
		d.leaveLast(key)
		return
	}
	items, amount := d.collectable(o, l, max(collection, d.Env.Today())) // late, it takes the fees along that have come since (F11)
	if amount == 0 {
		return
	}
	if c := d.Companies.Peek(o.Company); m.Type.Can().Tried && c.mandated(o.Merchant, m.ID) && tooManySmall(c, amount, d.Env.Today()) != nil {
		d.leaveLast(key)
		return
	}
	p := &Payment{Company: o.Company, Order: key, Invoice: o.Invoice, Amount: amount, Method: m.Type, MethodID: m.ID, Items: items, Autopay: true, Attempt: 1}
	wished := collection
	if m.Type.Can().OnDue {
		wished = max(d.Env.Today(), firstDue(l, items)) // a card is charged on the due date itself (F25)
	}
	d.collect(p, entryPayment, wished)
}

// leaveLast leaves for review what autopay was to collect of an order and cannot: no money
// of its company may move, autopay is paused, its account is gone, or a bank did not take
// the debit. What a coming installment takes along is collected with it (F12, F23); and
// what the automatic stay keeps, once the report of the bankruptcy is withdrawn; and what
// stopped cards keep, once the company is released.
func (d *Draft) leaveLast(key string) {
	o, l := d.standing(key)
	if o == nil || l == nil {
		return
	}
	c := d.Companies.Peek(o.Company)
	if !c.AutopayOf(o.Merchant).Enabled || c.report(ReportBankruptcy) >= 0 || d.unwanted(o) || d.awaitsRelease(o) || nextCollection(o, l) != calendar.None {
		return
	}
	items, _ := d.collectable(o, l, max(o.Servicing.CollectedFor, d.Env.Today()))
	d.stop(key, items)
}

// firstDue is the due date of the last row among items, or today's if there is none: a
// debit is made for it.
func firstDue(l *schedule.Loan, items []schedule.Ref) calendar.Date {
	due := l.AsOf
	for _, ref := range items {
		if ref.Fee == "" {
			due = l.Rows[ref.Installment-1].DueDate
		}
	}
	return due
}

// autopayOf is the account that autopay may debit for an order today, nil if it may
// not run: it is off or paused; cards are stopped, or the debits of the merchant on whose
// word alone it runs; the order is disputed, managed elsewhere or charged off (F12). Whether money of the company may move is asked apart.
func (d *Draft) autopayOf(o *Order) *PaymentMethod {
	c := d.Companies.Peek(o.Company)
	a := c.AutopayOf(o.Merchant)
	m := d.Methods.Peek(a.Method)
	if !a.Enabled || c.AutopayPaused() != "" || m == nil || !m.Usable() || d.unwanted(o) || m.Type.Can().Tried && c.Servicing.Cards.Paused != "" {
		return nil
	}
	if d.stopsMandate(c, o.Merchant, m.ID) {
		return nil
	}
	return m
}

// unwanted reports that an order is not for autopay today, whatever its company says (F12).
func (d *Draft) unwanted(o *Order) bool {
	return o.External || o.Servicing.NoAutopay || o.Financing == FinancingChargedOff || disputed(o, d.Env.Today())
}

// disputed reports that an order is on dispute hold on a day (F15).
func disputed(o *Order, day calendar.Date) bool {
	return slices.ContainsFunc(o.Servicing.Holds, func(h Hold) bool { return h.From <= day && day < h.To })
}

// openItem is an unpaid item of an order.
type openItem struct {
	ref    schedule.Ref
	due    calendar.Date
	unpaid money.Amount
}

// openItems lists an order's unpaid items due on or before a date in the order of the
// waterfall (F12).
func openItems(l *schedule.Loan, until calendar.Date) []openItem {
	var items []openItem
	for _, f := range l.Fees {
		if f.Unpaid() > 0 && f.Date <= until {
			items = append(items, openItem{schedule.Ref{Order: l.Key, Fee: f.ID}, f.Date, f.Unpaid()})
		}
	}
	for _, r := range l.Rows {
		if r.Unpaid() > 0 && r.DueDate <= until {
			items = append(items, openItem{schedule.Ref{Order: l.Key, Installment: r.Number}, r.DueDate, r.Unpaid()})
		}
	}
	slices.SortStableFunc(items, func(a, b openItem) int { return cmp.Compare(a.due, b.due) })
	return items
}

// collectable are the items that an autopay debit for a collection date is built from,
// and their sum: none that is on its way, or whose retries are used up, and not what
// held credit, pooled credit or money on its way without ear-marks will pay (F12, F36).
func (d *Draft) collectable(o *Order, l *schedule.Loan, collection calendar.Date) ([]schedule.Ref, money.Amount) {
	fromCredit := map[schedule.Ref]money.Amount{}
	if d.sharesCredit(o.Company) {
		for _, u := range d.uses(o.Company, func(*Order) calendar.Date { return collection }) {
			fromCredit[u.ref] = fromCredit[u.ref].Add(u.amount)
		}
	}
	var refs []schedule.Ref
	sum := money.Amount(0)
	for _, it := range d.uncovered(o, l, collection, append(onTheWay(o), o.Servicing.Stopped...)) {
		if x := min(fromCredit[it.ref], it.unpaid); x < it.unpaid {
			refs, sum = append(refs, it.ref), sum.Add(it.unpaid.Sub(x))
		}
	}
	return refs, sum
}

// onTheWay lists the items of an order for which debits are on their way.
func onTheWay(o *Order) []schedule.Ref {
	var refs []schedule.Ref
	for _, open := range o.Servicing.Open {
		refs = append(refs, open.Items...)
	}
	return refs
}

// uncovered lists what is unpaid of an order's items due by a date, without those that
// are taken, and without what held credit or money on its way will pay.
func (d *Draft) uncovered(o *Order, l *schedule.Loan, until calendar.Date, taken []schedule.Ref) []openItem {
	covered, marked := money.Amount(0), map[schedule.Ref]money.Amount{}
	for _, c := range d.credits(o.Company) {
		if c.Hold && c.Order == o.Key {
			covered = covered.Add(c.Amount)
		}
	}
	for _, open := range o.Servicing.Open {
		left := open.Amount
		for _, ref := range open.Items {
			x := min(left, unpaidOf(l, []schedule.Ref{ref}))
			marked[ref], left = marked[ref].Add(x), left.Sub(x)
		}
		if open.Items == nil && open.covers(d.Env.Today(), until) {
			covered = covered.Add(left)
		}
	}
	var items []openItem
	for _, it := range openItems(l, until) {
		if slices.Contains(taken, it.ref) {
			continue
		}
		it.unpaid = max(0, it.unpaid.Sub(marked[it.ref]))
		x := min(covered, it.unpaid)
		covered = covered.Sub(x)
		if it.unpaid = it.unpaid.Sub(x); it.unpaid > 0 {
			items = append(items, it)
		}
	}
	return items
}

// covers reports whether a debit without ear-marks comes in time for what is due by a date, or
// is on its way. One that somebody has planned for later keeps nothing from being collected
// (F41.8).
func (x OpenDebit) covers(today, until calendar.Date) bool {
	return x.On <= max(until, today.AddBankingDays(2))
}

// unpaidOf is what is unpaid of items.
func unpaidOf(l *schedule.Loan, refs []schedule.Ref) money.Amount {
	sum := money.Amount(0)
	for _, it := range openItems(l, latest) {
		if slices.Contains(refs, it.ref) {
			sum = sum.Add(it.unpaid)
		}
	}
	return sum
}
