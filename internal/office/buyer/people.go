package buyer

import (
	"context"
	"errors"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/people"
)

// Colleague is a person who acts for a company.
type Colleague struct {
	Person  *credit.Person
	Contact Contact
	Role    credit.PersonRole
}

// People lists who acts for a company, in the order in which they joined.
func (d *Desk) People(ctx context.Context, c *credit.Company) (out []Colleague, err error) {
	err = d.Store.View(ctx, func(v store.View) (err error) { out, err = d.PeopleIn(v, c); return err })
	return out, err
}

// PeopleIn is People in a snapshot.
func (d *Desk) PeopleIn(v store.View, c *credit.Company) (out []Colleague, err error) {
	for _, id := range c.Servicing.People {
		p, err := Load[*credit.Person](v, id)
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		x := Colleague{Person: p}
		about := p.Contact
		if x.Role, _ = p.Offered(c.ID); x.Role.Invited != "" { // the person's other data is not theirs yet
			about = x.Role.Invited
		}
		if err := d.Read(v, about, &x.Contact); err != nil && !errors.Is(err, ErrErased) && d.Log != nil {
			d.Log.Error("cannot read a person's data", "person", p.ID, "error", err.Error()) // the others are still shown
		}
		out = append(out, x)
	}
	return out, nil
}

// invitesHour is how many invitations the owners of a company can send in an hour.
const invitesHour = 20

// ErrTooManyInvitations means that a company's owners have invited too many people in an
// hour.
var ErrTooManyInvitations = errors.New("buyer: too many invitations")

// errNobody means that a page passed on an instruction without a person, which the domain
// would take for the operator's.
var errNobody = errors.New("buyer: no person is acting")

// Invite gives a person with an email address a role at a company, on the instruction of
// one of its owners.
func (d *Desk) Invite(ctx context.Context, owner string, company int64, who Contact, role credit.Role, limit money.Amount, address string) error {
	if owner == "" {
		return errNobody
	}
	c, err := d.Invitation(company, who, role, limit)
	if err != nil {
		return err
	}
	if ok, err := d.Count(ctx, "invites/"+store.CompanyKey(company), invitesHour, time.Hour); err != nil || !ok {
		return errors.Join(err, orNil(err == nil, ErrTooManyInvitations))
	}
	c.Owner = owner
	_, err = d.do(ctx, c, address)
	return err
}

// Invitation returns the command that gives a person with an email address a role at a
// company, on the operator's instruction unless an owner is set. It counts nothing: a
// repeat must have no effect.
func (d *Desk) Invitation(company int64, who Contact, role credit.Role, limit money.Amount) (c people.SetPerson, err error) {
	if err := d.MayMail(); err != nil {
		return c, err
	}
	who.Email = strings.TrimSpace(who.Email)
	kept, err := d.Keep(who)
	return people.SetPerson{
		Company: company, Email: d.EmailHash(who.Email), Contact: kept.ID, Role: role, Limit: limit, Secrets: []credit.Secret{kept},
	}, err
}

// SetRole changes what a person may do for a company; "" ends it.
func (d *Desk) SetRole(ctx context.Context, owner string, company int64, person string, role credit.Role, limit money.Amount, address string) error {
	if owner == "" {
		return errNobody
	}
	_, err := d.do(ctx, people.SetPerson{Company: company, Owner: owner, Person: person, Role: role, Limit: limit}, address)
	return err
}

// Answer is a person's own decision on a role at a company: to accept it, or to leave.
func (d *Desk) Answer(ctx context.Context, person string, company int64, accept bool, address string) error {
	_, err := d.do(ctx, people.AnswerInvitation{Person: person, Company: company, Accept: accept}, address)
	return err
}

// Invitations returns the companies to which a person is invited.
func (d *Desk) Invitations(ctx context.Context, p *credit.Person) (out []*credit.Company, err error) {
	for _, r := range p.Roles {
		if r.Invited == "" {
			continue
		}
		c, err := d.company(ctx, r.Company)
		if err != nil {
			return nil, err
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// ChangeEmail gives a person the email address that the session has proved. Both addresses
// get a mail.
func (d *Desk) ChangeEmail(ctx context.Context, p *credit.Person, email, address string) error {
	was, err := d.Contact(ctx, p)
	if err != nil {
		return err
	}
	next := was
	next.Email = strings.TrimSpace(email)
	told := map[string]string{"was": was.Email, "becomes": next.Email}
	c := people.ChangeEmail{Person: p.ID, Email: d.EmailHash(email)}
	for _, x := range []struct {
		into  *string
		value any
	}{{&c.Contact, next}, {&c.Was, was}, {&c.TellOld, told}, {&c.TellNew, told}} {
		kept, err := d.Keep(x.value)
		if err != nil {
			return err
		}
		*x.into = kept.ID
		c.Secrets = append(c.Secrets, kept)
	}
	_, err = d.do(ctx, c, address)
	return err
}
