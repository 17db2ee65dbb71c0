package buyer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
)

// Stand is what the buyer played by a sandbox does, so that a shop can be tried out without
// its pages.
type Stand struct {
	Checkout     string
	Email        string // "": that of the checkout, else one of the sandbox's own
	Company      int64  // to act for; 0: apply
	EIN          string // to apply with; "": the first magic one
	Installments int    // 0: the fewest offered
	// Papers makes the papers to accept.
	Papers func(Visit, onboarding.Offer) ([]Paper, error)
}

// The first magic tax number, and the default buyer of a sandbox.
const (
	standEIN   = "00-0000001"
	standEmail = "buyer@sandbox.example"
)

// Why a sandbox's buyer cannot do what is requested.
var (
	ErrLive     = errors.New("buyer: buyers are simulated only in a sandbox")
	ErrNoOffer  = errors.New("buyer: the number of installments is not offered")
	ErrNoPerson = errors.New("buyer: nobody can act for the company: it has no people, and no e-mail of its own")
)

// Stand goes through a checkout as its pages do: it proves an email address, applies if
// necessary and accepts. An application that is not approved ends it without an error; the
// checkout shows the result.
func (d *Desk) Stand(ctx context.Context, x Stand) error {
	if !d.Sandbox {
		return ErrLive
	}
	v, err := d.Visit(ctx, x.Checkout)
	if err != nil {
		return err
	}
	if x.Company == 0 {
		x.Company = cmp.Or(v.Checkout.Company, v.Checkout.Named)
	}
	if v.Checkout.Accepted == nil { // for one that has ended, the first step reports it
		if err := d.standIn(ctx, v, x); err != nil {
			return err
		}
		if v, err = d.Visit(ctx, x.Checkout); err != nil {
			return err
		}
		if a := v.Application; v.Checkout.Company == 0 && a != nil && a.Status != credit.ApplicationApproved {
			return nil
		}
	}
	offers := d.Offers(v)
	i := slices.IndexFunc(offers, func(o onboarding.Offer) bool { return x.Installments == 0 || o.Terms.Installments == x.Installments })
	if i < 0 && v.Checkout.Status == credit.CheckoutOpen {
		return ErrNoOffer
	}
	digest := ""
	var papers []Paper
	if i >= 0 {
		x.Installments, digest = offers[i].Terms.Installments, offers[i].Disclosure.Digest()
		if papers, err = x.Papers(v, offers[i]); err != nil {
			return err
		}
	}
	return d.Accept(ctx, v, x.Installments, digest, Evidence{Name: "Sandbox Buyer", Ticks: []string{"agreement"}, UserAgent: "sandbox"}, papers)
}

// standIn brings a checkout to the page of the terms.
func (d *Desk) standIn(ctx context.Context, v Visit, x Stand) error {
	if x.Company != 0 {
		person, err := d.actingFor(ctx, x.Company, v.Checkout.Person)
		if err != nil {
			return err
		}
		return d.Enter(ctx, x.Checkout, person, x.Company, "")
	}
	email := cmp.Or(x.Email, v.Buyer.Email, standEmail)
	p, err := d.Proved(ctx, email)
	if err != nil {
		return err
	}
	if err := d.Enter(ctx, x.Checkout, p.ID, 0, ""); err != nil {
		return err
	}
	_, err = d.Apply(ctx, d.standForm(v, email, cmp.Or(x.EIN, standEIN)), Through{Merchant: v.Checkout.Merchant, Checkout: v.Checkout.ID}, "")
	return err
}

// actingFor returns a person who acts for a company: whoever has already started, the first
// of its people, or whoever has the email address of its record.
func (d *Desk) actingFor(ctx context.Context, company int64, begun string) (string, error) {
	if begun != "" {
		return begun, nil
	}
	c, err := d.company(ctx, company)
	switch {
	case err != nil:
		return "", err
	case c == nil:
		return "", ErrNoPerson
	case len(c.Servicing.People) > 0:
		return c.Servicing.People[0], nil
	case c.Email == "":
		return "", ErrNoPerson
	}
	p, err := d.Proved(ctx, c.Email)
	if err != nil {
		return "", err
	}
	if _, ok := p.RoleAt(company); !ok {
		return "", ErrNoPerson
	}
	return p.ID, nil
}

// Proved records that an email address was proved without a code: in a sandbox.
func (d *Desk) Proved(ctx context.Context, email string) (*credit.Person, error) {
	if !d.Sandbox {
		return nil, ErrLive
	}
	return d.proved(ctx, email, "", "")
}

// standForm is an application of a business invented by a sandbox.
func (d *Desk) standForm(v Visit, email, ein string) Form {
	const hundred = money.Amount(100_00)
	today := d.Zone.Date(d.Now())
	first, last := cmp.Or(v.Buyer.FirstName, "Sandbox"), cmp.Or(v.Buyer.LastName, "Buyer")
	name, phone := cmp.Or(v.Buyer.Company, "Sandbox Kitchens"), cmp.Or(v.Buyer.Phone, "+1 212 555 0142")
	place := credit.CompanyAddress{Street: "12 Canal St", City: "New York", State: "NY", PostalCode: "10013", Country: "US"}
	return Form{
		Kind: underwriting.New, Applicant: Applicant{FirstName: first, LastName: last, Email: email, Title: "Owner", Phone: phone},
		Owners: []Owner{{
			FirstName: first, LastName: last, Email: email, BirthDate: calendar.MustParse("1980-03-14"), Address: place, Percent: 100, Control: true,
		}},
		Business: Business{
			LegalName: name + " LLC", TradingName: name, EntityType: underwriting.LLC, EIN: ein, FormedOn: today.AddMonths(-84), StateOfFormation: "NY",
			Address: place, Phone: phone, AnnualRevenue: money.Amount(1_000_000_00),
		},
		Requested: max(money.Amount(500_00), (v.Checkout.Amount+hundred-1)/hundred*hundred),
		Consents:  Consents{CreditCheck: true, ElectronicRecords: true, AcceptedAt: d.Now(), UserAgent: "sandbox"},
	}
}

// Leave ends a checkout as a buyer does who returns to the shop from the current page: that
// of a company that may not buy, of a line that is too small, or any other.
func (d *Desk) Leave(ctx context.Context, checkout, address string) error {
	if !d.Sandbox {
		return ErrLive
	}
	v, err := d.Visit(ctx, checkout)
	if err != nil {
		return err
	}
	reason := lending.EndBuyerCanceled
	switch c := v.Company; {
	case c == nil, c.Status == credit.CompanyPending:
	case c.Status != credit.CompanyApproved:
		reason = lending.EndNotEligible
	case c.Available() < v.Checkout.Amount:
		reason = lending.EndInsufficientCredit
	}
	return d.End(ctx, checkout, reason, address)
}

// Staff decides an application in a sandbox as the lender's staff would.
func (d *Desk) Staff(ctx context.Context, c onboarding.DecideApplication, address string) error {
	if !d.Sandbox {
		return ErrLive
	}
	_, err := d.do(ctx, c, address)
	return err
}

// Service applies to a checkout what time has made due.
func (d *Desk) Service(ctx context.Context, checkout string) error {
	_, err := d.do(ctx, onboarding.ServiceCheckout{Checkout: checkout}, "")
	return err
}
