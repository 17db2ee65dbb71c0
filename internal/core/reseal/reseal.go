// Package reseal finds what a database holds sealed, and under which key, and seals it
// anew under the deployment's newest key (A62).
//
// Records are replaced by commands, which the audit log keeps with what they have put in
// place of what; settings, stored answers and what banks say of accounts, which are no
// decisions, each by itself. Nothing is ever stored readable on the way, every value opens
// with the key file at any moment, and a run that was cut off is simply made again: it
// finds what is left.
package reseal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
)

// Config is what a run is made of.
type Config struct {
	Backend interface {
		store.Viewer
		store.Resealer
	}
	Submit engine.Submitter // of a run; a survey needs none
	Open   func(sealed []byte, about string) ([]byte, error)
	Seal   func(plain []byte, about string) []byte
	KeyOf  func(sealed []byte) string // id of the key that has sealed it
	Newest string                     // id of the key that Seal uses
	Seed   func() [16]byte
	// Settings are the sealed settings with what each is bound to. Those whose names begin
	// with Prefix are bound to their names; Blank stands in one that holds nothing any more.
	Settings map[string]string
	Prefix   string
	Blank    string
	// Told is told how many values have been sealed, of how many; it may be nil.
	Told func(done, total int)
}

// Count is what a table holds sealed.
type Count struct {
	Table string         `json:"table"`
	Keys  map[string]int `json:"keys"` // values by the id of their key
}

// Survey counts everything that is sealed, table by table. Copies in the audit log and in
// former versions of endpoints, which are never rewritten and which nothing opens, are
// left out.
func Survey(ctx context.Context, cfg Config) ([]Count, error) {
	var out []Count
	err := cfg.each(ctx, func(v value) error {
		i := slices.IndexFunc(out, func(c Count) bool { return c.Table == v.table })
		if i < 0 {
			i = len(out)
			out = append(out, Count{Table: v.table, Keys: map[string]int{}})
		}
		out[i].Keys[v.key]++
		return nil
	})
	return out, err
}

// Run seals anew what is not sealed with the newest key. It returns how many values it has
// replaced. What does not open is left as it is, and named in the error.
func Run(ctx context.Context, cfg Config) (done int, err error) {
	r := &run{Config: cfg}
	if err := r.each(ctx, r.note); err != nil {
		return 0, err
	}
	r.total = len(r.settings) + len(r.rows) + r.beside
	for _, part := range []func(context.Context) error{r.resealSettings, r.resealRows, r.resealBeside} {
		if err := part(ctx); err != nil {
			return r.done, err
		}
	}
	if n := len(r.unopened); n > 0 {
		return r.done, fmt.Errorf("%d values cannot be decrypted, the first is in %s: %w", n, r.unopened[0].place, r.unopened[0].err)
	}
	return r.done, nil
}

// run is one pass over a database.
type run struct {
	Config
	done, total int
	settings    []string
	rows        []ref // in order, each once
	beside      int   // answers, notices and the vault
	unopened    []unopened
}

// ref names a row that commands write.
type ref struct {
	table compliance.SealedTable
	id    string
}

// unopened is a value whose key is missing, or that was damaged.
type unopened struct {
	place string
	err   error
}

// stale reports that an older key has sealed a value.
func (r *run) stale(sealed []byte) bool { return r.KeyOf(sealed) != r.Newest }

func (r *run) note(v value) error {
	if v.key == r.Newest {
		return nil
	}
	switch v.table {
	case string(store.SettingEnvelopes):
		r.settings = append(r.settings, v.id)
	case string(store.AnswerEnvelopes), string(store.NoticeEnvelopes), string(store.VaultEnvelopes):
		r.beside++
	default:
		if x := (ref{compliance.SealedTable(v.table), v.id}); len(r.rows) == 0 || r.rows[len(r.rows)-1] != x {
			r.rows = append(r.rows, x)
		}
	}
	return nil
}

// sealed counts values that have been replaced.
func (r *run) sealed(n int) {
	r.done += n
	if r.Told != nil && n > 0 {
		r.Told(min(r.done, r.total), r.total)
	}
}

// missing notes that a value does not open.
func (r *run) missing(place string, err error) {
	r.unopened = append(r.unopened, unopened{place, err})
}

// resealSettings replaces settings, one after the other.
func (r *run) resealSettings(ctx context.Context) error {
	for _, name := range r.settings {
		was, found, err := store.Setting(ctx, r.Backend, name)
		if err != nil {
			return err
		}
		if !found || string(was) == r.Blank {
			continue
		}
		about := r.aboutSetting(name)
		plain, err := r.Open(was, about)
		if err != nil {
			r.missing(string(store.SettingEnvelopes)+" "+name, err)
			continue
		}
		n, err := r.Backend.Reseal(ctx, []store.Envelope{{Table: store.SettingEnvelopes, Key: [2]string{name}, Was: was, Value: r.Seal(plain, about)}})
		if err != nil {
			return err
		}
		r.sealed(n)
	}
	return nil
}

func (c *Config) aboutSetting(name string) string {
	if about, known := c.Settings[name]; known {
		return about
	}
	return name
}

// rowsAtOnce is how many rows are read before their values are sealed.
const rowsAtOnce = compliance.MaxResealed / 2

// resealRows replaces what stands in records, a bounded number in a command: the writer
// is everybody's.
func (r *run) resealRows(ctx context.Context) error {
	for some := range slices.Chunk(r.rows, rowsAtOnce) {
		s := credit.NewState()
		if err := r.Backend.View(ctx, func(v store.View) error { return v.Load(s, keysOf(some)) }); err != nil {
			return err
		}
		var values []compliance.SealedValue
		for _, x := range some {
			values = append(values, r.valuesOf(s, x)...)
		}
		for part := range slices.Chunk(values, compliance.MaxResealed) {
			n, err := r.submit(ctx, part)
			if err != nil {
				return err
			}
			r.sealed(n)
		}
	}
	return nil
}

func keysOf(rows []ref) (k credit.Keys) {
	for _, x := range rows {
		switch x.table {
		case compliance.SealedMethods:
			k.Methods = append(k.Methods, x.id)
		case compliance.SealedMerchants:
			k.Merchants = append(k.Merchants, x.id)
		case compliance.SealedEndpoints:
			k.Endpoints = append(k.Endpoints, x.id)
		}
	}
	return k
}

// submit has values replaced by one command, and returns how many were.
func (r *run) submit(ctx context.Context, values []compliance.SealedValue) (n int, err error) {
	result, err := r.Submit.Submit(ctx, engine.Request{
		Command: compliance.Reseal{Values: values}, Actor: credit.Actor{Client: "tenor", Operator: true}, Seed: r.Seed(), Background: true,
		Encode: func(c credit.Changes, rejection *credit.Rejection) engine.Response {
			if rejection != nil {
				return engine.Response{Status: rejection.Status}
			}
			n = c.Result.(compliance.Resealed).Values
			return engine.Response{Status: 200}
		},
	})
	if err == nil && result.Rejection != nil {
		err = result.Rejection
	}
	if err != nil {
		return 0, fmt.Errorf("seal %d values: %w", len(values), err)
	}
	return n, nil
}

// KeysIn are the ids of the keys that a survey has found, in order.
func KeysIn(counts []Count) []string {
	ids := map[string]bool{}
	for _, c := range counts {
		for id := range c.Keys {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// In is how many values of a survey a key has sealed.
func In(counts []Count, key string) (n int) {
	for _, c := range counts {
		n += c.Keys[key]
	}
	return n
}

// errFull ends a walk that has found enough.
var errFull = errors.New("enough")
