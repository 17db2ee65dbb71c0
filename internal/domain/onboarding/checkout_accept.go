package onboarding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// EnterCheckout records who goes through a checkout: somebody with a proved e-mail, and the
// company it is for, 0 if unknown. Result is the *Checkout.
type EnterCheckout struct {
	Checkout string `json:"checkout"`
	Person   string `json:"person"`
	Company  int64  `json:"company_id"`
	// Over is set if she takes over from whoever started, and is the number of that takeover:
	// of two concurrent ones, one succeeds. 0: she takes over from nobody.
	Over int `json:"over,omitzero"`
	// From is who had the checkout in her browser before she proved her e-mail there; "" if
	// nobody had.
	From string `json:"from,omitzero"`
}

func (EnterCheckout) Name() string { return "checkout.enter" }

// Keys requests the checkout and the person, and the company if she takes over.
func (c EnterCheckout) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := lending.CheckoutKeys(s, c.Checkout)
	k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: c.Person})
	if c.Over != 0 && c.Company != 0 {
		k.Companies = append(k.Companies, c.Company)
	}
	return k
}

func (c EnterCheckout) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if p := s.Person(c.Person); s.Checkout(c.Checkout) == nil || p == nil || !p.Proved() {
		return lending.NoCheckout()
	}
	return nil
}

func (c EnterCheckout) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old, p := s.Checkout(c.Checkout), s.Person(c.Person)
	if _, ok := p.RoleAt(c.Company); c.Company != 0 && !ok {
		return credit.Changes{}, credit.NotAllowed.Because("The person does not act for this company.")
	}
	if old.Named != 0 && c.Company != 0 && c.Company != old.Named {
		return credit.Changes{}, credit.NotAllowed.Because("The checkout is for another company.")
	}
	other := old.Person != "" && old.Person != c.Person
	switch {
	case old.Person == c.Person && old.Company == c.Company:
		return credit.Changes{Result: old}, nil
	case other && c.Over == 0:
		return credit.Changes{}, checkoutTaken()
	case old.Late(e.Now):
		return credit.Changes{}, lending.RefuseOver()
	case old.Status != credit.CheckoutOpen:
		return credit.Changes{}, notAccepted(old)
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Checkout](d, c.Checkout)
	if other {
		if r := c.takesOver(s, old); r != nil {
			return credit.Changes{}, r
		}
		x.Taken++
	}
	x.Person, x.Company = c.Person, c.Company
	return d.Done(x, false), nil
}

func checkoutTaken() *credit.Rejection {
	return credit.CheckoutTaken.Because("Someone else started this checkout.")
}

// takesOver decides whether somebody may take over a checkout from whoever started it. She
// must be able to accept it for its company. While no company is known, nothing distinguishes
// a colleague from a stranger with the address: then only the person who started may continue
// with another e-mail, in the same browser, until an application was sent.
func (c EnterCheckout) takesOver(s *credit.State, old *credit.Checkout) *credit.Rejection {
	if c.Over != old.Taken+1 || old.Applied(s.Application(old.Application)) {
		return checkoutTaken()
	}
	if of := cmp.Or(old.Company, old.Named); of != 0 && of != c.Company || of == 0 && c.From != old.Person {
		return checkoutTaken()
	}
	company := s.Companies[c.Company]
	if company == nil {
		return nil
	}
	if r := lending.MayBuy(company); r != nil {
		return r
	}
	if !s.Person(c.Person).MayFinish(company, old.Amount) {
		return ownerRequired()
	}
	return nil
}

func ownerRequired() *credit.Rejection {
	return credit.OwnerRequired.Because("An owner of the company must accept.")
}

// AcceptCheckout is the buyer's acceptance: the order is created, and its terms are kept until
// the merchant completes it. Digest identifies the disclosure that the buyer has read: if it
// would be different now, nothing is accepted. Result is the *Checkout.
type AcceptCheckout struct {
	Checkout     string          `json:"checkout"`
	Person       string          `json:"person"`
	Installments int             `json:"installments"`
	Digest       string          `json:"digest"`
	Papers       []credit.Paper  `json:"papers"`
	Evidence     string          `json:"evidence"` // handle
	Master       bool            `json:"master"`   // the master agreement was accepted too
	Secrets      []credit.Secret `json:"-"`
}

func (AcceptCheckout) Name() string { return "checkout.accept" }

// Keys requests the checkout with its company, order and person.
func (c AcceptCheckout) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := lending.CheckoutKeys(s, c.Checkout)
	k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: c.Person})
	return k
}

func (c AcceptCheckout) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return EnterCheckout{Checkout: c.Checkout, Person: c.Person}.Admit(s, e)
}

