package payments

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// SetAutopay turns a standing order to debit installments on or off, sets the account that it
// debits, or sets whether the company's credit pays what is due on any of its orders (F36).
// The operator acts for the company and all its orders, and its setting replaces those of
// merchants. A merchant acts for its own orders only, and needs the company's authorization to
// turn autopay on. An owner acting in her own session (Person) acts for the orders of one
// merchant, and consents to the account that she names. Nil members stay as they are.
type SetAutopay struct {
	Company       int64    `json:"company_id"`
	IfMatch       []string `json:"if_match"`
	Enabled       *bool    `json:"enabled"`
	Method        *string  `json:"payment_method_id"`
	Credit        *bool    `json:"apply_credit_to_due,omitzero"`
	Authorization *Given   `json:"authorization,omitzero"`
	Person        string   `json:"person,omitzero"`      // owner acting in her own session
	Merchant      string   `json:"merchant_id,omitzero"` // whose orders it applies to; only with Person
}

// Given is a company's authorization as reported by a merchant.
type Given struct {
	AcceptedAt time.Time `json:"accepted_at"`
	Reference  string    `json:"reference"`
}

func (SetAutopay) Name() string { return "company.autopay" }

// Keys requests the company and the methods involved, new and current; and its whole account
// if the command sets the use of credit, or what is due may be collected at once.
func (c SetAutopay) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{}
	if c.Credit != nil || c.Enabled != nil && *c.Enabled {
		k = credit.AccountKeys(s, c.Company)
	}
	k.Companies, k.Methods = []int64{c.Company}, lending.AutopayMethod(s, c.Company)
	if c.Method != nil && *c.Method != "" {
		k.Methods = append(k.Methods, *c.Method)
	}
	return joinOwners(s, k, c.Person)
}

func (c SetAutopay) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.AdmitOwner(s, e, c.Person, c.Company); r != nil {
		return r
	}
	e = c.spoken(e)
	if r := lending.AdmitAccount(s, e, c.Company); r != nil {
		return r
	}
	if c.Method != nil && *c.Method != "" {
		if m := s.Methods[*c.Method]; m == nil || m.Company != c.Company || !m.UsableBy(e.Actor) {
			return credit.NotFound.Because("There is no such payment method.")
		}
	}
	return nil
}

// spoken is an environment with the actor that the command speaks for: an owner in her own
// session acts for the orders of one merchant, as that merchant would.
func (c SetAutopay) spoken(e credit.Env) credit.Env {
	if c.Person != "" {
		e.Actor = credit.Actor{Client: e.Actor.Client, Merchant: c.Merchant}
	}
	return e
}

func (c SetAutopay) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	e = c.spoken(e)
	old := s.Companies[c.Company]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	was := old.AutopayOf(e.Actor.Merchant)
	next := was
	if c.Enabled != nil {
		next.Enabled = *c.Enabled
	}
	if c.Method != nil {
		next.Method = *c.Method
	}
	if e.Actor.Operator && c.Enabled != nil && *c.Enabled && c.Method == nil && mandatesAlone(s, old) {
		next.Method = "" // it can no longer be debited: merchants' autopay continues without it
	}
	use := c.Credit != nil && *c.Credit != old.Servicing.CreditUse.On
	if r := c.refuse(s, e, was, next, use); r != nil {
		return credit.Changes{}, r
	}
	next = c.reviewed(e, was, next)
	if next.Method == "" {
		next.Enabled = false
	}
	if next == was && !use && !c.renews(old) && (!e.Actor.Operator || slices.Equal(c.overrule(old.Servicing.Mandates, next), old.Servicing.Mandates)) {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	x := d.Companies.Edit(c.Company)
	if use {
		lending.SetCreditUse(d, x, *c.Credit)
	}
	switch {
	case e.Actor.Operator:
		x.Servicing.Autopay, x.Servicing.Mandates = next, c.overrule(old.Servicing.Mandates, next)
	case next != was || c.renews(old):
		x.Servicing.Mandates = c.mandate(x.Servicing.Mandates, e.Actor.Merchant, next)
	}
	c.consents(d, next)
	if next.Method != was.Method {
		accountChanged(d, c.Company, d.Methods.Peek(was.Method), d.Methods.Peek(next.Method), c.Person)
		d.CreditsAgain(c.Company, credit.CreditNoAccount)
	}
	if c.Enabled != nil && *c.Enabled {
		lending.RecollectAll(d, c.Company, e.Actor.Merchant)
	}
	return d.Done(x, false), nil
}

