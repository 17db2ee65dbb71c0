package reseal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// value is one sealed value, or one that is to be.
type value struct {
	table, id string
	key       string // id of the key that has sealed it, "" if nothing is sealed of it
	former    bool
}

// each calls fn with every value. Those of a row follow each other.
func (c *Config) each(ctx context.Context, fn func(value) error) error {
	if err := c.eachSetting(ctx, fn); err != nil {
		return err
	}
	return c.Backend.View(ctx, func(v store.View) error {
		account := func(table compliance.SealedTable, id string, b *credit.BankAccount) error {
			return fn(value{string(table), id, c.KeyOf(b.Sealed), b.Routing != "" || b.HolderName != ""})
		}
		merchants, err := store.AllMerchants(v)
		if err != nil {
			return err
		}
		for _, m := range merchants {
			for _, b := range m.Accounts() {
				if err := account(compliance.SealedMerchants, m.ID, b); err != nil {
					return err
				}
			}
		}
		return errors.Join(
			store.EachOf(v, store.MethodNoun, func(m *credit.PaymentMethod) error {
				if m.Bank == nil {
					return nil
				}
				return account(compliance.SealedMethods, m.ID, m.Bank)
			}),
			store.EachEndpointVersion(v, func(x store.EndpointVersion) error { return c.eachSecret(x, fn) }),
			store.EachOf(v, store.ScreeningNoun, func(x *credit.Screening) error {
				if !readable(x) {
					return nil
				}
				return fn(value{string(compliance.SealedScreenings), x.ID, "", true})
			}),
			store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
				if !a.Sealed && !showsAccount(a) {
					return nil
				}
				return fn(value{string(store.AnswerEnvelopes), k.Client + "/" + k.Key, c.keyIn(a), !a.Sealed})
			}),
			store.EachSecret(v, func(id string, sealed []byte) error {
				return fn(value{string(store.VaultEnvelopes), id, c.KeyOf(sealed), false})
			}),
			store.Each(v, &store.BankNotices, func(n store.BankNotice) error {
				p, envelope, err := changeOf(n)
				if err != nil || envelope == nil {
					return err
				}
				return fn(value{string(store.NoticeEnvelopes), n.Key(), c.KeyOf(envelope), len(p.Corrected.Sealed) == 0})
			}),
		)
	})
}

func (c *Config) eachSetting(ctx context.Context, fn func(value) error) error {
	names, err := store.SettingNames(ctx, c.Backend, c.Prefix)
	if err != nil {
		return err
	}
	for name := range c.Settings {
		names = append(names, name)
	}
	for _, name := range names {
		kept, found, err := store.Setting(ctx, c.Backend, name)
		if err != nil {
			return err
		}
		if !found || string(kept) == c.Blank {
			continue
		}
		if err := fn(value{string(store.SettingEnvelopes), name, c.KeyOf(kept), false}); err != nil {
			return err
		}
	}
	return nil
}

