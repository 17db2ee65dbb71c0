package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// The owners of a company get mails about its money: what arrived, what came back, what is
// due, what will be debited, what is late. The command that causes a mail queues it. The mail
// holds only identifiers; its figures are read from the books when it is rendered. Companies
// without people cost nothing here.

// Limits on mails about money to a company per business day: of all kinds, and a higher one
// for returned debits. Lateness is reported once a day regardless.
const (
	MaxMoneyMails    = 20
	MaxReturnedMails = 40 // also for new disclosures
)

// Payer is a person who paid for a company in her own session: she is notified of the outcome
// as the owners are.
type Payer struct {
	Payment string        `json:"payment"`
	Person  string        `json:"person"`
	Until   calendar.Date `json:"until,omitzero"` // day on which it is dropped; 0 while the debit is in progress
}

// payerDays is how long the payer of a payment is remembered after it arrives: nearly all
// returns come within that time.
const payerDays = 10

// CompanyTold tracks the mails to a company's owners about its money.
type CompanyTold struct {
	On     calendar.Date `json:"on,omitzero"`     // business day that Mails counts
	Mails  int           `json:"mails,omitzero"`  // that day's count, without mails about lateness
	Late   calendar.Date `json:"late,omitzero"`   // day of the last mail about lateness
	Stated calendar.Date `json:"stated,omitzero"` // last day of the month whose statement they were notified of last
}

// OwnersWriter is a command that notifies owners about money and therefore loads a company's
// people. A merchant's report of money sends no mail: it shows only what the merchant has, not
// what the lender received.
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

// KnowsPeople reports whether the company has people and the command has asked for them. What
// other commands of the batch loaded does not count.
func (d *Draft) KnowsPeople(x *Company) bool {
	if x == nil || len(x.Servicing.People) == 0 || d.Env.asked == nil {
		return false
	}
	return !slices.ContainsFunc(x.Servicing.People, func(p string) bool {
		return !slices.Contains(d.Env.asked.Records, RecordKey{NounPerson, p})
	})
}

// asked returns a company if the command has asked for it, else nil.
func (d *Draft) asked(company int64) *Company {
	if d.Env.asked == nil || !slices.Contains(d.Env.asked.Companies, company) {
		return nil
	}
	return d.Companies.Peek(company)
}

// Readers are the recipients of mails about a company's money: its owners with a proved
// e-mail, and whoever made the payment.
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

// TellMoney notifies a company's owners about its money, unless they already had too many
// mails today: the holder of a merchant's token can trigger mails by moving small amounts, and
// must not flood a mailbox.
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

// Write queues a mail about a company to each recipient.
func (d *Draft) Write(company int64, to []*Person, template string, data map[string]string) {
	for _, p := range to {
		d.Mail(template, p.Addressee(), RecordHead{ID: p.ID, Company: company}, data)
	}
}

// tellPayments notifies of the command's effect on payments: one arrived, one came back,
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

// arrives reports whether the money of a payment arrived with this change.
func (p *Payment) arrives(was *Payment) bool {
	return p.Status == PaymentSucceeded && (was == nil || was.Status == PaymentScheduled || was.Status == PaymentPending)
}

// comesBack reports whether a bank or a cardholder undid a payment. Reversals by the lender
// have their own mail.
func (p *Payment) comesBack(was *Payment) bool {
	ended := func(s PaymentStatus) bool { return s == PaymentReturned || s == PaymentFailed }
	return was != nil && ended(p.Status) && !ended(was.Status) && !p.Reversed()
}

// aboutReturn names a returned payment, its fee and its retry.
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

// payer is the person who made a payment in her own session, "" if none.
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

// forgetPayer drops the payer of a payment that has ended; if it succeeded, some days later.
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
