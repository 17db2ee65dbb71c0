package years

import (
	"context"
	"errors"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// kinds lists what people do, each as often as its weight. In most lives they leave collection to
// autopay and the scheduler, so that debits have time to be returned and retried; in the busy
// ones they also pay, refund, change and decide manually.
func (p *cast) kinds() []string {
	all := []string{
		"refund order", "order autopay", "hold order", "reschedule", "reamortize", "charge off", "reverse charge-off", "waive", "debit company", "report", "cancel payment", "pay back", "send credit",
		"hold payouts", "remit", "fund", "close", "send notice", "remove", "add bank", "add bank verified", "verify", "add card",
		"autopay", "autopay", "autopay", "autopay", "autopay",
	}
	if p.y.busy {
		all = append(all, "autopay", "autopay", "autopay", "unfreeze", "ask reasons")
	}
	all = append(all, "merchant account", "approve", "approve", "approve", "external order", "bounce", "overpay")
	for _, kind := range []string{"order", "capture", "order", "capture", "capture", "debit", "debit card"} {
		all = append(all, kind, kind, kind, kind)
		if p.y.busy {
			all = append(all, kind, kind)
		}
	}
	if !p.y.busy {
		return all
	}
	return slices.Concat(all, shopKinds(), tillKinds(), staffKinds(), onrails.ReceiptKinds())
}

// request generates a request of a kind from what was last seen of the books; false if nothing
// exists for it to act on. What was seen may be outdated: then the request is refused.
func (p *cast) request(kind string) (sim.Request, bool) {
	r := p.draw
	if kind == "close" {
		books, err := sim.ReadBooks(p.y.Faulty.Backend) // the person who closes a month has read it
		if err != nil {
			p.y.never("%w", err)
			return sim.Request{}, false
		}
		r.Books = books
	}
	r.Prepares = false
	if c, ok := p.own(kind); ok {
		if c == nil {
			return sim.Request{}, false
		}
		return sim.Request{Actor: p.actor(kind, c), Command: c}, true
	}
	return r.Draw(kind)
}

// actor returns the sender: mostly the shop that owns the order or holds the money; the lender's
// staff for everything else.
func (p *cast) actor(kind string, c credit.Command) credit.Actor {
	switch x := c.(type) {
	case payments.RecordPayment:
		switch shop := strings.HasPrefix(kind, "collect") || kind == "pay invoice" && sim.Chance(p.y.Source, 40); {
		case !shop:
			return sim.Operator()
		case x.Company != 0:
			return sim.Shop(sim.Pick(p.y.Source, p.merchants))
		case x.Invoice != "":
			return sim.Shop(p.draw.Books.Invoices[x.Invoice].Merchant)
		}
		return sim.Shop(p.draw.Books.Orders[x.Order].Merchant)
	case lending.CreateOrder:
		return p.draw.Actor(c)
	}
	if slices.Contains(hookKinds(), kind) {
		return sim.Shop(p.shopOf(c))
	}
	if o := p.draw.Books.Orders[sim.OrderOf(c)]; o != nil && slices.Contains(shopKinds(), kind) && sim.Chance(p.y.Source, 80) {
		return sim.Shop(o.Merchant)
	}
	return sim.Operator()
}

// see reads the part of the books that people see: not the entries and the logs.
func (p *cast) see() error {
	b := sim.NewBooks()
	p.draw.Books = b
	err := p.y.Faulty.Backend.View(context.Background(), func(v store.View) error {
		return errors.Join(b.ReadNouns(v), b.Rails.Read(v), b.ReadEndpoints(v), b.ReadRecords(v))
	})
	p.merchants = nil
	for _, m := range b.Merchants {
		p.merchants = append(p.merchants, m.ID)
	}
	return err
}

// own generates what people do differently from RailRun or in addition to it; false if the kind
// is not one of these, nil if there is nothing to act on.
func (p *cast) own(kind string) (credit.Command, bool) {
	r, s := p.draw, p.y.Source
	company := sim.Pick(s, r.Companies())
	switch kind {
	case "add bank":
		return p.bank(company), true
	case "add bank verified":
		add := p.bank(company)
		add.Verify = true
		return add, true
	case "add card":
		return p.card(company), true
	case "verify":
		m, ok := onrails.OneOf(r, r.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Verification != nil })
		if !ok {
			return nil, true
		}
		amounts := slices.Clone(m.Verification.Amounts)
		if sim.Chance(s, 30) {
			amounts[0]++
		}
		return payments.VerifyPaymentMethod{Method: m.ID, Amounts: amounts}, true
	case "autopay":
		card := sim.Chance(s, 20)
		m, ok := onrails.OneOf(r, r.Books.Methods, func(m *credit.PaymentMethod) bool {
			return m.Status == credit.MethodActive && (m.Type == credit.Card) == card
		})
		if !ok {
			return p.bank(company), true
		}
		on := !sim.Chance(s, 4)
		if sim.Chance(s, 25) { // the company's instruction for its credit
			return payments.SetAutopay{Company: m.Company, Credit: &on}, true
		}
		return payments.SetAutopay{Company: m.Company, Enabled: &on, Method: &m.ID}, true
	case "merchant account":
		holder := "merchant"
		if sim.Chance(s, 10) {
			holder = sim.Pick(s, listed())
		}
		id := sim.Pick(s, p.merchants)
		set := merchants.SetMerchantAccount{Merchant: id, Bank: p.account(payments.PaidAccount(id), holder, p.number()), Debits: !sim.Chance(s, 30)}
		if sim.Chance(s, 60) {
			set.CoolingOff = credit.CoolingOffDays
		}
		return set, true
	case "approve":
		c, ok := onrails.One(r, r.Books.Companies, func(c *credit.Company) bool { return c.Status != credit.CompanyApproved })
		if !ok {
			return nil, true
		}
		if c.Servicing.NeedsVerified {
			return p.prove(c.ID), true
		}
		return lending.UpdateCompany{Company: c.ID, Status: credit.CompanyApproved}, true
	}
	for _, draw := range []func(string) (credit.Command, bool){p.shop, p.till, p.staff, p.hook} {
		if c, ok := draw(kind); ok {
			return c, true
		}
	}
	return p.ownMoney(kind, company)
}

