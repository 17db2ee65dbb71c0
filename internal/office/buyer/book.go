package buyer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// Book is what a company has ordered, owes and has paid at all merchants, as its own people
// see it today.
type Book struct {
	Company   *credit.Company
	Today     calendar.Date
	Merchants map[string]*credit.Merchant
	Orders    []*Owed // newest first; recently paid-off and canceled ones too
	Payments  []*credit.Payment
	Methods   []*credit.PaymentMethod // newest first, without removed ones

	credits []schedule.Credit
}

// Owed is an order with what is owed on it.
type Owed struct {
	Order *credit.Order
	Loan  *schedule.Loan // as of today; nil before the capture
	View  schedule.View
	// Coming is what debits in transit will pay.
	Coming money.Amount
}

// Rows returns the installments that are not paid and not canceled.
func (o *Owed) Rows() (out []schedule.RowView) {
	for _, r := range o.View.Rows {
		if r.Outstanding > 0 && r.Status != schedule.RowCanceled {
			out = append(out, r)
		}
	}
	return out
}

// Payoff is the amount that pays the order off on a day.
func (o *Owed) Payoff(on calendar.Date) money.Amount {
	if o.Loan == nil {
		return 0
	}
	return o.Loan.Payoff(on).Total
}

// shown is the maximum number of orders and payments on a page. The rest is on the
// statements.
const shown = 200

// Book reads a company's book, nil if there is no such company.
func (d *Desk) Book(ctx context.Context, company int64) (b *Book, err error) {
	err = d.Store.View(ctx, func(v store.View) (err error) { b, err = d.bookIn(v, company); return err })
	return b, err
}

func (d *Desk) bookIn(v store.View, company int64) (*Book, error) {
	s := credit.NewState()
	if err := v.Load(s, credit.Keys{Companies: []int64{company}, Accounts: []int64{company}}); err != nil || s.Companies[company] == nil {
		return nil, err
	}
	b := &Book{Company: s.Companies[company], Today: d.Zone.Date(d.Now()), Merchants: map[string]*credit.Merchant{}}
	for _, c := range s.Credits[company] {
		b.credits = append(b.credits, c.Credit)
	}
	if err := b.orders(v, s); err != nil {
		return nil, err
	}
	return b, b.money(v)
}

// orders reads the listed orders, and unlisted ones that are still owed on.
func (b *Book) orders(v store.View, s *credit.State) error {
	list, err := store.ListOrders(v, store.OrderFilter{Company: b.Company.ID, CapturedFrom: calendar.None, CapturedTo: calendar.None}, store.Page{Limit: shown})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, o := range list {
		known[o.Key] = true
		s.Orders[o.Key] = o
	}
	for _, key := range s.Accounts[b.Company.ID] {
		if o := s.Orders[key]; o != nil && !known[key] && o.Financing != credit.FinancingPaidOff {
			list = append(list, o)
		}
	}
	k := credit.Keys{}
	for _, o := range list {
		if o.Captured > 0 && s.Loans[o.Key] == nil {
			k.Orders = append(k.Orders, o.Key)
		}
		k.Merchants = append(k.Merchants, o.Merchant)
	}
	slices.Sort(k.Merchants)
	k.Merchants = slices.Compact(append(k.Merchants, b.Company.Linked...))
	if err := v.Load(s, k); err != nil {
		return err
	}
	for _, id := range k.Merchants {
		b.Merchants[id] = s.Merchants[id]
	}
	for _, o := range list {
		b.Orders = append(b.Orders, b.owed(o, s.Loans[o.Key]))
	}
	return nil
}

func (b *Book) owed(o *credit.Order, l *schedule.Loan) *Owed {
	x := &Owed{Order: o}
	if l == nil {
		return x
	}
	x.Loan = l.Standing(b.heldFor(o.Key), b.Today)
	x.View = o.View(x.Loan, b.Today)
	for _, open := range o.Servicing.Open {
		x.Coming = x.Coming.Add(open.Amount)
	}
	return x
}

// Rest is what a payment arriving on a day has to pay of a sum: less the debits in transit
// that arrive by then.
func (o *Owed) Rest(sum money.Amount, arrives calendar.Date) money.Amount {
	for _, open := range o.Order.Servicing.Open {
		if open.On <= arrives {
			sum = sum.Sub(open.Amount)
		}
	}
	return max(sum, 0)
}

