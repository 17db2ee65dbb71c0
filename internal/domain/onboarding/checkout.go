package onboarding

import (
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// The modes.
const (
	ModeRedirect credit.CheckoutMode = "redirect"
	ModeModal    credit.CheckoutMode = "modal"
	ModeLink     credit.CheckoutMode = "link"
)

const (
	checkoutLife = 24 * time.Hour
	linkLife     = 7 * credit.Day
	completeLife = 24 * time.Hour // after the acceptance
	reviewLife   = 7 * credit.Day // after a review's approval
)

// sameCart reports whether two checkouts request the same thing.
func sameCart(c *credit.Checkout, x *credit.Checkout) bool {
	installments := slices.Equal(c.Installments, x.Installments) ||
		c.Direct && c.Accepted != nil && slices.Equal(x.Installments, []int{c.Accepted.Installments}) // by then the order has the accepted number
	charges := c.Charges == x.Charges || c.Charges != nil && x.Charges != nil && *c.Charges == *x.Charges
	return charges && c.Amount == x.Amount && slices.Equal(c.Cart, x.Cart) && c.ReturnURL == x.ReturnURL && c.CancelURL == x.CancelURL &&
		c.CompleteURL == x.CompleteURL && c.Mode == x.Mode && c.Named == x.Named && installments && c.Direct == x.Direct
}

// CreateCheckout creates a checkout of the caller's merchant, or returns the open one for the
// same cart. Result is the *Checkout.
type CreateCheckout struct {
	Amount           money.Amount        `json:"amount"`
	Charges          *credit.Charges     `json:"charges"`
	Cart             []credit.CartItem   `json:"cart_items"`
	Billing          *credit.Address     `json:"billing_address"`
	Shipping         *credit.Address     `json:"shipping_address"`
	Buyer            string              `json:"buyer"`       // handle
	BuyerEmail       string              `json:"buyer_email"` // keyed hash
	Company          int64               `json:"company_id"`
	Order            string              `json:"order_key"` // a CREATED order whose terms the buyer should accept; "" for none
	Installments     []int               `json:"installments"`
	RemoteID         string              `json:"remote_id"`
	RemoteCustomerID string              `json:"remote_customer_id"`
	ReturnURL        string              `json:"return_url"`
	CancelURL        string              `json:"cancel_url"`
	CompleteURL      string              `json:"order_complete_url"`
	Mode             credit.CheckoutMode `json:"mode"`
	Life             time.Duration       `json:"life"` // 0: by its mode
	Metadata         map[string]string   `json:"metadata"`
	Token            string              `json:"token"` // hash
	URL              string              `json:"url"`   // handle
	// Endpoint and Sealed are for creating the merchant's CHECKOUT endpoint if it has none:
	// the identifier, from EndpointID, and the signing secret, sealed for it. Only with
	// CompleteURL.
	Endpoint string          `json:"endpoint,omitzero"`
	Sealed   []byte          `json:"sealed,omitzero"`
	Secrets  []credit.Secret `json:"-"`
}

func (CreateCheckout) Name() string { return "checkout.create" }

// Keys requests the merchant, the company or order, and the last checkout with this
// remote_id or for this order.
func (c CreateCheckout) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := c.endpointKeys(e.Actor.Merchant)
	k.Merchants = []string{e.Actor.Merchant}
	if c.Company != 0 {
		k.Companies = []int64{c.Company}
	}
	if c.Order != "" {
		k = credit.JoinKeys(k, lending.OrderKeys(s, c.Order))
		if o := s.Orders[c.Order]; o != nil && o.Checkout != "" {
			k = credit.JoinKeys(k, lending.CheckoutKeys(s, o.Checkout))
		}
	}
	k.Claims = append(k.Claims, c.linkClaims(e)...)
	if claim, ok := c.claim(e); ok {
		k.Claims = append(k.Claims, claim)
		k = credit.JoinKeys(k, lending.CheckoutKeys(s, s.Claims[claim]))
	}
	if c.Mode == ModeLink && c.BuyerEmail != "" {
		k.Claims = append(k.Claims, credit.EmailClaim(c.BuyerEmail))
		if p := s.Claims[credit.EmailClaim(c.BuyerEmail)]; p != "" {
			k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: p})
		}
	}
	return k
}

// addressee is the recipient of a checkout's link, in her language if she has signed in
// before.
func (c CreateCheckout) addressee(s *credit.State) credit.Addressee {
	to := credit.Addressee{Contact: c.Buyer}
	if p := s.Person(s.Claims[credit.EmailClaim(c.BuyerEmail)]); p != nil {
		to.Language = p.Language
	}
	return to
}

// claim is the name under which the latest checkout for the same thing is found.
func (c CreateCheckout) claim(e credit.Env) (credit.Claim, bool) {
	switch {
	case c.Order != "":
		return credit.RemoteClaim(e.Actor.Merchant, c.Order), true
	case c.RemoteID != "":
		return credit.RemoteClaim(e.Actor.Merchant, "remote:"+c.RemoteID), true
	}
	return credit.Claim{}, false
}

func (c CreateCheckout) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if s.Merchants[e.Actor.Merchant] == nil {
		return credit.NotFound.Because("There is no such merchant.")
	}
	if c.Order != "" {
		return lending.AdmitOrder(s, e, c.Order)
	}
	if c.Company != 0 {
		return lending.AdmitCompany(s, c.Company, e.Actor.Merchant)
	}
	return nil
}

