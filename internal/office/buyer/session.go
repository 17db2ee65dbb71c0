package buyer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// Lifetime and tries of codes; times are wall-clock times.
const (
	codeLife  = 10 * time.Minute
	codeTries = 5
)

// CodeLimits limits how many codes are mailed in an hour.
type CodeLimits struct {
	Pair    int // to one address, requested from one network
	Network int // requested from one network, to anybody
}

// DefaultCodes returns the limits of a deployment that sets none.
func DefaultCodes() CodeLimits { return CodeLimits{Pair: 5, Network: 20} }

// maxCodes is the maximum setting: whoever sends more is not a buyer.
const maxCodes = 10_000

// Check refuses limits that allow no code, or that limit nothing.
func (l CodeLimits) Check() error {
	switch {
	case l.Pair < 1 || l.Network > maxCodes:
		return fmt.Errorf("codes per hour must be from 1 to %d", maxCodes)
	case l.Network < l.Pair:
		return errors.New("codes per hour of a network must be at least those of one address")
	}
	return nil
}

// Session is a browser in one checkout, or in the account if Checkout is "". Its token is
// in a cookie and is stored as a hash.
type Session struct {
	Token    string `json:"-"` // as the browser has it
	Checkout string `json:"checkout,omitempty"`
	Person   string `json:"person,omitempty"`   // who has proved the email address; "" before that
	Email    string `json:"email,omitempty"`    // typed, or proved
	Form     string `json:"form"`               // what each of its forms must send back (A45)
	Language string `json:"language,omitempty"` // of its pages; "": nobody has chosen yet
	From     string `json:"from,omitempty"`     // who had the checkout here before another email address was typed
	Taken    int    `json:"taken,omitempty"`    // how often the checkout had been taken over when the email address was proved

	Proved time.Time `json:"proved,omitzero"`  // when it was last proved
	Change string    `json:"change,omitempty"` // another email address, which the code is for

	Code    string    `json:"code,omitempty"` // hash of the sent code
	Tries   int       `json:"tries,omitempty"`
	CodeEnd time.Time `json:"code_end,omitzero"`
	Started time.Time `json:"started"`
	Seen    time.Time `json:"seen,omitzero"` // when it was last saved

	version int64
}

// Masked is the email address as pages show it: enough to recognize one's own.
func (s *Session) Masked() string { return Masked(s.Email) }

// Masked returns an email address as pages show it.
func Masked(email string) string {
	name, domain, ok := strings.Cut(email, "@")
	if !ok || name == "" {
		return ""
	}
	signs := []rune(name)
	return string(signs[:1]) + strings.Repeat("•", min(max(len(signs)-1, 1), 6)) + "@" + domain
}

// NewSession starts a session; Save stores it.
func (d *Desk) NewSession(checkout string) *Session {
	return &Session{Token: Random(sessionLength), Checkout: checkout, Form: Random(tokenLength), Started: d.Wall()}
}

func sessionName(token string) string { return "session/" + Digest(token) }

// ErrRaced means that two requests of one browser have changed the session concurrently.
var ErrRaced = errors.New("buyer: the session was changed concurrently")

// EndSession signs a browser out.
func (d *Desk) EndSession(ctx context.Context, s *Session) error {
	_, err := d.Store.Unscratch(ctx, sessionName(s.Token))
	return err
}

// ErrTooManyCodes means that an address or a network has requested more codes than are sent
// in an hour.
var ErrTooManyCodes = errors.New("buyer: too many codes requested")

// SendCode sends a code to an email address, at the request of a network, and stores its
// hash in the session. A new code replaces the previous one. To the browser it looks the
// same whether or not anybody is known at the address.
func (d *Desk) SendCode(ctx context.Context, s *Session, email, network string) error {
	return d.mailCode(ctx, s, email, network, func() { s.Email, s.Person = strings.TrimSpace(email), "" })
}

// mailCode is SendCode; change sets what the code is for once it may be sent.
func (d *Desk) mailCode(ctx context.Context, s *Session, email, network string, change func()) error {
	if err := d.MayMail(); err != nil {
		return err
	}
	limits := cmp.Or(d.Codes, DefaultCodes())
	pair := "codes/" + d.Hash("codes", Fold(email)+" "+network)
	for _, c := range []struct {
		name string
		most int
	}{{pair, limits.Pair}, {"codes/" + d.Hash("codes", network), limits.Network}} {
		if ok, err := d.Count(ctx, c.name, c.most, time.Hour); err != nil || !ok {
			return errors.Join(err, orNil(err == nil, ErrTooManyCodes))
		}
	}
	code, err := drawCode()
	if err != nil {
		return err
	}
	merchant, err := d.merchantOf(ctx, s.Checkout)
	if err != nil {
		return err
	}
	to, err := d.Keep(Contact{Email: strings.TrimSpace(email)})
	if err != nil {
		return err
	}
	secret, err := d.Keep(map[string]string{"code": code})
	if err != nil {
		return err
	}
	change()
	s.Code, s.Tries, s.CodeEnd = d.Hash("code", s.Token+code), 0, d.Wall().Add(codeLife)
	if err := d.Save(ctx, s); err != nil {
		return err
	}
	_, err = d.do(ctx, people.QueueMail{
		Template: "code", Language: s.Language, To: to.ID, Own: true, Secret: secret.ID, Of: s.Checkout, Merchant: merchant, Secrets: []credit.Secret{to, secret},
	}, network)
	return err
}

