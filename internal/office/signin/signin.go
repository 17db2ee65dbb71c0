// Package signin signs the lender's staff in: invitations and set-up links, passwords, one-time
// codes, recovery codes, and sessions.
//
//	Desk       what all of it needs, one per process
//	Session    a browser in the console
//	Member     a staff member with name and e-mail
//
// signin.go has the desk and the limits, session.go sessions, enter.go the two steps of signing
// in, setup.go the link of an invitation, members.go who works here.
//
// It decides nothing: who may sign in is decided by package staff, and decided anew with each
// request, since the member's record is read with the session.
package signin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/office/credential"
)

// Path is where the console is.
const Path = "/console"

// Desk signs people in. It shares the buyer's side's means of sealing, submitting and keeping
// sessions.
type Desk struct {
	*buyer.Desk
	Hasher *credential.Hasher
}

// Limits of attempts, in a window of fifteen minutes. Whoever knows an e-mail address can use up
// only the attempts of their own network. The wide limit of an account stops many networks
// together; a network from which its member has signed in lately is not under it, so that nobody
// is locked out by strangers (A6).
const (
	window      = 15 * time.Minute
	pairTries   = 5   // of one account, from one network
	memberTries = 50  // of one account, from anywhere
	netTries    = 100 // from one network
	codeTries   = 5   // second steps of one member: only a right password leads there
)

// Errors of signing in.
var (
	// ErrWrong means that e-mail and password, or a code, are not right. It does not say which,
	// or whether anybody is known.
	ErrWrong = errors.New("signin: wrong")
	// ErrSlow means that too many attempts have failed: the next one has to wait.
	ErrSlow = errors.New("signin: too many attempts")
	// ErrLink means that a set-up link is unknown, used, replaced or too old.
	ErrLink = errors.New("signin: the link is not valid")
)

// Digest is the stored form of a random token or a recovery code.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// EmailHash is the keyed hash by which a member with an e-mail address is found.
func (d *Desk) EmailHash(email string) string { return d.Hash("staff email", buyer.Fold(email)) }

// Contact is a member's name and e-mail address.
type Contact struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Who asks for a change: the server's own command line, or the process itself in its place, and
// the console's pages.
func console() credit.Actor { return credit.Actor{Client: access.Console, Operator: true} }
func pages() credit.Actor   { return credit.Actor{Client: "console_pages", Operator: true} }

// decide submits a command of the pages about a member.
func (d *Desk) decide(ctx context.Context, c credit.Command, address string) (*credit.StaffMember, error) {
	return d.request(ctx, engine.Request{Command: c, Actor: pages(), Address: address})
}

func (d *Desk) request(ctx context.Context, r engine.Request) (*credit.StaffMember, error) {
	result, err := d.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return result.(*credit.StaffMember), nil
}

// By is who uses the server's own command line, and why: both are in the audit log.
type By struct{ Address, Reason string }

func (d *Desk) console(ctx context.Context, c credit.Command, by By) (*credit.StaffMember, error) {
	return d.request(ctx, engine.Request{Command: c, Actor: console(), Address: by.Address, Reason: by.Reason})
}

// counter counts failed attempts.
type counter struct {
	name string
	most int
}

// knownFor is how long the network of a sign-in is known.
const knownFor = 30 * 24 * time.Hour

// passwordCounters are those of an account, from a network: the first is theirs together.
func (d *Desk) passwordCounters(ctx context.Context, email, network string) ([]counter, error) {
	account := d.EmailHash(email)
	all := []counter{
		{"staff tries/" + d.Hash("staff tries", account+" "+network), pairTries},
		{"staff tries/" + d.Hash("staff tries", "network "+network), netTries},
	}
	var known bool
	if _, found, err := d.ReadScratch(ctx, d.knownName(account, network), &known); err != nil || found {
		return all, err
	}
	return append(all, counter{"staff tries/" + d.Hash("staff tries", account), memberTries}), nil
}

func (d *Desk) knownName(account, network string) string {
	return "staff known/" + d.Hash("staff known", account+" "+network)
}

// remember knows a network from which a member has signed in. account is the keyed hash of the
// e-mail. It does not matter whether another request was faster.
func (d *Desk) remember(ctx context.Context, account, network string) error {
	var known bool
	name := d.knownName(account, network)
	version, _, err := d.ReadScratch(ctx, name, &known)
	if err == nil {
		_, err = d.WriteScratch(ctx, name, true, d.Wall().Add(knownFor), version)
	}
	return err
}

// attempt counts an attempt, before it is looked at: concurrent ones are all counted.
func (d *Desk) attempt(ctx context.Context, all []counter) error {
	for _, c := range all {
		if ok, err := d.Count(ctx, c.name, c.most, window); err != nil || !ok {
			if err == nil {
				err = ErrSlow
			}
			return err
		}
	}
	return nil
}

// succeeded forgets the attempts of an account from a network.
func (d *Desk) succeeded(ctx context.Context, all []counter) error {
	_, err := d.Store.Unscratch(ctx, all[0].name)
	return err
}
