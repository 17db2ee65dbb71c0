package lending

import "tenor/internal/domain/credit"

// AdmitCheckout requires that the checkout exists and belongs to the caller.
func AdmitCheckout(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if x := s.Checkout(id); x == nil || !e.Actor.Operator && x.Merchant != e.Actor.Merchant {
		return NoCheckout()
	}
	return nil
}

// AdmitLendersCompany requires that the company exists and the caller is the lender.
func AdmitLendersCompany(s *credit.State, e credit.Env, company int64) *credit.Rejection {
	if s.Companies[company] == nil || !e.Actor.Operator {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

// AdmitAccount requires that a company exists and that the caller may act for it.
func AdmitAccount(s *credit.State, e credit.Env, company int64) *credit.Rejection {
	if !e.Actor.Operator {
		return AdmitCompany(s, company, e.Actor.Merchant)
	}
	if s.Companies[company] == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	return nil
}

// AdmitMethod requires that a payment method exists and that the caller may change it: the
// operator, or the merchant that added it (F36). A method of an unlinked company or of another
// merchant is reported as not found.
func AdmitMethod(s *credit.State, e credit.Env, id string) *credit.Rejection {
	m := s.Methods[id]
	if m == nil || !e.Actor.Operator && (!s.Companies[m.Company].IsLinked(e.Actor.Merchant) || !m.OwnedBy(e.Actor)) {
		return credit.NotFound.Because("There is no such payment method.")
	}
	return nil
}

// AdmitOrder requires that the order exists and belongs to the caller.
func AdmitOrder(s *credit.State, e credit.Env, key string) *credit.Rejection {
	o := s.Orders[key]
	if o == nil || !e.Actor.Operator && o.Merchant != e.Actor.Merchant {
		return credit.NotFound.Because("There is no such order.")
	}
	return nil
}

// AdmitCompany requires that the company exists and is linked to the merchant.
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

// Matches checks If-Match: one of the ETags must be the order's version.
func Matches(etags []string, o *credit.Order) *credit.Rejection {
	return credit.MatchVersion(etags, o.Version)
}

// AdmitOwnMethod is AdmitMethod for callers that may also be an owner of the account's company
// acting in her own session.
func AdmitOwnMethod(s *credit.State, e credit.Env, method, person string) *credit.Rejection {
	if r := AdmitMethod(s, e, method); r != nil {
		return r
	}
	return credit.AdmitOwner(s, e, person, s.Methods[method].Company)
}

// AdmitPayer requires that a person acting in her own session may pay for a company.
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

// AdmitPayment requires that the payment exists and that the caller may see it: it recorded
// the payment, or owns the order that the payment names.
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

// AdmitMerchant requires that the merchant exists.
func AdmitMerchant(s *credit.State, id string) *credit.Rejection {
	if s.Merchants[id] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return nil
}

// AdmitTransfer requires that a transfer exists. Only the operator may act on one.
func AdmitTransfer(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if s.Transfers[id] == nil || !e.Actor.Operator {
		return credit.NotFound.Because("There is no such transfer.")
	}
	return nil
}

// NoCheckout rejects a command whose checkout does not exist or belongs to somebody else.
func NoCheckout() *credit.Rejection { return credit.NotFound.Because("There is no such checkout.") }
