package payments

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// joinOwners is ownersWord with the people of the companies, once those are loaded: its owners
// are written to. Where nobody acts for a company nothing is added.
func joinOwners(s *credit.State, k credit.Keys, person string) credit.Keys {
	k = k.OwnersWord(person)
	for _, id := range k.Companies {
		if x := s.Companies[id]; x != nil {
			for _, p := range x.Servicing.People {
				k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: p})
			}
		}
	}
	return k
}

// admitPayer asks that whoever pays in a session of her own acts for the company: an owner or a
// buyer of it, as the pages say.
func (c RecordPayment) admitPayer(s *credit.State, e credit.Env) *credit.Rejection {
	company := c.Company
	if o := s.Orders[c.orderKey(s)]; o != nil {
		company = o.Company
	}
	return lending.AdmitPayer(s, e, c.Person, company)
}

// refusePayer answers whoever pays in a session of her own with anything but a debit of an
// account of the company. To another account than those that the company has agreed to, an
// owner agrees by paying from it.
func (c RecordPayment) refusePayer(s *credit.State, o *credit.Order, company int64) *credit.Rejection {
	if c.Person == "" {
		return nil
	}
	if !c.rail(o) || !c.Method.Can().File || c.PaymentMethod == "" || c.EffectiveDate != calendar.None {
		return credit.ValidationFailed.Because("A payment on these pages must debit a bank account of the company.")
	}
	role, _ := s.Person(c.Person).RoleAt(company)
	if m := s.Methods[c.PaymentMethod]; role.Role != credit.RoleOwner && m != nil && !m.Consented() {
		return credit.OwnerRequired.Because("An owner of the company must authorize debits of this account first.")
	}
	return nil
}

// consentsToPay notes that an owner agrees to the account from which she pays.
func (c RecordPayment) consentsToPay(d *credit.Draft, p *credit.Payment) {
	if c.Person == "" {
		return
	}
	if m := d.Methods.Peek(p.MethodID); m != nil && !m.Consented() {
		d.Methods.Edit(m.ID).Standing.Consented = &credit.CompanyConsent{By: d.Env.Actor.Client, At: d.Env.Now, Reference: p.ID}
	}
}

// accountChanged writes to a company's owners that another account is debited, that one was
// added or that one is debited no more. What merchants change is told once a day.
func accountChanged(d *credit.Draft, company int64, was, becomes *credit.PaymentMethod, by string) {
	x := d.Companies.Peek(company)
	if by == "" && !d.Env.Actor.Operator {
		if d.Env.Zone.Date(x.Servicing.AccountTold) == d.Env.Today() && !x.Servicing.AccountTold.IsZero() || len(x.Servicing.People) == 0 {
			return
		}
		d.Companies.Edit(company).Servicing.AccountTold = d.Env.Now
	}
	about := map[string]string{"was": accountName(was), "becomes": accountName(becomes), "by": by}
	d.TellOwners(company, "bank_account_changed", about)
}

// accountName is how an account is named in a mail: its last digits, "" for none.
func accountName(m *credit.PaymentMethod) string {
	switch {
	case m == nil:
		return ""
	case m.Bank != nil:
		return m.Bank.Last4
	case m.Card != nil:
		return m.Card.Last4
	}
	return m.ID
}

// renews reports whether an owner says herself what a merchant had passed on, or the operator had
// said for all orders.
func (c SetAutopay) renews(x *credit.Company) bool {
	if c.Person == "" {
		return false
	}
	for _, m := range x.Servicing.Mandates {
		if m.Merchant == c.Merchant && m.Person != "" {
			return false
		}
	}
	return true
}

// consents notes the owner's consent to the account that she names: whoever has added it, it
// is the company's own from then on.
func (c SetAutopay) consents(d *credit.Draft, next credit.Autopay) {
	if c.Person == "" || !next.Enabled || c.Authorization == nil {
		return
	}
	if m := d.Methods.Peek(next.Method); m != nil && !m.Consented() {
		d.Methods.Edit(m.ID).Standing.Consented = &credit.CompanyConsent{By: d.Env.Actor.Client, At: c.Authorization.AcceptedAt, Reference: c.Authorization.Reference}
	}
}