// refuse rejects turning autopay on without the company's authorization, overriding the
// company's own setting, or an account that cannot be debited. If a merchant lets an order go
// late, that suspends the company for all merchants (F41.8).
func (c SetAutopay) refuse(s *credit.State, e credit.Env, was, next credit.Autopay, use bool) *credit.Rejection {
	if !e.Actor.Operator && c.Person == "" && next != was && c.overridden(s, e.Actor.Merchant, next) {
		return credit.NotAllowed.Because("The company chose this account with the lender. Only the lender can turn it off, and another account needs the company's recorded consent.")
	}
	more := use && *c.Credit || next.Enabled && (next.Enabled != was.Enabled || next.Method != was.Method)
	if g := c.Authorization; !e.Actor.Operator && more && (g == nil || g.AcceptedAt.IsZero() || g.AcceptedAt.After(e.Now) || strings.TrimSpace(g.Reference) == "") {
		return credit.ValidationFailed.Because("A merchant needs the company's authorization to turn this on: authorization.accepted_at, not in the future, and authorization.reference.")
	}
	if !next.Enabled {
		return nil
	}
	if next.Method == "" && e.Actor.Operator && len(s.Companies[c.Company].Servicing.Mandates) > 0 {
		return c.refuseMandates(s) // merchants' autopay continues
	}
	if next.Method == "" {
		return credit.PaymentMethodRequired.Because("Autopay needs a payment method that can be debited.")
	}
	if m := s.Methods[next.Method]; m != nil {
		if r := unusable(m); r != nil {
			return r
		}
	}
	return nil
}

// overridden reports whether a merchant's setting would replace the company's own while that
// works: by turning it off, or by naming an account to which the company has not consented.
func (c SetAutopay) overridden(s *credit.State, merchant string, next credit.Autopay) bool {
	own := ownWord(s.Companies[c.Company], merchant)
	return collects(s, c.Company, merchant) && (!next.Enabled || next.Method != own.Method && !s.Methods[next.Method].Consented())
}

// ownWord is the company's own autopay setting for a merchant's orders: its owner's, made in
// her own session, else the operator's on its behalf.
func ownWord(c *credit.Company, merchant string) credit.Autopay {
	a := c.Servicing.Autopay
	for _, m := range c.Servicing.Mandates {
		if m.Merchant == merchant && m.Person != "" {
			a.Enabled, a.Method = m.Enabled, m.Method
		}
	}
	return a
}

// collects reports whether the company itself told the lender to debit an account for a
// merchant's orders, and that account can be debited.
func collects(s *credit.State, company int64, merchant string) bool {
	own := ownWord(s.Companies[company], merchant)
	m := s.Methods[own.Method]
	return own.Enabled && m != nil && unusable(m) == nil
}