func orNil(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

func drawCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", fmt.Errorf("buyer: generate a code: %w", err)
	}
	text := strconv.Itoa(int(n.Int64()))
	return strings.Repeat("0", 6-len(text)) + text, nil
}

// sandboxCode is accepted in a sandbox for every email address.
const sandboxCode = "000000"

// ErrWrongCode means that a code is not the one that was sent; ErrNoCode that none is valid
// anymore: it was used, tried too often, or is too old.
var (
	ErrWrongCode = errors.New("buyer: wrong code")
	ErrNoCode    = errors.New("buyer: no valid code")
)

// Prove accepts a code, which proves that the browser's user owns the email address. The
// session continues with a new token, so that one captured before is useless.
func (d *Desk) Prove(ctx context.Context, s *Session, code, address string) (*credit.Person, error) {
	if s.Change != "" { // the code is for another email address than the session's
		return nil, ErrNoCode
	}
	if err := d.take(ctx, s, code); err != nil {
		return nil, err
	}
	p, err := d.proved(ctx, s.Email, s.Language, address)
	if err != nil {
		return nil, err
	}
	old := *s
	s.Token, s.Person, s.Proved, s.version = Random(sessionLength), p.ID, d.Wall(), 0
	if err := d.Save(ctx, s); err != nil {
		return nil, err
	}
	return p, d.EndSession(ctx, &old)
}

// take accepts a code, once.
func (d *Desk) take(ctx context.Context, s *Session, code string) error {
	if s.Code == "" || s.Tries >= codeTries || !d.Wall().Before(s.CodeEnd) {
		return ErrNoCode
	}
	typed := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, code)
	right := subtle.ConstantTimeCompare([]byte(d.Hash("code", s.Token+typed)), []byte(s.Code)) == 1
	s.Tries++
	if !right && !(d.Sandbox && typed == sandboxCode) {
		if err := d.Save(ctx, s); err != nil {
			return err
		}
		return ErrWrongCode
	}
	s.Code, s.Tries, s.CodeEnd = "", 0, time.Time{}
	return d.Save(ctx, s) // used once: a second browser tab is refused
}

// proved records that an email address was proved, on pages in a language. Whoever proves
// the email address of a company record without people becomes its owner.
func (d *Desk) proved(ctx context.Context, email, language, address string) (*credit.Person, error) {
	c := people.ProvePerson{Email: d.EmailHash(email), Language: language}
	err := d.Store.View(ctx, func(v store.View) error {
		company, err := companyOf(v, email)
		if err == nil && company != nil {
			c.Company, c.Found = company.ID, company.Email
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	contact, err := d.Keep(Contact{Email: email})
	if err != nil {
		return nil, err
	}
	c.Contact, c.Secrets = contact.ID, []credit.Secret{contact}
	result, err := d.do(ctx, c, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.Person), nil
}

// companyOf returns the company whose record has an email address and that has no people,
// nil if there is none, or more than one: then the lender assigns people. A closed company
// counts if it is the only one: its page says whom to call.
func companyOf(v store.View, email string) (*credit.Company, error) {
	list, err := store.ListCompaniesByEmail(v, Fold(email), 100)
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(x *credit.Company) bool { return x.Status == credit.CompanyClosed })
	}
	list = slices.DeleteFunc(list, func(x *credit.Company) bool { return len(x.Servicing.People) > 0 })
	if len(list) != 1 {
		return nil, nil
	}
	return list[0], nil
}

// merchantOf returns the merchant of a checkout, "" without one.
func (d *Desk) merchantOf(ctx context.Context, checkout string) (merchant string, err error) {
	if checkout == "" {
		return "", nil
	}
	err = d.Store.View(ctx, func(v store.View) error {
		x, err := Load[*credit.Checkout](v, checkout)
		if x != nil {
			merchant = x.Merchant
		}
		return err
	})
	return merchant, err
}

// Draft is what was typed in the pages of a checkout and not sent yet.
type Draft map[string]string

// draftLife is how long the lender lets drafts be kept.
func (d *Desk) draftLife(ctx context.Context) (life time.Duration, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Lenders: []string{credit.TheLender}})
		life = time.Duration(s.TheLender().Settings.Kept().Drafts) * 24 * time.Hour
		return err
	})
	return life, err
}

func draftName(checkout, person string) string { return "draft/" + checkout + "/" + person }

// Draft reads what a person has typed in a checkout so far.
func (d *Desk) Draft(ctx context.Context, s *Session) (Draft, error) {
	draft := Draft{}
	_, _, err := d.ReadScratch(ctx, draftName(s.Checkout, s.Person), &draft)
	return draft, err
}

// SaveDraft adds answers to the existing ones. If two tabs save concurrently, both are
// kept, and for the same answer the later one.
func (d *Desk) SaveDraft(ctx context.Context, s *Session, answers Draft) error {
	name := draftName(s.Checkout, s.Person)
	life, err := d.draftLife(ctx)
	if err != nil {
		return err
	}
	for range 10 {
		draft := Draft{}
		version, _, err := d.ReadScratch(ctx, name, &draft)
		if err != nil {
			return err
		}
		for k, v := range answers {
			draft[k] = v
		}
		kept, err := d.WriteScratch(ctx, name, draft, d.Wall().Add(life), version)
		if err != nil || kept {
			return err
		}
	}
	return ErrRaced
}

// DropDraft deletes the draft, once it is sent.
func (d *Desk) DropDraft(ctx context.Context, s *Session) error {
	_, err := d.Store.Unscratch(ctx, draftName(s.Checkout, s.Person))
	return err
}
