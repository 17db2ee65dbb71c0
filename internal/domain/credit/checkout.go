package credit

import (
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Checkout is a merchant's request to have one order financed by one buyer. Of is the key of
// its order, which is generated with the checkout; the order is created when the buyer
// accepts.
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
	Named            int64             `json:"named,omitzero"`       // company that the merchant named
	Installments     []int             `json:"installments,omitzero"`
	RemoteID         string            `json:"remote_id,omitzero"`
	RemoteCustomerID string            `json:"remote_customer_id,omitzero"`
	ReturnURL        string            `json:"return_url,omitzero"`
	CancelURL        string            `json:"cancel_url,omitzero"`
	CompleteURL      string            `json:"order_complete_url,omitzero"`
	Mode             CheckoutMode      `json:"mode"`
	Direct           bool              `json:"direct,omitzero"` // its order existed before the checkout
	Metadata         map[string]string `json:"metadata,omitzero"`
	ExpiresAt        time.Time         `json:"expires_at"`
	Token            string            `json:"token"`           // hash of the token in its address
	URL              string            `json:"url"`             // handle of the address
	Before           string            `json:"before,omitzero"` // the previous checkout for the same order or remote_id
	Person           string            `json:"person,omitzero"`
	Taken            int               `json:"taken,omitzero"` // how often another person has taken it over
	Application      string            `json:"application,omitzero"`
	Accepted         *BuyerAcceptance  `json:"accepted,omitzero"`
	CompletedAt      time.Time         `json:"completed_at,omitzero"`
	EndedAt          time.Time         `json:"ended_at,omitzero"`
	Link             *LinkMail         `json:"link_mail,omitzero"` // for a checkout by link: the mail with its address
	Known            bool              `json:"known,omitzero"`     // its company was linked to its merchant when it ended, so the merchant may learn why
}

// BuyerAcceptance is what a buyer accepted, with the evidence for it (F21).
type BuyerAcceptance struct {
	At           time.Time    `json:"at"`
	Person       string       `json:"person"`
	Company      int64        `json:"company_id"`
	Installments int          `json:"installments"`
	Program      int          `json:"program"` // version in force at the acceptance
	Terms        OrderTerms   `json:"terms"`
	Digest       string       `json:"digest"`    // of the disclosure
	Documents    []string     `json:"documents"` // documents shown
	Evidence     string       `json:"evidence"`  // handle: typed name, ticks, address, user agent
	Amount       money.Amount `json:"amount"`
}

// CheckoutMode is how the buyer enters a checkout.
type CheckoutMode string

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

// Noun implements Record.
func (*Checkout) Noun() Noun { return NounCheckout }

// Claims implements Record.
func (c *Checkout) Claims() []Claim {
	out := append(c.LinkPlaces(), TokenClaim(c.Token))
	switch {
	case c.Direct:
		out = append(out, RemoteClaim(c.Merchant, c.Of))
	case c.RemoteID != "":
		out = append(out, RemoteClaim(c.Merchant, "remote:"+c.RemoteID))
	}
	return out
}

// Secrets implements Record.
func (c *Checkout) Secrets() []string {
	if c.Accepted != nil {
		return present(c.Buyer, c.URL, c.Accepted.Evidence)
	}
	return present(c.Buyer, c.URL)
}

// Sound describes the first problem with a checkout; see Record.
func (c *Checkout) Sound(old Record) string {
	ended := c.Status == CheckoutCompleted || c.Status == CheckoutCanceled || c.Status == CheckoutDeclined || c.Status == CheckoutExpired
	switch {
	case c.Amount <= 0 || c.Of == "" || c.Token == "":
		return "amount, order or token is missing"
	case (c.Status == CheckoutAccepted || c.Status == CheckoutCompleted) && c.Accepted == nil:
		return "is " + c.Status + " without an acceptance"
	case ended == c.EndedAt.IsZero():
		return "status and ended_at do not match"
	case ended && !c.NextAt.IsZero():
		return "has ended and still has a next_at"
	}
	was, ok := old.(*Checkout)
	switch {
	case !ok:
		return ""
	case !was.EndedAt.IsZero() && was.Status != c.Status:
		return "status goes from " + was.Status + " to " + c.Status
	case was.Amount != c.Amount || was.Of != c.Of || was.Token != c.Token || was.Direct != c.Direct || was.CompleteURL != c.CompleteURL:
		return "amount, order, token or complete URL has changed"
	case was.Accepted != nil && (c.Accepted != was.Accepted || c.Person != was.Person):
		return "the acceptance or its buyer has changed"
	case c.Taken < was.Taken || c.Taken > was.Taken+1 || (c.Taken > was.Taken) != (was.Person != "" && c.Person != was.Person):
		return "the buyer and the number of takeovers do not match"
	}
	return ""
}

