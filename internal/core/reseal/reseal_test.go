package reseal_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/reseal"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/resource"
)

// What is sealed.
const (
	routing  = "073000228"
	holder   = "Zephyr Bakery Trust"
	boss     = "Quillon Depot"
	answered = `{"bank":{"routing_number": "` + routing + `","holder_name":"` + holder + `"}}`
)

// methods is how many accounts there are: more than one command seals anew.
const methods = compliance.MaxResealed + 20

// now is when everything is done.
var now = time.Date(2026, 2, 2, 15, 0, 0, 0, time.UTC)

// deployment is a database with one engine on it, whose key can be changed.
type deployment struct {
	t      *testing.T
	db     store.Backend
	eng    *engine.Engine
	ring   seal.Ring
	zone   calendar.Zone
	seeds  int
	failAt int // commands until the process dies; 0: never
}

func ringOf(t *testing.T, names ...string) seal.Ring {
	t.Helper()
	var keys []seal.Key
	for _, name := range names {
		keys = append(keys, seal.Derive([]byte("a key that is long enough, "+name), "test"))
	}
	ring, err := seal.New(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func fingerprint(routing, number string) string {
	sum := sha256.Sum256([]byte("index" + routing + "/" + number))
	return hex.EncodeToString(sum[:])
}

func open(t *testing.T, db store.Backend) *deployment {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	d := &deployment{t: t, db: db, zone: calendar.NewZone(location), ring: ringOf(t, "old")}
	d.eng, err = engine.New(engine.Config{
		Backend: db, Zone: d.zone, Now: func() time.Time { return now }, Node: "test", Wire: resource.APIVersion,
		EncodeEvent: resource.EncodeEvent,
		Seal:        func(plain []byte, about string) []byte { return d.ring.Seal(plain, about) },
		Open:        func(sealed []byte, about string) ([]byte, error) { return d.ring.Open(sealed, about) },
		Alarm:       func(a engine.Alarm) { t.Errorf("alarm %s: %v\n%s", a.What, a.Err, a.Stack) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { d.eng.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *deployment) seed() (s [16]byte) {
	d.seeds++
	sum := sha256.Sum256(fmt.Append(nil, "seed", d.seeds))
	return [16]byte(sum[:16])
}

func (d *deployment) do(c credit.Command) (made any) {
	d.t.Helper()
	return d.doAs(engine.Request{Command: c, Actor: credit.Actor{Client: "cli_ops", Operator: true}})
}

func (d *deployment) doAs(r engine.Request) (made any) {
	d.t.Helper()
	body := r.Encode
	r.Seed = d.seed()
	r.Encode = func(c credit.Changes, no *credit.Rejection) engine.Response {
		if no != nil {
			return engine.Response{Status: no.Status}
		}
		made = c.Result
		if body != nil {
			return body(c, no)
		}
		return engine.Response{Status: 200}
	}
	result, err := d.eng.Submit(d.t.Context(), r)
	if err != nil || result.Rejection != nil {
		d.t.Fatalf("%s: %v %v", r.Command.Name(), err, result.Rejection)
	}
	return made
}

// account is an account, sealed for its place.
func (d *deployment) account(place, number, holder string) *credit.BankAccount {
	d.t.Helper()
	details := credit.AccountDetails{Routing: routing, Number: number, Holder: holder}
	b, err := payments.SealedAccount(place, details, credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, fingerprint, d.ring.Seal)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

// fill stores some of everything that is sealed.
func (d *deployment) fill() (merchant string) {
	d.t.Helper()
	s := lending.DefaultSettings()
	m := d.do(merchants.CreateMerchant{Title: "Harbor Supply", Settings: s}).(*credit.Merchant)
	d.do(merchants.SetMerchantAccount{Merchant: m.ID, Bank: d.account(payments.PaidAccount(m.ID), "200100200", boss)})
	d.do(merchants.SetMerchantAccount{Merchant: m.ID, Bank: d.account(payments.PaidAccount(m.ID), "200100201", boss), CoolingOff: 2})
	c := d.do(lending.CreateCompany{Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A", Limit: 25_000_00, Merchants: []string{m.ID}}).(*credit.Company)
	for i := range methods {
		id := payments.MethodID(d.seed(), now)
		d.doAs(engine.Request{
			Actor: credit.Actor{Client: "cli_ops", Operator: true, Key: fmt.Sprint("key ", i)},
			Command: payments.AddPaymentMethod{
				ID: id, Company: c.ID, Type: credit.ACH, Bank: d.account(payments.MethodAccount(id), fmt.Sprint(200_300_000+i), holder),
				Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: now.AddDate(0, 0, -32), Reference: "signed"},
			},
			Encode: func(credit.Changes, *credit.Rejection) engine.Response {
				return engine.Response{Status: 201, Body: []byte(answered), Secret: i%2 == 0}
			},
		})
	}
	id := credit.EndpointID(d.seed(), now)
	d.do(access.CreateEndpoint{ID: id, Merchant: m.ID, URL: "https://shop.example/", Enabled: true, Sealed: d.ring.Seal([]byte("secret 1"), credit.SigningSecretOf(id))})
	d.do(access.RotateEndpoint{Endpoint: id, Sealed: d.ring.Seal([]byte("secret 2"), credit.SigningSecretOf(id)), At: now})
	d.notice()
	for name, value := range map[string][]byte{"key_check": d.ring.Seal([]byte("check"), "setting/key_check"), "files/1": d.ring.Seal([]byte("bytes"), "files/1"), "files/2": []byte("sent")} {
		if err := d.db.PutSetting(d.t.Context(), name, value); err != nil {
			d.t.Fatal(err)
		}
	}
	return m.ID
}

// notice stores what a bank has said of an account.
func (d *deployment) notice() {
	d.t.Helper()
	n := store.BankNotice{Rail: credit.ACH, ID: "in/1", Kind: "CHANGE", At: now}
	p := store.NoticePayload{Corrected: &store.NoticeChange{Of: "x"}}
	err := p.Corrected.Seal(&n, credit.AccountDetails{Routing: routing, Number: "200300999", Holder: holder}, d.ring.Seal)
	if err != nil {
		d.t.Fatal(err)
	}
	if n.Payload, err = json.Marshal(p); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.db.PutNotice(d.t.Context(), n); err != nil {
		d.t.Fatal(err)
	}
}

// Submit is engine.Submitter, until the process dies.
func (d *deployment) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if d.failAt > 0 {
		if d.failAt--; d.failAt == 0 {
			return engine.Result{}, errDied
		}
	}
	return d.eng.Submit(ctx, r)
}

var errDied = errors.New("died")

func (d *deployment) config() reseal.Config {
	return reseal.Config{
		Backend: d.db, Submit: d, Open: d.ring.Open, Seal: d.ring.Seal, KeyOf: seal.KeyID, Newest: d.ring.IDs()[0],
		Seed: d.seed, Settings: map[string]string{"key_check": "setting/key_check"}, Prefix: "files/", Blank: "sent",
	}
}

func (d *deployment) survey() []reseal.Count {
	d.t.Helper()
	counts, err := reseal.Survey(d.t.Context(), d.config())
	if err != nil {
		d.t.Fatal(err)
	}
	return counts
}

// opens asks that every value opens with a ring, and as what it was.
func (d *deployment) opens(merchant string, ring seal.Ring) {
	d.t.Helper()
	is := func(what, want, got string, err error) {
		d.t.Helper()
		if err != nil || want != got {
			d.t.Errorf("%s opens as %q, %v; want %q", what, got, err, want)
		}
	}
	answers := 0
	err := d.db.View(d.t.Context(), func(v store.View) error {
		all, err := store.AllMerchants(v)
		for _, b := range all[0].Accounts() {
			x, err := b.Open(payments.PaidAccount(merchant), ring.Open)
			is("merchant", routing+boss+b.Last4, x.Routing+x.Holder+x.Number[5:], err)
		}
		return errors.Join(err, store.EachOf(v, store.MethodNoun, func(m *credit.PaymentMethod) error {
			x, err := m.Bank.Open(payments.MethodAccount(m.ID), ring.Open)
			is("method", routing+holder+m.Bank.Last4, x.Routing+x.Holder+x.Number[5:], err)
			return nil
		}), store.EachEndpointVersion(v, func(x store.EndpointVersion) error {
			for _, s := range x.Endpoint.Secrets {
				if x.UntilQ == 0 {
					plain, err := ring.Open(s.Sealed, credit.SigningSecretOf(x.Endpoint.ID))
					is("secret", "secret ", string(plain[:min(7, len(plain))]), err)
				}
			}
			return nil
		}), store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
			if a.Sealed {
				body, err := ring.Open(a.Body, engine.AnswerSubject(k))
				is("answer", answered, string(body), err)
			}
			answers++
			return nil
		}), store.Each(v, &store.BankNotices, func(n store.BankNotice) error {
			var p store.NoticePayload
			if err := json.Unmarshal(n.Payload, &p); err != nil {
				return err
			}
			x, err := p.Corrected.Open(&n, ring.Open)
			is("notice", routing+"200300999"+holder, x.Routing+x.Number+x.Holder, err)
			return nil
		}))
	})
	if err != nil || answers != methods {
		d.t.Errorf("%d answers, %v", answers, err)
	}
	for name, want := range map[string]string{"key_check": "check", "files/1": "bytes"} {
		kept, _, err := store.Setting(d.t.Context(), d.db, name)
		if err != nil {
			d.t.Fatal(err)
		}
		plain, err := ring.Open(kept, d.about(name))
		is(name, want, string(plain), err)
	}
}

func (d *deployment) about(name string) string {
	if name == "key_check" {
		return "setting/key_check"
	}
	return name
}

// backends are what a rotation is tried on.
func backends(t *testing.T) map[string]store.Backend {
	t.Helper()
	disk, err := sqlite.Open(filepath.Join(t.TempDir(), "tenor.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]store.Backend{"memory": memory.New(), "sqlite": disk}
}

// A rotation that dies at any command goes on where it was; every value opens at any moment,
// and at the end with the new key alone.
func TestRotation(t *testing.T) {
	for name, db := range backends(t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, db)
			merchant := d.fill()
			d.opens(merchant, d.ring)
			old := d.ring.IDs()[0]
			d.ring = ringOf(t, "new", "old")
			before := reseal.In(d.survey(), old)
			for died := true; died; {
				d.failAt = 2 // one command goes through
				_, err := reseal.Run(t.Context(), d.config())
				if died = errors.Is(err, errDied); err != nil && !died {
					t.Fatal(err)
				}
				left := reseal.In(d.survey(), old)
				if left >= before {
					t.Fatalf("%d values of the old key after a run, %d before", left, before)
				}
				before = left
				d.opens(merchant, d.ring)
			}
			d.failAt = 0
			if n, err := reseal.Run(t.Context(), d.config()); n != 0 || err != nil {
				t.Errorf("another run seals %d: %v", n, err)
			}
			d.ring = ringOf(t, "new")
			if counts := d.survey(); before != 0 || len(reseal.KeysIn(counts)) != 1 || reseal.In(counts, d.ring.IDs()[0]) == 0 {
				t.Errorf("after the rotation: %+v", counts)
			}
			d.opens(merchant, d.ring)
			d.clean()
		})
	}
}

// clean asks that the books verify, the log decided again among it.
func (d *deployment) clean() {
	d.t.Helper()
	r, err := verify.Run(d.t.Context(), d.db, verify.Options{Scratch: memory.Scratch, Zone: d.zone, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion, Open: d.ring.Open})
	if err != nil || !r.Clean() {
		d.t.Errorf("verify: %v %+v", err, r.Violations[:min(3, len(r.Violations))])
	}
}

// What does not open is named, and keeps nothing else from being sealed.
func TestWhatDoesNotOpen(t *testing.T) {
	d := open(t, memory.New())
	merchant := d.fill()
	d.ring = ringOf(t, "lost")
	b := d.account(payments.PaidAccount(merchant), "200100777", holder)
	d.ring = ringOf(t, "old")
	d.do(merchants.SetMerchantAccount{Merchant: merchant, Bank: b})
	d.ring = ringOf(t, "new", "old")
	n, err := reseal.Run(t.Context(), d.config())
	if err == nil || !strings.Contains(err.Error(), "merchants "+merchant) || !errors.Is(err, seal.ErrUnknownKey) || strings.Contains(err.Error(), holder) {
		t.Errorf("error %v", err)
	}
	if n < methods || reseal.In(d.survey(), ringOf(t, "old").IDs()[0]) != 0 {
		t.Errorf("%d values sealed, %+v", n, d.survey())
	}
}
