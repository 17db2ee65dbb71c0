package lending

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// StartHold records that a payment's money has arrived and is not good yet: the principal it
// pays does not free the line (F24).
func StartHold(d *credit.Draft, p *credit.Payment) {
	c := d.Companies.Edit(p.Company)
	c.Servicing.Unripe = append(slices.Clone(c.Servicing.Unripe), p.ID)
}

// ripen records that a payment's money is good.
func ripen(d *credit.Draft, p *credit.Payment) {
	c := d.Companies.Edit(p.Company)
	c.Servicing.Unripe = slices.DeleteFunc(slices.Clone(c.Servicing.Unripe), func(id string) bool { return id == p.ID })
	if len(c.Servicing.Unripe) == 0 {
		c.Servicing.Unripe = nil
	}
}

// EndHold ends every hold on a payment whose money has gone back.
func EndHold(d *credit.Draft, p *credit.Payment) {
	ripen(d, p)
	c := d.Companies.Edit(p.Company)
	c.Servicing.Recallable = credit.Without(c.Servicing.Recallable, func(r credit.Recallable) bool { return r.Payment == p.ID })
	p.OnHold = 0
}

// heldOf is what a payment withholds from the line: the principal it currently pays, as long
// as its money is not good or can be recalled (F24).
func heldOf(d *credit.Draft, p *credit.Payment) money.Amount {
	if p.FromMerchant {
		return p.HeldPrincipal()
	}
	if !d.Companies.Peek(p.Company).Withheld(p.ID) {
		return 0
	}
	return p.Principal()
}

// HeldBack is the command's change so far of what a company's payments withhold.
func HeldBack(d *credit.Draft, company int64) money.Amount {
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

// HoldFunds sets when the money of a settled debit becomes good: after the banking days set by
// the programs of the orders that it may pay, more for the first debit of an account (F24).
// Card money is good at once.
func HoldFunds(d *credit.Draft, t *credit.Transfer) {
	if !t.Rail.Can().Ripen {
		Withhold(d, t)
		return
	}
	p := d.Payments.Peek(t.Payment)
	days, first := 0, 0
	orders := NotePaid(d, p)
	for _, key := range orders {
		s := d.OrderSettings(key)
		days, first = max(days, s.GoodFundsDays), max(first, s.FirstGoodFundsDays)
	}
	if len(orders) == 0 { // nothing sets the days: all of it is credit, which goes back no sooner (F36)
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

// ReleaseTransfer makes a debit's money good (F24), lets it free the line once it can no
// longer be recalled, or allows debits of an account that was prenoted (F22).
func ReleaseTransfer(d *credit.Draft, t *credit.Transfer) {
	t.ReleaseOn, t.NextAt = calendar.None, time.Time{}
	if t.Kind == credit.TransferPrenote {
		if m := d.Methods.Peek(t.Method); m.Status == credit.MethodUnverified {
			Vouch(d, d.Methods.Edit(t.Method), VerifiedByPrenote, "")
		}
		return
	}
	p := d.Payments.Edit(t.Payment)
	if ripen(d, p); !Withhold(d, t) {
		p.OnHold = 0
		forgetRecallable(d, p)
	}
}
