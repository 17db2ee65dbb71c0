package credit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// EnterCheckout records who goes through a checkout: somebody who has proved an e-mail, and
// the company for which it is, 0 while it is not known. Result is the *Checkout.
type EnterCheckout struct {
	Checkout string `json:"checkout"`
	Person   string `json:"person"`
	Company  int64  `json:"company_id"`
	// Over says that she goes on in the place of whoever has begun, and which time that is:
	// of two who do so at once, one does. 0: she takes nobody's place.
	Over int `json:"over,omitzero"`
	// From is who had the checkout in her browser before she proved her e-mail there; "" if
	// nobody had.
	From string `json:"from,omitzero"`
}

func (EnterCheckout) Name() string { return "checkout.enter" }

// Keys asks for the checkout and the person, and for the company of one who takes a place.
func (c EnterCheckout) Keys(s *State, _ Env) Keys {
	k := checkoutKeys(s, c.Checkout)
	k.Records = append(k.Records, RecordKey{NounPerson, c.Person})
	if c.Over != 0 && c.Company != 0 {
		k.Companies = append(k.Companies, c.Company)
	}
	return k
}

func (c EnterCheckout) Admit(s *State, e Env) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	if p := s.Person(c.Person); s.Checkout(c.Checkout) == nil || p == nil || !p.Proved() {
		return noCheckout()
	}
	return nil
}

func noCheckout() *Rejection { return NotFound.Because("There is no such checkout.") }

func (c EnterCheckout) Decide(s *State, e Env) (Changes, *Rejection) {
	old, p := s.Checkout(c.Checkout), s.Person(c.Person)
	if _, ok := p.RoleAt(c.Company); c.Company != 0 && !ok {
		return Changes{}, NotAllowed.Because("The person does not act for this company.")
	}
	if old.Named != 0 && c.Company != 0 && c.Company != old.Named {
		return Changes{}, NotAllowed.Because("The checkout is for another company.")
	}
	other := old.Person != "" && old.Person != c.Person
	switch {
	case old.Person == c.Person && old.Company == c.Company:
		return Changes{Result: old}, nil
	case other && c.Over == 0:
		return Changes{}, checkoutTaken()
	case old.late(e.Now):
		return Changes{}, checkoutOver()
	case old.Status != CheckoutOpen:
		return Changes{}, notAccepted(old)
	}
	d := NewDraft(s, e)
	x := EditRecord[*Checkout](d, c.Checkout)
	if other {
		if r := c.takesOver(s, old); r != nil {
			return Changes{}, r
		}
		x.Taken++
	}
	x.Person, x.Company = c.Person, c.Company
	return d.Done(x, false), nil
}

func checkoutTaken() *Rejection {
	return CheckoutTaken.Because("Someone else started this checkout.")
}

// takesOver answers why somebody may not go on in the place of whoever has begun a checkout.
// She has to be able to accept it for its company. While it is for none that is known, nothing
// tells a colleague from a stranger who has the address: only whoever has begun goes on with
// another e-mail, in the same browser, until an application was sent.
func (c EnterCheckout) takesOver(s *State, old *Checkout) *Rejection {
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
	if r := mayBuy(company); r != nil {
		return r
	}
	if !s.Person(c.Person).MayFinish(company, old.Amount) {
		return ownerRequired()
	}
	return nil
}

// Applied reports that what somebody has sent from a checkout is being decided, or has made
// no company: nobody else goes on with it.
func (c *Checkout) Applied(a *Application) bool {
	return c.Application != "" && (c.Company == 0 || a == nil || !a.Decided())
}

// MayFinish reports that a person may accept an order of an amount for a company as it
// stands: an agreement that is not signed yet is an owner's to sign.
func (p *Person) MayFinish(c *Company, amount money.Amount) bool {
	r, _ := p.RoleAt(c.ID)
	return p.MayAccept(c.ID, amount) && (!c.Servicing.Unsigned || r.Role == RoleOwner)
}

func ownerRequired() *Rejection {
	return OwnerRequired.Because("An owner of the company must accept.")
}

// AcceptCheckout is the buyer's acceptance: the order is made, and its terms are kept until
// the merchant completes it. Digest names the disclosure that the buyer has read: if it would
// say something else now, nothing is accepted. Result is the *Checkout.
type AcceptCheckout struct {
	Checkout     string   `json:"checkout"`
	Person       string   `json:"person"`
	Installments int      `json:"installments"`
	Digest       string   `json:"digest"`
	Papers       []Paper  `json:"papers"`
	Evidence     string   `json:"evidence"` // handle
	Master       bool     `json:"master"`   // the master agreement is among what was accepted
	Secrets      []Secret `json:"-"`
}

func (AcceptCheckout) Name() string { return "checkout.accept" }

