package buyer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
)

// Signature is the proof of a signature outside a checkout.
type Signature struct {
	Name      string        `json:"name"`            // as typed, or as on the paper
	Title     string        `json:"title,omitempty"` // as on the paper
	On        calendar.Date `json:"on,omitzero"`     // when it was signed on paper
	Ticks     []string      `json:"ticks"`
	At        time.Time     `json:"at"` // when it was signed, or recorded
	Person    string        `json:"person"`
	Address   string        `json:"address"`
	UserAgent string        `json:"user_agent"`
	Digest    string        `json:"digest"`             // of the agreement as read, before anybody had signed it; of the signed paper
	Language  string        `json:"language,omitempty"` // of the page on which it was signed; the papers state their own
}

// Sign records that an owner has signed the master agreement of a company.
func (d *Desk) Sign(ctx context.Context, company int64, s Signature, papers []Paper) error {
	if s.Person == "" {
		return errNobody
	}
	c, err := d.signing(company, s, papers)
	if err != nil {
		return err
	}
	_, err = d.do(ctx, c, s.Address)
	return err
}

// SigningOnPaper returns the command that records, for the operator, that the master
// agreement of a company was signed on paper. The file's type has been checked.
func (d *Desk) SigningOnPaper(company int64, s Signature, contentType string, file []byte) (onboarding.SignAgreement, error) {
	s.Person, s.Ticks, s.At, s.Digest = "", []string{}, d.Now().UTC().Truncate(time.Second), Digest(string(file))
	return d.signing(company, s, []Paper{{Kind: credit.DocumentMaster, ContentType: contentType, Data: file}})
}

// signing returns the command that files a signature with what was signed.
func (d *Desk) signing(company int64, s Signature, papers []Paper) (c onboarding.SignAgreement, err error) {
	proof, err := json.Marshal(s)
	if err != nil {
		return c, err
	}
	c = onboarding.SignAgreement{Company: company, Person: s.Person, On: s.On}
	for _, p := range append(slices.Clone(papers), Paper{Kind: onboarding.DocumentSignature, ContentType: "application/json", Data: proof}) {
		filed, secret := d.Filed(p)
		c.Papers, c.Secrets = append(c.Papers, filed), append(c.Secrets, secret)
	}
	return c, nil
}

// Signed returns what a company has signed as its master agreement, and the proof if that
// was outside a checkout; nil if there is no such paper.
func (d *Desk) Signed(v store.View, c *credit.Company) (x *credit.Document, s *Signature, err error) {
	if c.Servicing.Unsigned || c.Servicing.Agreement == "" {
		return nil, nil, nil
	}
	if x, err = Load[*credit.Document](v, c.Servicing.Agreement); err != nil || x == nil {
		return nil, nil, err
	}
	all, err := store.ListRecords(v, credit.NounDocument, store.RecordFilter{Of: x.Of}, store.Page{Limit: 20})
	if err != nil {
		return nil, nil, err
	}
	s, err = d.proofIn(v, all)
	return x, s, err
}

// proofIn returns the proof of a signature among the papers filed with it, nil if there is
// none or it was erased.
func (d *Desk) proofIn(v store.View, all []credit.Record) (*Signature, error) {
	for _, r := range all {
		if p := r.(*credit.Document); p.Kind == onboarding.DocumentSignature && p.Content != "" {
			_, data, err := d.Document(v, p.ID)
			if err != nil {
				return nil, err
			}
			s := &Signature{}
			return s, json.Unmarshal(data, s)
		}
	}
	return nil, nil
}

// Signer is who signed the master agreement of a company, with the name as typed or as on
// the paper, and when; "" and None if that is unknown or erased.
func (d *Desk) Signer(ctx context.Context, c *credit.Company) (name string, on calendar.Date, err error) {
	on = calendar.None
	err = d.Store.View(ctx, func(v store.View) error {
		x, proof, err := d.Signed(v, c)
		if err != nil || x == nil {
			return err
		}
		on = d.Zone.Date(x.CreatedAt)
		if c.Servicing.OnPaper.On != 0 {
			on = c.Servicing.OnPaper.On
		}
		if proof != nil {
			name = proof.Name
			return nil
		}
		name, err = d.acceptor(v, x.Of)
		return err
	})
	return name, on, err
}

// acceptor is the name with which the checkout of an order was accepted, "" if there was
// none.
func (d *Desk) acceptor(v store.View, order string) (string, error) {
	all, err := store.ListRecords(v, credit.NounCheckout, store.RecordFilter{Of: order}, store.Page{Limit: 20})
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if a := r.(*credit.Checkout).Accepted; a != nil {
			var e Evidence
			if err := d.Read(v, a.Evidence, &e); err != nil && !errors.Is(err, ErrErased) {
				return "", err
			}
			return e.Name, nil
		}
	}
	return "", nil
}
