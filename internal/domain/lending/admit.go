package lending

import "tenor/internal/domain/credit"

// AdmitCheckout asks that the checkout exists and is the caller's.
func AdmitCheckout(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if x := s.Checkout(id); x == nil || !e.Actor.Operator && x.Merchant != e.Actor.Merchant {
		return NoCheckout()
	}
	return nil
}

// AdmitLendersCompany asks that the company exists and that the lender asks.
func AdmitLendersCompany(s *credit.State, e credit.Env, company int64) *credit.Rejection {
	if s.Companies[company] == nil || !e.Actor.Operator {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

// AdmitAccount asks that a company exists and that the caller may act for it.
func AdmitAccount(s *credit.State, e credit.Env, company int64) *credit.Rejection {
	if !e.Actor.Operator {
		return AdmitCompany(s, company, e.Actor.Merchant)
	}
	if s.Companies[company] == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

// AdmitMethod asks that a payment method exists and that the caller may change it: the
// operator, or the merchant that has added it (F36). One of a foreign company, or of another
// merchant, does not exist.
func AdmitMethod(s *credit.State, e credit.Env, id string) *credit.Rejection {
	m := s.Methods[id]
	if m == nil || !e.Actor.Operator && (!s.Companies[m.Company].IsLinked(e.Actor.Merchant) || !m.OwnedBy(e.Actor)) {
		return credit.NotFound.Because("There is no such payment method.")
	}
	return nil
}

// AdmitOrder asks that the order exists and is the caller's.
func AdmitOrder(s *credit.State, e credit.Env, key string) *credit.Rejection {
	o := s.Orders[key]
	if o == nil || !e.Actor.Operator && o.Merchant != e.Actor.Merchant {
		return credit.NotFound.Because("There is no such order.")
	}
	return nil
}

// AdmitCompany asks that the company exists and is linked to the merchant.
func AdmitCompany(s *credit.State, company int64, merchant string) *credit.Rejection {
	x := s.Companies[company]
	if x == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	if !x.IsLinked(merchant) {
		return credit.CompanyNotLinked.Because("The company is not linked to the merchant.")
	}
	return nil
}

// Matches answers If-Match: one of the ETags is the order's version.
func Matches(etags []string, o *credit.Order) *credit.Rejection {
	return credit.MatchVersion(etags, o.Version)
}

// AdmitOwnMethod is admitMethod for whoever may also be an owner of the account's company in a
// session of her own.
func AdmitOwnMethod(s *credit.State, e credit.Env, method, person string) *credit.Rejection {
	if r := AdmitMethod(s, e, method); r != nil {
		return r
	}
	return credit.AdmitOwner(s, e, person, s.Methods[method].Company)
}

// AdmitPayer asks that a person in a session of her own may pay for a company.
func AdmitPayer(s *credit.State, e credit.Env, person string, company int64) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() || s.Companies[company] == nil {
		return credit.NotFound.Because("There is no such person.")
	}
	switch role, ok := p.RoleAt(company); {
	case !ok:
		return credit.NotFound.Because("There is no such company.")
	case role.Role != credit.RoleOwner && role.Role != credit.RoleBuyer:
		return credit.OwnerRequired.Because("An owner or buyer of the company must pay.")
	}
	return nil
}

// AdmitPayment asks that the payment exists and that the caller may see it: it
// recorded it, or it names its order.
func AdmitPayment(s *credit.State, e credit.Env, id string) *credit.Rejection {
	p := s.Payments[id]
	if p == nil {
		return credit.NotFound.Because("There is no such payment.")
	}
	if e.Actor.Operator || p.Merchant == e.Actor.Merchant {
		return nil
	}
	if o := s.Orders[p.Order]; p.Order == "" || o == nil || o.Merchant != e.Actor.Merchant {
		return credit.NotFound.Because("There is no such payment.")
	}
	return nil
}

// AdmitMerchant asks that the merchant exists.
func AdmitMerchant(s *credit.State, id string) *credit.Rejection {
	if s.Merchants[id] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return nil
}

// AdmitTransfer asks that a transfer exists. Nobody but the operator moves one.
func AdmitTransfer(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if s.Transfers[id] == nil || !e.Actor.Operator {
		return credit.NotFound.Because("There is no such transfer.")
	}
	return nil
}

// NoCheckout refuses what names a checkout that is not there, or is somebody else's.
func NoCheckout() *credit.Rejection { return credit.NotFound.Because("There is no such checkout.") }