// Keys asks for the checkout with its company, order and person.
func (c AcceptCheckout) Keys(s *State, _ Env) Keys {
	k := checkoutKeys(s, c.Checkout)
	k.Records = append(k.Records, RecordKey{NounPerson, c.Person})
	return k
}

func (c AcceptCheckout) Admit(s *State, e Env) *Rejection {
	return EnterCheckout{Checkout: c.Checkout, Person: c.Person}.Admit(s, e)
}

func (c AcceptCheckout) Decide(s *State, e Env) (Changes, *Rejection) {
	x := s.Checkout(c.Checkout)
	if a := x.Accepted; a != nil && a.Person == c.Person && a.Installments == c.Installments && a.Digest == c.Digest && x.holds(e.Now) {
		return Changes{Result: x}, nil // twice is once
	}
	offered, r := c.refuse(s, e, x)
	if r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	x = EditRecord[*Checkout](d, c.Checkout)
	d.Changes.Secrets = c.Secrets
	a := &BuyerAcceptance{
		At: e.Now, Person: c.Person, Company: x.Company, Installments: c.Installments, Terms: offered.Terms, Digest: c.Digest,
		Evidence: c.Evidence, Amount: x.Amount, Program: s.Merchants[x.Merchant].InForce(e.Today()).Version,
	}
	company := d.Companies.Edit(x.Company)
	if !company.IsLinked(x.Merchant) {
		company.Linked = append(slices.Clone(company.Linked), x.Merchant)
		slices.Sort(company.Linked)
	}
	o := d.accepted(x, a)
	for _, p := range c.Papers {
		doc := d.File(p, RecordHead{ID: o.Key, Merchant: x.Merchant, Company: x.Company})
		a.Documents = append(a.Documents, doc.ID)
		if p.Kind == DocumentMaster {
			company.Servicing.Unsigned, company.Servicing.Agreement = false, doc.ID
		}
	}
	x.Status, x.Accepted, x.ExpiresAt, x.NextAt = CheckoutAccepted, a, e.Now.Add(completeLife), e.Now.Add(completeLife)
	d.recordEvent(CheckoutAcceptedEvent, x)
	d.Mail("agreement_copy", s.Person(c.Person).Addressee(), x.RecordHead, map[string]string{"order": o.Key, "merchant": s.Merchants[x.Merchant].Name})
	return d.Done(x, false), nil
}

// refuse answers why an acceptance is not taken, and what is offered if it is.
func (c AcceptCheckout) refuse(s *State, e Env, x *Checkout) (Offer, *Rejection) {
	p, company := s.Person(c.Person), s.Companies[x.Company]
	switch {
	case x.Person != c.Person || company == nil:
		return Offer{}, checkoutTaken()
	case x.late(e.Now):
		return Offer{}, checkoutOver()
	case x.Status != CheckoutOpen:
		return Offer{}, notAccepted(x)
	case c.Evidence == "" || c.Master != slices.ContainsFunc(c.Papers, func(p Paper) bool { return p.Kind == DocumentMaster }):
		return Offer{}, ValidationFailed.Because("An acceptance needs its evidence, and the master agreement if it is accepted too.")
	}
	if r := mayBuy(company); r != nil {
		return Offer{}, r
	}
	role, _ := p.RoleAt(x.Company)
	if !p.MayFinish(company, x.Amount) || c.Master && role.Role != RoleOwner || company.Servicing.Unsigned && !c.Master {
		return Offer{}, ownerRequired()
	}
	if x.Direct && !x.asShown(s.Orders[x.Of], c.Installments) {
		return Offer{}, TermsChanged.Because("The order has changed since the terms were shown.")
	}
	offers := Offers(s.Merchants[x.Merchant].InForce(e.Today()), company, x.Amount, x.Installments, e.Today())
	i := slices.IndexFunc(offers, func(o Offer) bool { return o.Terms.Installments == c.Installments })
	if i < 0 {
		return Offer{}, TermNotAvailable.Because("The merchant's program does not offer this number of installments.")
	}
	if offers[i].Disclosure.Digest() != c.Digest {
		return Offer{}, TermsChanged.Because("The terms have changed since they were shown.")
	}
	return offers[i], fits(x.Amount, company.Available())
}

// asShown reports that an order that was there before its checkout still asks for what the
// buyer has been shown.
func (c *Checkout) asShown(o *Order, installments int) bool {
	other := o.Installments != 0 && o.Installments != installments && o.UpdatedAt.After(c.CreatedAt)
	return o.Status == OrderCreated && o.Amount == c.Amount && !other
}

