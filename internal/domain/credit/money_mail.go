package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// The owners of a company are written to about its money: what has come in, what has come
// back, what is due, what is debited, what is late. Each mail is queued by the command that
// causes it. It says what it is about by identifiers alone; its figures are read from the books
// when it is written. Companies for which nobody acts cost nothing of this.

// How many mails about money are written for a company on a business day: of all kinds, and of
// debits that came back besides. What is late is told once a day, whatever else is.
const (
	MaxMoneyMails    = 20
	MaxReturnedMails = 40 // and of new disclosures
)

// Payer is somebody who has paid for a company in a session of her own: she hears what became
// of it as the owners do.
type Payer struct {
	Payment string        `json:"payment"`
	Person  string        `json:"person"`
	Until   calendar.Date `json:"until,omitzero"` // day on which it is forgotten; 0 while the debit is on its way
}

// payerDays is how long after it has come in a payment is remembered as somebody's: nearly all
// that come back do so within that time.
const payerDays = 10

// CompanyTold is what a company's owners were written about its money.
type CompanyTold struct {
	On     calendar.Date `json:"on,omitzero"`     // business day that Mails counts
	Mails  int           `json:"mails,omitzero"`  // on it, without those about what is late
	Late   calendar.Date `json:"late,omitzero"`   // day on which they were last told that something is late
	Stated calendar.Date `json:"stated,omitzero"` // last day of the month whose statement they were told of last
}

// OwnersWriter is a command that tells owners of money, so that it has to load a company's
// people. A merchant's report of money is not told: it says only what the merchant has, not
// what the lender has received.
type OwnersWriter interface {
	WritesOwners(e Env) bool
}

// withOwners adds the people of the companies whose owners a command may write to.
func withOwners(k Keys, c Command, s *State, e Env) Keys {
	if w, ok := c.(OwnersWriter); !ok || !w.WritesOwners(e) {
		return k
	}
	for _, id := range k.Companies {
		if x := s.Companies[id]; x != nil && len(x.Servicing.People) > 0 {
			k.Records = slices.Clone(k.Records)
			for _, p := range x.Servicing.People {
				k.Records = append(k.Records, RecordKey{NounPerson, p})
			}
		}
	}
	return k
}

// KnowsPeople reports whether the command has asked for the people of a company, and that there
// are some. What neighbors in a batch have loaded does not count.
func (d *Draft) KnowsPeople(x *Company) bool {
	if x == nil || len(x.Servicing.People) == 0 || d.Env.asked == nil {
		return false
	}
	return !slices.ContainsFunc(x.Servicing.People, func(p string) bool {
		return !slices.Contains(d.Env.asked.Records, RecordKey{NounPerson, p})
	})
}

// asked is a company that the command has asked for, nil if it has not.
func (d *Draft) asked(company int64) *Company {
	if d.Env.asked == nil || !slices.Contains(d.Env.asked.Companies, company) {
		return nil
	}
	return d.Companies.Peek(company)
}

// Readers are who is written to about a company's money: its owners who have proved their
// e-mail, for nobody else is to read of it, and whoever has made the payment.
func (d *Draft) Readers(x *Company, payer string) (out []*Person) {
	for _, id := range x.Servicing.People {
		p := PeekRecord[*Person](d, id)
		if p == nil || !p.Proved() {
			continue
		}
		if r, acts := p.RoleAt(x.ID); r.Role == RoleOwner || acts && id == payer {
			out = append(out, p)
		}
	}
	return out
}

// TellMoney writes to a company's owners about its money, unless they had so many mails of it
// today: whoever holds a merchant's token makes mails by moving small money, and must not fill
// a mailbox.
func (d *Draft) TellMoney(company int64, template, payer string, most int, data map[string]string) {
	x := d.Companies.Peek(company)
	if !d.KnowsPeople(x) {
		return
	}
	to, told := d.Readers(x, payer), x.Servicing.Told
	if told.On != d.Env.Today() {
		told.On, told.Mails = d.Env.Today(), 0
	}
	if len(to) == 0 || told.Mails >= most {
		return
	}
	told.Mails++
	d.Companies.Edit(company).Servicing.Told = told
	d.Write(company, to, template, data)
}

