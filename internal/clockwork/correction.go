package clockwork

import (
	"cmp"
	"context"
	"strconv"

	"tenor/internal/credit"
	"tenor/internal/rails"
	"tenor/internal/rails/ach"
	"tenor/internal/store"
)

// correction is a notification of change as a command (F22): of a company's payment
// method, or of the account that a merchant is paid to. nil if there is nothing that it
// corrects.
func (t *turn) correction(ctx context.Context, n store.BankNotice, p notice) (credit.Command, error) {
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		if err := v.Load(s, credit.Keys{Transfers: []string{n.Transfer}}); err != nil {
			return err
		}
		x := s.Transfers[n.Transfer]
		switch {
		case x == nil:
			return nil
		case x.Merchant != "":
			return v.Load(s, credit.Keys{Merchants: []string{x.Merchant}})
		}
		return v.Load(s, credit.Keys{Methods: []string{x.Method}})
	}); err != nil {
		return nil, err
	}
	x := s.Transfers[n.Transfer]
	switch {
	case x == nil || p.Corrected == nil:
		return nil, nil
	case x.Merchant != "":
		return t.correctMerchant(s.Merchants[x.Merchant], n, p)
	case s.Methods[x.Method] == nil || s.Methods[x.Method].Bank == nil:
		return nil, nil
	}
	next, err := t.correctedAccount(s.Methods[x.Method].Bank, p)
	if err != nil {
		return nil, err
	}
	if corrected, err := t.open(&next); err != nil {
		return nil, err
	} else if err := ach.CheckAccount(changed(corrected, p)); err != nil {
		return nil, err
	}
	return credit.CorrectPaymentMethod{
		Method: x.Method, IfMatch: []string{strconv.Quote(strconv.Itoa(s.Methods[x.Method].Version))}, Transfer: x.ID, Code: n.Code, Routing: next.Routing, Last4: next.Last4, Sealed: next.Sealed, Fingerprint: next.Fingerprint,
		AccountType: p.Corrected.AccountType, HolderName: p.Corrected.Name,
	}, nil
}

// changed is an account with the corrected members that are not sealed.
func changed(a rails.Account, p notice) rails.Account {
	a.AccountType, a.Name = cmp.Or(p.Corrected.AccountType, a.AccountType), cmp.Or(p.Corrected.Name, a.Name)
	return a
}

// correctMerchant corrects the account that a merchant is paid to, if it is still the one
// that the bank names: a correction of another one would send money astray.
func (t *turn) correctMerchant(m *credit.Merchant, n store.BankNotice, p notice) (credit.Command, error) {
	if m == nil || m.Account.Bank == nil || m.Account.Bank.Fingerprint != p.Corrected.Of {
		t.s.cfg.Log.Warn("clockwork: a correction of an account that is not paid to any more", "notice", n.ID, "transfer", n.Transfer, "code", n.Code)
		return nil, nil
	}
	next, err := t.correctedAccount(m.Account.Bank, p)
	if err != nil {
		return nil, err
	}
	if p.Corrected.AccountType != "" {
		next.AccountType = p.Corrected.AccountType
	}
	if p.Corrected.Name != "" {
		next.HolderName = p.Corrected.Name
	}
	if next.Routing == m.Account.Bank.Routing && next.Fingerprint == m.Account.Bank.Fingerprint &&
		next.AccountType == m.Account.Bank.AccountType && next.HolderName == m.Account.Bank.HolderName {
		return nil, nil // no account is corrected, or it has been
	}
	if account, err := t.open(&next); err != nil {
		return nil, err
	} else if err := ach.CheckAccount(account); err != nil {
		return nil, err
	}
	return credit.SetMerchantAccount{Merchant: m.ID, IfMatch: []string{strconv.Quote(strconv.Itoa(m.Version))}, Bank: &next, Debits: m.Account.Debits}, nil
}

// correctedAccount is an account with its new numbers, sealed for what it is now.
func (t *turn) correctedAccount(b *credit.BankAccount, p notice) (credit.BankAccount, error) {
	next := *b
	account, err := t.open(b)
	if err != nil {
		return next, err
	}
	if p.Corrected.Routing != "" {
		next.Routing = p.Corrected.Routing
	}
	if len(p.Corrected.Number) > 0 {
		number, err := t.s.cfg.Open(p.Corrected.Number, aboutNotice)
		if err != nil {
			return next, err
		}
		account.Number, next.Last4 = string(number), p.Corrected.Last4
	}
	next.Fingerprint = t.s.cfg.Fingerprint(next.Routing, account.Number)
	next.Sealed = t.s.cfg.Seal([]byte(account.Number), next.About())
	return next, nil
}
