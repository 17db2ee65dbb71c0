package credit

import (
	"slices"

	"tenor/internal/schedule"
)

// draft gathers the changes of one command. Records are copied when they are
// first edited, so that the state stays as it was if the command is refused.
type draft struct {
	s         *State
	e         Env
	ids       ids
	c         Changes
	companies map[int64]*Company
	orders    map[string]*Order
	payments  map[string]*Payment
	invoices  map[string]*Invoice
	facts     []fact // events in order, before their sequence is drawn
}

func newDraft(s *State, e Env) *draft {
	return &draft{
		s: s, e: e, ids: ids{seed: e.Seed, ms: e.Now.UnixMilli()},
		companies: map[int64]*Company{}, orders: map[string]*Order{},
		payments: map[string]*Payment{}, invoices: map[string]*Invoice{},
	}
}

// order returns a copy of the order to edit.
func (d *draft) order(key string) *Order {
	if o, ok := d.orders[key]; ok {
		return o
	}
	o := *d.s.Orders[key]
	d.addOrder(&o)
	return &o
}

// addOrder puts an order into the changes.
func (d *draft) addOrder(o *Order) {
	d.orders[o.Key] = o
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
	c := *d.s.Companies[id]
	d.addCompany(&c)
	return &c
}

func (d *draft) addCompany(c *Company) {
	d.companies[c.ID] = c
	d.c.Companies = append(d.c.Companies, c)
}

// peekCompany returns the company as it stands in the draft, not to be edited.
func (d *draft) peekCompany(id int64) *Company {
	if c, ok := d.companies[id]; ok {
		return c
	}
	return d.s.Companies[id]
}

func (d *draft) payment(id string) *Payment {
	if p, ok := d.payments[id]; ok {
		return p
	}
	p := *d.s.Payments[id]
	d.addPayment(&p)
	return &p
}

func (d *draft) addPayment(p *Payment) {
	d.payments[p.ID] = p
	d.c.Payments = append(d.c.Payments, p)
}

// peekPayment returns the payment as it stands in the draft, not to be edited.
func (d *draft) peekPayment(id string) *Payment {
	if p, ok := d.payments[id]; ok {
		return p
	}
	return d.s.Payments[id]
}

func (d *draft) invoice(id string) *Invoice {
	if i, ok := d.invoices[id]; ok {
		return i
	}
	i := *d.s.Invoices[id]
	d.addInvoice(&i)
	return &i
}

func (d *draft) addInvoice(i *Invoice) {
	d.invoices[i.ID] = i
	d.c.Invoices = append(d.c.Invoices, i)
}

// peekInvoice returns the invoice as it stands in the draft, not to be edited.
func (d *draft) peekInvoice(id string) *Invoice {
	if i, ok := d.invoices[id]; ok {
		return i
	}
	return d.s.Invoices[id]
}

func (d *draft) claim(c Claim, owner string) {
	if d.c.Claims == nil {
		d.c.Claims = map[Claim]string{}
	}
	d.c.Claims[c] = owner
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

// done closes the draft: records that changed get their next version, the events
// their sequence and what they were before.
func (d *draft) done(result any, created bool) Changes {
	before := map[ObjectRef]previous{}
	for _, o := range d.c.Orders {
		if was := d.s.Orders[o.Key]; was != nil {
			before[orderRef(o.Key)] = d.seal(previousOrder(was, o), was.Version, &o.Version, true)
			if o.Version != was.Version {
				before[orderRef(o.Key)]["updated_at"], o.UpdatedAt = was.UpdatedAt, d.e.Now
			}
		}
	}
	for _, p := range d.c.Payments {
		if was := d.s.Payments[p.ID]; was != nil {
			before[paymentRef(p.ID)] = d.seal(previousPayment(was, p), was.Version, &p.Version, false)
			if p.Version != was.Version {
				before[paymentRef(p.ID)]["updated_at"], p.UpdatedAt = was.UpdatedAt, d.e.Now
			}
		}
	}
	for _, i := range d.c.Invoices {
		if was := d.s.Invoices[i.ID]; was != nil {
			before[invoiceRef(i.ID)] = d.seal(previousInvoice(was, i), was.Version, &i.Version, false)
			if i.Version != was.Version {
				i.UpdatedAt = d.e.Now
			}
		}
	}
	for _, c := range d.c.Companies {
		if was := d.s.Companies[c.ID]; was != nil {
			before[companyRef(c.ID)] = d.sealCompany(was, c)
		}
	}
	d.writeEvents(before)
	d.c.Result, d.c.Created = result, created
	return d.c
}

// seal lets a record's version grow if a member of its resource has changed.
func (d *draft) seal(p previous, was int, version *int, shown bool) previous {
	if len(p) > 0 {
		*version = was + 1
		if shown {
			p["version"] = was
		}
	}
	return p
}

// sealCompany also says what no event says yet: that the line or another member
// has changed.
func (d *draft) sealCompany(was, now *Company) previous {
	p := previousCompany(was, now)
	if len(p) == 0 && slices.Equal(was.Linked, now.Linked) {
		return p
	}
	now.Version, now.UpdatedAt = was.Version+1, d.e.Now
	if was.Tier != now.Tier || was.Credit != now.Credit || !slices.Equal(was.Linked, now.Linked) {
		d.companyEvent(CompanyUpdatedEvent, now.ID)
	}
	if was.Status != now.Status {
		d.companyEvent(CompanyStatusChangedEvent, now.ID)
	}
	if lineOf(was) != lineOf(now) {
		d.companyEvent(CreditLineChangedEvent, now.ID)
	}
	p["updated_at"] = was.UpdatedAt
	return p
}

// IsLinked reports whether the merchant may use the company.
func (c *Company) IsLinked(merchant string) bool {
	_, ok := slices.BinarySearch(c.Linked, merchant)
	return ok
}