// accepted makes the order of a checkout, or gives the one that was there its terms.
func (d *Draft) accepted(x *Checkout, a *BuyerAcceptance) *Order {
	if x.Direct {
		o := d.Orders.Edit(x.Of)
		o.Installments, o.Checkout = a.Installments, x.ID
		d.orderEvent(OrderUpdatedEvent, o.Key)
		return o
	}
	o := d.Orders.Add(x.Of, &Order{
		Key: x.Of, Company: x.Company, Merchant: x.Merchant, Currency: money.USD, Amount: x.Amount, Status: OrderCreated,
		Financing: FinancingNone, Installments: a.Installments, Cart: slices.Clone(x.Cart), Charges: x.Charges, Shipping: x.Shipping,
		Billing: x.Billing, Metadata: maps.Clone(x.Metadata), Checkout: x.ID, CaptureDate: calendar.None,
		CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1,
	})
	d.orderEvent(OrderCreatedEvent, o.Key)
	return o
}

// CompleteCheckout is the merchant's word that it has the order: CREATED becomes AUTHORIZED
// under the terms that the buyer has accepted. Twice is once. Result is the *Order.
type CompleteCheckout struct {
	Checkout string `json:"checkout"`
}

func (CompleteCheckout) Name() string { return "checkout.complete" }

// Keys asks for the checkout with its order and company.
func (c CompleteCheckout) Keys(s *State, _ Env) Keys { return checkoutKeys(s, c.Checkout) }

func (c CompleteCheckout) Admit(s *State, e Env) *Rejection {
	if r := admitCheckout(s, e, c.Checkout); r != nil {
		return r
	}
	if x := s.Checkout(c.Checkout); x.Status == CheckoutAccepted {
		return admitCompany(s, x.Company, x.Merchant)
	}
	return nil
}

func (c CompleteCheckout) Decide(s *State, e Env) (Changes, *Rejection) {
	x := s.Checkout(c.Checkout)
	o := s.Orders[x.Of]
	switch {
	case x.Status == CheckoutCompleted:
		return Changes{Result: o}, nil
	case x.Status != CheckoutAccepted:
		return Changes{}, notAccepted(x)
	case x.late(e.Now):
		return Changes{}, checkoutOver()
	}
	if r := mayBuy(s.Companies[x.Company]); r != nil {
		return Changes{}, r.of(x)
	}
	d := NewDraft(s, e)
	o = d.Orders.Edit(x.Of)
	if r := d.authorize(o); r != nil {
		return Changes{}, r.of(x)
	}
	return d.Done(o, false), nil
}

// of has a refusal say where the checkout stands that it is about.
func (r *Rejection) of(x *Checkout) *Rejection {
	more := map[string]any{"checkout_status": x.Status}
	maps.Copy(more, r.Members)
	return r.Reason.With(r.Detail, more)
}

// late reports that time has ended a checkout, and the clockwork has not written it down yet.
// A review stops its time.
func (c *Checkout) late(now time.Time) bool {
	return (c.Status == CheckoutOpen || c.Status == CheckoutAccepted) && !c.ExpiresAt.After(now)
}

// holds reports that what was accepted in a checkout holds: it is completed, or may still be.
func (c *Checkout) holds(now time.Time) bool {
	return c.Status == CheckoutCompleted || c.Status == CheckoutAccepted && !c.late(now)
}

func checkoutOver() *Rejection {
	return CheckoutOver.With("The checkout has expired.", map[string]any{"checkout_status": CheckoutExpired})
}

// notAccepted answers for a checkout that nobody has accepted, or that is over.
func notAccepted(x *Checkout) *Rejection {
	status := map[string]any{"checkout_status": x.Status}
	switch x.Status {
	case CheckoutExpired:
		return checkoutOver()
	case CheckoutCompleted:
		return CheckoutAlreadyCompleted.With("The checkout has already been completed.", map[string]any{"order_key": x.Of, "checkout_status": x.Status})
	}
	return CheckoutNotAccepted.With(fmt.Sprintf("The checkout is %s.", x.Status), status)
}

// acceptance is what a buyer has accepted of an order, nil if nothing that still holds.
func (d *Draft) acceptance(o *Order) *BuyerAcceptance {
	if x := d.State.Checkout(o.Checkout); x != nil && x.holds(d.Env.Now) {
		return x.Accepted
	}
	return nil
}

// acceptedInTime asks that an order whose checkout was accepted is not authorized after the
// checkout's time, also before the clockwork has ended it.
func (d *Draft) acceptedInTime(o *Order) *Rejection {
	if x := d.State.Checkout(o.Checkout); x != nil && x.Accepted != nil && x.late(d.Env.Now) {
		return checkoutOver()
	}
	return nil
}

// leaveCheckout ends the checkout of an order that its merchant has canceled, or has
// authorized without it.
func (d *Draft) leaveCheckout(o *Order) {
	if x := PeekRecord[*Checkout](d, o.Checkout); x != nil && !x.Ended() {
		d.endCheckout(EditRecord[*Checkout](d, o.Checkout), CheckoutCanceled, EndMerchantCanceled)
	}
}

