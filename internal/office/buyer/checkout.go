package buyer

import (
	"context"
	"errors"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
)

// checkoutPath is the path prefix of a checkout's pages.
const checkoutPath = "/c/"

// Address generates a new checkout's token and URL, which is stored sealed.
func (d *Desk) Address(c *onboarding.CreateCheckout) error {
	token := Random(tokenLength)
	address := d.Base + checkoutPath + token
	url, err := d.Keep(address)
	if err != nil {
		return err
	}
	d.fresh.put(url.ID, address, d.Wall())
	c.Token, c.URL = Digest(token), url.ID
	c.Secrets = append(c.Secrets, url)
	return nil
}

// Standing returns the last checkout of a merchant for the same cart or order as a new one,
// nil if there is none.
func (d *Desk) Standing(v store.View, merchant string, c onboarding.CreateCheckout) (*credit.Checkout, error) {
	like := &credit.Checkout{RecordHead: credit.RecordHead{Merchant: merchant, Of: c.Order}, Direct: c.Order != "", RemoteID: c.RemoteID}
	s := credit.NewState()
	claims := like.Claims()
	if err := v.Load(s, credit.Keys{Claims: claims}); err != nil {
		return nil, err
	}
	for _, claim := range claims {
		if id := s.Claims[claim]; claim.Kind == credit.ClaimRemoteID && id != "" {
			return Load[*credit.Checkout](v, id)
		}
	}
	return nil, nil
}

// Buyer seals a merchant's data about the buyer; without an email address or name nothing
// is stored.
func (d *Desk) Buyer(c *onboarding.CreateCheckout, x Contact) error {
	if x == (Contact{}) {
		return nil
	}
	kept, err := d.Keep(x)
	if err != nil {
		return err
	}
	c.Buyer, c.Secrets = kept.ID, append(c.Secrets, kept)
	if x.Email != "" {
		c.BuyerEmail = d.EmailHash(x.Email)
	}
	return nil
}

// URL is a checkout's URL, as its merchant may see it.
func (d *Desk) URL(v store.View, c *credit.Checkout) (url string, err error) {
	err = d.Read(v, c.URL, &url)
	return url, err
}

// Visit is the data of a checkout's pages.
type Visit struct {
	Checkout    *credit.Checkout
	Merchant    *credit.Merchant
	Company     *credit.Company // nil until known
	Person      *credit.Person  // nil until the email address is proved
	Application *credit.Application
	Order       *credit.Order // nil until the terms are accepted
	Buyer       Contact       // as given by the merchant
	Replacement string        // URL of the checkout that replaced this one
}

// ErrNoCheckout means that no checkout has this token.
var ErrNoCheckout = errors.New("buyer: checkout does not exist")

// Find reads the checkout for the token in a URL.
func (d *Desk) Find(ctx context.Context, token string) (x Visit, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		claim := credit.Claim{Kind: credit.ClaimCheckoutToken, Name: Digest(token)}
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Claims: []credit.Claim{claim}}); err != nil {
			return err
		}
		x, err = d.visit(v, s.Claims[claim])
		return err
	})
	return x, err
}

// Visit reads a checkout with everything its pages show.
func (d *Desk) Visit(ctx context.Context, id string) (x Visit, err error) {
	err = d.Store.View(ctx, func(v store.View) error { x, err = d.visit(v, id); return err })
	return x, err
}

func (d *Desk) visit(v store.View, id string) (x Visit, err error) {
	if id == "" {
		return Visit{}, ErrNoCheckout
	}
	c, err := Load[*credit.Checkout](v, id)
	if err != nil || c == nil {
		return Visit{}, errors.Join(err, orNil(err == nil, ErrNoCheckout))
	}
	s := credit.NewState()
	k := credit.Keys{Merchants: []string{c.Merchant}, Orders: []string{c.Of}}
	if c.Company != 0 {
		k.Companies = []int64{c.Company}
	}
	for _, r := range []credit.RecordKey{{Noun: credit.NounPerson, ID: c.Person}, {Noun: credit.NounApplication, ID: c.Application}} {
		if r.ID != "" {
			k.Records = append(k.Records, r)
		}
	}
	if err := v.Load(s, k); err != nil {
		return Visit{}, err
	}
	x = Visit{Checkout: c, Merchant: s.Merchants[c.Merchant], Company: s.Companies[c.Company], Order: s.Orders[c.Of]}
	x.Person, x.Application = s.Person(c.Person), s.Application(c.Application)
	if c.Accepted == nil {
		x.Order = nil
	}
	if c.Buyer != "" {
		if err := d.Read(v, c.Buyer, &x.Buyer); err != nil && !errors.Is(err, ErrErased) {
			return Visit{}, err
		}
	}
	if c.Reason == lending.EndReplaced {
		x.Replacement, err = d.replacement(v, c)
	}
	return x, err
}

// replacement returns the URL of the checkout that replaced another, "" if that one is over
// too.
func (d *Desk) replacement(v store.View, c *credit.Checkout) (string, error) {
	s := credit.NewState()
	claims := c.Claims()
	if err := v.Load(s, credit.Keys{Claims: claims}); err != nil {
		return "", err
	}
	for _, claim := range claims {
		if id := s.Claims[claim]; claim.Kind == credit.ClaimRemoteID && id != "" && id != c.ID {
			next, err := Load[*credit.Checkout](v, id)
			if err != nil || next == nil || next.Ended() {
				return "", err
			}
			return d.URL(v, next)
		}
	}
	return "", nil
}

