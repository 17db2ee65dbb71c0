package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/money"
)

// Checkout is a shop's wish to have one order financed by one buyer. Of is the key of its
// order, which is drawn with it; the order is made when the buyer accepts.
type Checkout struct {
	RecordHead       `json:"-"`
	Reason           string            `json:"reason,omitzero"`
	Amount           money.Amount      `json:"amount"`
	Charges          *Charges          `json:"charges,omitzero"`
	Cart             []CartItem        `json:"cart_items,omitzero"`
	Billing          *Address          `json:"billing_address,omitzero"`
	Shipping         *Address          `json:"shipping_address,omitzero"`
	Buyer            string            `json:"buyer,omitzero"`       // handle: email, first_name, last_name, phone, company_name
	BuyerEmail       string            `json:"buyer_email,omitzero"` // keyed hash
	Named            int64             `json:"named,omitzero"`       // the company that the merchant has named
	Installments     []int             `json:"installments,omitzero"`
	RemoteID         string            `json:"remote_id,omitzero"`
	RemoteCustomerID string            `json:"remote_customer_id,omitzero"`
	ReturnURL        string            `json:"return_url,omitzero"`
	CancelURL        string            `json:"cancel_url,omitzero"`
	CompleteURL      string            `json:"order_complete_url,omitzero"`
	Mode             CheckoutMode      `json:"mode"`
	Direct           bool              `json:"direct,omitzero"` // its order was there before it
	Metadata         map[string]string `json:"metadata,omitzero"`
	ExpiresAt        time.Time         `json:"expires_at"`
	Token            string            `json:"token"`           // hash of the token in its address
	URL              string            `json:"url"`             // handle of the address
	Before           string            `json:"before,omitzero"` // the last one for the same order or remote_id until then
	Person           string            `json:"person,omitzero"`
	Taken            int               `json:"taken,omitzero"` // how often somebody has gone on in another's place
	Application      string            `json:"application,omitzero"`
	Accepted         *BuyerAcceptance  `json:"accepted,omitzero"`
	CompletedAt      time.Time         `json:"completed_at,omitzero"`
	EndedAt          time.Time         `json:"ended_at,omitzero"`
	Link             *LinkMail         `json:"link_mail,omitzero"` // the mail with its address, of one by link
	Known            bool              `json:"known,omitzero"`     // its company was linked to its merchant when it ended, who may learn why
}

// BuyerAcceptance is what a buyer has accepted, and what proves it (F21).
type BuyerAcceptance struct {
	At           time.Time    `json:"at"`
	Person       string       `json:"person"`
	Company      int64        `json:"company_id"`
	Installments int          `json:"installments"`
	Program      int          `json:"program"` // version in force at the acceptance
	Terms        OrderTerms   `json:"terms"`
	Digest       string       `json:"digest"`    // of the disclosure
	Documents    []string     `json:"documents"` // that were shown
	Evidence     string       `json:"evidence"`  // handle: typed name, ticks, address, user agent
	Amount       money.Amount `json:"amount"`
}

// CheckoutMode is how the buyer comes to a checkout.
type CheckoutMode string

// The modes.
const (
	ModeRedirect CheckoutMode = "redirect"
	ModeModal    CheckoutMode = "modal"
	ModeLink     CheckoutMode = "link"
)

// Statuses of a checkout.
const (
	CheckoutOpen      = "OPEN"
	CheckoutPending   = "PENDING_REVIEW"
	CheckoutAccepted  = "ACCEPTED"
	CheckoutCompleted = "COMPLETED"
	CheckoutCanceled  = "CANCELED"
	CheckoutDeclined  = "DECLINED"
	CheckoutExpired   = "EXPIRED"
)

// Reasons of a checkout's status, as its cancel_url gets them.
const (
	EndReplaced           = "replaced"
	EndBuyerCanceled      = "buyer_canceled"
	EndMerchantCanceled   = "merchant_canceled"
	EndInsufficientCredit = "insufficient_credit"
	EndNotEligible        = "company_not_eligible"
	EndDeclined           = "declined"
	EndExpired            = "expired"
	EndNotCompleted       = "not_completed"
	PendingReview         = "pending_review"
)

