package sim

import (
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
)

// Model knows what has been accepted, and nothing else: it answers every question with a loop
// over the whole history. It is the naive reading of the rules that the core is compared with.
type Model struct {
	location *time.Location
	facts    []fact
	seen     Seen
	readTo   int64 // events up to this commit have been compared with their readers

	// Cached results of this history, dropped with the next fact.
	orders   map[string]*order
	payments map[string]*payment
	purses   map[string]*funds
}

// Seen is what the model reads from the world because it does not compute it: the figures of
// AMORTIZED and FLAT_FEE loans, versions, and invoices.
type Seen interface {
	Unpaid(order string) int64
	Version(order string) int
	Freed(payment string) int64
	OnHold(payment string) int64
	OrderOfInvoice(invoice string) string
}

// fact is an accepted command.
type fact struct {
	at      time.Time
	day     calendar.Date
	actor   credit.Actor
	command credit.Command
	id      string // of the resource it answered with
	amount  int64  // that a payment's refund gave back
	never   int64  // part of amount that a merchant only reported and takes back (F41.5)
	debtor  string // order that owes what left the house of a company's payment (F16)
}

// NewModel returns a model without history. seen may be nil if every order has one of the plans
// that the model computes.
func NewModel(location *time.Location, seen Seen) *Model {
	return &Model{location: location, seen: seen}
}

// Accept adds an accepted command, with the identifier of its result.
func (m *Model) Accept(at time.Time, r Request, id string) {
	back := m.givenBack(r.Command)
	m.facts = append(m.facts, fact{at, m.day(at), r.Actor, r.Command, id, back, m.never(r.Command, back), m.debtor(r.Command)})
	m.orders, m.payments, m.purses = nil, nil, nil
}

// givenBack is what a refund of a payment gives back: the stated amount, or all that is left.
func (m *Model) givenBack(c credit.Command) int64 {
	r, ok := c.(payments.RefundPayment)
	switch {
	case !ok:
		return 0
	case r.Amount != nil:
		return int64(*r.Amount)
	}
	return m.refundable(m.payment(r.Payment))
}

// never is the part of a refund that was never paid: all that a merchant gives back of what it
// holds, which for an unfunded order is only the excess (F33, F41.5).
func (m *Model) never(c credit.Command, back int64) int64 {
	r, ok := c.(payments.RefundPayment)
	if !ok {
		return 0
	}
	p := m.payment(r.Payment)
	switch {
	case !p.held:
		return 0
	case p.order == "" || !m.order(p.order).term.unfunded:
		return back
	}
	return min(back, m.replay(p.company, m.only(p)).unapplied(p.id))
}

// refundable is what is left of a payment to refund (F41.3).
func (m *Model) refundable(p *payment) int64 { return max(0, p.amount-p.refunded-m.freed(p)) }

// debtor is the order that owes the money of a payment that left the house: the payment's own,
// else the first that it paid, else the company's first that is not externally managed.
func (m *Model) debtor(c credit.Command) string {
	id := ""
	switch c := c.(type) {
	case payments.RefundPayment:
		id = c.Payment
	case payments.ReturnPayment:
		id = c.Payment
	default:
		return ""
	}
	p := m.payment(id)
	if p.order != "" || !m.allExact(p.company) {
		return p.order
	}
	played := m.replay(p.company, "")
	var paid []string
	for _, s := range played.paid[p.id] {
		if s.amount > 0 {
			paid = append(paid, s.order)
		}
	}
	if len(paid) > 0 {
		return slices.Min(paid)
	}
	for _, l := range played.loans {
		if !m.order(l.key).external {
			return l.key
		}
	}
	return ""
}

// day returns the business date of an instant.
func (m *Model) day(at time.Time) calendar.Date {
	return calendar.Of(at.In(m.location).Date())
}

// program is a version of a merchant's terms.
type program struct {
	version  int
	from     calendar.Date
	settings credit.Settings
}

// programs returns a merchant's versions, or nil if the merchant does not exist.
func (m *Model) programs(merchant string) []program {
	var all []program
	for _, f := range m.facts {
		switch c := f.command.(type) {
		case merchants.CreateMerchant:
			if f.id == merchant {
				all = append(all, program{1, f.day, c.Settings})
			}
		case merchants.AddProgram:
			if c.Merchant == merchant {
				all = append(all, program{len(all) + 1, c.From, c.Settings})
			}
		}
	}
	return all
}

