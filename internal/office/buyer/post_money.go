package buyer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/letter"
)

// Mails about a company's money refer to their subjects by identifiers. Their figures are
// those of the books when they are written, which may be some hours after they were queued.

// errMoot means that a mail has nothing left to tell: what was due is paid, or what was to
// be debited is not.
var errMoot = errors.New("the mail is obsolete")

// maxItems is the maximum number of lines that a mail lists.
const maxItems = 40

// money collects the data of mails about a company's money, and reports whether this is
// one.
func (w *writer) money() (bool, error) {
	write := map[letter.Template]func(*Book) error{
		letter.InstallmentDue: w.installmentDue, letter.DebitTomorrow: w.debitTomorrow, letter.PaymentReceived: w.received,
		letter.PaymentReturned: w.returned, letter.PastDue: w.pastDue, letter.StatementReady: w.statementReady,
		letter.NewDisclosure: w.newDisclosure,
	}[letter.Template(w.m.Template)]
	if write == nil {
		return false, nil
	}
	b, err := w.d.bookIn(w.v, w.m.Company)
	if err != nil {
		return true, err
	}
	if b == nil {
		return true, fmt.Errorf("company %d does not exist", w.m.Company)
	}
	return true, write(b)
}

// at sets the link to one of the buyer's own pages.
func (w *writer) at(path string) { w.data["link"] = w.d.Base + AccountPath + path }

// order reads an order of the book with what is owed on it, including one that the book
// leaves out.
func (w *writer) order(b *Book, key string) (*Owed, error) {
	if o := b.Order(key); o != nil {
		return o, nil
	}
	s := credit.NewState()
	if err := w.v.Load(s, credit.Keys{Orders: []string{key}}); err != nil {
		return nil, err
	}
	if s.Orders[key] == nil {
		return nil, fmt.Errorf("order %s does not exist", key)
	}
	return b.owed(s.Orders[key], s.Loans[key]), nil
}

// installmentDue is about one installment, and the account from which autopay pays it.
func (w *writer) installmentDue(b *Book) error {
	o, err := w.order(b, w.m.Data["of"])
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(w.m.Data["row"])
	if n < 1 || n > len(o.View.Rows) {
		return fmt.Errorf("order %s has no installment %q", o.Order.Key, w.m.Data["row"])
	}
	r := o.View.Rows[n-1]
	if r.Outstanding <= 0 || r.Status == schedule.RowCanceled {
		return errMoot
	}
	w.data["order"], w.data["installment"] = shownOrder(o.Order), w.words.Say("row", strconv.Itoa(n), strconv.Itoa(len(o.View.Rows)))
	w.data["amount"], w.data["due"] = w.dollars(r.Outstanding), w.date(r.DueDate)
	w.data["merchant"] = b.Merchant(o.Order.Merchant)
	if m := b.Method(w.m.Data["from_account"]); m != nil && m.Usable() {
		on := r.CollectionDate
		if m.Type.Can().OnDue {
			on = r.DueDate
		}
		w.data["account"], w.data["debited"] = last4(m), w.date(on)
	}
	w.at("/orders/" + o.Order.Key)
	return nil
}

// debitTomorrow is about a debit that autopay has built.
func (w *writer) debitTomorrow(b *Book) error {
	p, err := w.payment(w.m.Data["payment"])
	if err != nil {
		return err
	}
	if p.Status != credit.PaymentScheduled && p.Status != credit.PaymentPending {
		return errMoot
	}
	o, err := w.order(b, p.Order)
	if err != nil {
		return err
	}
	var items []string
	for _, ref := range p.Items {
		items = append(items, w.itemLine(o, ref))
	}
	if len(items) == 0 {
		items = []string{w.words.Say("order", shownOrder(o.Order))}
	}
	w.data["amount"], w.data["date"], w.data["items"] = w.dollars(p.Amount), w.date(p.ScheduledDate), w.shortened(items)
	w.data["account"], w.data["merchant"] = p.MethodID, b.Merchant(o.Order.Merchant)
	if m := b.Method(p.MethodID); m != nil {
		w.data["account"] = last4(m)
	}
	s := credit.NewState()
	if err := w.v.Load(s, credit.Keys{Merchants: []string{o.Order.Merchant}}); err != nil {
		return err
	}
	if m := s.Merchants[o.Order.Merchant]; m != nil && p.Method.Can().Return {
		if fee := m.SettingsOf(o.Order).ReturnedPaymentFee; fee > 0 {
			w.data["fee"] = w.dollars(min(fee, p.Amount))
		}
	}
	w.at("/orders/" + o.Order.Key)
	return nil
}