const (
	checkoutLife = 24 * time.Hour
	linkLife     = 7 * day
	completeLife = 24 * time.Hour // after the acceptance
	reviewLife   = 7 * day        // after a review has said yes
)

// Noun implements Record.
func (*Checkout) Noun() Noun { return NounCheckout }

func (c *Checkout) sound(old Record) string {
	ended := c.Status == CheckoutCompleted || c.Status == CheckoutCanceled || c.Status == CheckoutDeclined || c.Status == CheckoutExpired
	switch {
	case c.Amount <= 0 || c.Of == "" || c.Token == "":
		return "it has no amount, order or token"
	case (c.Status == CheckoutAccepted || c.Status == CheckoutCompleted) && c.Accepted == nil:
		return "it is " + c.Status + " and nobody has accepted"
	case ended == c.EndedAt.IsZero():
		return "it has ended without an instant, or the reverse"
	case ended && !c.NextAt.IsZero():
		return "it has ended, and time changes it"
	}
	was, ok := old.(*Checkout)
	switch {
	case !ok:
		return ""
	case !was.EndedAt.IsZero() && was.Status != c.Status:
		return "it was " + was.Status + " and becomes " + c.Status
	case was.Amount != c.Amount || was.Of != c.Of || was.Token != c.Token || was.Direct != c.Direct || was.CompleteURL != c.CompleteURL:
		return "it changes what it is for"
	case was.Accepted != nil && (c.Accepted != was.Accepted || c.Person != was.Person):
		return "what was accepted changes, or who has"
	case c.Taken < was.Taken || c.Taken > was.Taken+1 || (c.Taken > was.Taken) != (was.Person != "" && c.Person != was.Person):
		return "it has another buyer who has not taken it over, or the reverse"
	}
	return ""
}

// Ended reports that nothing more comes of a checkout.
func (c *Checkout) Ended() bool { return !c.EndedAt.IsZero() }

// sameCart reports that two checkouts ask for the same.
func (c *Checkout) sameCart(x *Checkout) bool {
	installments := slices.Equal(c.Installments, x.Installments) ||
		c.Direct && c.Accepted != nil && slices.Equal(x.Installments, []int{c.Accepted.Installments}) // which the order has by now
	charges := c.Charges == x.Charges || c.Charges != nil && x.Charges != nil && *c.Charges == *x.Charges
	return charges && c.Amount == x.Amount && slices.Equal(c.Cart, x.Cart) && c.ReturnURL == x.ReturnURL && c.CancelURL == x.CancelURL &&
		c.CompleteURL == x.CompleteURL && c.Mode == x.Mode && c.Named == x.Named && installments && c.Direct == x.Direct
}

// CreateCheckout makes a checkout of the caller's merchant, or answers the open one for the
// same cart. Result is the *Checkout.
type CreateCheckout struct {
	Amount           money.Amount      `json:"amount"`
	Charges          *Charges          `json:"charges"`
	Cart             []CartItem        `json:"cart_items"`
	Billing          *Address          `json:"billing_address"`
	Shipping         *Address          `json:"shipping_address"`
	Buyer            string            `json:"buyer"`       // handle
	BuyerEmail       string            `json:"buyer_email"` // keyed hash
	Company          int64             `json:"company_id"`
	Order            string            `json:"order_key"` // a CREATED order whose terms the buyer is to accept; "" for none
	Installments     []int             `json:"installments"`
	RemoteID         string            `json:"remote_id"`
	RemoteCustomerID string            `json:"remote_customer_id"`
	ReturnURL        string            `json:"return_url"`
	CancelURL        string            `json:"cancel_url"`
	CompleteURL      string            `json:"order_complete_url"`
	Mode             CheckoutMode      `json:"mode"`
	Life             time.Duration     `json:"life"` // 0: by its mode
	Metadata         map[string]string `json:"metadata"`
	Token            string            `json:"token"` // hash
	URL              string            `json:"url"`   // handle
	// Endpoint and Sealed are what the merchant's CHECKOUT endpoint is made of if it has
	// none: the identifier, of EndpointID, and the signing secret, sealed for it. Only with
	// CompleteURL.
	Endpoint string   `json:"endpoint,omitzero"`
	Sealed   []byte   `json:"sealed,omitzero"`
	Secrets  []Secret `json:"-"`
}