// Ended reports whether the checkout is in a final state.
func (c *Checkout) Ended() bool { return !c.EndedAt.IsZero() }

// RemoteClaim is a merchant's claim on its own id for a checkout.
func RemoteClaim(merchant, id string) Claim {
	return Claim{Kind: ClaimRemoteID, Scope: merchant, Name: id}
}

// TokenClaim is the claim on the token of a checkout's link, identified by its hash.
func TokenClaim(hash string) Claim { return Claim{Kind: ClaimCheckoutToken, Name: hash} }

// Applied reports whether the application sent from a checkout is still being decided or
// created no company. Nobody else can then continue the checkout.
func (c *Checkout) Applied(a *Application) bool {
	return c.Application != "" && (c.Company == 0 || a == nil || !a.Decided())
}

// MayFinish reports whether a person may accept an order of an amount for a company in its
// current state: if the agreement is unsigned, only an owner may.
func (p *Person) MayFinish(c *Company, amount money.Amount) bool {
	r, _ := p.RoleAt(c.ID)
	return p.MayAccept(c.ID, amount) && (!c.Servicing.Unsigned || r.Role == RoleOwner)
}

// Late reports whether a checkout has expired and the worker has not recorded it yet. The time
// limit does not run during a review.
func (c *Checkout) Late(now time.Time) bool {
	return (c.Status == CheckoutOpen || c.Status == CheckoutAccepted) && !c.ExpiresAt.After(now)
}

// Holds reports whether the acceptance of a checkout stands: it is completed, or may still be.
func (c *Checkout) Holds(now time.Time) bool {
	return c.Status == CheckoutCompleted || c.Status == CheckoutAccepted && !c.Late(now)
}

// LinkMail is the slots that the mail of a checkout by link takes on its day.
type LinkMail struct {
	On    calendar.Date `json:"on"`
	Place int           `json:"place"`  // among the merchant's mails
	ToOne int           `json:"to_one"` // among the mails to this address
}

// LinkClaim is one of a merchant's slots for mailed links on a day.
func LinkClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimLinkPlace, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// LinkToClaim is one of the slots for links that a merchant mails to one address on a day.
func LinkToClaim(merchant, email string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimLinkTo, Scope: merchant, Name: email + " " + strconv.Itoa(place) + " " + day.String()}
}

// LinkPlaces are the claims that the mail of a checkout holds.
func (c *Checkout) LinkPlaces() []Claim {
	x := c.Link
	if x == nil {
		return nil
	}
	return []Claim{LinkClaim(c.Merchant, x.Place, x.On), LinkToClaim(c.Merchant, c.BuyerEmail, x.ToOne, x.On)}
}

// CheckoutPlace is a merchant's only slot for a CHECKOUT endpoint. It is separate from the
// slots for its own endpoints, so that a checkout is never refused because those are taken.
func CheckoutPlace(merchant string) Claim {
	return Claim{Kind: ClaimEndpointPlace, Scope: merchant, Name: "checkout"}
}

// Aimed reports whether an endpoint's URL and event types fit its kind.
func (x *Endpoint) Aimed() bool {
	switch x.Kind {
	case EndpointOwn:
		return x.URL != ""
	case EndpointCheckout:
		return x.URL == "" && slices.Equal(x.EventTypes, []EventType{CheckoutAcceptedEvent})
	}
	return false
}
