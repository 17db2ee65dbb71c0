package signin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/buyer"
)

// Member is a staff member with name and e-mail.
type Member struct {
	Staff *credit.StaffMember
	Contact
}

// maxMembers is how many members are read.
const maxMembers = 1000

// Members lists the staff by name.
func (d *Desk) Members(ctx context.Context) (out []Member, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounStaffMember, store.RecordFilter{}, store.Page{Limit: maxMembers})
		for _, r := range list {
			m := Member{Staff: r.(*credit.StaffMember)}
			if err := d.Read(v, m.Staff.Contact, &m.Contact); err != nil {
				return err
			}
			out = append(out, m)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("signin: list members: %w", err)
	}
	slices.SortFunc(out, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Email, b.Email))
	})
	return out, nil
}

// Claimed reports whether anybody has ever signed in to the console: before that it is nobody's.
func (d *Desk) Claimed(ctx context.Context) (claimed bool, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		for _, status := range []string{credit.StaffActive, credit.StaffSuspended} {
			list, err := store.ListRecords(v, credit.NounStaffMember, store.RecordFilter{Status: status}, store.Page{Limit: 1})
			if claimed = claimed || len(list) > 0; err != nil {
				return err
			}
		}
		return nil
	})
	return claimed, err
}

// Invitation is whom to invite.
type Invitation struct {
	Contact
	Roles []permit.Role
	Life  time.Duration // of the link
}

// Invite invites somebody on behalf of the server's own command line, and returns the path of the
// one-time link. The token in it is shown nowhere else.
func (d *Desk) Invite(ctx context.Context, x Invitation, by By) (m *credit.StaffMember, path string, err error) {
	contact, err := d.Keep(x.Contact)
	if err != nil {
		return nil, "", err
	}
	token, now := buyer.Random(tokenLength), d.Wall()
	m, err = d.console(ctx, staff.Invite{
		Email: d.EmailHash(x.Email), Contact: contact.ID, Roles: x.Roles, Link: Digest(token), At: now, Until: now.Add(x.Life), Secrets: []credit.Secret{contact},
	}, by)
	if err != nil {
		return nil, "", err
	}
	return m, Path + "/set-up/" + m.ID + "/" + token, nil
}

// Find finds a member by e-mail or ID, nil if there is none.
func (d *Desk) Find(ctx context.Context, name string) (m *credit.StaffMember, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		if m, err = d.claimed(v, name); m != nil || err != nil {
			return err
		}
		m, err = buyer.Load[*credit.StaffMember](v, name)
		return err
	})
	return m, err
}

// Known reads the contact of whoever has an e-mail address, false if nobody does.
func (d *Desk) Known(ctx context.Context, email string) (c Contact, known bool, err error) {
	m, err := d.Find(ctx, email)
	if err != nil || m == nil {
		return Contact{}, false, err
	}
	c, err = d.ContactOf(ctx, m)
	return c, true, err
}

// ContactOf reads a member's contact.
func (d *Desk) ContactOf(ctx context.Context, m *credit.StaffMember) (c Contact, err error) {
	err = d.Store.View(ctx, func(v store.View) error { return d.Read(v, m.Contact, &c) })
	return c, err
}

// Change submits a change of a member that the server's own command line asks for: staff.SetRoles
// or staff.Suspend.
func (d *Desk) Change(ctx context.Context, c credit.Command, by By) (*credit.StaffMember, error) {
	return d.console(ctx, c, by)
}

// Demo signs a browser in as a made-up member with one role, whom it creates if there is none: the
// first or the second with it. Nobody knows the password. Only a sandbox has such members.
func (d *Desk) Demo(ctx context.Context, role permit.Role, second bool, network string) (*Session, error) {
	if !d.Sandbox {
		return nil, ErrWrong
	}
	name := string(role)
	if second {
		name += "-2"
	}
	email := name + "@lender.example"
	m, err := d.Find(ctx, email)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Status == credit.StaffInvited {
		var path string
		if m, path, err = d.Invite(ctx, Invitation{Contact: Contact{email, "Demo " + name}, Roles: []permit.Role{role}, Life: staff.PrintedLink}, By{Address: network}); err != nil {
			return nil, err
		}
		c, _, err := d.credentials(ctx, buyer.Random(tokenLength), buyer.Random(tokenLength))
		if err != nil {
			return nil, err
		}
		token := path[len(path)-tokenLength:]
		if m, err = d.decide(ctx, staff.Enroll{Member: m.ID, Link: Digest(token), At: d.Wall(), Credentials: c}, network); err != nil {
			return nil, err
		}
	}
	s, err := d.enter(ctx, m, nil, network)
	if refused(err) { // suspended
		return nil, ErrWrong
	}
	return s, err
}
