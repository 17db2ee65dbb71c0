package credit

import "tenor/internal/domain/calendar"

// What an owner says in a session of her own is the company's word (F41.8): the pages pass it
// on with who she is. It is neither a merchant's nor the operator's: it proves no account, and
// lets nobody in whom the records do not know as an owner.

// OwnersWord asks for the person whose word a command passes on, too.
func (k Keys) OwnersWord(person string) Keys {
	if person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, person})
	}
	return k
}

// joinOwners is ownersWord with the people of the companies, once those are loaded: its owners
// are written to. Where nobody acts for a company nothing is added.
func joinOwners(s *State, k Keys, person string) Keys {
	k = k.OwnersWord(person)
	for _, id := range k.Companies {
		if x := s.Companies[id]; x != nil {
			for _, p := range x.Servicing.People {
				k.Records = append(k.Records, RecordKey{NounPerson, p})
			}
		}
	}
	return k
}

// admitPayer asks that whoever pays in a session of her own acts for the company: an owner or a
// buyer of it, as the pages say.
func (c RecordPayment) admitPayer(s *State, e Env) *Rejection {
	company := c.Company
	if o := s.Orders[c.orderKey(s)]; o != nil {
		company = o.Company
	}
	return admitPayer(s, e, c.Person, company)
}

// refusePayer answers whoever pays in a session of her own with anything but a debit of an
// account of the company. To another account than those that the company has agreed to, an
// owner agrees by paying from it.
func (c RecordPayment) refusePayer(s *State, o *Order, company int64) *Rejection {
	if c.Person == "" {
		return nil
	}
	if !c.rail(o) || !c.Method.Can().File || c.PaymentMethod == "" || c.EffectiveDate != calendar.None {
		return ValidationFailed.Because("A payment on these pages debits a bank account of the company.")
	}
	role, _ := s.Person(c.Person).RoleAt(company)
	if m := s.Methods[c.PaymentMethod]; role.Role != RoleOwner && m != nil && !m.Consented() {
		return OwnerRequired.Because("An owner of the company must say first that this account may be debited.")
	}
	return nil
}

// consentsToPay notes that an owner agrees to the account from which she pays.
func (c RecordPayment) consentsToPay(d *Draft, p *Payment) {
	if c.Person == "" {
		return
	}
	if m := d.Methods.Peek(p.MethodID); m != nil && !m.Consented() {
		d.Methods.Edit(m.ID).Standing.Consented = &CompanyConsent{By: d.Env.Actor.Client, At: d.Env.Now, Reference: p.ID}
	}
}

// accountChanged writes to a company's owners that another account is debited, that one was
// added or that one is debited no more. What merchants change is told once a day.
func (d *Draft) accountChanged(company int64, was, becomes *PaymentMethod, by string) {
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
func accountName(m *PaymentMethod) string {
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

// renews reports that an owner says herself what a merchant had passed on, or the operator had
// said for all orders.
func (c SetAutopay) renews(x *Company) bool {
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
func (c SetAutopay) consents(d *Draft, next Autopay) {
	if c.Person == "" || !next.Enabled || c.Authorization == nil {
		return
	}
	if m := d.Methods.Peek(next.Method); m != nil && !m.Consented() {
		d.Methods.Edit(m.ID).Standing.Consented = &CompanyConsent{By: d.Env.Actor.Client, At: c.Authorization.AcceptedAt, Reference: c.Authorization.Reference}
	}
}
