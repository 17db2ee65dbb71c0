package buyer

import (
	"context"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Seller returns a merchant whose buyers can check out today, with its current program. It
// is nil for one that does not exist, has no program, or whose checkouts could lead nowhere
// or could not send mail: the caller cannot tell which.
func (d *Desk) Seller(ctx context.Context, id string) (*credit.Merchant, *credit.Program, error) {
	var m *credit.Merchant
	if err := d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Merchants: []string{id}})
		m = s.Merchants[id]
		return err
	}); err != nil || m == nil || d.MayMail() != nil || !d.Sandbox && len(m.Shop.Origins) == 0 {
		return nil, nil, err
	}
	p := m.InForce(d.Zone.Date(d.Now()))
	if p == nil {
		return nil, nil, nil
	}
	return m, p, nil
}