func (CreateCheckout) Name() string { return "checkout.create" }

func remoteClaim(merchant, id string) Claim {
	return Claim{Kind: ClaimRemoteID, Scope: merchant, Name: id}
}

func tokenClaim(hash string) Claim { return Claim{Kind: ClaimCheckoutToken, Name: hash} }

// Keys asks for the merchant, the company or order, and the last checkout with this
// remote_id or for this order.
func (c CreateCheckout) Keys(s *State, e Env) Keys {
	k := c.endpointKeys(e.Actor.Merchant)
	k.Merchants = []string{e.Actor.Merchant}
	if c.Company != 0 {
		k.Companies = []int64{c.Company}
	}
	if c.Order != "" {
		k = joinKeys(k, orderKeys(s, c.Order))
		if o := s.Orders[c.Order]; o != nil && o.Checkout != "" {
			k = joinKeys(k, checkoutKeys(s, o.Checkout))
		}
	}
	k.Claims = append(k.Claims, c.linkClaims(e)...)
	if claim, ok := c.claim(e); ok {
		k.Claims = append(k.Claims, claim)
		k = joinKeys(k, checkoutKeys(s, s.Claims[claim]))
	}
	if c.Mode == ModeLink && c.BuyerEmail != "" {
		k.Claims = append(k.Claims, emailClaim(c.BuyerEmail))
		if p := s.Claims[emailClaim(c.BuyerEmail)]; p != "" {
			k.Records = append(k.Records, RecordKey{NounPerson, p})
		}
	}
	return k
}

// addressee is who is sent the link of a checkout: in her language, if she has signed in before.
func (c CreateCheckout) addressee(s *State) addressee {
	to := addressee{contact: c.Buyer}
	if p := s.Person(s.Claims[emailClaim(c.BuyerEmail)]); p != nil {
		to.language = p.Language
	}
	return to
}

// claim is the name under which the last checkout for the same thing is found.
func (c CreateCheckout) claim(e Env) (Claim, bool) {
	switch {
	case c.Order != "":
		return remoteClaim(e.Actor.Merchant, c.Order), true
	case c.RemoteID != "":
		return remoteClaim(e.Actor.Merchant, "remote:"+c.RemoteID), true
	}
	return Claim{}, false
}

// checkoutKeys asks for a checkout with what its end changes; "" for none.
func checkoutKeys(s *State, id string) Keys {
	if id == "" {
		return Keys{}
	}
	k := Keys{Records: []RecordKey{{NounCheckout, id}}}
	c := s.Checkout(id)
	if c == nil {
		return k
	}
	k.Merchants = []string{c.Merchant}
	k = joinKeys(k, orderKeys(s, c.Of))
	if c.Company != 0 {
		k.Companies = append(k.Companies, c.Company)
	}
	if c.Person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, c.Person})
	}
	if c.Application != "" {
		k.Records = append(k.Records, RecordKey{NounApplication, c.Application})
	}
	return k
}

func (c CreateCheckout) Admit(s *State, e Env) *Rejection {
	if s.Merchants[e.Actor.Merchant] == nil {
		return NotFound.Because("There is no such merchant.")
	}
	if c.Order != "" {
		return admitOrder(s, e, c.Order)
	}
	if c.Company != 0 {
		return admitCompany(s, c.Company, e.Actor.Merchant)
	}
	return nil
}

