package credit

import (
	"slices"
	"strconv"
)

// AdmitCheckout asks that the checkout exists and is the caller's.
func AdmitCheckout(s *State, e Env, id string) *Rejection {
	if x := s.Checkout(id); x == nil || !e.Actor.Operator && x.Merchant != e.Actor.Merchant {
		return NoCheckout()
	}
	return nil
}

// admitLendersCompany asks that the company exists and that the lender asks.
func admitLendersCompany(s *State, e Env, company int64) *Rejection {
	if s.Companies[company] == nil || !e.Actor.Operator {
		return NotFound.Because("There is no such company.")
	}
	return nil
}

// AdmitHerself asks that the pages pass on the word of somebody who has proved her e-mail.
func AdmitHerself(s *State, e Env, person string) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	if p := s.Person(person); p == nil || !p.Proved() {
		return NotFound.Because("There is no such person.")
	}
	return nil
}

// OwnPages lets only the deployment itself through: its pages and its clockwork.
func OwnPages(e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such command.")
	}
	return nil
}

// admitAccount asks that a company exists and that the caller may act for it.
func admitAccount(s *State, e Env, company int64) *Rejection {
	if !e.Actor.Operator {
		return AdmitCompany(s, company, e.Actor.Merchant)
	}
	if s.Companies[company] == nil {
		return NotFound.Because("There is no such company.")
	}
	return nil
}

// admitMethod asks that a payment method exists and that the caller may change it: the
// operator, or the merchant that has added it (F36). One of a foreign company, or of another
// merchant, does not exist.
func admitMethod(s *State, e Env, id string) *Rejection {
	m := s.Methods[id]
	if m == nil || !e.Actor.Operator && (!s.Companies[m.Company].IsLinked(e.Actor.Merchant) || !m.OwnedBy(e.Actor)) {
		return NotFound.Because("There is no such payment method.")
	}
	return nil
}

// AdmitOrder asks that the order exists and is the caller's.
func AdmitOrder(s *State, e Env, key string) *Rejection {
	o := s.Orders[key]
	if o == nil || !e.Actor.Operator && o.Merchant != e.Actor.Merchant {
		return NotFound.Because("There is no such order.")
	}
	return nil
}

// AdmitCompany asks that the company exists and is linked to the merchant.
func AdmitCompany(s *State, company int64, merchant string) *Rejection {
	x := s.Companies[company]
	if x == nil {
		return NotFound.Because("There is no such company.")
	}
	if !x.IsLinked(merchant) {
		return CompanyNotLinked.Because("The company is not linked to the merchant.")
	}
	return nil
}

// matches answers If-Match: one of the ETags is the order's version.
func matches(etags []string, o *Order) *Rejection { return MatchVersion(etags, o.Version) }

// MatchVersion is matches for any resource whose ETag is its version.
func MatchVersion(etags []string, version int) *Rejection {
	if etags == nil || slices.Contains(etags, `"`+strconv.Itoa(version)+`"`) || slices.Contains(etags, "*") {
		return nil
	}
	return PreconditionFailed.With("The resource has changed since it was read.", map[string]any{"version": version})
}

// admitOwnMethod is admitMethod for whoever may also be an owner of the account's company in a
// session of her own.
func admitOwnMethod(s *State, e Env, method, person string) *Rejection {
	if r := admitMethod(s, e, method); r != nil {
		return r
	}
	return AdmitOwner(s, e, person, s.Methods[method].Company)
}

func admitPayer(s *State, e Env, person string, company int64) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() || s.Companies[company] == nil {
		return NotFound.Because("There is no such person.")
	}
	switch role, ok := p.RoleAt(company); {
	case !ok:
		return NotFound.Because("There is no such company.")
	case role.Role != RoleOwner && role.Role != RoleBuyer:
		return OwnerRequired.Because("An owner or buyer of the company must pay.")
	}
	return nil
}

// AdmitOwner asks that whoever speaks in a session of her own is an owner of the company now,
// and that the pages say so. "" is nobody: a client speaks.
func AdmitOwner(s *State, e Env, person string, company int64) *Rejection {
	if person == "" {
		return nil
	}
	if r := OwnPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() {
		return NotFound.Because("There is no such person.")
	}
	if role, _ := p.RoleAt(company); role.Role != RoleOwner {
		return OwnerRequired.Because("An owner of the company must say so.")
	}
	return nil
}

// admitPayment asks that the payment exists and that the caller may see it: it
// recorded it, or it names its order.
func admitPayment(s *State, e Env, id string) *Rejection {
	p := s.Payments[id]
	if p == nil {
		return NotFound.Because("There is no such payment.")
	}
	if e.Actor.Operator || p.Merchant == e.Actor.Merchant {
		return nil
	}
	if o := s.Orders[p.Order]; p.Order == "" || o == nil || o.Merchant != e.Actor.Merchant {
		return NotFound.Because("There is no such payment.")
	}
	return nil
}

// AdmitMerchant asks that the merchant exists.
func AdmitMerchant(s *State, id string) *Rejection {
	if s.Merchants[id] == nil {
		return NotFound.Because("There is no such merchant.")
	}
	return nil
}

// admitTransfer asks that a transfer exists. Nobody but the operator moves one.
func admitTransfer(s *State, e Env, id string) *Rejection {
	if s.Transfers[id] == nil || !e.Actor.Operator {
		return NotFound.Because("There is no such transfer.")
	}
	return nil
}