// refuseMandates rejects the operator's turning merchants' autopay on again if none has an
// account that can be debited.
func (c SetAutopay) refuseMandates(s *credit.State) (first *credit.Rejection) {
	for _, x := range s.Companies[c.Company].Servicing.Mandates {
		m := s.Methods[x.Method]
		if m == nil {
			continue
		}
		r := unusable(m)
		if r == nil {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	if first == nil {
		first = credit.PaymentMethodRequired.Because("Autopay needs a payment method that can be debited.")
	}
	return first
}

// mandatesAlone reports whether the company's own account is disabled and a merchant's autopay
// has one that can be debited.
func mandatesAlone(s *credit.State, x *credit.Company) bool {
	own := s.Methods[x.Servicing.Autopay.Method]
	return own != nil && own.Status == credit.MethodDisabled && slices.ContainsFunc(x.Servicing.Mandates, func(m credit.Mandate) bool {
		with := s.Methods[m.Method]
		return with != nil && with.Usable()
	})
}

// reviewed records that the lender has looked into a return. Only the lender restarts autopay
// (F23): whoever names another account may be the one who had the first debited without
// authority.
func (c SetAutopay) reviewed(e credit.Env, was, next credit.Autopay) credit.Autopay {
	switch on := c.Enabled; {
	case !e.Actor.Operator:
	case on != nil && !*on:
		next.Reviewed = next.Paused != "" // collected in another way, or not at all
	case on != nil || next.Method != was.Method:
		next.Paused, next.Reviewed = "", false
	}
	return next
}

// overrule returns the merchants' settings after the operator's: none if it names an account
// for all orders; otherwise it turns theirs on or off.
func (c SetAutopay) overrule(all []credit.Mandate, next credit.Autopay) []credit.Mandate {
	switch {
	case c.Method != nil || c.Enabled != nil && *c.Enabled && next.Method != "":
		return nil
	case c.Enabled == nil:
		return all
	}
	out := slices.Clone(all)
	for i := range out {
		out[i].Enabled = *c.Enabled && out[i].Method != ""
	}
	return out
}

// mandate replaces a merchant's previous setting.
func (c SetAutopay) mandate(all []credit.Mandate, merchant string, next credit.Autopay) []credit.Mandate {
	m := credit.Mandate{Merchant: merchant, Enabled: next.Enabled, Method: next.Method, Person: c.Person}
	if c.Authorization != nil {
		m.AcceptedAt, m.Reference = c.Authorization.AcceptedAt, c.Authorization.Reference
	}
	out := slices.DeleteFunc(slices.Clone(all), func(x credit.Mandate) bool { return x.Merchant == merchant })
	out = append(out, m)
	slices.SortFunc(out, func(a, b credit.Mandate) int { return strings.Compare(a.Merchant, b.Merchant) })
	return out
}

// endMandates stops all merchants' autopay from debiting an account.
func endMandates(d *credit.Draft, m *credit.PaymentMethod) {
	if !slices.ContainsFunc(d.Companies.Peek(m.Company).Servicing.Mandates, func(x credit.Mandate) bool { return x.Method == m.ID }) {
		return
	}
	c := d.Companies.Edit(m.Company)
	c.Servicing.Mandates = slices.Clone(c.Servicing.Mandates)
	for i := range c.Servicing.Mandates {
		if x := &c.Servicing.Mandates[i]; x.Method == m.ID {
			x.Enabled, x.Method = false, ""
		}
	}
}

// SetOrderAutopay turns autopay off, or on again, for one order. A merchant cannot turn off
// what the company agreed with the lender itself (F41.8).
type SetOrderAutopay struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match"`
	Enabled bool     `json:"enabled"`
}

func (SetOrderAutopay) Name() string { return "order.autopay" }

// Keys requests the order with its company, its merchant and its loan.
func (c SetOrderAutopay) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := lending.MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventFee, Date: credit.Latest})
	if o := s.Orders[c.Order]; o != nil && !c.Enabled {
		k.Methods = append(k.Methods, lending.AutopayMethod(s, o.Company)...)
	}
	return k
}

func (c SetOrderAutopay) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitOrder(s, e, c.Order)
}

func (c SetOrderAutopay) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Orders[c.Order]
	if r := lending.Matches(c.IfMatch, old); r != nil {
		return credit.Changes{}, r
	}
	if old.Servicing.NoAutopay == !c.Enabled {
		return credit.Changes{Result: old}, nil
	}
	if !c.Enabled && !e.Actor.Operator && collects(s, old.Company, old.Merchant) {
		return credit.Changes{}, credit.NotAllowed.Because("The company turned autopay on with the lender. Only the lender can turn it off for an order.")
	}
	d := credit.NewDraft(s, e)
	o := d.Orders.Edit(c.Order)
	if o.Servicing.NoAutopay = !c.Enabled; c.Enabled {
		lending.Recollect(d, o.Key)
	}
	d.OrderEvent(credit.OrderUpdatedEvent, o.Key)
	return d.Done(o, false), nil
}
