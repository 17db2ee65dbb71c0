package compliance

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
)

// MaxResealed is how many values one command reseals: a rotation shares the writer with
// everybody else.
const MaxResealed = 100

// Reseal replaces values sealed with an older key by values sealed with the deployment's
// newest one (A62), and seals what was stored before sealing was required. Nothing visible
// changes, not even updated_at. A value that was replaced since it was read is left alone, so
// running the command twice or concurrently does no harm. Result is a Resealed.
type Reseal struct {
	Values []SealedValue `json:"values"`
}

// SealedValue is one value with its place. For an account, Holder is set with it and its
// readable copies are cleared; for a screening, the value is the names.
type SealedValue struct {
	Table  SealedTable `json:"table"`
	ID     string      `json:"id"`
	Was    string      `json:"was"` // SealedDigest of the value it replaces
	Sealed []byte      `json:"sealed,omitzero"`
	Holder string      `json:"holder,omitzero"`
	Names  []string    `json:"names,omitzero"`
}

// SealedTable is a table whose rows hold values that Reseal replaces.
type SealedTable string

// The tables of Reseal.
const (
	SealedMethods    SealedTable = "payment_methods"
	SealedMerchants  SealedTable = "merchants"
	SealedEndpoints  SealedTable = "endpoints"
	SealedScreenings SealedTable = "screenings"
)

// Resealed is the result of Reseal.
type Resealed struct {
	Values int // that were replaced
}

// SealedDigest identifies a value to Reseal without revealing it.
func SealedDigest(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:])
}

// NamesDigest is SealedDigest of the names of a screening.
func NamesDigest(names []string) string { return SealedDigest([]byte(strings.Join(names, "\x00"))) }

func (Reseal) Name() string { return "keys.reseal" }

// Keys requests the rows, and the companies of accounts among them.
func (c Reseal) Keys(s *credit.State, _ credit.Env) (k credit.Keys) {
	for _, v := range c.Values {
		switch v.Table {
		case SealedMethods:
			k.Methods = append(k.Methods, v.ID)
			if m := s.Methods[v.ID]; m != nil {
				k.Companies = append(k.Companies, m.Company)
			}
		case SealedMerchants:
			k.Merchants = append(k.Merchants, v.ID)
		case SealedEndpoints:
			k.Endpoints = append(k.Endpoints, v.ID)
		case SealedScreenings:
			k.Screenings = append(k.Screenings, v.ID)
		}
	}
	return k
}

// Admit allows only the deployment itself, which holds the key.
func (Reseal) Admit(_ *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such command.")
	}
	return nil
}

func (c Reseal) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if len(c.Values) == 0 || len(c.Values) > MaxResealed {
		return credit.Changes{}, credit.ValidationFailed.Because("One command can seal 1 to 100 values.")
	}
	d := credit.NewDraft(s, e)
	d.Unseen = true
	done := 0
	for _, v := range c.Values {
		if reseal(d, v) {
			done++
		}
	}
	return d.Done(Resealed{Values: done}, false), nil
}

// reseal replaces one value, and reports whether it was still the expected one.
func reseal(d *credit.Draft, v SealedValue) bool {
	switch v.Table {
	case SealedMethods:
		return resealMethod(d, v)
	case SealedMerchants:
		return resealMerchant(d, v)
	case SealedEndpoints:
		return resealEndpoint(d, v)
	case SealedScreenings:
		if x := d.Screenings.Peek(v.ID); x == nil || len(v.Names) == 0 || NamesDigest(x.Names) != v.Was {
			return false
		}
		d.Screenings.Edit(v.ID).Names = slices.Clone(v.Names)
		return true
	}
	return false
}

func resealMethod(d *credit.Draft, v SealedValue) bool {
	m := d.Methods.Peek(v.ID)
	if m == nil {
		return false
	}
	b := resealed(m.Bank, v)
	if b != nil {
		d.Methods.Edit(v.ID).Bank = b
	}
	return b != nil
}

func resealMerchant(d *credit.Draft, v SealedValue) bool {
	m := d.Merchants.Peek(v.ID)
	if m == nil {
		return false
	}
	if b := resealed(m.Account.Bank, v); b != nil {
		d.Merchants.Edit(v.ID).Account.Bank = b
		return true
	}
	if p := m.Account.Pending; p != nil {
		if b := resealed(p.Bank, v); b != nil {
			next := *p
			next.Bank = b
			d.Merchants.Edit(v.ID).Account.Pending = &next
			return true
		}
	}
	return false
}

func resealEndpoint(d *credit.Draft, v SealedValue) bool {
	x := d.Endpoints.Peek(v.ID)
	if x == nil || len(v.Sealed) == 0 {
		return false
	}
	i := slices.IndexFunc(x.Secrets, func(s credit.EndpointSecret) bool { return SealedDigest(s.Sealed) == v.Was })
	if i < 0 {
		return false
	}
	next := d.Endpoints.Edit(v.ID)
	next.Secrets = slices.Clone(next.Secrets)
	next.Secrets[i].Sealed = v.Sealed
	if was := d.State.Endpoints[v.ID]; next.Version == was.Version {
		next.Version++
	}
	return true
}

// resealed returns an account with a new envelope, nil if its current one is not the expected
// one.
func resealed(b *credit.BankAccount, v SealedValue) *credit.BankAccount {
	if b == nil || len(v.Sealed) == 0 || SealedDigest(b.Sealed) != v.Was {
		return nil
	}
	next := *b
	next.Routing, next.HolderName, next.Sealed, next.Holder = "", "", v.Sealed, v.Holder
	return &next
}
