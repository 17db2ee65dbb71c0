package clockwork

import (
	"cmp"
	"context"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// correction turns a notification of change into a command (F22): for a company's payment
// method, or for the account that a merchant is paid to. nil if there is nothing to
// correct.
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
	if x == nil || p.Corrected == nil {
		return nil, nil
	}
	said, err := p.Corrected.Open(&n, t.s.cfg.Open)
	if err != nil {
		return nil, err
	}
	if x.Merchant != "" {
		return t.correctMerchant(s.Merchants[x.Merchant], n, p.Corrected, said)
	}
	m := s.Methods[x.Method]
	if m == nil || m.Bank == nil {
		return nil, nil
	}
	next, _, err := t.corrected(m.Bank, payments.MethodAccount(m.ID), p.Corrected.AccountType, said)
	if err != nil {
		return nil, err
	}
	return payments.CorrectPaymentMethod{
		Method: m.ID, IfMatch: []string{strconv.Quote(strconv.Itoa(m.Version))}, Transfer: x.ID, Code: n.Code,
		Last4: next.Last4, Sealed: next.Sealed, Fingerprint: next.Fingerprint, BareHash: next.BareHash, Holder: next.Holder, AccountType: p.Corrected.AccountType,
	}, nil
}

// correctMerchant corrects the account that a merchant is paid to, if it is still the one
// the bank names: correcting another one would misdirect money.
func (t *turn) correctMerchant(m *credit.Merchant, n store.BankNotice, p *store.NoticeChange, said credit.AccountDetails) (credit.Command, error) {
	if m == nil || m.Account.Bank == nil || m.Account.Bank.Fingerprint != p.Of {
		t.s.cfg.Log.Warn("clockwork: correction of an account that is no longer paid to", "notice", n.ID, "transfer", n.Transfer, "code", n.Code)
		return nil, nil
	}
	next, now, err := t.corrected(m.Account.Bank, payments.PaidAccount(m.ID), p.AccountType, said)
	if err != nil || now == nil { // no account is corrected, or it already has been
		return nil, err
	}
	if now.Name == m.Name {
		next.Holder = "" // there is no other name to compare
	}
	return merchants.SetMerchantAccount{Merchant: m.ID, IfMatch: []string{strconv.Quote(strconv.Itoa(m.Version))}, Bank: &next, Debits: m.Account.Debits}, nil
}

// corrected returns an account with a bank's corrections, sealed for its place, and also
// decrypted; nil if it was already so.
func (t *turn) corrected(b *credit.BankAccount, place, accountType string, said credit.AccountDetails) (next credit.BankAccount, made *rails.Account, err error) {
	next = *b
	was, err := t.open(b, place)
	if err != nil {
		return next, nil, err
	}
	now := was
	now.Routing, now.Number, now.Name = cmp.Or(said.Routing, was.Routing), cmp.Or(said.Number, was.Number), cmp.Or(said.Holder, was.Name)
	now.AccountType = cmp.Or(accountType, was.AccountType)
	if err := ach.CheckAccount(now); err != nil {
		return next, nil, err
	}
	next.AccountType, next.Last4 = now.AccountType, lastFour(now.Number)
	details := credit.AccountDetails{Routing: now.Routing, Number: now.Number, Holder: now.Name}
	next.Mark(details, t.s.cfg.Fingerprint)
	if err := next.Seal(place, details, t.s.cfg.Seal); err != nil {
		return next, nil, err
	}
	if now == was {
		return next, nil, nil
	}
	return next, &now, nil
}