// prove generates what staff require before they approve a company again after its debits were
// returned: a payment method verified by a card's mandate, by their own word, or by amounts that
// the holder names.
func (p *cast) prove(company int64) credit.Command {
	m, ok := onrails.OneOf(p.draw, p.draw.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Company == company && m.Verification != nil })
	switch {
	case ok:
		return payments.VerifyPaymentMethod{Method: m.ID, Amounts: m.Verification.Amounts}
	case sim.Chance(p.y.Source, 30):
		return p.card(company)
	}
	add := p.bank(company)
	add.Verify = sim.Chance(p.y.Source, 50)
	return add
}

func (p *cast) ownMoney(kind string, company int64) (credit.Command, bool) {
	r, s := p.draw, p.y.Source
	switch kind {
	case "external order":
		return lending.CreateOrder{
			Company: company, Amount: money.Amount(sim.Between(s, 5_000, 90_000)), Authorize: true, External: true, Installments: sim.Pick(s, []int{1, 3, 4}),
		}, true
	case "bounce":
		x, ok := onrails.One(r, r.Books.Payments, func(x *credit.Payment) bool {
			return sim.Counts(x) && (x.Method == credit.Check || x.Method == credit.Wire) && x.Transfer == ""
		})
		if !ok {
			return nil, true
		}
		return payments.ReturnPayment{Payment: x.ID, Code: "bounced"}, true
	case "overpay":
		c := r.Books.Companies[company]
		return payments.RecordPayment{
			Company: company, Amount: c.Outstanding + money.Amount(sim.Between(s, 100, 90_000)), Method: credit.Wire,
			ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		}, true
	}
	return nil, false
}
