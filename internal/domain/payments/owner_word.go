package payments

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// joinOwners is OwnersWord plus the companies' people, once the companies are loaded, since
// the owners are notified. Companies without people add nothing.
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

// admitPayer requires that the person paying in her own session acts for the company: she is
// an owner or a buyer of it, and the pages pass the command on.
func (c RecordPayment) admitPayer(s *credit.State, e credit.Env) *credit.Rejection {
	company := c.Company
	if o := s.Orders[c.orderKey(s)]; o != nil {
		company = o.Company
	}
	return lending.AdmitPayer(s, e, c.Person, company)
}

// refusePayer requires that a payment made in a person's own session is a debit of a company
// account. For an account that the company has not agreed to, an owner agrees by paying from
// it.
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

// consentsToPay records that an owner agrees to the account that she pays from.
func (c RecordPayment) consentsToPay(d *credit.Draft, p *credit.Payment) {
	if c.Person == "" {
		return
	}
	if m := d.Methods.Peek(p.MethodID); m != nil && !m.Consented() {
		d.Methods.Edit(m.ID).Standing.Consented = &credit.CompanyConsent{By: d.Env.Actor.Client, At: d.Env.Now, Reference: p.ID}
	}
}

// accountChanged notifies a company's owners that another account is debited, one was added,
// or one is no longer debited. Changes by merchants are reported once a day.
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

// accountName is the name of an account in a mail: its last digits, "" for none.
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

// renews reports whether an owner herself now sets what a merchant had reported, or the
// operator had set for all orders.
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

// consents records the owner's consent to the account that she names: whoever added it, it is
// the company's own from then on.
func (c SetAutopay) consents(d *credit.Draft, next credit.Autopay) {
	if c.Person == "" || !next.Enabled || c.Authorization == nil {
		return
	}
	if m := d.Methods.Peek(next.Method); m != nil && !m.Consented() {
		d.Methods.Edit(m.ID).Standing.Consented = &credit.CompanyConsent{By: d.Env.Actor.Client, At: c.Authorization.AcceptedAt, Reference: c.Authorization.Reference}
	}
}