// heldFor returns the credits that wait for an order's due dates.
func (b *Book) heldFor(order string) (out []schedule.Credit) {
	for _, c := range b.credits {
		if c.Hold && c.Order == order {
			out = append(out, c)
		}
	}
	return out
}

// money reads payments and accounts.
func (b *Book) money(v store.View) (err error) {
	if b.Payments, err = store.ListPayments(v, store.PaymentFilter{Company: b.Company.ID, From: calendar.None, To: calendar.None}, store.Page{Limit: shown}); err != nil {
		return err
	}
	all, err := store.ListMethods(v, b.Company.ID)
	for _, m := range all {
		if m.Status != credit.MethodDisabled || m.DisabledReason != credit.DisabledRemoved {
			b.Methods = append(b.Methods, m)
		}
	}
	return err
}

// Credit is the company's own money that is not applied yet.
func (b *Book) Credit() (sum money.Amount) {
	for _, c := range b.credits {
		sum = sum.Add(c.Amount)
	}
	return sum
}

// Order returns an order of the book, nil if it is not in it.
func (b *Book) Order(key string) *Owed {
	i := slices.IndexFunc(b.Orders, func(o *Owed) bool { return o.Order.Key == key })
	if i < 0 {
		return nil
	}
	return b.Orders[i]
}

