package lending

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// buildAutopay creates the autopay debit of an order once the cut-off of its collection date
// has passed: every unpaid item due on or before that date, less what is being collected or is
// covered (F12). Missed builds are combined into one debit.
func buildAutopay(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	collection, probe := calendar.None, *o
	for next := credit.NextCollection(o, l); next != calendar.None; next = credit.NextCollection(&probe, l) {
		if d.Env.Now.Before(credit.CutOff(d.Env.Zone, credit.BankingDayBefore(next))) {
			break
		}
		collection, probe.Servicing.CollectedFor = next, next
	}
	if collection == calendar.None {
		return
	}
	d.Orders.Edit(key).Servicing.CollectedFor = collection
	if credit.MoneyMayMove(d.Companies.Peek(o.Company)) != nil {
		leaveLast(d, key)
		return
	}
	m := AutopayOf(d, o)
	if m == nil {
		leaveLast(d, key)
		return
	}
	items, amount := collectable(d, o, l, max(collection, d.Env.Today())) // if late, it includes the fees added since (F11)
	if amount == 0 {
		return
	}
	if c := d.Companies.Peek(o.Company); m.Type.Can().Tried && c.Mandated(o.Merchant, m.ID) && TooManySmall(c, amount, d.Env.Today()) != nil {
		leaveLast(d, key)
		return
	}
	p := &credit.Payment{Company: o.Company, Order: key, Invoice: o.Invoice, Amount: amount, Method: m.Type, MethodID: m.ID, Items: items, Autopay: true, Attempt: 1}
	wished := collection
	if m.Type.Can().OnDue {
		wished = max(d.Env.Today(), firstDue(l, items)) // a card is charged on the due date itself (F25)
	}
	Collect(d, p, EntryPayment, wished)
}

// leaveLast leaves for review what autopay should have collected on an order and cannot: no
// money of its company may move, autopay is paused, its account is gone, or a bank rejected
// the debit. Items are not left if a coming installment includes them (F12, F23), if the
// automatic stay holds them until the bankruptcy report is withdrawn, or if stopped cards hold
// them until the company is released.
func leaveLast(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if o == nil || l == nil {
		return
	}
	c := d.Companies.Peek(o.Company)
	if !c.AutopayOf(o.Merchant).Enabled || c.Report(credit.ReportBankruptcy) >= 0 || d.Unwanted(o) || awaitsRelease(d, o) || credit.NextCollection(o, l) != calendar.None {
		return
	}
	items, _ := collectable(d, o, l, max(o.Servicing.CollectedFor, d.Env.Today()))
	StopCollecting(d, key, items)
}

// firstDue is the due date of the last row among items, which the debit is made for, or the
// loan's current date if there is none.
func firstDue(l *schedule.Loan, items []schedule.Ref) calendar.Date {
	due := l.AsOf
	for _, ref := range items {
		if ref.Fee == "" {
			due = l.Rows[ref.Installment-1].DueDate
		}
	}
	return due
}

// AutopayOf is the account that autopay may debit for an order today. It is nil if autopay is
// off or paused; if cards are stopped, or the debits of the merchant on whose word alone it
// runs; or if the order is disputed, managed by a merchant or charged off (F12). Whether the
// company's money may move is checked separately.
func AutopayOf(d *credit.Draft, o *credit.Order) *credit.PaymentMethod {
	c := d.Companies.Peek(o.Company)
	a := c.AutopayOf(o.Merchant)
	m := d.Methods.Peek(a.Method)
	if !a.Enabled || c.AutopayPaused() != "" || m == nil || !m.Usable() || d.Unwanted(o) || m.Type.Can().Tried && c.Servicing.Cards.Paused != "" {
		return nil
	}
	if stopsMandate(d, c, o.Merchant, m.ID) {
		return nil
	}
	return m
}

// collectable returns the items that an autopay debit for a collection date covers, and their
// sum. It leaves out items that are being collected or left for review, and what held credit,
// pooled credit or a pending debit without earmarks will pay (F12, F36).
func collectable(d *credit.Draft, o *credit.Order, l *schedule.Loan, collection calendar.Date) ([]schedule.Ref, money.Amount) {
	fromCredit := map[schedule.Ref]money.Amount{}
	if d.SharesCredit(o.Company) {
		for _, u := range d.Uses(o.Company, func(*credit.Order) calendar.Date { return collection }) {
			fromCredit[u.Ref] = fromCredit[u.Ref].Add(u.Amount)
		}
	}
	var refs []schedule.Ref
	sum := money.Amount(0)
	for _, it := range d.Uncovered(o, l, collection, append(onTheWay(o), o.Servicing.Stopped...)) {
		if x := min(fromCredit[it.Ref], it.Unpaid); x < it.Unpaid {
			refs, sum = append(refs, it.Ref), sum.Add(it.Unpaid.Sub(x))
		}
	}
	return refs, sum
}

// onTheWay lists the items of an order with pending debits.
func onTheWay(o *credit.Order) []schedule.Ref {
	var refs []schedule.Ref
	for _, open := range o.Servicing.Open {
		refs = append(refs, open.Items...)
	}
	return refs
}