// itemLine describes one item that a debit pays.
func (w *writer) itemLine(o *Owed, ref schedule.Ref) string {
	name := shownOrder(o.Order)
	if ref.Fee != "" {
		for _, f := range o.Loan.Fees {
			if f.ID == ref.Fee {
				return w.words.Say("order.fee.sum", name, w.dollars(f.Unpaid()))
			}
		}
		return w.words.Say("order.fee", name)
	}
	n, of := strconv.Itoa(ref.Installment), strconv.Itoa(len(o.View.Rows))
	if ref.Installment >= 1 && ref.Installment <= len(o.Loan.Rows) {
		return w.words.Say("order.row.sum", name, n, of, w.dollars(o.Loan.Rows[ref.Installment-1].Unpaid()))
	}
	return w.words.Say("order.row", name, n, of)
}

// received is about a payment that was received, with what it paid.
func (w *writer) received(b *Book) error {
	p, err := w.payment(w.m.Data["payment"])
	if err != nil {
		return err
	}
	w.data["amount"], w.data["date"], w.data["method"] = w.dollars(p.Amount), w.date(p.EffectiveDate), w.paidBy(b, p)
	w.data["outstanding"], w.data["available"] = w.dollars(max(b.Company.Outstanding, 0)), w.dollars(max(b.Company.Available(), 0))
	sums := map[string]money.Amount{}
	var keys []string
	for _, a := range p.Allocations {
		if _, known := sums[a.Order]; !known {
			keys = append(keys, a.Order)
		}
		sums[a.Order] = sums[a.Order].Add(a.Fee).Add(a.Charge).Add(a.Principal)
	}
	var items []string
	for _, key := range keys {
		o, err := w.order(b, key)
		if err != nil {
			return err
		}
		items = append(items, w.words.Say("order.at", shownOrder(o.Order), b.Merchant(o.Order.Merchant), w.dollars(sums[key])))
	}
	w.data["items"] = w.shortened(items)
	w.at("/payments")
	return nil
}

// returned is about a returned payment, with its fee and the next attempt.
func (w *writer) returned(b *Book) error {
	p, err := w.payment(w.m.Data["payment"])
	if err != nil {
		return err
	}
	w.data["amount"], w.data["reason"] = w.dollars(p.Amount), w.why(p.Failure)
	if m := b.Method(p.MethodID); m != nil {
		w.data["account"] = last4(m)
	}
	if id := w.m.Data["charged"]; id != "" {
		o, err := w.order(b, w.m.Data["of"])
		if err != nil {
			return err
		}
		for _, f := range o.Loan.Fees {
			if f.ID == id {
				w.data["fee"] = w.dollars(f.Amount)
			}
		}
	}
	if id := w.m.Data["again"]; id != "" {
		again, err := w.payment(id)
		if err != nil {
			return err
		}
		if again.Status == credit.PaymentScheduled || again.Status == credit.PaymentPending {
			w.data["next"] = w.date(again.ScheduledDate)
		}
	}
	w.at("/payments")
	return nil
}

// pastDue is about everything that is now past due.
func (w *writer) pastDue(b *Book) error {
	since, fees, total := calendar.None, money.Amount(0), money.Amount(0)
	var items []string
	for _, o := range b.Open() {
		sum, first := money.Amount(0), calendar.None
		for _, r := range o.View.Rows {
			if r.Status != schedule.RowOverdue {
				continue
			}
			if sum, fees = sum.Add(r.Outstanding), fees.Add(r.Fees); first == calendar.None {
				first = r.DueDate
			}
		}
		if sum == 0 {
			continue
		}
		if total = total.Add(sum); since == calendar.None || first < since {
			since = first
		}
		items = append(items, w.words.Say("order.since", shownOrder(o.Order), b.Merchant(o.Order.Merchant), w.dollars(sum), w.date(first)))
	}
	if len(items) == 0 {
		return errMoot
	}
	w.data["amount"], w.data["since"], w.data["items"] = w.dollars(total), w.date(since), w.shortened(items)
	if fees > 0 {
		w.data["fees"] = w.dollars(fees)
	}
	w.at("/pay?what=late")
	return nil
}