// completed ends an accepted checkout whose order has been authorized.
func (d *Draft) completed(o *Order) {
	if x := PeekRecord[*Checkout](d, o.Checkout); x == nil || x.Status != CheckoutAccepted {
		d.leaveCheckout(o)
		return
	}
	x := EditRecord[*Checkout](d, o.Checkout)
	x.Status, x.CompletedAt, x.EndedAt, x.NextAt = CheckoutCompleted, d.Env.Now, d.Env.Now, time.Time{}
}

// endCheckout ends a checkout that is the draft's own, and the order that was accepted in it.
// An order that was there before stays CREATED unless the merchant has ended it.
func (d *Draft) endCheckout(x *Checkout, status, reason string) {
	accepted := x.Status == CheckoutAccepted
	x.Status, x.Reason, x.EndedAt, x.NextAt = status, reason, d.Env.Now, time.Time{}
	if o := d.Orders.Peek(x.Of); accepted && !x.Direct && o != nil && o.Status == OrderCreated {
		why := EndMerchantCanceled
		if reason == EndNotCompleted {
			why = "authorization_expired"
		}
		d.cancel(d.Orders.Edit(x.Of), why)
	}
	company := d.Companies.Peek(x.Company)
	x.Known = company != nil && company.IsLinked(x.Merchant)
	event := CheckoutCanceledEvent
	if status == CheckoutExpired {
		event = CheckoutExpiredEvent
	}
	d.recordEvent(event, x)
	if to := d.buyerOf(x); reason == EndNotCompleted {
		d.Mail("checkout_not_completed", to, x.RecordHead, map[string]string{"merchant": d.State.Merchants[x.Merchant].Name, "order": x.Of})
	}
}

// buyerOf is who a checkout's mails go to, nobody if nobody is known.
func (d *Draft) buyerOf(x *Checkout) addressee {
	if p := PeekRecord[*Person](d, x.Person); p != nil {
		return p.Addressee()
	}
	return addressee{contact: x.Buyer}
}

// EndCheckout ends a checkout before its order is authorized: by the buyer who leaves, or by
// the merchant. Result is the *Checkout.
type EndCheckout struct {
	Checkout string `json:"checkout"`
	Reason   string `json:"reason"` // why the buyer leaves; "": the merchant ends it
}

func (EndCheckout) Name() string { return "checkout.end" }

// Keys asks for the checkout with its order and company.
func (c EndCheckout) Keys(s *State, _ Env) Keys { return checkoutKeys(s, c.Checkout) }

func (c EndCheckout) Admit(s *State, e Env) *Rejection { return admitCheckout(s, e, c.Checkout) }

func (c EndCheckout) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Checkout(c.Checkout)
	reason := cmp.Or(c.Reason, EndMerchantCanceled)
	if old.Ended() && old.Status != CheckoutCompleted {
		return Changes{Result: old}, nil
	}
	buyer := reason != EndMerchantCanceled
	switch {
	case buyer && !e.Actor.Operator, buyer && !slices.Contains([]string{EndBuyerCanceled, EndInsufficientCredit, EndNotEligible, EndDeclined}, reason):
		return Changes{}, ValidationFailed.Because("A merchant cannot give a reason for ending a checkout.")
	case old.Status == CheckoutCompleted, buyer && old.Status == CheckoutAccepted:
		return Changes{}, notAccepted(old)
	}
	d := NewDraft(s, e)
	x := EditRecord[*Checkout](d, c.Checkout)
	status := CheckoutCanceled
	if reason == EndDeclined {
		status = CheckoutDeclined
	}
	d.endCheckout(x, status, reason)
	return d.Done(x, false), nil
}

// ServiceCheckout ends a checkout whose time is over. Result is the *Checkout.
type ServiceCheckout struct {
	Checkout string `json:"checkout"`
}

func (ServiceCheckout) Name() string { return "checkout.service" }

// Keys asks for the checkout with its order and company.
func (c ServiceCheckout) Keys(s *State, _ Env) Keys { return checkoutKeys(s, c.Checkout) }

func (c ServiceCheckout) Admit(s *State, e Env) *Rejection { return admitCheckout(s, e, c.Checkout) }

func (c ServiceCheckout) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Checkout(c.Checkout)
	if old.NextAt.IsZero() || old.NextAt.After(e.Now) {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	x := EditRecord[*Checkout](d, c.Checkout)
	reason := EndExpired
	if x.Status == CheckoutAccepted {
		reason = EndNotCompleted
	}
	d.endCheckout(x, CheckoutExpired, reason)
	return d.Done(x, false), nil
}
