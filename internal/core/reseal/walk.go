package reseal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// value is one sealed value.
type value struct {
	table, id string
	key       string // id of the key that has sealed it
}

// each calls fn with every value. Those of a row follow each other.
func (c *Config) each(ctx context.Context, fn func(value) error) error {
	if err := c.eachSetting(ctx, fn); err != nil {
		return err
	}
	return c.Backend.View(ctx, func(v store.View) error {
		account := func(table compliance.SealedTable, id string, b *credit.BankAccount) error {
			return fn(value{string(table), id, c.KeyOf(b.Sealed)})
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
			store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
				if !a.Sealed {
					return nil
				}
				return fn(value{string(store.AnswerEnvelopes), k.Client + "/" + k.Key, c.KeyOf(a.Body)})
			}),
			store.EachSecret(v, func(id string, sealed []byte) error {
				return fn(value{string(store.VaultEnvelopes), id, c.KeyOf(sealed)})
			}),
			store.Each(v, &store.BankNotices, func(n store.BankNotice) error {
				p, err := changeOf(n)
				if err != nil || p == nil {
					return err
				}
				return fn(value{string(store.NoticeEnvelopes), n.Key(), c.KeyOf(p.Corrected.Sealed)})
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
		if err := fn(value{string(store.SettingEnvelopes), name, c.KeyOf(kept)}); err != nil {
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
		if err := fn(value{string(compliance.SealedEndpoints), x.Endpoint.ID, c.KeyOf(s.Sealed)}); err != nil {
			return err
		}
	}
	return nil
}

// changeOf is the payload of a notice in which something is sealed, nil of any other.
func changeOf(n store.BankNotice) (*store.NoticePayload, error) {
	if !bytes.Contains(n.Payload, []byte(`"corrected"`)) {
		return nil, nil
	}
	var p store.NoticePayload
	if err := json.Unmarshal(n.Payload, &p); err != nil {
		return nil, fmt.Errorf("read notice %s: %w", n.Key(), err)
	}
	if p.Corrected == nil || len(p.Corrected.Sealed) == 0 {
		return nil, nil
	}
	return &p, nil
}

// valuesOf are the values of a row that are to be sealed anew, as they are then.
func (r *run) valuesOf(s *credit.State, x ref) (out []compliance.SealedValue) {
	switch x.table {
	case compliance.SealedMethods:
		if m := s.Methods[x.id]; m != nil && m.Bank != nil {
			out = r.account(x, m.Bank, payments.MethodAccount(x.id))
		}
	case compliance.SealedMerchants:
		if m := s.Merchants[x.id]; m != nil {
			for _, b := range m.Accounts() {
				out = append(out, r.account(x, b, payments.PaidAccount(x.id))...)
			}
		}
	case compliance.SealedEndpoints:
		if e := s.Endpoints[x.id]; e != nil {
			out = r.secrets(x, e)
		}
	}
	return out
}

// account is an account sealed anew for its place.
func (r *run) account(x ref, b *credit.BankAccount, place string) []compliance.SealedValue {
	if !r.stale(b.Sealed) {
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
	return []compliance.SealedValue{{Table: x.table, ID: x.id, Was: compliance.SealedDigest(b.Sealed), Sealed: next.Sealed, Holder: b.Holder}}
}

// secrets are the signing secrets of an endpoint, sealed anew for it.
func (r *run) secrets(x ref, e *credit.Endpoint) (out []compliance.SealedValue) {
	about := credit.SigningSecretOf(e.ID)
	for _, s := range e.Secrets {
		if !r.stale(s.Sealed) {
			continue
		}
		plain, err := r.Open(s.Sealed, about)
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
	if !r.stale(sealed) {
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
	if !a.Sealed || !r.stale(a.Body) {
		return nil
	}
	return add(store.AnswerEnvelopes, [2]string{k.Client, k.Key}, a.Body, func() ([]byte, error) {
		plain, err := r.Open(a.Body, engine.AnswerSubject(k))
		if err != nil {
			return nil, err
		}
		return r.Seal(plain, engine.AnswerSubject(k)), nil
	})
}

func (r *run) notice(n store.BankNotice, add adding) error {
	p, err := changeOf(n)
	if err != nil || p == nil || !r.stale(p.Corrected.Sealed) {
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
