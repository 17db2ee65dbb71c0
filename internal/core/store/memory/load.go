package memory

import (
	"cmp"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// load adds the records of the keys, as they stood after commit q, to the state. What is
// already in the state is left alone.
func (d *data) load(s *credit.State, k credit.Keys, q int64) {
	for i, n := range store.Nouns {
		wanted := n.Wanted(s, &k)
		if wanted == nil {
			continue
		}
		for j := range wanted.Len() {
			if row := d.nouns[i].get(wanted.Key(j), q); row != nil {
				n.Put(s, *row)
			}
			d.below(n, s, wanted.Key(j), q)
		}
	}
	for _, claim := range k.Claims {
		if _, ok := s.Claims[claim]; ok {
			continue
		}
		s.Claims[claim] = ""
		if row := d.claims.get(claim, q); row != nil {
			s.Claims[claim] = row.Owner
		}
	}
	for _, key := range k.History {
		d.loadHistory(s, key, q)
	}
	for _, id := range k.Accounts {
		d.loadAccount(s, id, q)
	}
	d.loadLines(s, k, q)
}

// below adds the parts of a record that have rows of their own.
func (d *data) below(n store.Noun, s *credit.State, key any, q int64) {
	switch n {
	case store.MerchantNoun:
		id := key.(string)
		s.Merchants[id] = d.merchant(id, q)
	case store.CompanyNoun:
		id := key.(int64)
		s.Credits[id] = nil
		if rows := d.credits.get(id, q); rows != nil {
			for _, c := range *rows {
				s.Credits[id] = append(s.Credits[id], c.Credit)
			}
		}
	case store.OrderNoun:
		id := key.(string)
		s.Loans[id] = nil
		if row := d.loans.get(id, q); row != nil {
			s.Loans[id] = row.Loan
		}
	}
}

// merchant returns a merchant with its programs, nil if there is none.
func (d *data) merchant(id string, q int64) *credit.Merchant {
	row := d.merchants.get(id, q)
	if row == nil {
		return nil
	}
	m := *row.Merchant
	m.Programs = nil
	if versions := d.programs.get(id, q); versions != nil {
		for _, p := range *versions {
			m.Programs = append(m.Programs, p.Program)
		}
	}
	return &m
}

// loadHistory adds an order's money events and the payments they name.
func (d *data) loadHistory(s *credit.State, key string, q int64) {
	if _, ok := s.History[key]; ok {
		return
	}
	s.History[key] = nil
	for _, t := range d.touches[key] {
		if t.q > q {
			continue
		}
		e := d.money.get(t.event, q).MoneyEvent
		s.History[key] = append(s.History[key], e)
		for _, id := range []string{e.ID, e.Payment} {
			if d.payments.get(id, q) != nil {
				d.load(s, credit.Keys{Payments: []string{id}}, q)
			}
		}
	}
}

// loadAccount adds all captured orders of a company, in order of capture.
func (d *data) loadAccount(s *credit.State, id, q int64) {
	if _, ok := s.Accounts[id]; ok {
		return
	}
	var keys []string
	for _, key := range d.accounts[id] {
		if d.loans.get(key, q) != nil {
			keys = append(keys, key)
			d.load(s, credit.Keys{Orders: []string{key}}, q)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(d.loans.get(a, q).CapturedAt, d.loans.get(b, q).CapturedAt), cmp.Compare(a, b))
	})
	s.Accounts[id] = keys
}