func (c AcceptCheckout) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	x := s.Checkout(c.Checkout)
	if a := x.Accepted; a != nil && a.Person == c.Person && a.Installments == c.Installments && a.Digest == c.Digest && x.Holds(e.Now) {
		return credit.Changes{Result: x}, nil // idempotent
	}
	offered, r := c.refuse(s, e, x)
	if r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x = credit.EditRecord[*credit.Checkout](d, c.Checkout)
	d.Changes.Secrets = c.Secrets
	a := &credit.BuyerAcceptance{
		At: e.Now, Person: c.Person, Company: x.Company, Installments: c.Installments, Terms: offered.Terms, Digest: c.Digest,
		Evidence: c.Evidence, Amount: x.Amount, Program: s.Merchants[x.Merchant].InForce(e.Today()).Version,
	}
	company := d.Companies.Edit(x.Company)
	if !company.IsLinked(x.Merchant) {
		company.Linked = append(slices.Clone(company.Linked), x.Merchant)
		slices.Sort(company.Linked)
	}
	o := accepted(d, x, a)
	for _, p := range c.Papers {
		doc := d.File(p, credit.RecordHead{ID: o.Key, Merchant: x.Merchant, Company: x.Company})
		a.Documents = append(a.Documents, doc.ID)
		if p.Kind == credit.DocumentMaster {
			company.Servicing.Unsigned, company.Servicing.Agreement = false, doc.ID
		}
	}
	x.Status, x.Accepted, x.ExpiresAt, x.NextAt = credit.CheckoutAccepted, a, e.Now.Add(completeLife), e.Now.Add(completeLife)
	d.RecordEvent(credit.CheckoutAcceptedEvent, x)
	d.Mail("agreement_copy", s.Person(c.Person).Addressee(), x.RecordHead, map[string]string{"order": o.Key, "merchant": s.Merchants[x.Merchant].Name})
	return d.Done(x, false), nil
}

// refuse returns why an acceptance is rejected, or else the accepted offer.
func (c AcceptCheckout) refuse(s *credit.State, e credit.Env, x *credit.Checkout) (Offer, *credit.Rejection) {
	p, company := s.Person(c.Person), s.Companies[x.Company]
	switch {
	case x.Person != c.Person || company == nil:
		return Offer{}, checkoutTaken()
	case x.Late(e.Now):
		return Offer{}, lending.RefuseOver()
	case x.Status != credit.CheckoutOpen:
		return Offer{}, notAccepted(x)
	case c.Evidence == "" || c.Master != slices.ContainsFunc(c.Papers, func(p credit.Paper) bool { return p.Kind == credit.DocumentMaster }):
		return Offer{}, credit.ValidationFailed.Because("An acceptance needs its evidence, and the master agreement if it is accepted too.")
	}
	if r := lending.MayBuy(company); r != nil {
		return Offer{}, r
	}
	role, _ := p.RoleAt(x.Company)
	if !p.MayFinish(company, x.Amount) || c.Master && role.Role != credit.RoleOwner || company.Servicing.Unsigned && !c.Master {
		return Offer{}, ownerRequired()
	}
	if x.Direct && !asShown(x, s.Orders[x.Of], c.Installments) {
		return Offer{}, credit.TermsChanged.Because("The order has changed since the terms were shown.")
	}
	offers := Offers(s.Merchants[x.Merchant].InForce(e.Today()), company, x.Amount, x.Installments, e.Today())
	i := slices.IndexFunc(offers, func(o Offer) bool { return o.Terms.Installments == c.Installments })
	if i < 0 {
		return Offer{}, credit.TermNotAvailable.Because("The merchant's program does not offer this number of installments.")
	}
	if offers[i].Disclosure.Digest() != c.Digest {
		return Offer{}, credit.TermsChanged.Because("The terms have changed since they were shown.")
	}
	return offers[i], lending.Fits(x.Amount, company.Available())
}

// asShown reports whether an order that existed before its checkout still matches what the
// buyer was shown.
func asShown(c *credit.Checkout, o *credit.Order, installments int) bool {
	other := o.Installments != 0 && o.Installments != installments && o.UpdatedAt.After(c.CreatedAt)
	return o.Status == credit.OrderCreated && o.Amount == c.Amount && !other
}

// accepted creates the order of a checkout, or sets the terms of the existing one.
func accepted(d *credit.Draft, x *credit.Checkout, a *credit.BuyerAcceptance) *credit.Order {
	if x.Direct {
		o := d.Orders.Edit(x.Of)
		o.Installments, o.Checkout = a.Installments, x.ID
		d.OrderEvent(credit.OrderUpdatedEvent, o.Key)
		return o
	}
	o := d.Orders.Add(x.Of, &credit.Order{
		Key: x.Of, Company: x.Company, Merchant: x.Merchant, Currency: money.USD, Amount: x.Amount, Status: credit.OrderCreated,
		Financing: credit.FinancingNone, Installments: a.Installments, Cart: slices.Clone(x.Cart), Charges: x.Charges, Shipping: x.Shipping,
		Billing: x.Billing, Metadata: maps.Clone(x.Metadata), Checkout: x.ID, CaptureDate: calendar.None,
		CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1,
	})
	d.OrderEvent(credit.OrderCreatedEvent, o.Key)
	return o
}

