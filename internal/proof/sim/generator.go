package sim

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// Generator generates requests that collide: few companies, few numbers, amounts at the edge of
// what fits.
type Generator struct {
	Source Source
	Model  *Model
	// Books returns the newest books, for versions and invoices.
	Books func() *Books
	// Plain limits the generator to what the model computes from the commits alone: no charges, no
	// held money, no versions.
	Plain bool

	keys int
}

// Kinds returns the kinds of commands that Draw knows.
func Kinds() []string {
	return append([]string{
		"create", "authorize", "update", "capture", "capture less", "capture more", "part", "extend", "cancel", "refund",
		"service", "pay order", "pay invoice", "pay company", "pay back", "return", "cancel payment", "company", "program",
	}, accessKinds()...)
}

// weight is how often a kind is generated: what others act on has to be created first, and most
// business is money.
func weight(kind string) int {
	switch kind {
	case "create", "capture":
		return 16
	case "pay order":
		return 10
	case "pay company":
		return 8
	case "refund", "pay back", "update", "part", "cancel":
		return 6
	case "capture less", "return", "authorize":
		return 4
	}
	if slices.Contains(accessKinds(), kind) {
		return 1
	}
	return 2
}

// Weighted lists each kind as often as its weight.
func Weighted() []string {
	var all []string
	for _, kind := range Kinds() {
		for range weight(kind) {
			all = append(all, kind)
		}
	}
	return all
}

// Draw generates a request of a kind as of an instant. It returns false if nothing exists yet for
// the kind to act on.
func (g *Generator) Draw(kind string, today calendar.Date) (Request, bool) {
	c, ok := g.command(kind, today)
	if !ok {
		return Request{}, false
	}
	r := Request{g.actor(c), c}
	if Chance(g.Source, 40) {
		g.keys++
		r.Actor.Key = fmt.Sprint("key ", g.keys)
	}
	return r, true
}

func (g *Generator) command(kind string, today calendar.Date) (credit.Command, bool) {
	switch kind {
	case "create":
		return g.create(), true
	case "pay order", "pay invoice", "pay company":
		return g.pay(kind, today)
	case "pay back", "return", "cancel payment":
		return g.payment(kind)
	case "company":
		return g.company(), true
	case "program":
		return g.program(today), true
	}
	if slices.Contains(accessKinds(), kind) {
		return g.access(kind, today)
	}
	o := g.order(kind)
	if o == nil {
		return nil, false
	}
	return g.onOrder(kind, o), true
}

// actor returns the sender of a command: mostly one who is allowed to, sometimes the other
// merchant.
func (g *Generator) actor(c credit.Command) credit.Actor {
	shops := g.Model.Merchants()
	if a, ok := g.accessActor(c); ok {
		return a
	}
	switch c.(type) {
	case lending.CreateOrder:
		return Shop(Pick(g.Source, shops))
	case lending.UpdateCompany, merchants.AddProgram, payments.ReturnPayment, payments.RecordPayment, payments.RefundPayment:
		// The bounds on merchants' records and refunds (F41.4-F41.7) are not in the model, so staff,
		// who are not bound, record and refund here. Payments on externally managed orders still belong
		// to their merchants.
		return Operator()
	}
	if key := OrderOf(c); key != "" && Chance(g.Source, 93) {
		return Shop(g.Model.order(key).merchant)
	}
	if Chance(g.Source, 30) {
		return Operator()
	}
	return Shop(Pick(g.Source, shops))
}

// OrderOf returns the order that a command names.
func OrderOf(c credit.Command) string {
	switch c := c.(type) {
	case lending.UpdateOrder:
		return c.Order
	case lending.ExtendOrder:
		return c.Order
	case lending.CapturePart:
		return c.Order
	case lending.RefundOrder:
		return c.Order
	case lending.ServiceOrder:
		return c.Order
	case payments.RecordPayment:
		return c.Order
	}
	return ""
}

// wanted is the status on which each kind mostly acts.
func wanted(kind string) credit.OrderStatus {
	switch kind {
	case "authorize":
		return credit.OrderCreated
	case "refund", "pay order", "pay invoice":
		return credit.OrderCaptured
	case "update", "service":
		return ""
	}
	return credit.OrderAuthorized
}