// eachSecret calls fn with the signing secrets of an endpoint as it stands.
func (c *Config) eachSecret(x store.EndpointVersion, fn func(value) error) error {
	if x.UntilQ != 0 {
		return nil
	}
	for _, s := range x.Endpoint.Secrets {
		_, err := c.Open(s.Sealed, credit.SigningSecretOf(x.Endpoint.ID))
		former := false
		if err != nil {
			_, again := x.Endpoint.OpenSecret(s, c.Open)
			former = again == nil
		}
		if err := fn(value{string(compliance.SealedEndpoints), x.Endpoint.ID, c.KeyOf(s.Sealed), former}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) keyIn(a store.Answer) string {
	if !a.Sealed {
		return ""
	}
	return c.KeyOf(a.Body)
}

// readable reports that a screening of a merchant holds its holder's name as it is written.
func readable(x *credit.Screening) bool {
	return x.Merchant != "" && len(x.Names) > 1 && payments.HolderNamed(x.Names[1]) == ""
}

// showsAccount reports that an answer shows a bank account, which earlier versions did not
// seal.
func showsAccount(a store.Answer) bool {
	i := bytes.Index(a.Body, []byte(`"routing_number"`))
	if i < 0 {
		return false
	}
	_, shown, _ := strings.Cut(string(a.Body[i:min(i+40, len(a.Body))]), ":")
	return strings.HasPrefix(strings.TrimSpace(shown), `"`)
}

// changeOf is the payload of a notice with what is, or is to be, sealed in it; nil if
// nothing is.
func changeOf(n store.BankNotice) (p store.NoticePayload, envelope []byte, err error) {
	if !bytes.Contains(n.Payload, []byte(`"corrected"`)) {
		return p, nil, nil
	}
	if err := json.Unmarshal(n.Payload, &p); err != nil {
		return p, nil, fmt.Errorf("read notice %s: %w", n.Key(), err)
	}
	switch x := p.Corrected; {
	case x == nil:
		return p, nil, nil
	case len(x.Sealed) > 0:
		return p, x.Sealed, nil
	case len(x.Number) > 0:
		return p, x.Number, nil
	case x.Routing != "" || x.Name != "":
		return p, []byte{}, nil
	}
	return p, nil, nil
}

// valuesOf are the values of a row that are to be sealed anew, as they are then.
func (r *run) valuesOf(s *credit.State, x ref) (out []compliance.SealedValue) {
	switch x.table {
	case compliance.SealedMethods:
		if m := s.Methods[x.id]; m != nil && m.Bank != nil {
			out = r.account(x, m.Bank, payments.MethodAccount(x.id), "")
		}
	case compliance.SealedMerchants:
		if m := s.Merchants[x.id]; m != nil {
			for _, b := range m.Accounts() {
				out = append(out, r.account(x, b, payments.PaidAccount(x.id), m.Name)...)
			}
		}
	case compliance.SealedEndpoints:
		if e := s.Endpoints[x.id]; e != nil {
			out = r.secrets(x, e)
		}
	case compliance.SealedScreenings:
		if y := s.Screenings[x.id]; y != nil && readable(y) {
			names := append([]string{}, y.Names...)
			for i := 1; i < len(names); i++ {
				names[i] = credit.HolderName(r.Fingerprint(credit.HolderIndex, names[i]))
			}
			out = append(out, compliance.SealedValue{Table: x.table, ID: x.id, Was: compliance.NamesDigest(y.Names), Names: names})
		}
	}
	return out
}

// account is an account sealed anew for its place. The holder that is the owner itself has
// no index: there is no other name to compare.
func (r *run) account(x ref, b *credit.BankAccount, place, owner string) []compliance.SealedValue {
	if !r.stale(value{string(x.table), x.id, r.KeyOf(b.Sealed), b.Routing != "" || b.HolderName != ""}) {
		return nil
	}
	details, err := b.Open(place, r.Open)
	next := *b
	if err == nil {
		err = next.Seal(place, details, r.Seal)
	}
	if err != nil {
		r.missing(string(x.table)+" "+x.id, err)
		return nil
	}
	holder := ""
	if owner == "" || details.Holder != owner && details.Holder != "" {
		holder = r.Fingerprint(credit.HolderIndex, details.Holder)
	}
	return []compliance.SealedValue{{Table: x.table, ID: x.id, Was: compliance.SealedDigest(b.Sealed), Sealed: next.Sealed, Holder: holder}}
}

// secrets are the signing secrets of an endpoint, sealed anew for it.
func (r *run) secrets(x ref, e *credit.Endpoint) (out []compliance.SealedValue) {
	about := credit.SigningSecretOf(e.ID)
	for _, s := range e.Secrets {
		_, err := r.Open(s.Sealed, about)
		if !r.stale(value{string(x.table), x.id, r.KeyOf(s.Sealed), err != nil}) {
			continue
		}
		plain, err := e.OpenSecret(s, r.Open)
		if err != nil {
			r.missing(string(x.table)+" "+x.id, err)
			continue
		}
		out = append(out, compliance.SealedValue{Table: x.table, ID: x.id, Was: compliance.SealedDigest(s.Sealed), Sealed: r.Seal(plain, about)})
	}
	return out
}

// besideAtOnce is how many answers and notices are kept in memory.
const besideAtOnce = 2000

// secret seals what stands in the vault anew.
func (r *run) secret(id string, sealed []byte, add func(store.EnvelopeTable, [2]string, []byte, func() ([]byte, error)) error) error {
	if !r.stale(value{string(store.VaultEnvelopes), id, r.KeyOf(sealed), false}) {
		return nil
	}
	was := bytes.Clone(sealed)
	return add(store.VaultEnvelopes, [2]string{id}, was, func() ([]byte, error) {
		plain, err := r.Open(was, credit.SecretPlace(id))
		if err != nil {
			return nil, err
		}
		return r.Seal(plain, credit.SecretPlace(id)), nil
	})
}

// resealBeside replaces stored answers, the vault and what banks say of accounts. Each round walks to
// the first ones that are left; what does not open is passed over.
func (r *run) resealBeside(ctx context.Context) error {
	skipped := map[[3]string]bool{}
	for {
		var list []store.Envelope
		add := func(table store.EnvelopeTable, key [2]string, was []byte, seal func() ([]byte, error)) error {
			if skipped[[3]string{string(table), key[0], key[1]}] {
				return nil
			}
			sealed, err := seal()
			if err != nil {
				skipped[[3]string{string(table), key[0], key[1]}] = true
				r.missing(string(table)+" "+key[0]+"/"+key[1], err)
				return nil
			}
			if list = append(list, store.Envelope{Table: table, Key: key, Was: was, Value: sealed}); len(list) == besideAtOnce {
				return errFull
			}
			return nil
		}
		err := r.Backend.View(ctx, func(v store.View) error {
			if err := store.EachAnswer(v, func(k store.KeyID, a store.Answer) error { return r.answer(k, a, add) }); err != nil {
				return err
			}
			if err := store.EachSecret(v, func(id string, sealed []byte) error { return r.secret(id, sealed, add) }); err != nil {
				return err
			}
			return store.Each(v, &store.BankNotices, func(n store.BankNotice) error { return r.notice(n, add) })
		})
		if err != nil && !errors.Is(err, errFull) {
			return err
		}
		if len(list) == 0 {
			return nil
		}
		for start := 0; start < len(list); start += compliance.MaxResealed {
			n, err := r.Backend.Reseal(ctx, list[start:min(start+compliance.MaxResealed, len(list))])
			if err != nil {
				return err
			}
			r.sealed(n)
		}
	}
}

// adding notes an envelope that is to be replaced.
type adding func(table store.EnvelopeTable, key [2]string, was []byte, seal func() ([]byte, error)) error

func (r *run) answer(k store.KeyID, a store.Answer, add adding) error {
	if !a.Sealed && !showsAccount(a) || !r.stale(value{key: r.keyIn(a), former: !a.Sealed}) {
		return nil
	}
	return add(store.AnswerEnvelopes, [2]string{k.Client, k.Key}, a.Body, func() (_ []byte, err error) {
		plain := a.Body
		if a.Sealed {
			plain, err = r.Open(a.Body, engine.AnswerSubject(k))
		}
		if err != nil {
			return nil, err
		}
		return r.Seal(plain, engine.AnswerSubject(k)), nil
	})
}

func (r *run) notice(n store.BankNotice, add adding) error {
	p, envelope, err := changeOf(n)
	if err != nil || envelope == nil || !r.stale(value{key: r.KeyOf(envelope), former: len(p.Corrected.Sealed) == 0}) {
		return err
	}
	return add(store.NoticeEnvelopes, [2]string{string(n.Rail), n.ID}, n.Payload, func() ([]byte, error) {
		details, err := p.Corrected.Open(&n, r.Open)
		if err == nil {
			err = p.Corrected.Seal(&n, details, r.Seal)
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(p)
	})
}