func (c CreateCheckout) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	x := c.checkout(d)
	if o := s.Orders[c.Order]; o != nil && (o.Status != credit.OrderCreated || o.Parent != "") {
		return credit.Changes{}, lending.NoTransition(o.Status, string(credit.OrderAuthorized))
	} else if o != nil && byOpenCheckout(d, o) {
		return credit.Changes{}, credit.CheckoutTaken.Because("The order's checkout is waiting to be completed. Complete or end the checkout instead.")
	}
	claim, named := c.claim(e)
	old := s.Checkout(s.Claims[claim])
	switch {
	case !named || old == nil:
	case old.Status == credit.CheckoutCompleted:
		return credit.Changes{}, credit.CheckoutAlreadyCompleted.With("A checkout with this remote_id has been completed.", map[string]any{"order_key": old.Of})
	case !old.Ended() && sameCart(old, x): // a repeat, whatever the program says now
		return credit.Changes{Result: old}, nil
	}
	if r := c.refuse(s, e, x); r != nil {
		return credit.Changes{}, r
	}
	if r := c.signed(s); r != nil {
		return credit.Changes{}, r
	}
	var r *credit.Rejection
	if x.Link, r = c.linkMail(s, e); r != nil {
		return credit.Changes{}, r
	}
	c.callsFrom(d, x.Merchant)
	if named && old != nil && !old.Ended() {
		lending.EndCheckout(d, credit.EditRecord[*credit.Checkout](d, old.ID), credit.CheckoutCanceled, lending.EndReplaced)
	}
	if old != nil {
		x.Before = old.ID
	}
	if named {
		d.MoveClaim(claim, x.ID)
	}
	d.Claim(credit.TokenClaim(c.Token), x.ID)
	for _, place := range x.LinkPlaces() {
		d.Claim(place, x.ID)
	}
	d.Changes.Secrets = c.Secrets
	credit.AddRecord(d, x)
	if x.Direct {
		d.Orders.Edit(x.Of).Checkout = x.ID
		d.OrderEvent(credit.OrderUpdatedEvent, x.Of)
	}
	if x.Link != nil {
		d.Mail("checkout_link", c.addressee(s), x.RecordHead, map[string]string{"checkout": x.ID, "merchant": s.Merchants[x.Merchant].Name})
	}
	return d.Done(x, true), nil
}

// byOpenCheckout reports whether an order was created by a checkout that has not ended.
func byOpenCheckout(d *credit.Draft, o *credit.Order) bool {
	x := d.State.Checkout(o.Checkout)
	return x != nil && !x.Direct && !x.Ended()
}

// checkout is the record that the command would create.
func (c CreateCheckout) checkout(d *credit.Draft) *credit.Checkout {
	x := &credit.Checkout{
		RecordHead: d.NewRecord(credit.NounCheckout), Amount: c.Amount, Charges: c.Charges, Cart: c.Cart, Billing: c.Billing,
		Shipping: c.Shipping, Buyer: c.Buyer, BuyerEmail: c.BuyerEmail, Named: c.Company, Installments: c.Installments, RemoteID: c.RemoteID,
		RemoteCustomerID: c.RemoteCustomerID, ReturnURL: c.ReturnURL, CancelURL: c.CancelURL, CompleteURL: c.CompleteURL, Mode: c.Mode,
		Metadata: c.Metadata, Token: c.Token, URL: c.URL,
	}
	x.Merchant = d.Env.Actor.Merchant
	x.Of = d.IDs.Next(credit.PrefixOrder)
	if o := d.State.Orders[c.Order]; o != nil {
		x.Of, x.Direct, x.Amount, x.Named = o.Key, true, o.Amount, o.Company
		x.Charges, x.Cart, x.Billing, x.Shipping = o.Charges, o.Cart, o.Billing, o.Shipping
		if o.Installments != 0 && len(x.Installments) == 0 {
			x.Installments = []int{o.Installments}
		}
	}
	life := c.Life
	switch {
	case life != 0:
	case c.Mode == ModeLink:
		life = linkLife
	default:
		life = checkoutLife
	}
	x.ExpiresAt = d.Env.Now.Add(life)
	x.NextAt = x.ExpiresAt
	return x
}

// refuse decides the rules of a direct order, then those of every checkout.
func (c CreateCheckout) refuse(s *credit.State, e credit.Env, x *credit.Checkout) *credit.Rejection {
	if o := s.Orders[c.Order]; o != nil && o.External {
		return credit.ValidationFailed.Because("The merchant manages this order's payments, so the buyer accepts no terms here.")
	}
	if x.Charges != nil && x.Charges.GrandTotal != x.Amount {
		return lending.ChargesDiffer()
	}
	if x.Mode == ModeLink && (x.Buyer == "" || x.BuyerEmail == "") {
		return credit.ValidationFailed.Because("A checkout by link needs the buyer's e-mail.")
	}
	p := s.Merchants[e.Actor.Merchant].InForce(e.Today())
	if p == nil {
		return credit.TermNotAvailable.Because("The merchant has no program in force.")
	}
	if r := lending.Bounds(p, x.Amount); r != nil {
		return r
	}
	for _, n := range x.Installments {
		if _, ok := p.Settings.Offer(n); !ok {
			return credit.TermNotAvailable.Because("The merchant's program does not offer this number of installments.")
		}
	}
	return nil
}
