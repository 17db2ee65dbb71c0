package credit

import (
	"slices"

	"tenor/internal/domain/money"
)

// A suspension for lateness ends on its own when no order is late (F26), but not because of
// money that is not final: money that a debit or card paid and the payer can recall, or that a
// merchant only reports to have (F41.6). The company keeps the payments that paid what was
// late until their money is good; the suspension ends then.

// Report identifies a merchant's reports of money that paid what was late: for one of its
// orders, or, if Order is "", for the company. All its reports count as one, until the
// merchant holds no more money that they pay.
type Report struct {
	Merchant string `json:"merchant"`
	Order    string `json:"order,omitzero"`
}

// Suspends reports whether an order suspends its company when it is late. An order that the
// lender did not fund does not: what is owed and paid on it is one merchant's word, and must
// not shut the company out everywhere else (F41.8).
func (o *Order) Suspends() bool { return o.Terms == nil || !o.Terms.Unfunded }

// LiftLateness ends a suspension for lateness when no order is late, unless the money that
// paid them is not good yet (F41.6).
func (d *Draft) LiftLateness(c *Company) {
	if c.Servicing.Late == 0 && !c.waitsForMoney() && c.Status == CompanySuspended && c.StatusCode == SuspendedPastDue && !c.Servicing.ManualRelease {
		c.Status, c.StatusCode, c.StatusMessage = CompanyApproved, "", ""
		c.HoldForReview()
	}
}

// waitsForMoney reports whether money that paid late orders is not good yet.
func (c *Company) waitsForMoney() bool {
	return len(c.Servicing.Cures) > 0 || len(c.Servicing.Reported) > 0
}

// finishLateness records what paid late orders of suspended companies, drops what has become
// good, and ends suspensions that nothing keeps up any more.
func (d *Draft) finishLateness() {
	for _, p := range d.Changes.Payments {
		d.noteCure(p)
	}
	var companies []int64
	for _, c := range d.Changes.Companies {
		companies = append(companies, c.ID)
	}
	for _, p := range d.Changes.Payments {
		companies = append(companies, p.Company)
	}
	slices.Sort(companies)
	for _, id := range slices.Compact(companies) {
		c := d.Companies.Peek(id)
		forgot := d.forgetCures(c)
		if forgot || d.curedOf(id) {
			d.LiftLateness(d.Companies.Edit(id))
		}
	}
}

// forgetCures drops what no longer keeps up a company's suspension, and reports whether there
// was any.
func (d *Draft) forgetCures(c *Company) bool {
	cures := slices.DeleteFunc(slices.Clone(c.Servicing.Cures), func(payment string) bool { return d.cureEnded(c, payment) })
	reported := slices.DeleteFunc(slices.Clone(c.Servicing.Reported), func(x Report) bool { return d.reportEnded(c, x) })
	if len(cures) == len(c.Servicing.Cures) && len(reported) == len(c.Servicing.Reported) {
		return false
	}
	c = d.Companies.Edit(c.ID)
	if c.Servicing.Cures = cures; len(cures) == 0 {
		c.Servicing.Cures = nil
	}
	if c.Servicing.Reported = reported; len(reported) == 0 {
		c.Servicing.Reported = nil
	}
	return true
}

// curedOf reports whether the command has paid a late order of a company.
func (d *Draft) curedOf(company int64) bool {
	for key := range d.Cured { // unordered: any of them
		if d.Orders.Peek(key).Company == company {
			return true
		}
	}
	return false
}

// LateSuspended reports whether a company is suspended for lateness.
func (c *Company) LateSuspended() bool {
	return c.Status == CompanySuspended && c.StatusCode == SuspendedPastDue
}

// noteCure records a payment that is not good yet and has paid more of an order that is late,
// or was until now, of a company that is suspended for lateness.
func (d *Draft) noteCure(p *Payment) {
	c := d.Companies.Peek(p.Company)
	reported := p.Merchant != "" && p.reported() > 0 // by its token, not by staff
	if p.Direction != "IN" || !c.LateSuspended() || slices.Contains(c.Servicing.Cures, p.ID) || !c.Withheld(p.ID) && !reported {
		return
	}
	was := &Payment{}
	if old := d.State.Payments[p.ID]; old != nil {
		was = old
	}
	for _, key := range paidOrders(p) {
		o := d.Orders.Peek(key)
		if o == nil || !o.Suspends() || o.Financing != FinancingOverdue && !d.Cured[key] || p.paid(key) <= was.paid(key) {
			continue
		}
		c = d.Companies.Edit(c.ID)
		if x := (Report{p.Merchant, p.Order}); !reported {
			c.Servicing.Cures = append(slices.Clone(c.Servicing.Cures), p.ID)
		} else if !slices.Contains(c.Servicing.Reported, x) {
			c.Servicing.Reported = append(slices.Clone(c.Servicing.Reported), x)
		}
		return
	}
}

// cureEnded reports whether a payment no longer keeps up a suspension: it is good, it pays
// nothing, or a person has decided. What is not loaded has not changed.
func (d *Draft) cureEnded(c *Company, payment string) bool {
	if !c.LateSuspended() {
		return true
	}
	p := d.Payments.Peek(payment)
	return p != nil && (len(p.Allocations) == 0 || !c.Withheld(payment) && p.reported() == 0)
}

// reportEnded reports whether a merchant's reports no longer keep up a suspension: it holds no
// money that they pay, or a person has decided. What is not loaded has not changed.
func (d *Draft) reportEnded(c *Company, x Report) bool {
	if !c.LateSuspended() {
		return true
	}
	of := c.Servicing.Held
	if x.Order != "" {
		o := d.Orders.Peek(x.Order)
		if o == nil {
			return false
		}
		of = o.Servicing.Held
	}
	holds := func(p *Payment) bool { return p.Order == x.Order && p.Merchant == x.Merchant && p.reported() > 0 }
	return !slices.ContainsFunc(of, func(id string) bool { p := d.Payments.Peek(id); return p == nil || holds(p) }) &&
		!slices.ContainsFunc(d.Changes.Payments, func(p *Payment) bool { return p.Company == c.ID && holds(p) })
}

// reported is what a payment pays with money that a merchant still holds.
func (p *Payment) reported() money.Amount { return p.Held.Sub(p.HeldExcess()) }

// paid is what a payment pays on an order.
func (p *Payment) paid(order string) money.Amount {
	sum := money.Amount(0)
	for _, a := range p.Allocations {
		if a.Order == order {
			sum = sum.Add(a.Fee).Add(a.Charge).Add(a.Principal)
		}
	}
	return sum
}
