package sim

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// pay generates money that a merchant or the operator reports.
func (g *Generator) pay(kind string, today calendar.Date) (credit.Command, bool) {
	c := payments.RecordPayment{
		Method: Pick(g.Source, []credit.Method{credit.Wire, credit.Check, credit.CashM, credit.Other}), ScheduledDate: calendar.None,
		EffectiveDate: calendar.None, HoldExcess: !g.Plain && Chance(g.Source, 20),
	}
	if Chance(g.Source, 4) {
		c.Method = credit.ACH
	}
	if Chance(g.Source, 10) {
		c.ExternalID = fmt.Sprint("X-", g.Source.Intn(6))
	}
	oldest := today - 60
	if kind == "pay company" {
		company := g.debtor()
		c.Company, c.Amount = company, g.amount(g.Model.outstanding(company), 50_000)
	} else {
		o := g.order(kind)
		if o == nil {
			return nil, false
		}
		c.Order, c.Amount = o.key, g.amount(g.owed(o), o.captured/3)
		if o.captured > 0 {
			oldest = o.captureDay - 1
		}
		if kind == "pay invoice" {
			if c.Invoice = g.invoice(o.key); c.Invoice == "" {
				return nil, false
			}
			c.Order = ""
		}
	}
	switch {
	case Chance(g.Source, 35):
		c.EffectiveDate = calendar.Date(Between(g.Source, int64(oldest), int64(today)))
	case Chance(g.Source, 3):
		c.EffectiveDate = today + 1
	}
	return c, true
}

// debtor picks a company, mostly the one with the most orders that owe something.
func (g *Generator) debtor() int64 {
	companies := g.Model.Companies()
	if Chance(g.Source, 40) {
		return Pick(g.Source, companies)
	}
	open := map[int64]int{}
	for _, key := range g.Model.Orders() {
		if o := g.Model.order(key); o.captured > 0 && !o.external && g.owed(o) > 0 {
			open[o.company]++
		}
	}
	return slices.MaxFunc(companies, func(a, b int64) int { return open[a] - open[b] })
}

// owed is what an order owes, as far as the generator can see.
func (g *Generator) owed(o *order) int64 {
	if o.captured == 0 {
		return o.amount
	}
	if g.Model.exact(o) {
		return g.Model.loans(o.company, o.key)[o.key].unpaid()
	}
	return g.Books().Owed(o.key)
}

func (g *Generator) invoice(order string) string {
	if o := g.Books().Orders[order]; o != nil {
		return o.Invoice
	}
	return ""
}

// payment generates an action on a payment, mostly on one that still counts.
func (g *Generator) payment(kind string) (credit.Command, bool) {
	ids := g.Model.Payments()
	if len(ids) == 0 {
		return nil, false
	}
	if Chance(g.Source, 80) {
		holds := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			s := g.Model.payment(id).status()
			return s == credit.PaymentReturned || kind == "pay back" && s == credit.PaymentRefunded
		})
		if len(holds) > 0 {
			ids = holds
		}
	}
	p := g.Model.payment(Pick(g.Source, ids))
	switch kind {
	case "return":
		return payments.ReturnPayment{Payment: p.id, Code: "bounced", Message: "The check bounced."}, true
	case "cancel payment":
		return payments.CancelPayment{Payment: p.id}, true
	}
	c := payments.RefundPayment{Payment: p.id, Reason: "paid twice"}
	if Chance(g.Source, 80) {
		left := p.amount - p.refunded
		amount := g.amount(left, left/2)
		c.Amount = &amount
	}
	return c, true
}

// Later generates an instant after now: some random time, or exactly when something falls due,
// expires or ends a month.
func (g *Generator) Later(now time.Time) time.Time {
	var edges []time.Time
	for _, key := range g.Model.Orders() {
		o := g.Model.order(key)
		if o.status == credit.OrderAuthorized && o.expires.After(now) {
			edges = append(edges, o.expires, o.expires.Add(-time.Microsecond), o.expires.Add(-5*24*time.Hour))
		}
		if o.captured > 0 {
			for k := 1; k <= o.n; k++ {
				edges = append(edges, g.Model.noon(o.term.due(o.captureDay, k)))
			}
		}
	}
	edges = slices.DeleteFunc(edges, func(t time.Time) bool { return !t.After(now) || t.After(now.Add(70*24*time.Hour)) })
	switch n := g.Source.Intn(10); {
	case n < 3 && len(edges) > 0:
		return Pick(g.Source, edges)
	case n == 3:
		day := g.Model.day(now) + 1
		for {
			if _, _, d := day.Civil(); d == 31 {
				return g.Model.noon(day)
			}
			day++
		}
	case n == 4:
		return now.Add(time.Duration(Between(g.Source, 1, 40)) * 24 * time.Hour)
	case n < 7:
		return now.Add(time.Duration(Between(g.Source, 1, 72)) * time.Hour)
	}
	return now.Add(time.Duration(Between(g.Source, 1, 600)) * time.Second)
}

// noon returns an instant on a business date.
func (m *Model) noon(day calendar.Date) time.Time {
	y, month, d := day.Civil()
	return time.Date(y, month, d, 12, 0, 0, 0, m.location).UTC()
}

// Held lists the orders that held money waits for: their service pays what falls due on them, it
// is not paid automatically.
func (b *Books) Held() []string {
	waiting := map[string]bool{}
	for _, credits := range b.Credits {
		for _, c := range credits {
			if c.Hold {
				waiting[c.Order] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(waiting))
}

// Due lists the orders that a daily run would service.
func (m *Model) Due() []string {
	return slices.DeleteFunc(m.Orders(), func(key string) bool {
		o := m.order(key)
		return o.status != credit.OrderAuthorized && o.captured == 0
	})
}