func (c CreateCheckout) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	x := c.checkout(d)
	if o := s.Orders[c.Order]; o != nil && (o.Status != OrderCreated || o.Parent != "") {
		return Changes{}, invalidTransition(o.Status, string(OrderAuthorized))
	} else if o != nil && d.from(o) {
		return Changes{}, CheckoutTaken.Because("The order's checkout is waiting to be completed. Complete or end the checkout instead.")
	}
	claim, named := c.claim(e)
	old := s.Checkout(s.Claims[claim])
	switch {
	case !named || old == nil:
	case old.Status == CheckoutCompleted:
		return Changes{}, CheckoutAlreadyCompleted.With("A checkout with this remote_id has been completed.", map[string]any{"order_key": old.Of})
	case !old.Ended() && old.sameCart(x): // a repeat, whatever the program says by now
		return Changes{Result: old}, nil
	}
	if r := c.refuse(s, e, x); r != nil {
		return Changes{}, r
	}
	if r := c.signed(s); r != nil {
		return Changes{}, r
	}
	var r *Rejection
	if x.Link, r = c.linkMail(s, e); r != nil {
		return Changes{}, r
	}
	c.callsFrom(d, x.Merchant)
	if named && old != nil && !old.Ended() {
		d.endCheckout(EditRecord[*Checkout](d, old.ID), CheckoutCanceled, EndReplaced)
	}
	if old != nil {
		x.Before = old.ID
	}
	if named {
		d.MoveClaim(claim, x.ID)
	}
	d.Claim(tokenClaim(c.Token), x.ID)
	for _, place := range x.linkPlaces() {
		d.Claim(place, x.ID)
	}
	d.Changes.Secrets = c.Secrets
	AddRecord(d, x)
	if x.Direct {
		d.Orders.Edit(x.Of).Checkout = x.ID
		d.orderEvent(OrderUpdatedEvent, x.Of)
	}
	if x.Link != nil {
		d.Mail("checkout_link", c.addressee(s), x.RecordHead, map[string]string{"checkout": x.ID, "merchant": s.Merchants[x.Merchant].Name})
	}
	return d.Done(x, true), nil
}

// from reports that an order was made by a checkout that has not ended.
func (d *Draft) from(o *Order) bool {
	x := d.State.Checkout(o.Checkout)
	return x != nil && !x.Direct && !x.Ended()
}

// checkout is the record that the command would make.
func (c CreateCheckout) checkout(d *Draft) *Checkout {
	x := &Checkout{
		RecordHead: d.NewRecord(prefixCheckout, CheckoutOpen), Amount: c.Amount, Charges: c.Charges, Cart: c.Cart, Billing: c.Billing,
		Shipping: c.Shipping, Buyer: c.Buyer, BuyerEmail: c.BuyerEmail, Named: c.Company, Installments: c.Installments, RemoteID: c.RemoteID,
		RemoteCustomerID: c.RemoteCustomerID, ReturnURL: c.ReturnURL, CancelURL: c.CancelURL, CompleteURL: c.CompleteURL, Mode: c.Mode,
		Metadata: c.Metadata, Token: c.Token, URL: c.URL,
	}
	x.Merchant = d.Env.Actor.Merchant
	x.Of = d.IDs.Next(prefixOrder)
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

// refuse answers the rules of a direct order, then those of every checkout.
func (c CreateCheckout) refuse(s *State, e Env, x *Checkout) *Rejection {
	if o := s.Orders[c.Order]; o != nil && o.External {
		return ValidationFailed.Because("The merchant manages this order's payments, so the buyer accepts no terms here.")
	}
	if x.Charges != nil && x.Charges.GrandTotal != x.Amount {
		return chargesMismatch()
	}
	if x.Mode == ModeLink && (x.Buyer == "" || x.BuyerEmail == "") {
		return ValidationFailed.Because("A checkout by link needs the buyer's e-mail.")
	}
	p := s.Merchants[e.Actor.Merchant].InForce(e.Today())
	if p == nil {
		return TermNotAvailable.Because("The merchant has no program in force.")
	}
	if r := bounds(p, x.Amount); r != nil {
		return r
	}
	for _, n := range x.Installments {
		if _, ok := p.Settings.Offer(n); !ok {
			return TermNotAvailable.Because("The merchant's program does not offer this number of installments.")
		}
	}
	return nil
}