// CompleteCheckout is the merchant's confirmation that it has the order: CREATED becomes
// AUTHORIZED under the terms that the buyer accepted. It is idempotent. Result is the *Order.
type CompleteCheckout struct {
	Checkout string `json:"checkout"`
}

func (CompleteCheckout) Name() string { return "checkout.complete" }

// Keys requests the checkout with its order and company.
func (c CompleteCheckout) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return lending.CheckoutKeys(s, c.Checkout)
}

func (c CompleteCheckout) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := lending.AdmitCheckout(s, e, c.Checkout); r != nil {
		return r
	}
	if x := s.Checkout(c.Checkout); x.Status == credit.CheckoutAccepted {
		return lending.AdmitCompany(s, x.Company, x.Merchant)
	}
	return nil
}

func (c CompleteCheckout) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	x := s.Checkout(c.Checkout)
	o := s.Orders[x.Of]
	switch {
	case x.Status == credit.CheckoutCompleted:
		return credit.Changes{Result: o}, nil
	case x.Status != credit.CheckoutAccepted:
		return credit.Changes{}, notAccepted(x)
	case x.Late(e.Now):
		return credit.Changes{}, lending.RefuseOver()
	}
	if r := lending.MayBuy(s.Companies[x.Company]); r != nil {
		return credit.Changes{}, withCheckout(r, x)
	}
	d := credit.NewDraft(s, e)
	o = d.Orders.Edit(x.Of)
	if r := lending.Authorize(d, o); r != nil {
		return credit.Changes{}, withCheckout(r, x)
	}
	return d.Done(o, false), nil
}

// withCheckout adds the status of a checkout to a rejection about it.
func withCheckout(r *credit.Rejection, x *credit.Checkout) *credit.Rejection {
	more := map[string]any{"checkout_status": x.Status}
	maps.Copy(more, r.Members)
	return r.Reason.With(r.Detail, more)
}

// notAccepted is the rejection for a checkout that nobody has accepted, or that is over.
func notAccepted(x *credit.Checkout) *credit.Rejection {
	status := map[string]any{"checkout_status": x.Status}
	switch x.Status {
	case credit.CheckoutExpired:
		return lending.RefuseOver()
	case credit.CheckoutCompleted:
		return credit.CheckoutAlreadyCompleted.With("The checkout has already been completed.", map[string]any{"order_key": x.Of, "checkout_status": x.Status})
	}
	return credit.CheckoutNotAccepted.With(fmt.Sprintf("The checkout is %s.", x.Status), status)
}

// EndCheckout ends a checkout before its order is authorized: when the buyer leaves, or by the
// merchant. Result is the *Checkout.
type EndCheckout struct {
	Checkout string `json:"checkout"`
	Reason   string `json:"reason"` // why the buyer leaves; "": the merchant ends it
}

func (EndCheckout) Name() string { return "checkout.end" }

// Keys requests the checkout with its order and company.
func (c EndCheckout) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return lending.CheckoutKeys(s, c.Checkout)
}

func (c EndCheckout) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitCheckout(s, e, c.Checkout)
}

func (c EndCheckout) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Checkout(c.Checkout)
	reason := cmp.Or(c.Reason, lending.EndMerchantCanceled)
	if old.Ended() && old.Status != credit.CheckoutCompleted {
		return credit.Changes{Result: old}, nil
	}
	buyer := reason != lending.EndMerchantCanceled
	switch {
	case buyer && !e.Actor.Operator, buyer && !slices.Contains([]string{lending.EndBuyerCanceled, lending.EndInsufficientCredit, lending.EndNotEligible, lending.EndDeclined}, reason):
		return credit.Changes{}, credit.ValidationFailed.Because("A merchant cannot give a reason for ending a checkout.")
	case old.Status == credit.CheckoutCompleted, buyer && old.Status == credit.CheckoutAccepted:
		return credit.Changes{}, notAccepted(old)
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Checkout](d, c.Checkout)
	status := credit.CheckoutCanceled
	if reason == lending.EndDeclined {
		status = credit.CheckoutDeclined
	}
	lending.EndCheckout(d, x, status, reason)
	return d.Done(x, false), nil
}

// ServiceCheckout ends an expired checkout. Result is the *Checkout.
type ServiceCheckout struct {
	Checkout string `json:"checkout"`
}

func (ServiceCheckout) Name() string { return "checkout.service" }

// Keys requests the checkout with its order and company.
func (c ServiceCheckout) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return lending.CheckoutKeys(s, c.Checkout)
}

func (c ServiceCheckout) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitCheckout(s, e, c.Checkout)
}

func (c ServiceCheckout) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Checkout(c.Checkout)
	if old.NextAt.IsZero() || old.NextAt.After(e.Now) {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	x := credit.EditRecord[*credit.Checkout](d, c.Checkout)
	reason := lending.EndExpired
	if x.Status == credit.CheckoutAccepted {
		reason = lending.EndNotCompleted
	}
	lending.EndCheckout(d, x, credit.CheckoutExpired, reason)
	return d.Done(x, false), nil
}