// Offers returns the terms that a visit's buyer can choose from today.
func (d *Desk) Offers(x Visit) []onboarding.Offer {
	if x.Company == nil {
		return nil
	}
	today := d.Zone.Date(d.Now())
	return onboarding.Offers(x.Merchant.InForce(today), x.Company, x.Checkout.Amount, x.Checkout.Installments, today)
}

// Companies returns the companies for which a person may act, in the order of the roles.
func (d *Desk) Companies(ctx context.Context, p *credit.Person) (out []*credit.Company, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		var k credit.Keys
		for _, r := range p.Roles {
			k.Companies = append(k.Companies, r.Company)
		}
		if err := v.Load(s, k); err != nil {
			return err
		}
		for _, r := range p.Roles {
			if c := s.Companies[r.Company]; c != nil && r.Invited == "" {
				out = append(out, c)
			}
		}
		return nil
	})
	return out, err
}

// Person reads a person, nil if there is none.
func (d *Desk) Person(ctx context.Context, id string) (p *credit.Person, err error) {
	err = d.Store.View(ctx, func(v store.View) error { p, err = Load[*credit.Person](v, id); return err })
	return p, err
}

// Enter records who goes through a checkout, and for which company (0: unknown yet).
func (d *Desk) Enter(ctx context.Context, checkout, person string, company int64, address string) error {
	_, err := d.do(ctx, onboarding.EnterCheckout{Checkout: checkout, Person: person, Company: company}, address)
	return err
}

// TakeOver records that the session's person continues a checkout, as read, in place of
// whoever started it, for a company (0: unknown yet). From then on it is that person's, and
// earlier sessions no longer have it.
func (d *Desk) TakeOver(ctx context.Context, s *Session, x *credit.Checkout, company int64, address string) error {
	_, err := d.do(ctx, onboarding.EnterCheckout{Checkout: x.ID, Person: s.Person, Company: company, Over: x.Taken + 1, From: s.From}, address)
	if err != nil {
		return err
	}
	s.Taken = x.Taken + 1
	return d.Save(ctx, s)
}

// End records that a buyer leaves a checkout, and why.
func (d *Desk) End(ctx context.Context, checkout, reason, address string) error {
	_, err := d.do(ctx, onboarding.EndCheckout{Checkout: checkout, Reason: reason}, address)
	return err
}

// Evidence proves an acceptance in addition to the papers.
type Evidence struct {
	Name      string   `json:"name"` // as typed
	Ticks     []string `json:"ticks"`
	Address   string   `json:"address"`
	UserAgent string   `json:"user_agent"`
	// Language is that of the page on which it was accepted. The papers state their own.
	Language string `json:"language,omitempty"`
	// Repayment is how the payments are made, in the words shown.
	Repayment string `json:"repayment,omitempty"`
	// Debits is what an owner has authorized, in the words shown; "": nothing.
	Debits string `json:"debits,omitempty"`
}

// Paper is a rendered paper before it is sealed.
type Paper struct {
	Kind, Template, Language, ContentType, Name string
	Text                                        int
	Data                                        []byte
}

// Filed seals a paper.
func (d *Desk) Filed(p Paper) (credit.Paper, credit.Secret) {
	kept := d.KeepBytes(p.Data)
	return credit.Paper{
		Kind: p.Kind, Template: p.Template, Text: p.Text, Language: p.Language, ContentType: p.ContentType, Size: len(p.Data),
		Hash: Digest(string(p.Data)), Content: kept.ID, Name: p.Name,
	}, kept
}

// Accept records a buyer's acceptance of a disclosure with this digest.
func (d *Desk) Accept(ctx context.Context, x Visit, installments int, digest string, e Evidence, papers []Paper) error {
	kept, err := d.Keep(e)
	if err != nil {
		return err
	}
	c := onboarding.AcceptCheckout{
		Checkout: x.Checkout.ID, Person: x.Checkout.Person, Installments: installments, Digest: digest, Evidence: kept.ID, Secrets: []credit.Secret{kept},
	}
	for _, p := range papers {
		filed, secret := d.Filed(p)
		c.Papers, c.Secrets = append(c.Papers, filed), append(c.Secrets, secret)
		c.Master = c.Master || p.Kind == credit.DocumentMaster
	}
	_, err = d.do(ctx, c, e.Address)
	return err
}

// Document reads a document with its bytes.
func (d *Desk) Document(v store.View, id string) (*credit.Document, []byte, error) {
	x, err := Load[*credit.Document](v, id)
	if err != nil || x == nil {
		return nil, nil, err
	}
	data, err := d.ReadBytes(v, x.Content)
	if err == nil && Digest(string(data)) != x.Hash {
		err = fmt.Errorf("buyer: document %s does not match its hash", id)
	}
	return x, data, err
}

// company reads a company, nil if there is none.
func (d *Desk) company(ctx context.Context, id int64) (c *credit.Company, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Companies: []int64{id}})
		c = s.Companies[id]
		return err
	})
	return c, err
}
