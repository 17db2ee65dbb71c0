package payments

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// SetAutopay switches a standing order to debit installments on or off, names the account
// that it debits, or says whether the company's credit pays what is due on all its orders
// (F36). The operator speaks for the company and all its orders, and ends what merchants had
// said; a merchant for its own orders alone, and it switches on only with the company's
// authorization. An owner of the company who says so in a session of her own (Person) speaks
// for the orders of one merchant, and consents to the account that she names. Members that are
// nil stay.
type SetAutopay struct {
	Company       int64    `json:"company_id"`
	IfMatch       []string `json:"if_match"`
	Enabled       *bool    `json:"enabled"`
	Method        *string  `json:"payment_method_id"`
	Credit        *bool    `json:"apply_credit_to_due,omitzero"`
	Authorization *Given   `json:"authorization,omitzero"`
	Person        string   `json:"person,omitzero"`      // owner, whose word the pages pass on
	Merchant      string   `json:"merchant_id,omitzero"` // for whose orders it is; with Person alone
}

// Given is a company's authorization as a merchant passes it on.
type Given struct {
	AcceptedAt time.Time `json:"accepted_at"`
	Reference  string    `json:"reference"`
}

func (SetAutopay) Name() string { return "company.autopay" }

// Keys asks for the company and the methods named, now and before; for its whole account
// if something is said about its credit, or what is due may be collected at once.
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

// spoken is an environment in which whoever speaks has said it: an owner in her own session
// speaks for the orders of one merchant, as that merchant would.
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
		next.Method = "" // it can be debited no more: merchants' autopay goes on without it
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

// refuse answers who switches on without the company's authorization, overrides the company's
// own word, or names an account that cannot be debited. What a merchant lets go late
// suspends the company for all merchants (F41.8).
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
		return c.refuseMandates(s) // merchants' autopay goes on
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

// overridden reports whether a merchant's word would take the place of the company's own,
// which collects: by switching it off, or by naming an account to which the company has not
// consented.
func (c SetAutopay) overridden(s *credit.State, merchant string, next credit.Autopay) bool {
	own := ownWord(s.Companies[c.Company], merchant)
	return collects(s, c.Company, merchant) && (!next.Enabled || next.Method != own.Method && !s.Methods[next.Method].Consented())
}

// ownWord is what the company itself has told the lender of autopay for a merchant's orders:
// its owner in her own session, else the operator for it.
func ownWord(c *credit.Company, merchant string) credit.Autopay {
	a := c.Servicing.Autopay
	for _, m := range c.Servicing.Mandates {
		if m.Merchant == merchant && m.Person != "" {
			a.Enabled, a.Method = m.Enabled, m.Method
		}
	}
	return a
}

// collects reports whether the company itself has told the lender to debit an account for a
// merchant's orders, and that account can be debited.
func collects(s *credit.State, company int64, merchant string) bool {
	own := ownWord(s.Companies[company], merchant)
	m := s.Methods[own.Method]
	return own.Enabled && m != nil && unusable(m) == nil
}

// refuseMandates answers the operator who switches merchants' autopay on again, of which
// none has an account that can be debited.
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

// reviewed notes that the lender has looked into what has come back: it starts autopay
// again, and nobody else (F23). Whoever names another account may be who had the first one
// debited without a right to it.
func (c SetAutopay) reviewed(e credit.Env, was, next credit.Autopay) credit.Autopay {
	switch on := c.Enabled; {
	case !e.Actor.Operator:
	case on != nil && !*on:
		next.Reviewed = next.Paused != "" // collected otherwise, or not at all
	case on != nil || next.Method != was.Method:
		next.Paused, next.Reviewed = "", false
	}
	return next
}

// overrule is what the operator's word leaves of what merchants had said: nothing if it
// names an account for all orders; else it switches theirs on or off.
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

// mandate puts a merchant's word in the place of what it said before.
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

// endMandates lets no merchant's autopay debit an account any more.
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

// SetOrderAutopay switches autopay off, or on again, for one order. A merchant does not
// switch off what the company has agreed with the lender itself (F41.8).
type SetOrderAutopay struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match"`
	Enabled bool     `json:"enabled"`
}

func (SetOrderAutopay) Name() string { return "order.autopay" }

// Keys asks for the order with its company, its merchant and its loan.
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
