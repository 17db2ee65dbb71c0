package years

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// tillKinds returns what happens to money apart from debits: what people pay manually, what goes
// back, and what staff do with it.
func tillKinds() []string {
	return []string{
		"pay", "pay old", "pay old", "pay off", "pay invoice", "pay ahead", "pay company old", "collect for company", "collect external", "collect external",
		"recover", "recover", "give back", "give back", "pay refund", "pay refund", "pay refund by rail", "ask credit", "credit some",
		"resume", "resume", "correct entry", "consent", "consent", "prenote", "renew autopay", "reverse", "reverse", "same day", "same day",
	}
}

// till generates what happens to money; false if the kind is not one of these, nil if there is
// none for it to happen to.
func (p *cast) till(kind string) (credit.Command, bool) {
	switch kind {
	case "pay", "pay old", "pay off", "pay invoice", "pay ahead", "collect external", "recover":
		return p.payOrder(kind), true
	case "pay company old", "collect for company":
		return p.payCompany(kind), true
	case "give back", "pay refund", "pay refund by rail":
		return p.payBack(kind), true
	case "reverse":
		c, _ := p.draw.Reverse()
		return c, true
	case "ask credit", "credit some":
		return p.creditBack(kind), true
	case "resume", "correct entry":
		return p.resume(kind), true
	case "consent", "prenote", "renew autopay":
		return p.onAccount(kind), true
	case "same day":
		return p.sameDay(), true
	}
	return nil, false
}

// received is money that arrived without a rail.
func (p *cast) received(amount money.Amount) payments.RecordPayment {
	method := sim.Pick(p.y.Source, []credit.Method{credit.Wire, credit.Check, credit.CashM, credit.Other})
	return payments.RecordPayment{Amount: amount, Method: method, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
}

// payOrder generates money that somebody reports for an order: dated today or earlier, everything
// owed, by its invoice, more than is due with the excess held, for an order that the merchant
// collects, or for a charged-off one.
func (p *cast) payOrder(kind string) credit.Command {
	s := p.y.Source
	o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool {
		owes := o.Captured > 0 && p.draw.Books.Owed(o.Key) > 0
		switch kind {
		case "collect external":
			return o.External && owes
		case "recover":
			return o.Financing == credit.FinancingChargedOff
		case "pay invoice":
			return o.Invoice != ""
		}
		return owes
	})
	if !ok {
		return nil
	}
	c := p.received(money.Amount(sim.Between(s, 100, 90_000)))
	c.Order = o.Key
	switch owed := p.draw.Books.Owed(o.Key); kind {
	case "pay old":
		c.EffectiveDate = calendar.Date(sim.Between(s, int64(max(o.CaptureDate, p.draw.Today()-60)), int64(p.draw.Today())))
	case "pay off", "recover":
		if sim.Chance(s, 60) && owed > 0 {
			c.Amount = money.Amount(owed)
		}
	case "pay invoice":
		c.Order, c.Invoice = "", o.Invoice
	case "pay ahead":
		c.Amount, c.HoldExcess = money.Amount(owed+sim.Between(s, 1, 20_000)), true
		if sim.Chance(s, 60) {
			c.Amount = money.Amount(max(1, owed*3/4))
		}
	}
	return c
}

func (p *cast) payCompany(kind string) credit.Command {
	s := p.y.Source
	id := sim.Pick(s, p.draw.Companies())
	x := p.draw.Books.Companies[id]
	c := p.received(money.Amount(sim.Between(s, 100, max(100, int64(x.Outstanding)))))
	c.Company = id
	if kind == "pay company old" {
		c.EffectiveDate = p.draw.Today() - calendar.Date(s.Intn(40))
	}
	return c
}

