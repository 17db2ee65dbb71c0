package memory

import (
	"cmp"
	"encoding/hex"
	"slices"

	"tenor/internal/credit"
)

// load adds what the keys name, as it stood after commit q, to the state. What is in
// the state already is left alone.
func (d *data) load(s *credit.State, k credit.Keys, q int64) {
	for _, id := range k.Merchants {
		if _, ok := s.Merchants[id]; !ok {
			s.Merchants[id] = d.merchant(id, q)
		}
	}
	for _, id := range k.Companies {
		d.loadCompany(s, id, q)
	}
	for _, key := range k.Orders {
		d.loadOrder(s, key, q)
	}
	for _, id := range k.Payments {
		d.loadPayment(s, id, q)
	}
	for _, id := range k.Invoices {
		if _, ok := s.Invoices[id]; ok {
			continue
		}
		s.Invoices[id] = nil
		if row := d.invoices.get(id, q); row != nil {
			s.Invoices[id] = row.Invoice
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
	for _, id := range k.Clients {
		if _, ok := s.Clients[id]; !ok {
			s.Clients[id] = d.client(id, q)
		}
	}
	d.loadTokens(s, k.Tokens)
	for _, id := range k.Endpoints {
		if _, ok := s.Endpoints[id]; ok {
			continue
		}
		s.Endpoints[id] = nil
		if row := d.endpoints.get(id, q); row != nil {
			s.Endpoints[id] = row.Endpoint
		}
	}
	d.loadRails(s, k, q)
}

func (d *data) loadTokens(s *credit.State, keys []string) {
	for _, key := range keys {
		if _, ok := s.Tokens[key]; ok {
			continue
		}
		s.Tokens[key] = nil
		var hash [32]byte
		if n, err := hex.Decode(hash[:], []byte(key)); err == nil && n == len(hash) {
			if row, found := d.tokens[hash]; found {
				s.Tokens[key] = row.Token
			}
		}
	}
}

// merchant returns a merchant with its programmes, nil if there is none.
func (d *data) merchant(id string, q int64) *credit.Merchant {
	row := d.merchants.get(id, q)
	if row == nil {
		return nil
	}
	m := *row.Merchant
	m.Programmes = nil
	if versions := d.programmes.get(id, q); versions != nil {
		for _, p := range *versions {
			m.Programmes = append(m.Programmes, p.Programme)
		}
	}
	return &m
}

func (d *data) loadCompany(s *credit.State, id, q int64) {
	if _, ok := s.Companies[id]; ok {
		return
	}
	s.Companies[id], s.Credits[id] = nil, nil
	if row := d.companies.get(id, q); row != nil {
		s.Companies[id] = row.Company
	}
	if rows := d.credits.get(id, q); rows != nil {
		for _, c := range *rows {
			s.Credits[id] = append(s.Credits[id], c.Credit)
		}
	}
}

func (d *data) loadOrder(s *credit.State, key string, q int64) {
	if _, ok := s.Orders[key]; ok {
		return
	}
	s.Orders[key], s.Loans[key] = nil, nil
	if row := d.orders.get(key, q); row != nil {
		s.Orders[key] = row.Order
	}
	if row := d.loans.get(key, q); row != nil {
		s.Loans[key] = row.Loan
	}
}

func (d *data) loadPayment(s *credit.State, id string, q int64) {
	if _, ok := s.Payments[id]; ok {
		return
	}
	s.Payments[id] = nil
	if row := d.payments.get(id, q); row != nil {
		s.Payments[id] = row.Payment
	}
}

// loadHistory adds an order's money events and the payments that they name.
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
				d.loadPayment(s, id, q)
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
			d.loadOrder(s, key, q)
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(d.loans.get(a, q).CapturedAt, d.loans.get(b, q).CapturedAt), cmp.Compare(a, b))
	})
	s.Accounts[id] = keys
}
