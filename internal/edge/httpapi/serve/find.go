package serve

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// FindApplication reads an application that the caller may see.
func FindApplication(c *rest.Call, v store.View, id string) (*credit.Application, error) {
	x, err := buyer.Load[*credit.Application](v, id)
	if err == nil && (x == nil || !c.Principal.Operator && x.Merchant != c.Principal.Tenant) {
		err = rest.NotFound()
	}
	return x, err
}

// OrderAt reads an order that the caller may see, as it stood at a moment.
func OrderAt(c *rest.Call, v store.View, key string, m Moment) (*credit.Order, error) {
	o, err := store.At(v, store.OrderNoun, key, m.Q)
	if err != nil {
		return nil, err
	}
	return o, MayRead(c, o)
}

// CompanyAt reads a company that the caller may see, as it stood at a moment. A merchant
// sees it if it is linked to it, and was linked then.
func CompanyAt(c *rest.Call, v store.View, id int64, m Moment) (*credit.Company, error) {
	now, err := store.At(v, store.CompanyNoun, id, store.Latest)
	if err != nil {
		return nil, err
	}
	if err := mayReadCompany(c, now); err != nil || !m.Past {
		return now, err
	}
	then, err := store.At(v, store.CompanyNoun, id, m.Q)
	if err != nil {
		return nil, err
	}
	return then, mayReadCompany(c, then)
}

// mayReadCompany answers 404 for a company that does not exist, 403 for one that is not
// linked to the caller's merchant.
func mayReadCompany(c *rest.Call, x *credit.Company) error {
	switch {
	case x == nil:
		return rest.NotFound()
	case !c.Principal.Operator && !x.IsLinked(c.Principal.Tenant):
		return rest.NewProblem("company_not_linked", "The company is not linked to the merchant.")
	}
	return nil
}

// RecordFilter is the filter for records that the caller may see.
func (s *Service) RecordFilter(c *rest.Call, status string, from, to *calendar.Date) store.RecordFilter {
	q := store.RecordFilter{Merchant: c.Principal.Tenant, Status: status}
	if from != nil {
		q.From = s.Zone.Start(*from)
	}
	if to != nil {
		q.To = s.Zone.Start(*to + 1)
	}
	return q
}

// Within is Read below a company that the caller may see.
func (s *Service) Within(c *rest.Call, key CompanyKey, fn func(v store.View, company int64) (rest.Answer, error)) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := CompanyAt(c, v, int64(key.CompanyID), Moment{Q: store.Latest})
		if err != nil {
			return rest.Answer{}, err
		}
		return fn(v, x.ID)
	})
}

// LenderIn returns the current lender.
func LenderIn(v store.View) (*credit.Lender, error) {
	state := credit.NewState()
	err := v.Load(state, credit.Keys{Lenders: []string{credit.TheLender}})
	return state.TheLender(), err
}

// FindMerchant reads a merchant.
func FindMerchant(v store.View, id string) (*credit.Merchant, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Merchants: []string{id}}); err != nil {
		return nil, err
	}
	m := state.Merchants[id]
	if m == nil {
		return nil, rest.NotFound()
	}
	return m, nil
}

// LenderSettings returns the lender's current settings.
func (s *Service) LenderSettings(c *rest.Call) (settings credit.LenderSettings, err error) {
	_, err = s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := LenderIn(v)
		settings = x.Settings
		return rest.Answer{}, err
	})
	return settings, err
}

// FindPayment reads a payment that the caller may see.
func FindPayment(c *rest.Call, v store.View, id string) (*credit.Payment, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Payments: []string{id}}); err != nil {
		return nil, err
	}
	p := state.Payments[id]
	if p == nil {
		return nil, rest.NotFound()
	}
	if !c.Principal.Operator && p.Merchant != c.Principal.Tenant {
		if _, err := FindOrder(c, v, p.Order); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// FindOrder reads an order that the caller may see, without its loan.
func FindOrder(c *rest.Call, v store.View, key string) (*credit.Order, error) {
	return OrderAt(c, v, key, Moment{Q: store.Latest})
}

// LoadOrder reads an order that the caller may see, with its loan.
func LoadOrder(c *rest.Call, v store.View, key string) (*credit.State, *credit.Order, error) {
	s := credit.NewState()
	if err := v.Load(s, credit.Keys{Orders: []string{key}}); err != nil {
		return nil, nil, err
	}
	o := s.Orders[key]
	return s, o, MayRead(c, o)
}

// MayRead answers not found if an order is nil or another merchant's.
func MayRead(c *rest.Call, o *credit.Order) error {
	if o == nil || !c.Principal.Operator && o.Merchant != c.Principal.Tenant {
		return rest.NotFound()
	}
	return nil
}