// Write queues a mail about a company to each of its readers.
func (d *Draft) Write(company int64, to []*Person, template string, data map[string]string) {
	for _, p := range to {
		d.Mail(template, p.Addressee(), RecordHead{ID: p.ID, Company: company}, data)
	}
}

// tellPayments tells what the command has done to payments: one has come in, one came back,
// autopay will debit one.
func (d *Draft) tellPayments() {
	for _, p := range d.Changes.Payments {
		was := d.State.Payments[p.ID]
		if p.Direction != "IN" || p.FromMerchant {
			continue
		}
		payer := d.payer(p)
		switch {
		case p.arrives(was):
			d.TellMoney(p.Company, "payment_received", payer, MaxMoneyMails, map[string]string{"payment": p.ID})
		case p.comesBack(was):
			d.TellMoney(p.Company, "payment_returned", payer, MaxReturnedMails, d.aboutReturn(p))
		case was == nil && p.Autopay && p.Original == "" && (p.Status == PaymentScheduled || p.Status == PaymentPending):
			d.TellMoney(p.Company, "debit_tomorrow", "", MaxMoneyMails, map[string]string{"payment": p.ID})
		}
		d.forgetPayer(p)
	}
}

// arrives reports whether the money of a payment has come in since it was as before.
func (p *Payment) arrives(was *Payment) bool {
	return p.Status == PaymentSucceeded && (was == nil || was.Status == PaymentScheduled || was.Status == PaymentPending)
}

// comesBack reports whether a payment was not paid in the end, by a bank's or a holder's word. What
// the lender reverses itself is told otherwise.
func (p *Payment) comesBack(was *Payment) bool {
	ended := func(s PaymentStatus) bool { return s == PaymentReturned || s == PaymentFailed }
	return was != nil && ended(p.Status) && !ended(was.Status) && !p.Reversed()
}

// aboutReturn names a payment that came back, the fee for it and its next try.
func (d *Draft) aboutReturn(p *Payment) map[string]string {
	about := map[string]string{"payment": p.ID}
	for _, e := range d.Changes.Money {
		if e.Kind == schedule.EventFee && e.Fee == schedule.ReturnedPaymentFee {
			about["of"], about["charged"] = e.Order, e.ID
		}
	}
	for _, x := range d.Changes.Payments {
		if d.State.Payments[x.ID] == nil && x.Original == d.Original(p).ID {
			about["again"] = x.ID
		}
	}
	return about
}

// payer is who has made a payment in a session of her own, "" if nobody has.
func (d *Draft) payer(p *Payment) string {
	if x := d.asked(p.Company); x != nil {
		for _, y := range x.Servicing.Payers {
			if y.Payment == p.ID {
				return y.Person
			}
		}
	}
	return ""
}

// forgetPayer forgets who has made a payment that has ended, some days later if it has come in.
func (d *Draft) forgetPayer(p *Payment) {
	if d.payer(p) == "" || p.Status == PaymentScheduled || p.Status == PaymentPending {
		return
	}
	x := d.Companies.Edit(p.Company)
	until := d.Env.Today().AddDays(payerDays)
	if p.Status != PaymentSucceeded {
		x.Servicing.Payers = Without(x.Servicing.Payers, func(y Payer) bool { return y.Payment == p.ID })
		return
	}
	x.Servicing.Payers = slices.Clone(x.Servicing.Payers)
	for i := range x.Servicing.Payers {
		if y := &x.Servicing.Payers[i]; y.Payment == p.ID && y.Until == 0 {
			y.Until = until
		}
	}
}
