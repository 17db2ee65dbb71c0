package httpapi

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/account"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/rest"
)

// What is sealed of bank accounts is opened here, for those whom the resources show it to,
// and nowhere behind: commands, events and rows hold envelopes (A61).

// account is a bank account that stands in a place, whose details are sealed.
func (s *Service) account(c *rest.Call, place string, x credit.AccountDetails, b credit.BankAccount) (*credit.BankAccount, error) {
	c.HideBody(s.Fingerprint("request", string(c.Body)))
	return payments.SealedAccount(place, x, b, s.Fingerprint, s.Seal)
}

// opened is a copy of an account with what is sealed of it. One that does not open stays
// as it is: its details are shown as null.
func (s *Service) opened(b *credit.BankAccount, place string) *credit.BankAccount {
	if b == nil || s.Open == nil {
		return b
	}
	x, err := b.Open(place, s.Open)
	if err != nil {
		return b
	}
	shown := *b
	shown.Routing, shown.HolderName = x.Routing, x.Holder
	return &shown
}

// openedMethod is a payment method with its account as its owner sees it.
func (s *Service) openedMethod(m *credit.PaymentMethod) *credit.PaymentMethod {
	shown := *m
	shown.Bank = s.opened(m.Bank, payments.MethodAccount(m.ID))
	return &shown
}

// openedMerchant is a merchant with its accounts as the lender sees them.
func (s *Service) openedMerchant(m *credit.Merchant) *credit.Merchant {
	shown, place := *m, payments.PaidAccount(m.ID)
	shown.Account.Bank = s.opened(m.Account.Bank, place)
	if p := m.Account.Pending; p != nil {
		pending := *p
		pending.Bank = s.opened(p.Bank, place)
		shown.Account.Pending = &pending
	}
	return &shown
}

// openedScreening is a screening with the name of the holder that was compared, if the
// merchant still has an account of that holder.
func (s *Service) openedScreening(v store.View, x *credit.Screening) (*credit.Screening, error) {
	if x.Merchant == "" {
		return x, nil
	}
	m, err := findMerchant(v, x.Merchant)
	if err != nil {
		return nil, err
	}
	return s.withHolder(x, m), nil
}

// formerHolder is shown for a holder whose account the merchant has no more.
const formerHolder = "holder of a former account"

func (s *Service) withHolder(x *credit.Screening, m *credit.Merchant) *credit.Screening {
	shown := *x
	shown.Names = make([]string, len(x.Names))
	for i, name := range x.Names {
		print := payments.HolderNamed(name)
		if shown.Names[i] = name; print == "" {
			continue
		}
		shown.Names[i] = formerHolder
		for _, b := range s.openedMerchant(m).Accounts() {
			if b.Holder == print && b.HolderName != "" {
				shown.Names[i] = b.HolderName
			}
		}
	}
	return &shown
}

// holderOf is the holder of an account that names none: the company whose account it is
// said to be. A file names a holder (F22).
func (s *Service) holderOf(c *rest.Call, key companyKey, given *string) (name string, err error) {
	if name = deref(given); name != "" {
		return name, nil
	}
	_, err = s.within(c, key, func(v store.View, company int64) (rest.Answer, error) {
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