// payBack generates a manual refund of a payment, or the payment of a refund that is waiting for
// a person.
func (p *cast) payBack(kind string) credit.Command {
	s := p.y.Source
	if kind == "give back" {
		x, ok := onrails.One(p.draw, p.draw.Books.Payments, func(x *credit.Payment) bool { return sim.Counts(x) && x.Transfer == "" && x.Refunded < x.Amount })
		if !ok {
			return nil
		}
		amount := money.Amount(sim.Between(s, 1, int64(x.Amount-x.Refunded)))
		if sim.Chance(s, 40) {
			amount = x.Amount - x.Refunded
		}
		return payments.RefundPayment{Payment: x.ID, Amount: &amount, Reason: "paid twice"}
	}
	x, ok := onrails.One(p.draw, p.draw.Books.Payments, func(x *credit.Payment) bool { return openRefund(x) != "" })
	if !ok {
		return nil
	}
	c := payments.PayRefund{Payment: x.ID, Refund: openRefund(x), Method: sim.Pick(s, []credit.Method{credit.Wire, credit.Check}), Reference: p.draw.Number("paid")}
	if kind == "pay refund by rail" {
		m, ok := onrails.OneOf(p.draw, p.draw.Books.Methods, func(m *credit.PaymentMethod) bool {
			return m.Company == x.Company && m.Type == credit.ACH && m.Status == credit.MethodActive
		})
		if !ok {
			return nil
		}
		c.Method, c.Reference, c.PaymentMethod = "", "", m.ID
	}
	return c
}

// openRefund returns a refund that waits for a person, "" if none does.
func openRefund(x *credit.Payment) string {
	for _, r := range x.Refunds {
		if r.Status == credit.RefundFailed || r.Status == credit.RefundPending && r.Transfer == "" {
			return r.ID
		}
	}
	return ""
}

func (p *cast) creditBack(kind string) credit.Command {
	c, ok := onrails.One(p.draw, p.draw.Books.Companies, func(c *credit.Company) bool { return c.Credit > 0 })
	switch {
	case !ok:
		return nil
	case kind == "ask credit":
		return payments.AskForCredit{Company: c.ID}
	}
	amount := money.Amount(sim.Between(p.y.Source, 1, int64(c.Credit)))
	return payments.SendCredit{Company: c.ID, Amount: &amount}
}

// resume lets items that wait for a person be collected again, or requests the corrected entry
// after a return that allows one.
func (p *cast) resume(kind string) credit.Command {
	s := p.y.Source
	o, ok := onrails.One(p.draw, p.draw.Books.Orders, func(o *credit.Order) bool { return o.Waits() && (kind == "resume" || o.Servicing.Consent != nil) })
	if !ok {
		return nil
	}
	c := lending.ResumeCollection{Order: o.Key}
	if kind == "correct entry" {
		if amount := money.Amount(sim.Between(s, 100, 20_000)); sim.Chance(s, 50) {
			c.Amount = &amount
		}
		if sim.Chance(s, 40) {
			c.On = p.draw.Today().AddBankingDays(2 + s.Intn(6))
		}
	}
	return c
}

// sameDay speeds up a transfer that waits for today's file.
func (p *cast) sameDay() credit.Command {
	t, ok := onrails.OneOf(p.draw, p.draw.Books.Transfers, func(t *credit.Transfer) bool {
		return t.Rail == credit.ACH && t.Status == credit.TransferQueued && t.SendOn == p.draw.Today()
	})
	if !ok {
		return nil
	}
	return payments.SendSameDay{Transfer: t.ID, Reason: "promised"}
}

// onAccount generates a new authorization of debits, an account proved by a prenote, or autopay
// that resumes after a pause.
func (p *cast) onAccount(kind string) credit.Command {
	switch kind {
	case "prenote":
		add := p.bank(sim.Pick(p.y.Source, p.draw.Companies()))
		add.Prenote = true
		return add
	case "renew autopay":
		on := true
		c, ok := onrails.One(p.draw, p.draw.Books.Companies, func(c *credit.Company) bool { return c.Servicing.Autopay.Paused != "" })
		if !ok {
			return nil
		}
		return payments.SetAutopay{Company: c.ID, Enabled: &on}
	}
	m, ok := onrails.OneOf(p.draw, p.draw.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Status == credit.MethodActive })
	if !ok {
		return nil
	}
	return payments.AuthorizeMethod{Method: m.ID, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: p.y.Clock.Now(), Reference: p.draw.Number("terms")}}
}
