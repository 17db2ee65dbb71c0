package credit

// SetAutopay switches a company's standing order to debit installments on or off, names
// the account that it debits, or says whether the company's credit pays what is due on
// all its orders (F36). Members that are nil stay.
type SetAutopay struct {
	Company int64    `json:"company_id"`
	IfMatch []string `json:"if_match"`
	Enabled *bool    `json:"enabled"`
	Method  *string  `json:"payment_method_id"`
	Credit  *bool    `json:"apply_credit_to_due,omitzero"`
}

// Name is the command's word in the audit log.
func (SetAutopay) Name() string { return "company.autopay" }

// Keys asks for the company and the methods named, now and before; for its whole account
// if something is said about its credit.
func (c SetAutopay) Keys(s *State, _ Env) Keys {
	k := Keys{}
	if c.Credit != nil {
		k = accountKeys(s, c.Company)
	}
	k.Companies, k.Methods = []int64{c.Company}, autopayMethod(s, c.Company)
	if c.Method != nil && *c.Method != "" {
		k.Methods = append(k.Methods, *c.Method)
	}
	return k
}

// autopayMethod names the account that a loaded company's autopay debits.
func autopayMethod(s *State, company int64) []string {
	if x := s.Companies[company]; x != nil && x.Servicing.Autopay.Method != "" {
		return []string{x.Servicing.Autopay.Method}
	}
	return nil
}

func (c SetAutopay) admit(s *State, e Env) *Rejection {
	if r := admitAccount(s, e, c.Company); r != nil {
		return r
	}
	if c.Method != nil && *c.Method != "" {
		if m := s.Methods[*c.Method]; m == nil || m.Company != c.Company {
			return NotFound.because("There is no such payment method.")
		}
	}
	return nil
}

func (c SetAutopay) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Companies[c.Company]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	next := old.Servicing.Autopay
	if c.Enabled != nil {
		next.Enabled = *c.Enabled
	}
	if c.Method != nil {
		next.Method = *c.Method
	}
	if m := s.Methods[next.Method]; next.Enabled && m != nil && m.Status != MethodActive {
		return Changes{}, lockedMethod(m)
	}
	if next.Enabled && next.Method == "" {
		return Changes{}, PaymentMethodRequired.because("Autopay needs a payment method that can be debited.")
	}
	// A person of the lender who has looked into what has come back starts autopay again,
	// nobody else (F23): whoever names another account may be who had the first one debited
	// without a right to it.
	switch on := c.Enabled; {
	case !e.Actor.Operator:
	case on != nil && !*on:
		next.Reviewed = next.Paused != "" // collected otherwise, or not at all
	case on != nil || next.Method != old.Servicing.Autopay.Method:
		next.Paused, next.Reviewed = "", false
	}
	use := c.Credit != nil && *c.Credit != old.Servicing.CreditUse.On
	if next == old.Servicing.Autopay && !use {
		return Changes{Result: old}, nil
	}
	d := newDraft(s, e)
	x := d.companies.edit(c.Company)
	if use {
		d.setCreditUse(x, *c.Credit)
	}
	x.Servicing.Autopay = next
	if next.Method != old.Servicing.Autopay.Method {
		d.creditsAgain(c.Company, CreditNoAccount)
	}
	return d.done(x, false), nil
}

// SetOrderAutopay switches autopay off, or on again, for one order.
type SetOrderAutopay struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match"`
	Enabled bool     `json:"enabled"`
}

// Name is the command's word in the audit log.
func (SetOrderAutopay) Name() string { return "order.autopay" }

// Keys asks for the order with its company and its merchant.
func (c SetOrderAutopay) Keys(s *State, _ Env) Keys { return orderKeys(s, c.Order) }

func (c SetOrderAutopay) admit(s *State, e Env) *Rejection { return admitOrder(s, e, c.Order) }

func (c SetOrderAutopay) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Orders[c.Order]
	if r := matches(c.IfMatch, old); r != nil {
		return Changes{}, r
	}
	if old.Servicing.NoAutopay == !c.Enabled {
		return Changes{Result: old}, nil
	}
	d := newDraft(s, e)
	o := d.orders.edit(c.Order)
	o.Servicing.NoAutopay = !c.Enabled
	d.orderEvent(OrderUpdatedEvent, o.Key)
	return d.done(o, false), nil
}
