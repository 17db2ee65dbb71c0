package signin

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/buyer"
	"tenor/internal/office/credential"
)

// SetUp is what the link of an invitation opens.
type SetUp struct {
	Staff *credit.StaffMember
	Contact
	// Secret is that of the one-time codes, in base32: the same whenever the link is opened.
	Secret string
	// Address is the secret as authenticator apps read it.
	Address string
}

// issuer is the name under which authenticator apps list the codes.
const issuer = "Tenor"

// SetUp opens the link of an invitation: the member and the token in it. It changes nothing. A
// link that is not valid is ErrLink.
func (d *Desk) SetUp(ctx context.Context, member, token string) (*SetUp, error) {
	m, contact, err := d.member(ctx, member)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Link == "" || subtle.ConstantTimeCompare([]byte(m.Link), []byte(Digest(token))) != 1 || !d.Wall().Before(m.LinkEnd) {
		return nil, ErrLink
	}
	sum, err := hex.DecodeString(d.Hash("staff codes", token))
	if err != nil || len(sum) < 20 {
		return nil, fmt.Errorf("signin: derive one-time codes: %w", err)
	}
	secret := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20])
	return &SetUp{Staff: m, Contact: contact, Secret: secret, Address: credential.Link(issuer, contact.Email, secret)}, nil
}

// Flaw is what is wrong with a password for a member, "" if nothing.
func (c Contact) Flaw(password string) credential.Flaw {
	name, _, _ := strings.Cut(c.Email, "@")
	return credential.Refuse(password, append(strings.Fields(c.Name), name)...)
}

// Enroll uses a link up: it sets the password, and the one-time codes once one of them is right.
// The browser is then signed in, and its session has the recovery codes to show.
func (d *Desk) Enroll(ctx context.Context, x *SetUp, token, password, code, network string) (*Session, error) {
	tries := []counter{{"staff codes/" + x.Staff.ID, codeTries}}
	if err := d.attempt(ctx, tries); err != nil {
		return nil, err
	}
	step, right := credential.Step(x.Secret, code, d.Wall())
	if !right {
		return nil, ErrWrong
	}
	if first, err := d.spend(ctx, x.Staff.ID, step); err != nil || !first {
		return nil, cmp.Or(err, ErrWrong)
	}
	if err := d.succeeded(ctx, tries); err != nil {
		return nil, err
	}
	c, codes, err := d.credentials(ctx, password, x.Secret)
	if err != nil {
		return nil, err
	}
	m, err := d.decide(ctx, staff.Enroll{Member: x.Staff.ID, Link: Digest(token), At: d.Wall(), Credentials: c}, network)
	if refused(err) {
		return nil, ErrLink
	}
	if err != nil {
		return nil, err
	}
	return d.enter(ctx, m, codes, network)
}

// enter signs a member in who has just proved everything, with recovery codes to show.
func (d *Desk) enter(ctx context.Context, m *credit.StaffMember, codes []string, network string) (*Session, error) {
	m, err := d.decide(ctx, staff.SignIn{Member: m.ID, Epoch: m.Epoch, At: d.Wall()}, network)
	if err != nil {
		return nil, err
	}
	if err := d.remember(ctx, m.Of, network); err != nil {
		return nil, err
	}
	s, err := d.begin(ctx, m, true)
	if err != nil {
		return nil, err
	}
	s.Codes = codes
	return s, d.save(ctx, s)
}

// credentials seals what a member signs in with, and draws recovery codes.
func (d *Desk) credentials(ctx context.Context, password, secret string) (staff.Credentials, []string, error) {
	hash, err := d.Hasher.Hash(ctx, password)
	if err != nil {
		return staff.Credentials{}, nil, fmt.Errorf("signin: %w", err)
	}
	kept, seed, codes := d.KeepBytes([]byte(hash)), d.KeepBytes([]byte(secret)), credential.RecoveryCodes(credit.StaffRecovery)
	return staff.Credentials{Password: kept.ID, Codes: seed.ID, Recovery: digests(codes), Secrets: []credit.Secret{kept, seed}}, codes, nil
}

func digests(codes []string) (out []string) {
	for _, c := range codes {
		out = append(out, Digest(credential.FoldRecovery(c)))
	}
	return out
}

// ChangePassword replaces a member's password, who types the present one. All other sign-ins end;
// this browser gets a new session.
func (d *Desk) ChangePassword(ctx context.Context, v *Visitor, present, next, network string) (*Session, error) {
	if err := d.attempt(ctx, []counter{{"staff codes/" + v.Member, codeTries}}); err != nil {
		return nil, err
	}
	var hash []byte
	err := d.Store.View(ctx, func(w store.View) (err error) {
		hash, err = d.ReadBytes(w, v.Staff.Password)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("signin: read password: %w", err)
	}
	if right, err := d.Hasher.Matches(ctx, present, string(hash)); err != nil || !right {
		if err == nil {
			err = ErrWrong
		}
		return nil, err
	}
	if hash, err := d.Hasher.Hash(ctx, next); err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	} else {
		kept := d.KeepBytes([]byte(hash))
		return d.replace(ctx, v, staff.Credentials{Password: kept.ID, Codes: v.Staff.Codes, Recovery: v.Staff.Recovery, Secrets: []credit.Secret{kept}}, nil, network)
	}
}

// NewCodes replaces a member's recovery codes; the session has the new ones to show.
func (d *Desk) NewCodes(ctx context.Context, v *Visitor, network string) (*Session, error) {
	codes := credential.RecoveryCodes(credit.StaffRecovery)
	return d.replace(ctx, v, staff.Credentials{Password: v.Staff.Password, Codes: v.Staff.Codes, Recovery: digests(codes)}, codes, network)
}

// replace changes credentials, and continues this browser's session in the new epoch.
func (d *Desk) replace(ctx context.Context, v *Visitor, c staff.Credentials, codes []string, network string) (*Session, error) {
	m, err := d.decide(ctx, staff.ChangeCredentials{Member: v.Member, Epoch: v.Epoch, Credentials: c}, network)
	if refused(err) {
		return nil, buyer.ErrRaced
	}
	if err != nil {
		return nil, err
	}
	return d.renew(ctx, v.Session, func(s *Session) { s.Epoch, s.Codes = m.Epoch, codes })
}

// CodesSaved forgets the recovery codes that a session shows.
func (d *Desk) CodesSaved(ctx context.Context, s *Session) error {
	s.Codes = nil
	return d.save(ctx, s)
}