// order picks an order, mostly one on which the kind can succeed.
func (g *Generator) order(kind string) *order {
	keys := g.Model.Orders()
	if len(keys) == 0 {
		return nil
	}
	if want := wanted(kind); want != "" && Chance(g.Source, 85) {
		fit := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return g.Model.order(k).status != want })
		if len(fit) > 0 {
			keys = fit
		}
	}
	if kind == "cancel" && Chance(g.Source, 75) { // partly captured
		parents := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return g.Model.order(k).children == 0 })
		if len(parents) > 0 {
			keys = parents
		}
	}
	return g.Model.order(Pick(g.Source, keys))
}

// amount generates an amount around the given edges and a company's line.
func (g *Generator) amount(edges ...int64) money.Amount {
	var x int64
	switch g.Source.Intn(10) {
	case 0:
		x = 1
	case 1, 2, 3, 4:
		x = Pick(g.Source, edges) + int64(g.Source.Intn(3)) - 1
	case 5:
		x = min(1<<53, int64(money.Max))
	default:
		x = Between(g.Source, 100, 200_000)
	}
	return money.Amount(min(max(x, 1), int64(money.Max)))
}

func (g *Generator) create() lending.CreateOrder {
	company := Pick(g.Source, g.Model.Companies())
	line := g.Model.company(company, len(g.Model.facts)).limit
	c := lending.CreateOrder{
		Company: company, Amount: g.amount(g.Model.available(company), line, line/3), MerchantOrderID: g.number(),
		Installments: g.installments(company), External: Chance(g.Source, 20), Authorize: Chance(g.Source, 60),
	}
	if Chance(g.Source, 4) {
		c.Company = 1 // does not exist
	}
	if Chance(g.Source, 10) {
		c.Charges = &credit.Charges{Total: c.Amount, GrandTotal: c.Amount + money.Amount(g.Source.Intn(2))}
	}
	return c
}

func (g *Generator) number() string {
	if Chance(g.Source, 60) {
		return ""
	}
	return fmt.Sprint("PO-", g.Source.Intn(12))
}

// installments returns a term's installments, sometimes none. The first company keeps to plans
// that the model computes, so that its payments can be followed.
func (g *Generator) installments(company int64) int {
	switch {
	case Chance(g.Source, 4):
		return 5
	case Chance(g.Source, 6):
		return 0
	case g.Plain || company == g.Model.Companies()[0]:
		return Pick(g.Source, []int{1, 3, 2})
	}
	return Pick(g.Source, []int{1, 3, 6, 4, 12, 2})
}

func (g *Generator) onOrder(kind string, o *order) credit.Command {
	switch kind {
	case "authorize":
		return lending.UpdateOrder{Order: o.key, IfMatch: g.etags(o), Status: credit.OrderAuthorized}
	case "capture":
		return lending.UpdateOrder{Order: o.key, IfMatch: g.etags(o), Status: credit.OrderCaptured}
	case "capture less":
		less := money.Amount(Between(g.Source, max(1, o.amount/3), max(1, o.amount-1)))
		return lending.UpdateOrder{Order: o.key, Amount: &less, Status: credit.OrderCaptured}
	case "capture more":
		more := money.Amount(o.amount + Between(g.Source, 1, 5_000))
		if Chance(g.Source, 40) {
			more = money.Amount(max(o.amount+1, g.Model.available(o.company)+o.reserved+int64(g.Source.Intn(3))-1))
		}
		more = min(more, money.Max)
		return lending.UpdateOrder{Order: o.key, Amount: &more, Status: credit.OrderCaptured}
	case "part":
		amount := g.amount(o.reserved, o.reserved/2)
		if Chance(g.Source, 50) {
			amount = money.Amount(Between(g.Source, max(1, o.reserved/4), max(1, o.reserved*3/4)))
		}
		return lending.CapturePart{Order: o.key, Amount: amount, MerchantOrderID: g.number()}
	case "extend":
		return lending.ExtendOrder{Order: o.key}
	case "cancel":
		return lending.UpdateOrder{Order: o.key, Status: credit.OrderCanceled}
	case "service":
		return lending.ServiceOrder{Order: o.key}
	case "refund":
		return g.refund(o)
	}
	return g.update(o)
}

