package serve

import (
	"crypto/rand"
	"encoding/base64"

	"tenor/internal/core/store"
	"tenor/internal/domain/account"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// Sealed bank account data is decrypted here, for the resources that may show it, and
// nowhere further in: commands, events and rows contain envelopes (A61).

// Account seals a bank account's details for the place where it is stored.
func (s *Service) Account(c *rest.Call, place string, x credit.AccountDetails, b credit.BankAccount) (*credit.BankAccount, error) {
	c.HideBody(s.Fingerprint("request", string(c.Body)))
	return payments.SealedAccount(place, x, b, s.Fingerprint, s.Seal)
}

// Details opens what is sealed of accounts that stand in a place: nothing of one that does
// not open, so that its details are shown as null.
func (s *Service) Details(place string) resource.Details {
	return func(b *credit.BankAccount) credit.AccountDetails {
		if s.Open == nil {
			return credit.AccountDetails{}
		}
		x, _ := b.Open(place, s.Open) // empty with an error
		return x
	}
}

// OpenedScreening is a screening with the holder's name that was screened, if the merchant
// still has an account of that holder.
func (s *Service) OpenedScreening(v store.View, x *credit.Screening) (*credit.Screening, error) {
	if x.Merchant == "" {
		return x, nil
	}
	m, err := FindMerchant(v, x.Merchant)
	if err != nil {
		return nil, err
	}
	return s.WithHolder(x, m), nil
}

// formerHolder is shown for a holder whose account the merchant no longer has.
const formerHolder = "holder of a former account"

// WithHolder is a screening with the holder's name that was screened, if the merchant has
// it.
func (s *Service) WithHolder(x *credit.Screening, m *credit.Merchant) *credit.Screening {
	shown, open := *x, s.Details(payments.PaidAccount(m.ID))
	shown.Names = make([]string, len(x.Names))
	for i, name := range x.Names {
		print := payments.HolderNamed(name)
		if shown.Names[i] = name; print == "" {
			continue
		}
		shown.Names[i] = formerHolder
		for _, b := range m.Accounts() {
			if x := open(b); b.Holder == print && x.Holder != "" {
				shown.Names[i] = x.Holder
			}
		}
	}
	return &shown
}

// HolderOf is the holder of an account that names none: the company it is said to belong
// to. A bank file names a holder (F22).
func (s *Service) HolderOf(c *rest.Call, key CompanyKey, given *string) (name string, err error) {
	if name = Deref(given); name != "" {
		return name, nil
	}
	_, err = s.Within(c, key, func(v store.View, company int64) (rest.Answer, error) {
		state := credit.NewState()
		err := v.Load(state, credit.Keys{Companies: []int64{company}})
		if x := state.Companies[company]; x != nil {
			name = x.Name
		}
		return rest.Answer{}, err
	})
	if err == nil && !account.Writable(name) {
		p := rest.NewProblem(credit.ValidationFailed.Code, "holder_name is required with Latin letters or digits for bank files: the company's name has none.")
		return "", p
	}
	return name, err
}

// Hidden keeps personal data in a body out of the stored hash of a request.
func (s *Service) Hidden(c *rest.Call) { c.HideBody(s.Desk.Hash("request", string(c.Body))) }

// signingPrefix starts every signing secret (Standard Webhooks 1.0).
const signingPrefix = "whsec_"

// SigningSecret generates a signing secret and seals it for its endpoint.
func (s *Service) SigningSecret(endpoint string) (shown string, sealed []byte) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return signingPrefix + base64.StdEncoding.EncodeToString(raw), s.Seal(raw, credit.SigningSecretOf(endpoint))
}
