package credit

import (
	"slices"

	"tenor/internal/money"
	"tenor/internal/schedule"
)

// draft gathers the changes of one command. Records are copied when they are
// first edited, so that the state stays as it was if the command is refused.
type draft struct {
	s         *State
	e         Env
	ids       ids
	c         Changes
	merchants map[string]*Merchant
	companies map[int64]*Company
	orders    map[string]*Order
	payments  map[string]*Payment
	invoices  map[string]*Invoice
	bumped    map[string]bool // orders whose version has grown
	lines     map[int64]line  // credit lines before the command
	facts     []fact          // events in order, before their sequence is drawn
}

// line is what company.credit_line_changed is about.
type line struct{ limit, reserved, outstanding, onHold money.Amount }

func newDraft(s *State, e Env) *draft {
	return &draft{
		s: s, e: e, ids: ids{seed: e.Seed, ms: e.Now.UnixMilli()},
		merchants: map[string]*Merchant{}, companies: map[int64]*Company{}, orders: map[string]*Order{},
		payments: map[string]*Payment{}, invoices: map[string]*Invoice{}, bumped: map[string]bool{}, lines: map[int64]line{},
	}
}

// order returns a copy of the order to edit, and lets its version grow.
func (d *draft) order(key string) *Order {
	o := d.orderQuietly(key)
	if !d.bumped[key] {
		d.bumped[key] = true
		o.Version++
		o.UpdatedAt = d.e.Now
	}
	return o
}

// orderQuietly returns a copy of the order whose fields do not change, only its
// bookkeeping: event sequence, history.
func (d *draft) orderQuietly(key string) *Order {
	if o, ok := d.orders[key]; ok {
		return o
	}
	o := *d.s.Orders[key]
	d.orders[key] = &o
	d.c.Orders = append(d.c.Orders, &o)
	return &o
}

// addOrder puts a new order into the changes.
func (d *draft) addOrder(o *Order) {
	d.orders[o.Key] = o
	d.bumped[o.Key] = true
	d.c.Orders = append(d.c.Orders, o)
}

// peekOrder returns the order as it stands in the draft, not to be edited.
func (d *draft) peekOrder(key string) *Order {
	if o, ok := d.orders[key]; ok {
		return o
	}
	return d.s.Orders[key]
}

func (d *draft) company(id int64) *Company {
	if c, ok := d.companies[id]; ok {
		return c
	}
	old := d.s.Companies[id]
	c := *old
	c.Version++
	c.UpdatedAt = d.e.Now
	d.lines[id] = lineOf(old)
	d.companies[id] = &c
	d.c.Companies = append(d.c.Companies, &c)
	return &c
}

func (d *draft) addCompany(c *Company) {
	d.companies[c.ID] = c
	d.lines[c.ID] = lineOf(c)
	d.c.Companies = append(d.c.Companies, c)
}

func (d *draft) merchant(id string) *Merchant {
	if m, ok := d.merchants[id]; ok {
		return m
	}
	m := *d.s.Merchants[id]
	m.Version++
	m.UpdatedAt = d.e.Now
	d.merchants[id] = &m
	d.c.Merchants = append(d.c.Merchants, &m)
	return &m
}

func (d *draft) payment(id string) *Payment {
	if p, ok := d.payments[id]; ok {
		return p
	}
	p := *d.s.Payments[id]
	p.Version++
	p.UpdatedAt = d.e.Now
	d.payments[id] = &p
	d.c.Payments = append(d.c.Payments, &p)
	return &p
}

// peekPayment returns the payment as it stands in the draft, not to be edited.
func (d *draft) peekPayment(id string) *Payment {
	if p, ok := d.payments[id]; ok {
		return p
	}
	return d.s.Payments[id]
}

func (d *draft) addPayment(p *Payment) {
	d.payments[p.ID] = p
	d.c.Payments = append(d.c.Payments, p)
}

func (d *draft) invoice(id string) *Invoice {
	if i, ok := d.invoices[id]; ok {
		return i
	}
	i := *d.s.Invoices[id]
	i.Version++
	i.UpdatedAt = d.e.Now
	d.invoices[id] = &i
	d.c.Invoices = append(d.c.Invoices, &i)
	return &i
}

func (d *draft) addInvoice(i *Invoice) {
	d.invoices[i.ID] = i
	d.c.Invoices = append(d.c.Invoices, i)
}

func (d *draft) claim(c Claim, owner string) {
	if d.c.Claims == nil {
		d.c.Claims = map[Claim]string{}
	}
	d.c.Claims[c] = owner
}

// done closes the draft: the events get their sequence, and the result its
// final version.
func (d *draft) done(result any, created bool) Changes {
	for _, c := range d.c.Companies {
		if before, after := d.lines[c.ID], lineOf(c); before != after {
			d.companyEvent(CreditLineChangedEvent, c.ID, lineDiff(before, after))
		}
	}
	d.writeEvents()
	d.c.Result, d.c.Created = result, created
	return d.c
}

func lineOf(c *Company) line { return line{c.Limit, c.Reserved, c.Outstanding, c.OnHold} }

func (l line) available() money.Amount {
	return l.limit.Sub(l.outstanding).Sub(l.reserved).Sub(l.onHold)
}

// Available is what the company may still authorize; it can be negative (F26).
func (c *Company) Available() money.Amount { return lineOf(c).available() }

// lineDiff returns the members of credit_line that changed, with their old values.
func lineDiff(before, after line) map[string]any {
	old := map[string]any{}
	for _, m := range []struct {
		name          string
		before, after money.Amount
	}{
		{"limit", before.limit, after.limit}, {"available", before.available(), after.available()},
		{"reserved", before.reserved, after.reserved}, {"outstanding", before.outstanding, after.outstanding},
		{"on_hold", before.onHold, after.onHold},
	} {
		if m.before != m.after {
			old[m.name] = m.before
		}
	}
	return map[string]any{"credit_line": old}
}

// IsLinked reports whether the merchant may use the company.
func (c *Company) IsLinked(merchant string) bool {
	_, ok := slices.BinarySearch(c.Linked, merchant)
	return ok
}

// loanOf returns the order's loan as it stands in the draft.
func (d *draft) loanOf(key string) *schedule.Loan {
	for _, l := range d.c.Loans {
		if l.Key == key {
			return l
		}
	}
	return d.s.Loans[key]
}
