package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// startHold notes that a payment's money has arrived and is not good yet: the principal
// that it pays does not free the line (F24).
func (d *Draft) startHold(p *Payment) {
	c := d.Companies.Edit(p.Company)
	c.Servicing.Unripe = append(slices.Clone(c.Servicing.Unripe), p.ID)
}

// ripen notes that a payment's money is good.
func (d *Draft) ripen(p *Payment) {
	c := d.Companies.Edit(p.Company)
	c.Servicing.Unripe = slices.DeleteFunc(slices.Clone(c.Servicing.Unripe), func(id string) bool { return id == p.ID })
	if len(c.Servicing.Unripe) == 0 {
		c.Servicing.Unripe = nil
	}
}

// endHold ends each hold on a payment's money, which has gone back.
func (d *Draft) endHold(p *Payment) {
	d.ripen(p)
	c := d.Companies.Edit(p.Company)
	c.Servicing.Recallable = without(c.Servicing.Recallable, func(r Recallable) bool { return r.Payment == p.ID })
	p.OnHold = 0
}

// heldOf is what a payment holds back from the line: the principal that it pays now,
// as long as its money is not good, or can be called back (F24).
func (d *Draft) heldOf(p *Payment) money.Amount {
	if p.FromMerchant {
		return p.HeldPrincipal()
	}
	if !d.Companies.Peek(p.Company).Withheld(p.ID) {
		return 0
	}
	return p.Principal()
}

// finishHolds brings what companies have on hold in step with their payments (F26).
func (d *Draft) finishHolds() {
	for _, p := range d.Changes.Payments {
		delta := p.OnHold
		if was := d.State.Payments[p.ID]; was != nil {
			delta = delta.Sub(was.OnHold)
		}
		if delta != 0 {
			c := d.Companies.Edit(p.Company)
			c.OnHold = c.OnHold.Add(delta)
		}
	}
}

// heldBack is by how much the command has changed what a company's payments hold back so far.
func (d *Draft) heldBack(company int64) money.Amount {
	sum := money.Amount(0)
	for _, p := range d.Changes.Payments {
		if p.Company != company {
			continue
		}
		sum = sum.Add(p.OnHold)
		if was := d.State.Payments[p.ID]; was != nil {
			sum = sum.Sub(was.OnHold)
		}
	}
	return sum
}

// finishOther lets what a company owes on 1130 without an order take its line (F41.7).
func (d *Draft) finishOther() {
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			if p.Account == ledger.OtherReceivable && p.Order == "" && p.Company != 0 {
				x := d.Companies.Edit(p.Company)
				x.Outstanding = x.Outstanding.Add(p.Amount)
			}
		}
	}
}

// holdFunds fixes when the money of a debit that has settled becomes good: after the
// banking days of the programs of the orders that it may pay, more for the first debit
// of an account (F24). That of a card is good at once.
func (d *Draft) holdFunds(t *Transfer) {
	if !t.Rail.Can().Ripen {
		d.withhold(t)
		return
	}
	p := d.Payments.Peek(t.Payment)
	days, first := 0, 0
	orders := d.paid(p)
	for _, key := range orders {
		s := d.orderSettings(key)
		days, first = max(days, s.GoodFundsDays), max(first, s.FirstGoodFundsDays)
	}
	if len(orders) == 0 { // nothing says otherwise: all of it is credit, which goes back no sooner (F36)
		s := DefaultSettings()
		days, first = s.GoodFundsDays, s.FirstGoodFundsDays
	}
	if m := d.Methods.Peek(t.Method); m != nil && m.FirstSettled == calendar.None {
		d.Methods.Edit(t.Method).FirstSettled = t.SettlesOn
		days = first
	}
	t.ReleaseOn = t.SettlesOn.AddBankingDays(days)
	t.NextAt = d.Env.Zone.Start(t.ReleaseOn)
}

// releaseTransfer lets the money of a debit be good (F24), or lets it free the line when it
// cannot be called back any more, or the account be debited to which a prenote went (F22).
func (d *Draft) releaseTransfer(t *Transfer) {
	t.ReleaseOn, t.NextAt = calendar.None, time.Time{}
	if t.Kind == TransferPrenote {
		if m := d.Methods.Peek(t.Method); m.Status == MethodUnverified {
			d.vouch(d.Methods.Edit(t.Method), VerifiedByPrenote, "")
		}
		return
	}
	p := d.Payments.Edit(t.Payment)
	if d.ripen(p); !d.withhold(t) {
		p.OnHold = 0
		d.forgetRecallable(p)
	}
}
