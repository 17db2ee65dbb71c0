package signin

import (
	"context"
	"fmt"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
)

// Policy reads what takes two people.
func (d *Desk) Policy(ctx context.Context) (p permit.Policy, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Lenders: []string{credit.TheLender}}); err != nil {
			return err
		}
		p = state.TheLender().Settings.Approvals
		return nil
	})
	return p, err
}

// SetPolicy changes what takes two people, at the request of the server's own command line.
func (d *Desk) SetPolicy(ctx context.Context, c staff.SetPolicy, by By) (permit.Policy, error) {
	result, err := d.Do(ctx, engine.Request{Command: c, Actor: console(), Address: by.Address, Reason: by.Reason})
	if err != nil {
		return permit.Policy{}, err
	}
	x, ok := result.(*credit.Lender)
	if !ok {
		return permit.Policy{}, fmt.Errorf("%s answers with %T", c.Name(), result)
	}
	return x.Settings.Approvals, nil
}