// recall returns the cached value of a key, or computes it from the history. The result is shared
// and must not be changed.
func recall[K comparable, T any](known *map[K]T, key K, tell func() T) T {
	if x, ok := (*known)[key]; ok {
		return x
	}
	if *known == nil {
		*known = map[K]T{}
	}
	x := tell()
	(*known)[key] = x
	return x
}

// inForce returns the version in force on a business date (F30).
func (m *Model) inForce(merchant string, day calendar.Date) *program {
	var found *program
	for _, p := range m.programs(merchant) {
		if p.from <= day {
			found = &p
		}
	}
	return found
}

// company is the state of a company.
type company struct {
	id     int64
	status credit.CompanyStatus
	tier   string
	limit  int64
	linked []string
}

// company replays a company up to a fact; nil if it does not exist.
func (m *Model) company(id int64, until int) *company {
	var c *company
	for _, f := range m.facts[:until] {
		switch x := f.command.(type) {
		case lending.CreateCompany:
			if f.id == strconv.FormatInt(id, 10) {
				c = &company{id, x.Status, x.Tier, int64(x.Limit), slices.Clone(x.Merchants)}
			}
		case lending.UpdateCompany:
			if x.Company != id {
				continue
			}
			if x.Limit != nil {
				c.limit = int64(*x.Limit)
			}
			if x.Tier != "" {
				c.tier = x.Tier
			}
			if x.Status != "" {
				c.status = x.Status
			}
			for _, merchant := range x.Link {
				if !slices.Contains(c.linked, merchant) {
					c.linked = append(c.linked, merchant)
				}
			}
			c.linked = slices.DeleteFunc(c.linked, func(l string) bool { return slices.Contains(x.Unlink, l) })
		}
	}
	return c
}

// Companies lists the companies in order of creation.
func (m *Model) Companies() []int64 {
	var all []int64
	for _, f := range m.facts {
		if _, ok := f.command.(lending.CreateCompany); ok {
			id, _ := strconv.ParseInt(f.id, 10, 64)
			all = append(all, id)
		}
	}
	return all
}

// Merchants lists the merchants in order of creation.
func (m *Model) Merchants() []string {
	var all []string
	for _, f := range m.facts {
		if _, ok := f.command.(merchants.CreateMerchant); ok {
			all = append(all, f.id)
		}
	}
	return all
}

// Orders lists the orders in order of creation, including children.
func (m *Model) Orders() []string {
	var all []string
	for _, f := range m.facts {
		switch f.command.(type) {
		case lending.CreateOrder, lending.CapturePart:
			all = append(all, f.id)
		}
	}
	return all
}

// Payments lists the payments in order of recording.
func (m *Model) Payments() []string {
	var all []string
	for _, f := range m.facts {
		if _, ok := f.command.(payments.RecordPayment); ok {
			all = append(all, f.id)
		}
	}
	return all
}

// reserved is what a company's AUTHORIZED orders reserve of its line.
func (m *Model) reserved(company int64) int64 {
	sum := int64(0)
	for _, key := range m.Orders() {
		if o := m.order(key); o.company == company {
			sum += o.reserved
		}
	}
	return sum
}

// outstanding is the unpaid principal of a company's orders.
func (m *Model) outstanding(company int64) int64 {
	sum := int64(0)
	for _, key := range m.Orders() {
		if o := m.order(key); o.company == company && o.captured > 0 {
			sum += m.unpaid(o)
		}
	}
	return sum
}

// unpaid is an order's unpaid principal, computed where the model can.
func (m *Model) unpaid(o *order) int64 {
	if m.exact(o) {
		return m.loans(o.company, o.key)[o.key].unpaidPrincipal()
	}
	return m.seen.Unpaid(o.key)
}

// available is limit − outstanding − reserved − on hold (F26, F41.4).
func (m *Model) available(id int64) int64 {
	return m.company(id, len(m.facts)).limit - m.outstanding(id) - m.reserved(id) - m.onHold(id)
}

// numberTaken reports whether a merchant has another order with this number that is not CANCELED.
func (m *Model) numberTaken(merchant, number string) bool {
	if number == "" {
		return false
	}
	for _, key := range m.Orders() {
		o := m.order(key)
		if o.merchant == merchant && o.number == number && o.status != credit.OrderCanceled {
			return true
		}
	}
	return false
}

// externalIDTaken reports whether a payment of the caller has this identifier.
func (m *Model) externalIDTaken(merchant, id string) bool {
	if id == "" {
		return false
	}
	for _, f := range m.facts {
		if c, ok := f.command.(payments.RecordPayment); ok && c.ExternalID == id && f.actor.Merchant == merchant {
			return true
		}
	}
	return false
}