// newDisclosure is about an order that was captured with other figures than were disclosed.
// It shows those of the capture, whatever has been paid or refunded since.
func (w *writer) newDisclosure(b *Book) error {
	o, err := w.order(b, w.m.Data["of"])
	if err != nil {
		return err
	}
	before, err := calendar.Parse(w.m.Data["on"])
	if err != nil {
		return fmt.Errorf("read the day: %w", err)
	}
	x, r := lending.Disclose(*o.Order.Terms, &credit.Settings{}, o.Order.Captured, o.Order.CaptureDate)
	if r != nil {
		return fmt.Errorf("disclose order %s: %w", o.Order.Key, r)
	}
	w.data["order"], w.data["merchant"] = shownOrder(o.Order), b.Merchant(o.Order.Merchant)
	w.data["captured"], w.data["disclosed"] = w.date(o.Order.CaptureDate), w.date(before)
	w.data["funded"], w.data["finance_charge"], w.data["total"] = w.dollars(x.Funding), w.dollars(x.FinanceCharge), w.dollars(x.TotalPayments)
	w.data["apr"], w.data["payments"] = fmt.Sprintf("%d.%02d %%", x.APR/100, x.APR%100), fmt.Sprintf("%d × %s", x.Count, w.dollars(x.Payment))
	w.data["first_due"] = w.date(x.FirstDueDate)
	var items []string
	for _, row := range x.Rows {
		items = append(items, w.date(row.DueDate)+": "+w.dollars(row.Amount))
	}
	w.data["items"] = w.shortened(items)
	w.at("/orders/" + o.Order.Key)
	return nil
}

// statementReady is about the statement of a past month.
func (w *writer) statementReady(b *Book) error {
	end, err := calendar.Parse(w.m.Data["month"])
	if err != nil {
		return fmt.Errorf("read the month: %w", err)
	}
	year, month, _ := end.Civil()
	begin := calendar.Of(year, month, 1)
	x, err := w.d.statementIn(w.v, b.Company.ID, begin)
	if err != nil {
		return err
	}
	if x == nil {
		return errMoot
	}
	w.data["from"], w.data["to"], w.data["balance"] = w.date(begin), w.date(end), w.dollars(x.Closing)
	w.at("/statements/" + begin.String()[:7])
	return nil
}

// payment reads a payment.
func (w *writer) payment(id string) (*credit.Payment, error) {
	s := credit.NewState()
	if err := w.v.Load(s, credit.Keys{Payments: []string{id}}); err != nil {
		return nil, err
	}
	if s.Payments[id] == nil {
		return nil, fmt.Errorf("payment %q does not exist", id)
	}
	return s.Payments[id], nil
}

// paidBy describes how a payment was made.
func (w *writer) paidBy(b *Book, p *credit.Payment) string {
	m := b.Method(p.MethodID)
	switch {
	case p.Method.Can().File && m != nil:
		return w.words.Say("paid.account", last4(m))
	case p.Method.Can().Answer && m != nil:
		return w.words.Say("paid.card.last", last4(m))
	}
	if text, ok := w.words.Find("paid." + strings.ToLower(string(p.Method))); ok {
		return text
	}
	return w.words.Say("paid.other")
}

// last4 returns the last digits of an account or a card.
func last4(m *credit.PaymentMethod) string {
	switch {
	case m.Bank != nil:
		return m.Bank.Last4
	case m.Card != nil:
		return m.Card.Last4
	}
	return ""
}

// maxOrder is the maximum length of a merchant's order number in a mail.
const maxOrder = 40

// shownOrder is how a mail names an order: by the number that its merchant has given it,
// unless that is more than a number. Whoever has a merchant's token chooses it.
func shownOrder(o *credit.Order) string {
	n := o.MerchantOrderID
	if utf8.RuneCountInString(n) > maxOrder || strings.ContainsAny(n, `@/\:`) || strings.Count(n, " ") > 1 || hasHost(n) {
		n = ""
	}
	return cmp.Or(n, o.Key)
}

// shortened replaces excess lines with a remark.
func (w *writer) shortened(lines []string) []string {
	if len(lines) <= maxItems {
		return lines
	}
	return append(slices.Clone(lines[:maxItems]), w.words.Say("more", strconv.Itoa(len(lines)-maxItems)))
}

// proved reports whether the sender of an application has proved the recipient's email
// address.
func (w *writer) proved(a *credit.Application) (bool, error) {
	claim := credit.Claim{Kind: credit.ClaimPersonEmail, Name: a.Of}
	s := credit.NewState()
	if err := w.v.Load(s, credit.Keys{Claims: []credit.Claim{claim}}); err != nil || s.Claims[claim] == "" {
		return false, err
	}
	p, err := Load[*credit.Person](w.v, s.Claims[claim])
	return p != nil && p.Proved(), err
}