// Method returns an account of the company, nil if it is not the company's or was removed.
func (b *Book) Method(id string) *credit.PaymentMethod {
	i := slices.IndexFunc(b.Methods, func(m *credit.PaymentMethod) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return b.Methods[i]
}

// Merchant returns a merchant's name.
func (b *Book) Merchant(id string) string {
	if m := b.Merchants[id]; m != nil {
		return m.Name
	}
	return id
}

// Open returns the orders on which something is owed to the lender: not those with payments
// managed by the merchant.
func (b *Book) Open() (out []*Owed) {
	for _, o := range b.Orders {
		if o.Loan != nil && !o.Order.External && o.View.Remaining > 0 {
			out = append(out, o)
		}
	}
	return out
}

// PastDue returns the past-due amount, with its fees, and the maximum days past due.
func (b *Book) PastDue() (sum money.Amount, days int) {
	for _, o := range b.Open() {
		for _, r := range o.View.Rows {
			if r.Status == schedule.RowOverdue {
				sum, days = sum.Add(r.Outstanding), max(days, r.DPD)
			}
		}
	}
	return sum, days
}

// Installment is one of an order.
type Installment struct {
	Owed *Owed
	Row  schedule.RowView
}

// Next returns the next n installments that are not past due, by date.
func (b *Book) Next(n int) (out []Installment) {
	for _, o := range b.Open() {
		for _, r := range o.Rows() {
			if r.DueDate >= b.Today {
				out = append(out, Installment{o, r})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Installment) int { return cmp.Compare(x.Row.DueDate, y.Row.DueDate) })
	return out[:min(n, len(out))]
}

// Coming is what debits in transit will pay.
func (b *Book) Coming() (sum money.Amount) {
	for _, o := range b.Open() {
		sum = sum.Add(o.Coming)
	}
	return sum
}

// Share is what a payment would pay of an order, if it arrived on its day and nothing
// happened before.
type Share struct {
	Owed                    *Owed
	Fees, Charge, Principal money.Amount
	Left                    money.Amount // what then remains of the order
}

// Sum is the total.
func (x Share) Sum() money.Amount { return x.Fees.Add(x.Charge).Add(x.Principal) }

// Split returns what a payment made on a day would pay, for one order or for all ("", F12),
// after what is in transit. Rest is the part that pays nothing and stays the company's.
func (b *Book) Split(order string, amount money.Amount, on calendar.Date) (shares []Share, rest money.Amount) {
	p := schedule.Portfolio{Credits: slices.Clone(b.credits)}
	for _, o := range b.Open() {
		p.Loans = append(p.Loans, o.Loan.Clone())
	}
	slices.SortFunc(p.Loans, func(x, y *schedule.Loan) int {
		return cmp.Or(cmp.Compare(x.CapturedAt, y.CapturedAt), cmp.Compare(x.Key, y.Key))
	})
	for _, o := range b.Open() {
		for i, open := range o.Order.Servicing.Open {
			day := max(open.On, b.Today)
			if day <= on {
				p.Apply(schedule.Event{Kind: schedule.EventPayment, ID: "coming", Seq: int64(i), Date: max(day, asOf(p.Loans)), Order: o.Order.Key, Amount: open.Amount, Earmark: open.Items})
			}
		}
	}
	effects := p.Apply(schedule.Event{Kind: schedule.EventPayment, ID: "this", Date: max(on, asOf(p.Loans)), Order: order, Amount: amount})
	rest = amount
	for _, f := range effects {
		if f.Kind != schedule.EffectApplied || f.Source != "this" && f.Cause != "this" {
			continue
		}
		for _, part := range f.Parts {
			shares = b.share(shares, part)
			rest = rest.Sub(part.Amount)
		}
	}
	for i := range shares {
		l := p.Loan(shares[i].Owed.Order.Key)
		shares[i].Left = l.View(max(on, l.AsOf)).Remaining
	}
	return shares, rest
}

// asOf is the day to which loans have been advanced.
func asOf(all []*schedule.Loan) (day calendar.Date) {
	for _, l := range all {
		day = max(day, l.AsOf)
	}
	return day
}

// share adds a part of a payment to its order's share.
func (b *Book) share(shares []Share, part schedule.Part) []Share {
	i := slices.IndexFunc(shares, func(x Share) bool { return x.Owed.Order.Key == part.Order })
	if i < 0 {
		shares, i = append(shares, Share{Owed: b.Order(part.Order)}), len(shares)
	}
	switch x := &shares[i]; part.Item {
	case schedule.ItemCharge:
		x.Charge = x.Charge.Add(part.Amount)
	case schedule.ItemPrincipal:
		x.Principal = x.Principal.Add(part.Amount)
	default:
		x.Fees = x.Fees.Add(part.Amount)
	}
	return shares
}

// Settles returns the day on which a payment made now is sent, and the day it arrives.
func (d *Desk) Settles() (sent, settles calendar.Date) { return payments.DebitDays(d.Zone, d.Now()) }

// Pay debits an account of a company on the instruction of a person who acts for it: for
// one order, or for all (""). The same once is the same payment: a second one is refused as
// a duplicate.
func (d *Desk) Pay(ctx context.Context, person string, company int64, order string, amount money.Amount, method, once, address string) (*credit.Payment, error) {
	c := payments.RecordPayment{
		Order: order, Amount: amount, Method: credit.ACH, PaymentMethod: method, Person: person, ExternalID: once,
		ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}
	if order == "" {
		c.Company = company
	}
	result, err := d.do(ctx, c, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.Payment), nil
}

// CancelPayment cancels a payment that has not been sent yet.
func (d *Desk) CancelPayment(ctx context.Context, person, id, address string) error {
	_, err := d.do(ctx, payments.CancelPayment{Payment: id, Person: person}, address)
	return err
}

// AddAccount adds an account typed by an owner. Repeating it has no effect.
func (d *Desk) AddAccount(ctx context.Context, x Debits, address string) (*credit.PaymentMethod, error) {
	return d.added(ctx, x, address)
}

// VerifyAccount submits the amounts of the two deposits that an owner has seen.
func (d *Desk) VerifyAccount(ctx context.Context, person, method string, amounts []money.Amount, address string) (*credit.PaymentMethod, error) {
	result, err := d.do(ctx, payments.VerifyPaymentMethod{Method: method, Amounts: amounts, Person: person}, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.PaymentMethod), nil
}

// RemoveAccount ends the use of an account.
func (d *Desk) RemoveAccount(ctx context.Context, person, method, address string) error {
	_, err := d.do(ctx, payments.RemovePaymentMethod{Method: method, Person: person}, address)
	return err
}

// StopAutopay switches autopay off for a merchant's orders.
func (d *Desk) StopAutopay(ctx context.Context, person string, company int64, merchant, address string) error {
	off := false
	_, err := d.do(ctx, payments.SetAutopay{Company: company, Person: person, Merchant: merchant, Enabled: &off}, address)
	return err
}

// Papers returns the documents of an order, or of a company's master agreement, as filed.
func (d *Desk) Papers(ctx context.Context, of string) (out []*credit.Document, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounDocument, store.RecordFilter{Of: of}, store.Page{Limit: 50})
		for _, r := range list {
			out = append(out, r.(*credit.Document))
		}
		return err
	})
	return out, err
}

// Filing reads the bytes of a document.
func (d *Desk) Filing(ctx context.Context, id string) (x *credit.Document, data []byte, err error) {
	err = d.Store.View(ctx, func(v store.View) (err error) {
		x, data, err = d.Document(v, id)
		if errors.Is(err, ErrErased) {
			x, err = nil, nil
		}
		return err
	})
	return x, data, err
}
