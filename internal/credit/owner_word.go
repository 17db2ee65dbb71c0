package credit

// What an owner says in a session of her own is the company's word (F41.8): the pages pass it
// on with who she is. It is neither a merchant's nor the operator's: it proves no account, and
// lets nobody in whom the records do not know as an owner.

// ownersWord asks for the person whose word a command passes on, too.
func (k Keys) ownersWord(person string) Keys {
	if person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, person})
	}
	return k
}

// admitOwner asks that whoever speaks in a session of her own is an owner of the company now,
// and that the pages say so. "" is nobody: a client speaks.
func admitOwner(s *State, e Env, person string, company int64) *Rejection {
	if person == "" {
		return nil
	}
	if r := ownPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() {
		return NotFound.because("There is no such person.")
	}
	if role, _ := p.RoleAt(company); role.Role != RoleOwner {
		return OwnerRequired.because("An owner of the company must say so.")
	}
	return nil
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
func (c SetAutopay) consents(d *draft, next Autopay) {
	if c.Person == "" || !next.Enabled || c.Authorization == nil {
		return
	}
	if m := d.methods.peek(next.Method); m != nil && !m.Consented() {
		d.methods.edit(m.ID).Standing.Consented = &CompanyConsent{By: d.e.Actor.Client, At: c.Authorization.AcceptedAt, Reference: c.Authorization.Reference}
	}
}
