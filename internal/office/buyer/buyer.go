// Package buyer is shared by the API and the pages of the buyer's side: it seals personal
// data, identifies people by keyed hashes of their email addresses, signs them in, collects
// the facts of an application and sends the mails that decisions have queued.
//
//	Desk       what all of it needs, one per process
//	Session    a browser that goes through a checkout or an account
//	Form       an application as typed
//
// It decides nothing: every change is a command that the engine decides. Short-lived data
// that is not a decision, such as a code or a session, is in the store's scratch table.
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

// Store is the part of store.Backend that a desk needs.
type Store interface {
	store.Viewer
	store.Duties
	store.Scratch
}

// Desk holds the dependencies of a process's buyer side.
type Desk struct {
	Submit engine.Submitter
	Store  Store
	Zone   calendar.Zone
	Now    func() time.Time // business clock
	Wall   func() time.Time // for codes, sessions and mail
	Seed   func() [16]byte
	Seal   func(plain []byte, about string) []byte
	Open   func(sealed []byte, about string) ([]byte, error)
	// Hash is a keyed hash of a text of a kind: equal texts have equal hashes. The key is
	// not in the database.
	Hash func(kind, text string) string
	// Base is the URL of this deployment, without a trailing slash.
	Base string
	// Sandbox enables the code 000000, and the outcomes of magic tax numbers.
	Sandbox bool
	Facts   facts.Ports
	// Compare checks names against the sanctions list; nil: there is none.
	Compare func(names ...string) *credit.Compared
	// Mail sends mail; nil: there is no mail server. In a sandbox mails are shown in the
	// mailbox.
	Mail mailer.Port
	// Codes limits how many codes are mailed in an hour; zero: DefaultCodes.
	Codes CodeLimits
	// Suspend schedules the later suspension of a company in a sandbox; nil: never.
	Suspend func(ctx context.Context, company int64, at time.Time) error
	Log     *slog.Logger
	// Patient leaves new applications to the next RunDue: nothing is decided in the
	// background.
	Patient bool

	fresh    fresh
	staged   staged
	deciding atomic.Int32
}

// ErrMailUnavailable means that no mail can be sent: a live deployment without a mail
// server.
var ErrMailUnavailable = errors.New("buyer: the deployment cannot send mail")

// MayMail returns an error if mail cannot be sent.
func (d *Desk) MayMail() error {
	if d.Mail == nil && !d.Sandbox {
		return ErrMailUnavailable
	}
	return nil
}

// alphabet spells no words: it has no vowels, and no characters that look alike.
const alphabet = "23456789bcdfghjkmnpqrstvwxz"

// Random returns n random characters of the alphabet, for tokens and handles.
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

// Lengths of random texts: a token has 152 bits, and a session 256.
const (
	tokenLength   = 32
	sessionLength = 54
)

// Digest is the stored form of a token.
func Digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Fold normalizes an email address for comparison: trimmed, in lower case.
func Fold(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// EmailHash is the keyed hash by which a person with an email address is found.
func (d *Desk) EmailHash(email string) string { return d.Hash("email", Fold(email)) }

// Keep seals a value for the vault and returns it with its handle.
func (d *Desk) Keep(value any) (credit.Secret, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return credit.Secret{}, fmt.Errorf("buyer: seal %T: %w", value, err)
	}
	return d.KeepBytes(text), nil
}

// KeepBytes is Keep for raw bytes.
func (d *Desk) KeepBytes(plain []byte) credit.Secret {
	id := "sec_" + Random(tokenLength)
	return credit.Secret{ID: id, Sealed: d.Seal(plain, credit.SecretPlace(id))}
}

// ErrErased means that a handle's content has been erased.
var ErrErased = errors.New("buyer: the sealed value was erased")

// ReadBytes decrypts the vault entry under a handle.
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

// Read decrypts the vault entry under a handle into a value.
func (d *Desk) Read(v store.View, id string, into any) error {
	text, err := d.ReadBytes(v, id)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Contact is a person's name and email address.
type Contact struct {
	Email     string `json:"email"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Phone     string `json:"phone,omitempty"`
	Company   string `json:"company_name,omitempty"`
}

// Name is the full name, "" if unknown.
func (c Contact) Name() string { return strings.TrimSpace(c.FirstName + " " + c.LastName) }

// itself is the deployment as actor.
func itself() credit.Actor { return credit.Actor{Client: "pages", Operator: true} }

// do submits a command of the pages.
func (d *Desk) do(ctx context.Context, c credit.Command, address string) (any, error) {
	return d.Do(ctx, engine.Request{Command: c, Actor: itself(), Address: address})
}

// Do submits a command and returns its result. It sets seed and encoding of the request. A
// refusal is a *credit.Rejection.
func (d *Desk) Do(ctx context.Context, x engine.Request) (any, error) {
	var result any
	x.Seed = d.Seed()
	x.Encode = func(ch credit.Changes, _ *credit.Rejection) engine.Response {
		result = ch.Result
		return engine.Response{Status: 200}
	}
	r, err := d.Submit.Submit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("buyer: %s: %w", x.Command.Name(), err)
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