// etags returns an If-Match of the order's version or an older one, mostly none.
func (g *Generator) etags(o *order) []string {
	if g.Plain || !Chance(g.Source, 15) {
		return nil
	}
	return []string{fmt.Sprintf("%q", fmt.Sprint(g.Books().Version(o.key)-g.Source.Intn(2)))}
}

func (g *Generator) update(o *order) lending.UpdateOrder {
	c := lending.UpdateOrder{Order: o.key, IfMatch: g.etags(o)}
	if Chance(g.Source, 60) {
		amount := g.amount(g.Model.available(o.company)+o.reserved, o.amount, o.amount/2)
		c.Amount = &amount
	}
	if Chance(g.Source, 30) {
		c.Installments = &lending.Patch[int]{Value: g.installments(o.company)}
	}
	if Chance(g.Source, 20) {
		c.MerchantOrderID = &lending.Patch[string]{Value: g.number()}
	}
	if Chance(g.Source, 20) {
		c.MerchantStatus = &lending.Patch[string]{Value: Pick(g.Source, []string{"packed", "sent"})}
	}
	if Chance(g.Source, 15) {
		c.Status = Pick(g.Source, []credit.OrderStatus{credit.OrderAuthorized, credit.OrderCanceled, credit.OrderCaptured})
	}
	return c
}

func (g *Generator) refund(o *order) lending.RefundOrder {
	c := lending.RefundOrder{Order: o.key, IfMatch: g.etags(o), Reason: "returned"}
	if Chance(g.Source, 75) {
		left := o.captured - o.refunded()
		amount := g.amount(left, left/2)
		c.Amount = &amount
	}
	if Chance(g.Source, 60) {
		c.Reference = fmt.Sprint("R-", g.Source.Intn(3))
	}
	if n := len(o.refunds); n > 0 && o.refunds[n-1].reference != "" && Chance(g.Source, 50) { // the newest one again
		c.Reference = o.refunds[n-1].reference
		if Chance(g.Source, 70) {
			c.Amount = nil
		}
	}
	return c
}

// Ended generates a request around the end of an authorization: a capture at that very instant,
// or the service of an order whose authorization has ended.
func (g *Generator) Ended(now time.Time) (Request, bool) {
	for _, key := range g.Model.Orders() {
		o := g.Model.order(key)
		switch {
		case o.status != credit.OrderAuthorized || o.expires.After(now):
		case o.expires.Equal(now):
			return Request{Shop(o.merchant), lending.UpdateOrder{Order: key, Status: credit.OrderCaptured}}, true
		case Chance(g.Source, 50):
			return Request{Operator(), lending.ServiceOrder{Order: key}}, true
		}
	}
	return Request{}, false
}

func (g *Generator) company() lending.UpdateCompany {
	id := Pick(g.Source, g.Model.Companies())
	c := lending.UpdateCompany{Company: id, Reasons: []string{"credit_score"}}
	switch g.Source.Intn(4) {
	case 0:
		used := g.Model.reserved(id) + g.Model.outstanding(id)
		limit := money.Amount(max(0, Pick(g.Source, []int64{used, used - 1, used + 50_000, 1_000_000})))
		c.Limit = &limit
	case 1:
		c.Status = Pick(g.Source, []credit.CompanyStatus{credit.CompanyOnHold, credit.CompanySuspended, credit.CompanyPending})
	case 2:
		c.Status = credit.CompanyApproved
	default:
		merchant := Pick(g.Source, g.Model.Merchants())
		if Chance(g.Source, 60) {
			c.Link = []string{merchant}
		} else {
			c.Unlink = []string{merchant}
		}
	}
	return c
}

// program changes a merchant's prices from a later day on.
func (g *Generator) program(today calendar.Date) merchants.AddProgram {
	shops := g.Model.Merchants()
	n := g.Source.Intn(len(shops))
	s := Settings(n)
	s.Terms = slices.Clone(s.Terms)
	for i := range s.Terms {
		s.Terms[i].DiscountRate += money.Rate(g.Source.Intn(3) * 5000)
	}
	return merchants.AddProgram{Merchant: shops[n], From: today + calendar.Date(g.Source.Intn(4)), Settings: s}
}
