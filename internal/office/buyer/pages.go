package buyer

import (
	"context"
	"errors"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// Lender reads the lender's settings.
func (d *Desk) Lender(ctx context.Context) (x credit.LenderSettings, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Lenders: []string{credit.TheLender}})
		x = s.TheLender().Settings
		return err
	})
	return x, err
}

// Applications lists the last applications sent with an email address, newest first.
func (d *Desk) Applications(ctx context.Context, email string) (out []*credit.Application, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounApplication, store.RecordFilter{Of: d.EmailHash(email)}, store.Page{Limit: 20})
		for _, r := range list {
			out = append(out, r.(*credit.Application))
		}
		return err
	})
	return out, err
}

// LastForm reads the form of a company's last approved application, false if it no longer
// exists.
func (d *Desk) LastForm(ctx context.Context, company int64) (f Form, found bool, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounApplication, store.RecordFilter{Company: company, Status: credit.ApplicationApproved}, store.Page{Limit: 20})
		if err != nil {
			return err
		}
		for _, r := range list {
			if a := r.(*credit.Application); a.Form != "" {
				err := d.Read(v, a.Form, &f)
				if found = err == nil; found || !errors.Is(err, ErrErased) {
					return err
				}
			}
		}
		return nil
	})
	return f, found, err
}

// Contact reads a person's name and email address; an erased person has none.
func (d *Desk) Contact(ctx context.Context, p *credit.Person) (c Contact, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		if err := d.Read(v, p.Contact, &c); !errors.Is(err, ErrErased) {
			return err
		}
		return nil
	})
	return c, err
}

// AutopayAccount returns the account that autopay debits for a merchant's orders, nil if
// autopay is off, paused or waiting.
func (d *Desk) AutopayAccount(ctx context.Context, c *credit.Company, merchant string) (m *credit.PaymentMethod, err error) {
	a := c.AutopayOf(merchant)
	if !a.Enabled || a.Method == "" || c.AutopayPaused() != "" {
		return nil, nil
	}
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Methods: []string{a.Method}})
		if m = s.Methods[a.Method]; m != nil && m.Status != credit.MethodActive {
			m = nil
		}
		return err
	})
	return m, err
}

// onceLife is how long Once remembers a name.
const onceLife = 24 * time.Hour

// Once reports whether this call is the first one with a name: of two clicks one is.
func (d *Desk) Once(ctx context.Context, name string) (bool, error) {
	return d.WriteScratch(ctx, "once/"+name, true, d.Wall().Add(onceLife), 0)
}

// Again forgets a name of Once, so that the action can be retried.
func (d *Desk) Again(ctx context.Context, name string) error {
	_, err := d.Store.Unscratch(ctx, "once/"+name)
	return err
}

// asksHour is how many mails per hour the owners of a company get about one checkout.
const asksHour = 3

// AskOwners mails the owners of a company that one of them has to accept a checkout, begun
// by somebody with the name who, and returns how many were mailed. Beyond the limit it
// mails nobody.
func (d *Desk) AskOwners(ctx context.Context, x Visit, c *credit.Company, who, address string) (n int, err error) {
	if err := d.MayMail(); err != nil {
		return 0, err
	}
	if ok, err := d.Count(ctx, "owners/"+x.Checkout.ID, asksHour, time.Hour); err != nil || !ok {
		return 0, err
	}
	var owners []*credit.Person
	err = d.Store.View(ctx, func(v store.View) error {
		for _, id := range c.Servicing.People {
			p, err := Load[*credit.Person](v, id)
			if err != nil {
				return err
			}
			if p != nil && slices.Contains(p.Roles, credit.PersonRole{Company: c.ID, Role: credit.RoleOwner}) {
				owners = append(owners, p)
			}
		}
		return nil
	})
	for _, p := range owners {
		if err != nil {
			break
		}
		_, err = d.do(ctx, people.QueueMail{
			Template: "owner_needed", Language: p.Language, To: p.Contact, Person: p.ID, Of: x.Checkout.ID, Merchant: x.Checkout.Merchant, Company: c.ID, Data: map[string]string{"person": who},
		}, address)
	}
	return len(owners), err
}
