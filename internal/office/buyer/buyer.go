// Package buyer is what the API and the pages of the buyer's side have in common: it seals
// what is personal, knows people by keyed hashes of their e-mails, signs them in, asks for
// the facts of an application and sends the mails that decisions have queued.
//
//	Desk       what all of it needs, once a process
//	Session    a browser that goes through a checkout or an account
//	Form       an application as typed
//
// It decides nothing: every change is a command that the engine decides. What is short-lived
// and no decision, such as a code or a session, stands in the store's scratch.
package buyer

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/facts"
	"tenor/internal/ports/mailer"
)

// Store is what a desk needs of a store.Backend.
type Store interface {
	store.Viewer
	store.Duties
	store.Scratch
}

// Desk is what the buyer's side of a process is made of.
type Desk struct {
	Submit engine.Submitter
	Store  Store
	Zone   calendar.Zone
	Now    func() time.Time // business clock
	Wall   func() time.Time // of codes, sessions and mail
	Seed   func() [16]byte
	Seal   func(plain []byte, about string) []byte
	Open   func(sealed []byte, about string) ([]byte, error)
	// Hash is a keyed hash of a text of a kind: equal for equal ones, under a key that the
	// database does not hold.
	Hash func(kind, text string) string
	// Base is the address of this deployment, without a slash at its end.
	Base string
	// Sandbox takes the code 000000, and the outcomes of magic tax numbers.
	Sandbox bool
	Facts   facts.Ports
	// Compare compares names with the sanctions list; nil: there is none.
	Compare func(names ...string) *credit.Compared
	// Mail sends; nil: there is no mail server. In a sandbox mails stand in the mailbox.
	Mail mailer.Port
	// Codes are how many codes are mailed in an hour; zero: DefaultCodes.
	Codes CodeLimits
	// Suspend plans that a sandbox suspends a company later; nil: it never does.
	Suspend func(ctx context.Context, company int64, at time.Time) error
	Log     *slog.Logger
	// Patient leaves new applications to the next Turn: nothing is decided behind a caller.
	Patient bool

	fresh    fresh
	staged   staged
	deciding atomic.Int32
}

// ErrMailUnavailable says that no mail can be sent: a live deployment without a mail
// server.
var ErrMailUnavailable = errors.New("buyer: the deployment cannot send mail")

// MayMail asks whether mail can be sent.
func (d *Desk) MayMail() error {
	if d.Mail == nil && !d.Sandbox {
		return ErrMailUnavailable
	}
	return nil
}

// alphabet spells nothing: it has no vowels, and no sign that looks like another.
const alphabet = "23456789bcdfghjkmnpqrstvwxz"

// Random is a text of n signs of the alphabet, for tokens and handles.
func Random(n int) string {
	out := make([]byte, 0, n)
	var b [1]byte
	for len(out) < n {
		_, _ = rand.Read(b[:]) // never fails
		if int(b[0]) < len(alphabet)*(256/len(alphabet)) {
			out = append(out, alphabet[int(b[0])%len(alphabet)])
		}
	}
	return string(out)
}

// Lengths of what Random draws: a token has 152 bits, and a session 256.
const (
	tokenLength   = 32
	sessionLength = 54
)

// Digest is what is stored of a token.
func Digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Fold is an e-mail as it is compared: without spaces around it, in lower case.
func Fold(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// EmailHash is the keyed hash by which a person with an e-mail is found.
func (d *Desk) EmailHash(email string) string { return d.Hash("email", Fold(email)) }

// Keep seals a value for the vault and returns its handle with it.
func (d *Desk) Keep(value any) (credit.Secret, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return credit.Secret{}, fmt.Errorf("buyer: seal %T: %w", value, err)
	}
	return d.KeepBytes(text), nil
}

// KeepBytes is Keep for bytes as they are.
func (d *Desk) KeepBytes(plain []byte) credit.Secret {
	id := "sec_" + Random(tokenLength)
	return credit.Secret{ID: id, Sealed: d.Seal(plain, credit.SecretPlace(id))}
}

// ErrErased says that what a handle named is no more.
var ErrErased = errors.New("buyer: the sealed value was erased")

// ReadBytes opens what stands in the vault under a handle.
func (d *Desk) ReadBytes(v store.View, id string) ([]byte, error) {
	found, err := store.Secrets(v, []string{id})
	if err != nil {
		return nil, err
	}
	sealed, ok := found[id]
	if !ok {
		return nil, ErrErased
	}
	return d.Open(sealed, credit.SecretPlace(id))
}

// Read opens what stands in the vault under a handle into a value.
func (d *Desk) Read(v store.View, id string, into any) error {
	text, err := d.ReadBytes(v, id)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Contact is who a person is and how to write to them.
type Contact struct {
	Email     string `json:"email"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Phone     string `json:"phone,omitempty"`
	Company   string `json:"company_name,omitempty"`
}

// Name is the full name, "" if it is not known.
func (c Contact) Name() string { return strings.TrimSpace(c.FirstName + " " + c.LastName) }

// itself is the deployment as the one who submits.
func itself() credit.Actor { return credit.Actor{Client: "pages", Operator: true} }

// do submits a command of the pages.
func (d *Desk) do(ctx context.Context, c credit.Command, address string) (any, error) {
	var result any
	r, err := d.Submit.Submit(ctx, engine.Request{
		Command: c, Actor: itself(), Address: address, Seed: d.Seed(),
		Encode: func(ch credit.Changes, _ *credit.Rejection) engine.Response {
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("buyer: %s: %w", c.Name(), err)
	}
	if r.Rejection != nil {
		return nil, r.Rejection
	}
	return result, nil
}

// Load reads a record of a snapshot, nil if there is none.
func Load[P interface {
	*T
	credit.Record
}, T any](v store.View, id string) (P, error) {
	var none P
	s := credit.NewState()
	k := credit.RecordKey{Noun: none.Noun(), ID: id}
	if err := v.Load(s, credit.Keys{Records: []credit.RecordKey{k}}); err != nil {
		return nil, err
	}
	p, _ := s.Records[k].(P)
	return p, nil
}
